#include "device.h"

int Device_Count(void);
int Device_Open(int ordinal, void** device);
