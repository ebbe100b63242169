#include <stddef.h>
#include <stdint.h>

#define DEVICE_API_MAJOR 1
#define DEVICE_API_MINOR 4
#define END_OF(type, last) offsetof(type, last) + sizeof(((type*)0)->last)

typedef struct Queue Queue;
// Starts a kernel.
typedef struct Launch_Args {
  size_t struct_size;
  void* ext;
  const char* kernel;
  size_t kernel_size;
  int32_t grid;
  int32_t block;
  uint64_t shared_bytes;
} Launch_Args;
enum { Launch_Args_STRUCT_SIZE = END_OF(Launch_Args, shared_bytes) };

typedef int Launch(Launch_Args* args);
