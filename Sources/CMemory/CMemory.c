// Bytes that the allocator has given out; nothing under a sanitizer, which has an allocator of its own.
#include "CMemory.h"
#include <malloc.h>

size_t cmemory_allocated(void) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return 0;
#else
    struct mallinfo2 blocks = mallinfo2();
    return blocks.uordblks + blocks.hblkhd;
#endif
}
