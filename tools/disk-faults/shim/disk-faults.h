/* What the parts of the shim share. See ../README.md. */
#ifndef DISK_FAULTS_H
#define DISK_FAULTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MAX_CLASSES 64
#define MAX_NAME 96

/* What the plan wants to happen to the call that was just counted. */
typedef enum { GO_ON, KILL_BEFORE, KILL_WITHIN, KILL_AFTER, FAIL, SHORT } verdict;
typedef struct {
  verdict what;
  int code; /* errno, for FAIL */
} decision;

/* classes.c: the folder under watch, and the name of each path's class. */
void load_classes(void);
/* Path below the watched folder ("" for itself), or NULL when it lies elsewhere. */
const char *below_root(int folder, const char *path, char *space, size_t room);
/* "?" for what the table does not know; NULL for what is not durable and passed over. */
const char *class_of(const char *relative, bool is_folder);

/* plan.c: counts the calls, and says what is to happen to each. */
void open_plan(void);
decision decide(const char *class, const char *operation);
void die(void) __attribute__((noreturn));
/* Bytes of the journal; kept outside of it, where a kill takes nothing back. UINT64_MAX: nobody keeps it. */
uint64_t notes_that_are_whole(void);
void note_is_whole(uint64_t length);

/* journal.c: what was done, with the bytes before and after where a power cut is to be played. */
typedef struct {
  const char *class, *operation, *result;
  uint64_t inode;
  int64_t offset, size_before;
  const char *path, *other;
  const void *before, *after;
  size_t before_length, after_length;
} record;
void open_journal(void);
bool keeps_bytes(void);
void note(const record *what);
/* A second name for a file that is about to lose its last one, outside of the watched folder. */
void keep_file(const char *absolute, uint64_t inode);

/* The functions of the C library that are stood in front of. */
typedef struct {
  int (*open)(const char *, int, ...);
  int (*openat)(int, const char *, int, ...);
  int (*close)(int);
  ssize_t (*write)(int, const void *, size_t);
  ssize_t (*pwrite)(int, const void *, size_t, off_t);
  ssize_t (*pread)(int, void *, size_t, off_t);
  int (*ftruncate)(int, off_t);
  int (*fsync)(int);
  int (*fdatasync)(int);
  int (*rename)(const char *, const char *);
  int (*link)(const char *, const char *);
  int (*unlink)(const char *);
  int (*mkdir)(const char *, mode_t);
  int (*rmdir)(const char *);
} library;
extern library real;
extern bool watching;
#endif
