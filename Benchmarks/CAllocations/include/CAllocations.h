// Counts the memory allocations of this program. For the benchmarks only.
#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H
#include <stdint.h>

/// From now on the blocks that any thread asks for are counted, from 0; none under a sanitizer, which has a malloc of its
/// own.
void callocations_begin(void);

/// From now on none are counted.
void callocations_end(void);

/// How many blocks were asked for while they were counted.
uint64_t callocations_count(void);

/// Whether blocks are counted, 1 or 0.
int callocations_counts(void);
#endif
