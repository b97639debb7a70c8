// The checksum of what is stored: xxHash's XXH3 with 64 bits.
#ifndef CXXHASH_H
#define CXXHASH_H
#include <stddef.h>
#include <stdint.h>

/// XXH3-64 of some bytes, with seed 0. `bytes` may be NULL when `count` is 0.
uint64_t cxxhash_checksum(const void *bytes, size_t count);

#endif
