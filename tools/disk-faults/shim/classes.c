#define _GNU_SOURCE
#include "disk-faults.h"
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char root[4096];
static size_t root_length;
static struct {
  char name[MAX_NAME];
  regex_t path;
} classes[MAX_CLASSES];
static int class_count;

/* A line of the table: class, tab, extended regular expression over the path below the folder. */
static void add_class(char *line) {
  char *pattern = strchr(line, '\t');
  if (line[0] == '#' || pattern == NULL || class_count == MAX_CLASSES) return;
  *pattern++ = '\0';
  char anchored[1024];
  snprintf(anchored, sizeof anchored, "^(%s)$", pattern);
  if (regcomp(&classes[class_count].path, anchored, REG_EXTENDED | REG_NOSUB) != 0) {
    fprintf(stderr, "disk-faults: invalid regular expression: %s\n", pattern);
    abort();
  }
  snprintf(classes[class_count++].name, MAX_NAME, "%s", line);
}

void load_classes(void) {
  const char *folder = getenv("DISK_FAULTS_ROOT"), *table = getenv("DISK_FAULTS_CLASSES");
  FILE *file = table ? fopen(table, "r") : NULL;
  if (folder == NULL || file == NULL) return;
  snprintf(root, sizeof root, "%s", folder);
  root_length = strlen(root);
  char line[1024];
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    add_class(line);
  }
  fclose(file);
}

const char *below_root(int folder, const char *path, char *space, size_t room) {
  if (root_length == 0 || path == NULL) return NULL;
  if (path[0] != '/') {
    /* Relative to an open folder, or to the working folder. */
    char link[64], base[4096];
    ssize_t length;
    if (folder < 0) length = getcwd(base, sizeof base) ? (ssize_t)strlen(base) : -1;
    else {
      snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
      length = readlink(link, base, sizeof base - 1);
    }
    if (length < 0) return NULL;
    base[length] = '\0';
    snprintf(space, room, "%s/%s", base, path);
    path = space;
  }
  if (strncmp(path, root, root_length) != 0) return NULL;
  const char *rest = path + root_length;
  if (*rest != '\0' && *rest != '/') return NULL;
  while (*rest == '/') rest++;
  return rest;
}

const char *class_of(const char *relative, bool is_folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s%s", relative, is_folder && relative[0] != '\0' ? "/" : is_folder ? "./" : "");
  for (int i = 0; i < class_count; i++)
    if (regexec(&classes[i].path, path, 0, NULL, 0) == 0) return classes[i].name[0] == '~' ? NULL : classes[i].name;
  return "?";
}
