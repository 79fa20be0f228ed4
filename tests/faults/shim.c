/* Stands between a program and the C library (LD_PRELOAD) and makes writes below some directories fail.

   Every call that changes a file there is counted, in a piece of memory that all processes of an attempt share (the file
   FAULTS_STATE). The call with the number `at` fails: with an error of the system, after half of a write, or with a
   SIGKILL of the whole process group. Calls to the port of a database server are counted too, so that a kill can hit
   between two statements; they never fail otherwise. The clock of the process can be moved as well. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 0, ONCE = 1, ON = 2, KILL = 3 };
enum { PASS = 0, FAIL = 1, HALF = 2 };

/* The layout is known to shim.py. */
struct state {
    int64_t armed;
    int64_t count;
    int64_t at;
    int64_t mode;
    int64_t error; /* an errno; 0: half of a write, then no room; what is no write finds no room at once */
    int64_t fired;
    int64_t port;
    int64_t clock_ns;
    int64_t without_links; /* as on FAT */
    char what[256]; /* the call that was hit first */
};

static struct state *state;
static char watched[4][PATH_MAX];
static int watched_count;

#define REAL(name)                                                                  \
    ({                                                                              \
        static __typeof__(&name) found;                                             \
        if (!found) found = (__typeof__(&name))real(#name);                         \
        found;                                                                      \
    })

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        const char text[] = "shim: a function of the C library is missing\n";
        if (write(2, text, sizeof text - 1)) {}
        _exit(99);
    }
    return found;
}

