#define _GNU_SOURCE
#include "disk-faults.h"
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * A page shared with the process that gives the orders; it may change at any time while the process runs.
 * text: "<action>\t<first>\t<last>\t<pattern of names>": the action for the calls from the first to the last (counted from 1
 * since this plan was written) whose name matches.
 */
typedef struct {
  volatile uint64_t version; /* theirs: a new one means a new plan */
  volatile uint64_t seen;    /* ours: matching calls since then */
  volatile uint64_t fired;   /* ours: number of these that were acted on */
  volatile uint64_t calls;   /* ours: all calls counted since the process started */
  char last[MAX_NAME];       /* ours: the name of the last call that was acted on */
  char text[256];
  volatile uint64_t noted;   /* ours: length of the complete journal */
} page;

static page *orders;
static uint64_t known_version;
static verdict action = GO_ON;
static int code;
static unsigned long long first = 1, last = 1;
static char pattern[128];

void open_plan(void) {
  const char *path = getenv("DISK_FAULTS_PLAN");
  int file = path ? real.open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof(page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  real.close(file);
  if (mapped != MAP_FAILED) orders = mapped;
}

static void read_plan(void) {
  char name[32] = "";
  known_version = orders->version;
  orders->seen = orders->fired = 0;
  action = GO_ON;
  if (sscanf(orders->text, "%31[^\t]\t%llu\t%llu\t%127[^\n]", name, &first, &last, pattern) != 4) return;
  if (strcmp(name, "kill-before") == 0) action = KILL_BEFORE;
  else if (strcmp(name, "kill-within") == 0) action = KILL_WITHIN;
  else if (strcmp(name, "kill-after") == 0) action = KILL_AFTER;
  else if (strcmp(name, "short") == 0) action = SHORT;
  else if (strcmp(name, "EIO") == 0) action = FAIL, code = EIO;
  else if (strcmp(name, "ENOSPC") == 0) action = FAIL, code = ENOSPC;
}

decision decide(const char *class, const char *operation) {
  if (orders == NULL) return (decision){GO_ON, 0};
  orders->calls++;
  if (orders->version != known_version) read_plan();
  if (action == GO_ON) return (decision){GO_ON, 0};
  char name[2 * MAX_NAME];
  snprintf(name, sizeof name, "%s %s", class, operation);
  if (fnmatch(pattern, name, 0) != 0) return (decision){GO_ON, 0};
  uint64_t n = ++orders->seen;
  if (n < first || n > last) return (decision){GO_ON, 0};
  snprintf(orders->last, MAX_NAME, "%s", name);
  orders->fired++;
  return (decision){action, code};
}

uint64_t notes_that_are_whole(void) { return orders == NULL ? UINT64_MAX : orders->noted; }
void note_is_whole(uint64_t length) {
  if (orders != NULL) orders->noted = length;
}

void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}
