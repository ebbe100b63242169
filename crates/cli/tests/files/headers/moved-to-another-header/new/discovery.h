#include "device.h"

int Device_Open(int ordinal, void** device);
