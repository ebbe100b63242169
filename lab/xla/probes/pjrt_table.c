/* The table of a PJRT plug-in, with a trap in it: a plug-in for a host, over any plug-in.
 *
 *   cc -shared -fPIC -o table.so pjrt_table.c
 *
 * UNSKEW_PLUGIN  the plug-in, whose table the host gets
 * UNSKEW_TAKE    the offset of a function that is taken away
 * UNSKEW_ASKED   a file for the types of the extensions that the host reads; a line each, at the first reading
 * UNSKEW_SHOW    with it: the types that are shown, by commas; else all from 0 to 63
 *
 * Each shown extension has its head, which a host reads to find it, at the end of a page, and what follows on a page of
 * its own that nothing may read. The first reading is caught and written down. Then the page holds what the plug-in has
 * there, or zeros.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TYPES = 64, PAGE = 4096 };
typedef struct Head { size_t size; int32_t type; struct Head *next; } Head;

static char *pages[TYPES];
static Head *theirs[TYPES];
static int asked = -1;
static struct sigaction before;

static void caught(int number, siginfo_t *info, void *context) {
  for (int type = 0; type < TYPES; type++) {
    char *page = pages[type] ? pages[type] + PAGE : NULL;
    if (!page || (char *)info->si_addr < page || (char *)info->si_addr >= page + PAGE) continue;
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
    if (theirs[type]) memcpy(page, theirs[type] + 1, theirs[type]->size - sizeof(Head));
    dprintf(asked, "%d\n", type);
    return;
  }
  sigaction(number, &before, NULL);
  (void)context;
}

static int shown(int type) {
  const char *show = getenv("UNSKEW_SHOW");
  if (!show) return 1;
  for (const char *at = show; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (atoi(at) == type) return 1;
  return 0;
}

static Head *chain(Head *real) {
  for (; real; real = real->next)
    if (real->type >= 0 && real->type < TYPES && real->size <= PAGE) theirs[real->type] = real;
  Head *next = NULL;
  for (int type = TYPES - 1; type >= 0; type--) {
    if (!shown(type)) continue;
    pages[type] = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    Head *head = (Head *)(pages[type] + PAGE) - 1;
    *head = (Head){theirs[type] ? theirs[type]->size : PAGE, type, next};
    mprotect(pages[type] + PAGE, PAGE, PROT_NONE);
    next = head;
  }
  struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(SIGSEGV, &action, &before);
  return next;
}

static void put(void **at, void *value) {
  uintptr_t page = (uintptr_t)at / PAGE * PAGE;
  mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
  *at = value;
}

/* The table of the plug-in itself, and no copy: an adapter changes its own while it is used. */
void **GetPjrtApi(void) {
  static void **table;
  if (table) return table;
  void *plugin = dlopen(getenv("UNSKEW_PLUGIN"), RTLD_NOW | RTLD_LOCAL);
  if (!plugin) {
    fprintf(stderr, "%s\n", dlerror());
    return NULL;
  }
  void **(*get)(void) = (void **(*)(void))dlsym(plugin, "GetPjrtApi");
  table = get();
  const char *taken = getenv("UNSKEW_TAKE");
  if (taken) put(table + atoi(taken) / 8, NULL);
  const char *file = getenv("UNSKEW_ASKED");
  if (file) {
    asked = open(file, O_WRONLY | O_CREAT | O_APPEND, 0644);
    put(table + 1, chain(table[1]));
  }
  return table;
}
