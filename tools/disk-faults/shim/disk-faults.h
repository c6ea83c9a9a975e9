/* Declarations shared by the parts of the shim. See ../README.md. */
#ifndef DISK_FAULTS_H
#define DISK_FAULTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MAX_CLASSES 64
#define MAX_NAME 96

/* What the plan does to the call that was just counted. */
typedef enum { GO_ON, KILL_BEFORE, KILL_WITHIN, KILL_AFTER, FAIL, SHORT } verdict;
typedef struct {
  verdict what;
  int code; /* errno, for FAIL */
} decision;

/* classes.c: the watched folder, and the name of each path's class. */
void load_classes(void);
/* Path below the watched folder ("" for the folder itself), or NULL if it is elsewhere. */
const char *below_root(int folder, const char *path, char *space, size_t room);
/* "?" if the table does not know the path; NULL if it is not durable and ignored. */
const char *class_of(const char *relative, bool is_folder);

/* plan.c: counts the calls, and decides what happens to each. */
void open_plan(void);
decision decide(const char *class, const char *operation);
void die(void) __attribute__((noreturn));
/* Length of the complete journal; stored outside of it, where a kill loses nothing. UINT64_MAX: not stored. */
uint64_t notes_that_are_whole(void);
void note_is_whole(uint64_t length);

/* journal.c: the executed calls, with the bytes before and after if a power cut is to be simulated. */
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
/* Links a file that is about to lose its last name to a second name, outside of the watched folder. */
void keep_file(const char *absolute, uint64_t inode);

/* The original functions of the C library. */
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