__attribute__((constructor)) static void begin(void) {
    const char *file = getenv("FAULTS_STATE"), *under = getenv("FAULTS_UNDER");
    if (!file || !under) return;
    int fd = REAL(open)(file, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void *memory = mmap(NULL, sizeof(struct state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (memory == MAP_FAILED) return;
    char copy[4 * PATH_MAX];
    snprintf(copy, sizeof copy, "%s", under);
    for (char *part = strtok(copy, ":"); part && watched_count < 4; part = strtok(NULL, ":"))
        snprintf(watched[watched_count++], PATH_MAX, "%s", part);
    state = memory;
}

static int is_watched(const char *path) {
    for (int i = 0; i < watched_count; i++) {
        size_t length = strlen(watched[i]);
        if (strncmp(path, watched[i], length) == 0 && (path[length] == '/' || path[length] == 0 || path[length] == ' '))
            return 1;
    }
    return 0;
}

/* The path of an open file. A file that was deleted meanwhile is still below its directory. */
static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return 1;
}

static int path_at(int directory, const char *name, char *path) {
    if (name[0] == '/') {
        snprintf(path, PATH_MAX, "%s", name);
        return 1;
    }
    char base[PATH_MAX];
    if (directory == AT_FDCWD) {
        if (!getcwd(base, sizeof base)) return 0;
    } else if (!path_of(directory, base)) return 0;
    return snprintf(path, PATH_MAX, "%.2000s/%.2000s", base, name) > 0;
}

static int is_server(int fd) {
    if (!state->port) return 0;
    struct sockaddr_in peer;
    socklen_t length = sizeof peer;
    if (getpeername(fd, (struct sockaddr *)&peer, &length) != 0) return 0;
    return peer.sin_family == AF_INET && ntohs(peer.sin_port) == state->port;
}

static int hit(const char *call, const char *path, int halves) {
    int64_t number = __sync_add_and_fetch(&state->count, 1);
    if (state->mode == COUNT || number < state->at || (number > state->at && state->mode != ON)) return PASS;
    if (__sync_fetch_and_add(&state->fired, 1) == 0) snprintf(state->what, sizeof state->what, "%s %s", call, path);
    if (state->mode == KILL) {
        if (halves && state->error == 0) return HALF;
        kill(0, SIGKILL);
        for (;;) pause();
    }
    if (state->error == 0 && number == state->at && halves) return HALF;
    errno = state->error ? (int)state->error : ENOSPC;
    return FAIL;
}

static void after_half(void) {
    if (state->mode == KILL) {
        kill(0, SIGKILL);
        for (;;) pause();
    }
}

static int on_path(const char *call, int directory, const char *name) {
    char path[PATH_MAX];
    if (!state || !state->armed || !path_at(directory, name, path) || !is_watched(path)) return PASS;
    return hit(call, path, 0);
}

static int on_file(const char *call, int fd, int halves) {
    if (!state || !state->armed) return PASS;
    int saved = errno;
    char path[PATH_MAX];
    if (path_of(fd, path) && is_watched(path)) return hit(call, path, halves);
    if (halves && state->mode != ONCE && state->mode != ON && is_server(fd)) {
        errno = saved;
        return hit(call, "a statement for the database", 0);
    }
    errno = saved;
    return PASS;
}

#define WRITES(flags) ((flags) & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC))
#define OPEN(name)                                                                  \
    int name(const char *path, int flags, ...) {                                    \
        va_list rest;                                                               \
        va_start(rest, flags);                                                      \
        mode_t mode = va_arg(rest, mode_t);                                         \
        va_end(rest);                                                               \
        if (WRITES(flags) && on_path("open", AT_FDCWD, path) == FAIL) return -1;    \
        return REAL(name)(path, flags, mode);                                       \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                \
    int name(int directory, const char *path, int flags, ...) {                     \
        va_list rest;                                                               \
        va_start(rest, flags);                                                      \
        mode_t mode = va_arg(rest, mode_t);                                         \
        va_end(rest);                                                               \
        if (WRITES(flags) && on_path("open", directory, path) == FAIL) return -1;   \
        return REAL(name)(directory, path, flags, mode);                            \
    }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int fd, const void *data, size_t size) {
    int fate = on_file("write", fd, 1);
    if (fate == FAIL) return -1;
    ssize_t written = REAL(write)(fd, data, fate == HALF ? (size + 1) / 2 : size);
    if (fate == HALF) after_half();
    return written;
}

#define PWRITE(name, offset_type)                                                   \
    ssize_t name(int fd, const void *data, size_t size, offset_type offset) {       \
        int fate = on_file("write", fd, 1);                                         \
        if (fate == FAIL) return -1;                                                \
        ssize_t written = REAL(name)(fd, data, fate == HALF ? (size + 1) / 2 : size, offset); \
        if (fate == HALF) after_half();                                             \
        return written;                                                             \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int fd, const struct iovec *pieces, int count) {
    if (on_file("write", fd, 0) == FAIL) return -1;
    return REAL(writev)(fd, pieces, count);
}

ssize_t send(int fd, const void *data, size_t size, int flags) {
    on_file("send", fd, 1);
    return REAL(send)(fd, data, size, flags);
}

ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length) {
    on_file("send", fd, 1);
    return REAL(sendto)(fd, data, size, flags, to, length);
}

ssize_t sendfile(int to, int from, off_t *offset, size_t size) {
    if (on_file("write", to, 0) == FAIL) return -1;
    return REAL(sendfile)(to, from, offset, size);
}

ssize_t sendfile64(int to, int from, off64_t *offset, size_t size) {
    if (on_file("write", to, 0) == FAIL) return -1;
    return REAL(sendfile64)(to, from, offset, size);
}

#define ON_FILE(name, word)                                                         \
    int name(int fd) {                                                              \
        if (on_file(word, fd, 0) == FAIL) return -1;                                \
        return REAL(name)(fd);                                                      \
    }
ON_FILE(fsync, "fsync")
ON_FILE(fdatasync, "fsync")

int ftruncate(int fd, off_t size) {
    if (on_file("truncate", fd, 0) == FAIL) return -1;
    return REAL(ftruncate)(fd, size);
}

int ftruncate64(int fd, off64_t size) {
    if (on_file("truncate", fd, 0) == FAIL) return -1;
    return REAL(ftruncate64)(fd, size);
}

int truncate(const char *path, off_t size) {
    if (on_path("truncate", AT_FDCWD, path) == FAIL) return -1;
    return REAL(truncate)(path, size);
}

int posix_fallocate(int fd, off_t offset, off_t size) {
    if (on_file("allocate", fd, 0) == FAIL) return errno;
    return REAL(posix_fallocate)(fd, offset, size);
}

int posix_fallocate64(int fd, off64_t offset, off64_t size) {
    if (on_file("allocate", fd, 0) == FAIL) return errno;
    return REAL(posix_fallocate64)(fd, offset, size);
}

int rename(const char *from, const char *to) {
    if (on_path("rename", AT_FDCWD, to) == FAIL) return -1;
    return REAL(rename)(from, to);
}

int renameat(int from_directory, const char *from, int directory, const char *to) {
    if (on_path("rename", directory, to) == FAIL) return -1;
    return REAL(renameat)(from_directory, from, directory, to);
}

int renameat2(int from_directory, const char *from, int directory, const char *to, unsigned int flags) {
    if (on_path("rename", directory, to) == FAIL) return -1;
    return REAL(renameat2)(from_directory, from, directory, to, flags);
}

static int on_link(int directory, const char *to) {
    if (on_path("link", directory, to) == FAIL) return FAIL;
    if (!state || !state->armed || !state->without_links) return PASS;
    errno = EPERM;
    return FAIL;
}

int link(const char *from, const char *to) {
    if (on_link(AT_FDCWD, to) == FAIL) return -1;
    return REAL(link)(from, to);
}

int linkat(int from_directory, const char *from, int directory, const char *to, int flags) {
    if (on_link(directory, to) == FAIL) return -1;
    return REAL(linkat)(from_directory, from, directory, to, flags);
}

int unlink(const char *path) {
    if (on_path("unlink", AT_FDCWD, path) == FAIL) return -1;
    return REAL(unlink)(path);
}

int unlinkat(int directory, const char *path, int flags) {
    if (on_path("unlink", directory, path) == FAIL) return -1;
    return REAL(unlinkat)(directory, path, flags);
}

int rmdir(const char *path) {
    if (on_path("rmdir", AT_FDCWD, path) == FAIL) return -1;
    return REAL(rmdir)(path);
}

int mkdir(const char *path, mode_t mode) {
    if (on_path("mkdir", AT_FDCWD, path) == FAIL) return -1;
    return REAL(mkdir)(path, mode);
}

int mkdirat(int directory, const char *path, mode_t mode) {
    if (on_path("mkdir", directory, path) == FAIL) return -1;
    return REAL(mkdirat)(directory, path, mode);
}

/* The clock on the wall. The one that only counts seconds, CLOCK_MONOTONIC, never jumps. */
int clock_gettime(clockid_t clock, struct timespec *now) {
    int done = REAL(clock_gettime)(clock, now);
    if (done == 0 && state && state->clock_ns && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t all = (int64_t)now->tv_sec * 1000000000 + now->tv_nsec + state->clock_ns;
        now->tv_sec = all / 1000000000;
        now->tv_nsec = all % 1000000000;
    }
    return done;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int done = REAL(gettimeofday)(now, zone);
    if (done == 0 && state) now->tv_sec += state->clock_ns / 1000000000;
    return done;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
