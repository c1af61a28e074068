// Preloaded into a program, makes the writes to a database fail while a file says so: a volume that became read-only
// under open files cannot be had otherwise, because the kernel refuses to remount it.
//
//   REFUSE_WRITES=FILE LD_PRELOAD=refuse-writes.so program
//
// While FILE exists, whatever writes to a file, cuts it or flushes it fails with EROFS. Sockets, pipes and terminals go on.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuses(int descriptor) {
    const char *switch_path = getenv("REFUSE_WRITES");
    struct stat status;
    if (!switch_path || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
    // The log is a file as well, and it has to tell what happens.
    if (descriptor <= 2 || access(switch_path, F_OK) != 0) return 0;
    errno = EROFS;
    return 1;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, name)

ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(ssize_t, "write", int, const void *, size_t);
    return refuses(descriptor) ? -1 : real(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    return refuses(descriptor) ? -1 : real(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    return refuses(descriptor) ? -1 : real(descriptor, bytes, count, offset);
}

int ftruncate(int descriptor, off_t length) {
    REAL(int, "ftruncate", int, off_t);
    return refuses(descriptor) ? -1 : real(descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) {
    REAL(int, "ftruncate64", int, off64_t);
    return refuses(descriptor) ? -1 : real(descriptor, length);
}

int fsync(int descriptor) {
    REAL(int, "fsync", int);
    return refuses(descriptor) ? -1 : real(descriptor);
}

int fdatasync(int descriptor) {
    REAL(int, "fdatasync", int);
    return refuses(descriptor) ? -1 : real(descriptor);
}
