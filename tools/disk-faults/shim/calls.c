/* Replacements for calls of the C library. One lock orders them all, so that the content of the disk and the order of writes are known. */
#define _GNU_SOURCE
#include "disk-faults.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_FILES 65536
#define EXPORT __attribute__((visibility("default")))

library real;
bool watching;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  const char *class; /* NULL: not ours */
  uint64_t inode, device;
  bool append;
  char *path;
} files[MAX_FILES];

#define FIND(name, symbol) *(void **)&real.name = dlsym(RTLD_NEXT, symbol)
static void find_library(void) {
  FIND(open, "open64"), FIND(openat, "openat64"), FIND(close, "close"), FIND(write, "write"), FIND(pwrite, "pwrite64"), FIND(pread, "pread64");
  FIND(ftruncate, "ftruncate64"), FIND(fsync, "fsync"), FIND(fdatasync, "fdatasync"), FIND(rename, "rename"), FIND(link, "link");
  FIND(unlink, "unlink"), FIND(mkdir, "mkdir"), FIND(rmdir, "rmdir");
}
__attribute__((constructor)) static void begin(void) {
  find_library();
  load_classes();
  open_plan();
  open_journal();
  watching = getenv("DISK_FAULTS_ROOT") != NULL;
}

/* Not every close is intercepted (libuv makes some without the C library), so the number alone is not enough: the file must be the same. */
static bool ours(int fd) {
  struct stat s;
  if (!watching || fd < 0 || fd >= MAX_FILES || files[fd].class == NULL) return false;
  if (fstat(fd, &s) == 0 && s.st_ino == files[fd].inode && s.st_dev == files[fd].device) return true;
  files[fd].class = NULL;
  return false;
}

/* Executes one call: `act` performs it, unless the plan skips it. Returns -1 and sets errno like the library. */
static bool refused(decision d, record *r) {
  if (d.what == KILL_BEFORE) die();
  if (d.what != FAIL) return false;
  r->result = d.code == EIO ? "EIO" : "ENOSPC";
  note(r);
  errno = d.code;
  return true;
}
static void done(decision d, record *r, bool succeeded) {
  if (succeeded) note(r);
  if (succeeded && (d.what == KILL_AFTER || d.what == KILL_WITHIN)) die();
}

static uint64_t inode_at(const char *path, bool *is_folder, off_t *size) {
  struct stat s;
  int saved = errno;
  bool there = lstat(path, &s) == 0;
  errno = saved;
  if (is_folder) *is_folder = there && S_ISDIR(s.st_mode);
  if (size) *size = there ? s.st_size : 0;
  return there ? s.st_ino : 0;
}

static void *bytes_of(int fd, off_t from, size_t length) {
  if (!keeps_bytes() || length == 0) return NULL;
  void *space = malloc(length);
  for (size_t at = 0; at < length;) {
    ssize_t got = real.pread(fd, (char *)space + at, length - at, from + (off_t)at);
    if (got <= 0) break;
    at += (size_t)got;
  }
  return space;
}

/* ---- names ---- */

static int opened(int fd, const char *relative, int flags) {
  struct stat s;
  if (fd < 0 || fd >= MAX_FILES || fstat(fd, &s) != 0) return fd;
  files[fd].class = class_of(relative, S_ISDIR(s.st_mode));
  files[fd].inode = s.st_ino;
  files[fd].device = s.st_dev;
  files[fd].append = (flags & O_APPEND) != 0;
  free(files[fd].path);
  files[fd].path = strdup(relative);
  return fd;
}

/* An open that creates or truncates a file is a separate write. */
static int open_ours(int folder, const char *path, const char *relative, int flags, mode_t mode) {
  bool is_folder;
  off_t size;
  pthread_mutex_lock(&lock);
  uint64_t inode = inode_at(path, &is_folder, &size);
  const char *class = class_of(relative, is_folder);
  bool makes = (flags & O_CREAT) != 0 && inode == 0, empties = (flags & O_TRUNC) != 0 && inode != 0 && size > 0 && !((flags & O_CREAT) && (flags & O_EXCL));
  int fd = -1;
  if (class == NULL || (!makes && !empties)) {
    fd = opened(real.openat(folder, path, flags, mode), relative, flags);
  } else {
    record r = {.class = class, .operation = makes ? "create" : "truncate", .result = "ok", .inode = inode, .size_before = size, .path = relative};
    decision d = decide(class, r.operation);
    if (!refused(d, &r)) {
      if (empties) {
        int reader = real.open(path, O_RDONLY | O_CLOEXEC);
        r.before = bytes_of(reader, 0, (size_t)size), r.before_length = (size_t)size;
        real.close(reader);
      }
      fd = opened(real.openat(folder, path, flags, mode), relative, flags);
      if (fd >= 0) r.inode = files[fd].inode;
      done(d, &r, fd >= 0);
      free((void *)r.before);
    }
  }
  pthread_mutex_unlock(&lock);
  return fd;
}

