#include <malloc.h>
#include <microhttpd.h>

/* Swift cannot call a function with a variable number of arguments; nothing that is asked of it here takes more than two. */
static inline const union MHD_ConnectionInfo *
holdfast_connection_info(struct MHD_Connection *connection, enum MHD_ConnectionInfoType what)
{
    return MHD_get_connection_info(connection, what);
}

/* Swift's own header of the C library leaves <malloc.h> out. */
static inline void
holdfast_keep_freed_memory(int bytes)
{
    mallopt(M_TRIM_THRESHOLD, bytes);
}

static inline int
holdfast_epoll_descriptor(struct MHD_Daemon *daemon)
{
    return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}
