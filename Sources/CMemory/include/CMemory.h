// What the C library's allocator knows of its blocks.
#ifndef CMEMORY_H
#define CMEMORY_H
#include <stddef.h>

/// Bytes of all blocks that were allocated and not yet freed, on all threads; 0 under a sanitizer, whose allocator does
/// not tell.
size_t cmemory_allocated(void);

/// Gives memory of freed blocks back to the system, which the allocator would keep for later, when that is at least
/// `least` bytes and more than what is allocated. Takes some milliseconds for each hundred megabytes, in which other
/// threads may wait for blocks. Returns whether any was given back; never under a sanitizer.
int cmemory_give_back(size_t least);

#endif
