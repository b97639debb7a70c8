// XXH3 from the header alone: no library to link.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "CXXHash.h"

uint64_t cxxhash_checksum(const void *bytes, size_t count) { return XXH3_64bits(bytes, count); }