static int any_open(int folder, const char *path, int flags, mode_t mode) {
  char space[8192];
  const char *relative = watching ? below_root(folder, path, space, sizeof space) : NULL;
  if (relative != NULL) return open_ours(folder, path[0] == '/' ? path : space, relative, flags, mode);
  if (!real.openat) find_library(); /* called before us, by another library's beginning */
  return real.openat(folder, path, flags, mode);
}

#define MODE(flags)                                              \
  mode_t mode = 0;                                               \
  if ((flags) & (O_CREAT | O_TMPFILE)) {                         \
    va_list more;                                                \
    va_start(more, flags);                                       \
    mode = va_arg(more, mode_t);                                 \
    va_end(more);                                                \
  }
EXPORT int open(const char *path, int flags, ...) { MODE(flags) return any_open(AT_FDCWD, path, flags, mode); }
EXPORT int open64(const char *path, int flags, ...) { MODE(flags) return any_open(AT_FDCWD, path, flags, mode); }
EXPORT int openat(int folder, const char *path, int flags, ...) { MODE(flags) return any_open(folder, path, flags, mode); }
EXPORT int openat64(int folder, const char *path, int flags, ...) { MODE(flags) return any_open(folder, path, flags, mode); }

/* One call that changes names. `kept`: the file that may lose its last name. */
static int renaming(const char *operation, const char *from, const char *to, const char *lost, int (*act)(const char *, const char *)) {
  char space[8192], other_space[8192];
  const char *named = operation[0] == 'r' && operation[1] == 'e' ? to : from; /* a rename is known by its new name */
  if (operation[0] == 'l') named = to;
  const char *relative = watching ? below_root(AT_FDCWD, from, space, sizeof space) : NULL;
  const char *other = watching && to ? below_root(AT_FDCWD, to, other_space, sizeof other_space) : NULL;
  if (relative == NULL && other == NULL) return act(from, to);
  pthread_mutex_lock(&lock);
  bool is_folder;
  uint64_t inode = inode_at(from, &is_folder, NULL);
  if (operation[0] == 'm') is_folder = true;
  const char *class = class_of(named == to ? (other ? other : "") : (relative ? relative : ""), is_folder);
  int result = -1;
  if (class == NULL) result = act(from, to);
  else {
    record r = {.class = class, .operation = operation, .result = "ok", .inode = inode, .path = relative, .other = other};
    uint64_t gone = lost ? inode_at(lost, NULL, NULL) : 0;
    /* A call that would fail anyway is not a write: mkdir of an existing folder, unlink of a missing file. */
    bool idle = operation[0] == 'm' ? inode != 0 : inode == 0 || (operation[0] == 'l' && inode_at(to, NULL, NULL) != 0);
    if (idle) result = act(from, to);
    else {
      decision d = decide(class, operation);
      if (!refused(d, &r)) {
        if (gone) keep_file(lost, gone);
        r.offset = (int64_t)gone;
        result = act(from, to);
        done(d, &r, result == 0);
      }
    }
  }
  pthread_mutex_unlock(&lock);
  return result;
}

static int act_rename(const char *from, const char *to) { return real.rename(from, to); }
static int act_link(const char *from, const char *to) { return real.link(from, to); }
static int act_unlink(const char *path, const char *none) { return (void)none, real.unlink(path); }
static int act_rmdir(const char *path, const char *none) { return (void)none, real.rmdir(path); }
static __thread mode_t folder_mode;
static int act_mkdir(const char *path, const char *none) { return (void)none, real.mkdir(path, folder_mode); }

EXPORT int rename(const char *from, const char *to) { return renaming("rename", from, to, to, act_rename); }
EXPORT int link(const char *from, const char *to) { return renaming("link", from, to, NULL, act_link); }
EXPORT int unlink(const char *path) { return renaming("unlink", path, NULL, path, act_unlink); }
EXPORT int rmdir(const char *path) { return renaming("rmdir", path, NULL, NULL, act_rmdir); }
EXPORT int mkdir(const char *path, mode_t mode) { return folder_mode = mode, renaming("mkdir", path, NULL, NULL, act_mkdir); }
EXPORT int remove(const char *path) {
  bool is_folder;
  inode_at(path, &is_folder, NULL);
  return is_folder ? rmdir(path) : unlink(path);
}
/* std::filesystem (rmSync, cpSync) uses open folders. */
static const char *absolute(int folder, const char *path, char *space, size_t room) {
  if (path[0] == '/' || folder == AT_FDCWD) return path;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t length = readlink(link, space, room / 2);
  if (length < 0) return path;
  snprintf(space + length, room - (size_t)length, "/%s", path);
  return space;
}
EXPORT int unlinkat(int folder, const char *path, int flags) {
  char space[8192];
  const char *whole = absolute(folder, path, space, sizeof space);
  return flags & AT_REMOVEDIR ? rmdir(whole) : unlink(whole);
}
EXPORT int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  char space[8192], other[8192];
  return rename(absolute(from_folder, from, space, sizeof space), absolute(to_folder, to, other, sizeof other));
}

