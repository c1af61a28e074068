// Preloaded into a program, ends it with SIGKILL just before one of the calls by which it changes files: a kill from
// outside would never meet the moments between two renames.
//
//   KILL_AT=NUMBER KILL_COUNT=FILE LD_PRELOAD=kill-at-call.so program
//
// Calls are counted from 1. One that writes bytes counts when it is the 16th since the last that did; the others always
// do. At its end, which a number of 0 lets it reach, the program writes their number to FILE.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int count, writes;

static void change(void) {
    const char *number = getenv("KILL_AT");
    if (++count == (number ? atoi(number) : 0)) kill(getpid(), SIGKILL);
}

static void change_bytes(int descriptor) {
    if (descriptor > 2 && ++writes % 16 == 1) change();
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("KILL_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%d\n", count);
    fclose(file);
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, name)

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, #name, const char *, int, ...); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        if (flags & O_CREAT) change(); \
        return real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define PATHS(name) \
    int name(const char *one, const char *other) { \
        REAL(int, #name, const char *, const char *); \
        change(); \
        return real(one, other); \
    }
PATHS(link)
PATHS(rename)

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    change();
    return real(path);
}

int mknod(const char *path, mode_t mode, dev_t device) {
    REAL(int, "mknod", const char *, mode_t, dev_t);
    change();
    return real(path, mode, device);
}

#define FLUSH(name) \
    int name(int descriptor) { \
        REAL(int, #name, int); \
        change(); \
        return real(descriptor); \
    }
FLUSH(fsync)
FLUSH(fdatasync)

#define CUT(name, type) \
    int name(int descriptor, type length) { \
        REAL(int, #name, int, type); \
        change(); \
        return real(descriptor, length); \
    }
CUT(ftruncate, off_t)
CUT(ftruncate64, off64_t)

ssize_t write(int descriptor, const void *bytes, size_t length) {
    REAL(ssize_t, "write", int, const void *, size_t);
    change_bytes(descriptor);
    return real(descriptor, bytes, length);
}

#define WRITE_AT(name, type) \
    ssize_t name(int descriptor, const void *bytes, size_t length, type offset) { \
        REAL(ssize_t, #name, int, const void *, size_t, type); \
        change_bytes(descriptor); \
        return real(descriptor, bytes, length, offset); \
    }
WRITE_AT(pwrite, off_t)
WRITE_AT(pwrite64, off64_t)
