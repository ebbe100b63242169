/* A PJRT plug-in as a device of TensorFlow 2.14 to 2.18: what TFNPD_InitPlugin gives, over any plug-in.
 *
 *   cc -shared -fPIC -o device.so tensorflow_device.c pjrt_table.c
 *   UNSKEW_PLUGIN=plugin.so UNSKEW_SHAPE=632 python tensorflow_steps.py $PWD/device.so
 *
 * UNSKEW_SHAPE   how many bytes TensorFlow's XLA_Shape has: 624 in 2.15, 632 in 2.17 and 2.18
 *
 * What else is read from the environment stands in pjrt_table.c, which has the table that TensorFlow gets.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct TF_Status TF_Status;

/* Events have always happened; TensorFlow copies by the table, so no tensor is copied here. */
static void *made(void) { return malloc(8); }
static void awaited(void *event, TF_Status *status) { (void)event, (void)status; }
static bool ready(void *event) { return (void)event, true; }
static void then(void *event, void (*callback)(void *), void *with) { (void)event, callback(with); }
static void *allocate(void *allocator, size_t alignment, size_t size) {
  (void)allocator;
  return aligned_alloc(alignment < 64 ? 64 : alignment, (size + 64) / 64 * 64);
}
static void release(void *allocator, void *memory) { (void)allocator, free(memory); }
typedef struct { const char *text; size_t length; } View;
static View name(void *allocator) { return (void)allocator, (View){"unskew", 6}; }
static bool opaque(void *allocator) { return (void)allocator, false; }
static void *copied(void) { abort(); }
static void shape(void *in, int type, bool fast, int layout, void *out, TF_Status *status) {
  (void)type, (void)fast, (void)layout, (void)status;
  memcpy(out, in, atoi(getenv("UNSKEW_SHAPE")));
}
static int32_t count(TF_Status *status) { return (void)status, 1; }

/* The client is made by TensorFlow, through a function of its own that 2.19 and later do not export. */
static void start(TF_Status *status) {
  void *tensorflow = dlopen("libtensorflow_cc.so.2", RTLD_LAZY | RTLD_NOLOAD);
  void (*create)(const char *, TF_Status *, void *, int) = NULL;
  if (tensorflow) *(void **)&create = dlsym(tensorflow, "TF_CreateAndSetPjRtCApiClient");
  if (create) create("XNPD", status, NULL, 0);
  else fprintf(stderr, "TF_CreateAndSetPjRtCApiClient is not exported\n");
}

typedef struct { size_t size; void *ext; const char *type, *compiler; int32_t priority; bool device, compiles; } Params;

void *TFNPD_InitPlugin(Params *params, TF_Status *status) {
  static void *api[] = {(void *)(22 * sizeof(void *)), NULL, made, awaited, ready, then, free, made, allocate,
                        release, name, opaque, free, made, free, copied, copied, copied, copied, shape, count, start};
  (void)status;
  params->type = "XNPD";
  params->compiler = "XLA_CPU_JIT";
  params->priority = 500;
  params->device = params->compiles = true;
  return api;
}