/* ---- bytes ---- */

/* `at` < 0: the current position of the file. */
static ssize_t write_ours(int fd, const void *bytes, size_t length, off_t at) {
  pthread_mutex_lock(&lock);
  struct stat s;
  fstat(fd, &s);
  off_t offset = files[fd].append ? s.st_size : at >= 0 ? at : lseek(fd, 0, SEEK_CUR);
  record r = {.class = files[fd].class, .operation = "write", .result = "ok", .inode = files[fd].inode, .offset = offset, .size_before = s.st_size, .path = files[fd].path};
  decision d = decide(r.class, r.operation);
  ssize_t result = -1;
  if (!refused(d, &r)) {
    if ((d.what == SHORT || d.what == KILL_WITHIN) && length > 1) length /= 2, r.result = "short";
    size_t covered = offset >= s.st_size ? 0 : (size_t)(s.st_size - offset) < length ? (size_t)(s.st_size - offset) : length;
    void *before = bytes_of(fd, offset, covered);
    if (covered > 0 && before == NULL && keeps_bytes()) abort();
    result = at >= 0 ? real.pwrite(fd, bytes, length, at) : real.write(fd, bytes, length);
    r.before = before, r.before_length = covered, r.after = bytes, r.after_length = result > 0 ? (size_t)result : 0;
    done(d, &r, result >= 0);
    free(before);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

EXPORT ssize_t write(int fd, const void *bytes, size_t length) {
  if (!real.write) find_library();
  return ours(fd) ? write_ours(fd, bytes, length, -1) : real.write(fd, bytes, length);
}
EXPORT ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) {
  return ours(fd) ? write_ours(fd, bytes, length, at) : real.pwrite(fd, bytes, length, at);
}
EXPORT ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return pwrite64(fd, bytes, length, at); }

/* As one write: the call guarantees that the parts are gathered first. */
static ssize_t gathered(int fd, const struct iovec *parts, int count, off_t at) {
  size_t length = 0, done_so_far = 0;
  for (int i = 0; i < count; i++) length += parts[i].iov_len;
  char *whole = malloc(length ? length : 1);
  for (int i = 0; i < count; done_so_far += parts[i++].iov_len) memcpy(whole + done_so_far, parts[i].iov_base, parts[i].iov_len);
  ssize_t result = write_ours(fd, whole, length, at);
  free(whole);
  return result;
}
EXPORT ssize_t writev(int fd, const struct iovec *parts, int count) {
  static ssize_t (*next)(int, const struct iovec *, int);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "writev");
  return ours(fd) ? gathered(fd, parts, count, -1) : next(fd, parts, count);
}
EXPORT ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at) {
  static ssize_t (*next)(int, const struct iovec *, int, off_t);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "pwritev64");
  return ours(fd) ? gathered(fd, parts, count, at) : next(fd, parts, count, at);
}
EXPORT ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return pwritev64(fd, parts, count, at); }

EXPORT int ftruncate64(int fd, off_t size) {
  if (!ours(fd)) return real.ftruncate(fd, size);
  pthread_mutex_lock(&lock);
  struct stat s;
  fstat(fd, &s);
  record r = {.class = files[fd].class, .operation = "truncate", .result = "ok", .inode = files[fd].inode, .offset = size, .size_before = s.st_size, .path = files[fd].path};
  decision d = decide(r.class, r.operation);
  int result = -1;
  if (!refused(d, &r)) {
    r.before_length = s.st_size > size ? (size_t)(s.st_size - size) : 0;
    r.before = bytes_of(fd, size, r.before_length);
    result = real.ftruncate(fd, size);
    done(d, &r, result == 0);
    free((void *)r.before);
  }
  pthread_mutex_unlock(&lock);
  return result;
}
EXPORT int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

/* A failed sync leaves the bytes only in memory, like the file systems of Linux. */
static int sync_ours(int fd, int (*act)(int)) {
  pthread_mutex_lock(&lock);
  record r = {.class = files[fd].class, .operation = "sync", .result = "ok", .inode = files[fd].inode, .path = files[fd].path};
  decision d = decide(r.class, r.operation);
  int result = -1;
  if (!refused(d, &r)) {
    result = act(fd);
    done(d, &r, result == 0);
  }
  pthread_mutex_unlock(&lock);
  return result;
}
/* The journal simulates the power cut, so there is no need to wait for the disk. */
static int not_waited_for(int fd) { return (void)fd, 0; }
EXPORT int fsync(int fd) { return ours(fd) ? sync_ours(fd, getenv("DISK_FAULTS_REAL_SYNC") ? real.fsync : not_waited_for) : real.fsync(fd); }
EXPORT int fdatasync(int fd) { return ours(fd) ? sync_ours(fd, getenv("DISK_FAULTS_REAL_SYNC") ? real.fdatasync : not_waited_for) : real.fdatasync(fd); }
