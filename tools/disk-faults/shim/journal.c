#define _GNU_SOURCE
#include "disk-faults.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int journal = -1;
static const char *kept;
static bool is_child;

/*
 * A process that was killed from outside may have been writing an entry. If it stayed, the entries of the next process would be read as
 * its bytes. The write that it describes was done, and counts as data that the disk happened to store.
 */
static void forget_half_a_note(void) {
  off_t length = lseek(journal, 0, SEEK_END);
  uint64_t whole = notes_that_are_whole();
  if (whole == UINT64_MAX) return;
  if ((uint64_t)length > whole && real.ftruncate(journal, (off_t)whole) != 0) {
    perror("disk-faults: the journal cannot be repaired");
    abort();
  }
  if ((uint64_t)length < whole) note_is_whole((uint64_t)length); /* its owner has begun a new one */
}

void open_journal(void) {
  const char *path = getenv("DISK_FAULTS_JOURNAL"), *owner = getenv("DISK_FAULTS_OWNER");
  char pid[32];
  snprintf(pid, sizeof pid, "%d", (int)getpid());
  /* The first process owns the folder; its child processes are recorded as such, wherever they write. */
  is_child = owner != NULL && strcmp(owner, pid) != 0;
  if (owner == NULL) setenv("DISK_FAULTS_OWNER", pid, 1);
  kept = getenv("DISK_FAULTS_KEPT");
  if (path != NULL) journal = real.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (journal >= 0 && !is_child) forget_half_a_note();
}

bool keeps_bytes(void) { return kept != NULL; }

static void put(const void *bytes, size_t length) {
  for (const char *at = bytes; length > 0;) {
    ssize_t done = real.write(journal, at, length);
    if (done < 0) {
      perror("disk-faults: the journal cannot be written");
      abort();
    }
    at += done;
    length -= (size_t)done;
  }
}

void note(const record *what) {
  if (journal < 0) return;
  int saved = errno;
  size_t before = kept ? what->before_length : 0, after = kept ? what->after_length : 0;
  char head[10000];
  int length = snprintf(head, sizeof head, "%s\t%s\t%s\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\t%zu\t%zu\t%s\t%s\n", is_child ? "!child" : what->class,
                        what->operation, what->result, what->inode, what->offset, what->size_before, before, after,
                        what->path ? what->path : "", what->other ? what->other : "");
  put(head, (size_t)length);
  put(what->before, before);
  put(what->after, after);
  if (!is_child) note_is_whole((uint64_t)lseek(journal, 0, SEEK_CUR));
  errno = saved;
}

void keep_file(const char *absolute, uint64_t inode) {
  if (kept == NULL) return;
  int saved = errno;
  char name[4200];
  snprintf(name, sizeof name, "%s/%" PRIu64, kept, inode);
  real.link(absolute, name); /* it may be there already, from an earlier name */
  errno = saved;
}
