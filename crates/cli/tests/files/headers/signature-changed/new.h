#include <stddef.h>
#include <stdint.h>

#define DEVICE_API_MAJOR 1
#define DEVICE_API_MINOR 5
#define END_OF(type, last) offsetof(type, last) + sizeof(((type*)0)->last)

typedef struct Stream Stream;
typedef int Stream_Create(Stream** stream);
typedef int Stream_Wait(Stream* stream, uint64_t nanoseconds);
typedef int Stream_Destroy(Stream* stream);

typedef struct Device_Api {
  size_t struct_size;
  void* ext;
  Stream_Create* create;
  Stream_Wait* wait;
  Stream_Destroy* destroy;
} Device_Api;
enum { Device_Api_STRUCT_SIZE = END_OF(Device_Api, destroy) };
