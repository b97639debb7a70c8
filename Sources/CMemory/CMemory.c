// Asks the C library for what its allocator has given out.
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

int cmemory_give_back(size_t least) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    (void)least;
    return 0;
#else
    struct mallinfo2 blocks = mallinfo2();
    if (blocks.fordblks < least || blocks.fordblks < blocks.uordblks) return 0;
    return malloc_trim(0);
#endif
}
