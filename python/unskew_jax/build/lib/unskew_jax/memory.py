"""Having the C library keep memory that was freed, for the next array.

The client of the IFRT proxy receives an array into pieces of memory, puts them together in a second place and copies
that to the array. glibc takes much of this memory from the system each time and gives it back, and the system clears
every page of it: for large arrays that takes longer than all else.
"""

from __future__ import annotations

import ctypes

#: Of glibc's `mallopt`: how much free memory is kept, how many blocks come from the system by themselves, and how
#: many heaps there are for threads.
_TRIM_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -4, -8

#: How much is kept, in bytes: the most that there is a number for.
_MOST = 2**31 - 1


def keep() -> bool:
    """Has freed memory kept from now on, in this process; whether its C library does that."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    return all([mallopt(_TRIM_THRESHOLD, _MOST), mallopt(_MMAP_MAX, 0), mallopt(_ARENA_MAX, 1)])
