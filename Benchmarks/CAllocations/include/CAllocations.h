// Counts the memory allocations of this program. For the benchmarks only.
#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H
#include <stdint.h>

/// How many blocks the calling thread has asked for so far; 0 always under a sanitizer, which has a malloc of its own.
uint64_t callocations_count(void);

/// Whether blocks are counted, 1 or 0.
int callocations_counts(void);
#endif
