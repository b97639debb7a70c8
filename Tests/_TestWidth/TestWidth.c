// How many test cases run at a time. Without a limit all of several thousand begin at once: one that waits for
// something comes behind all others, for minutes, and is over its time limit before it did any work. Whoever sets the
// variable decides instead.

#include "_TestWidth.h"
#include <stdlib.h>

// Before the testing library reads it.
__attribute__((constructor)) static void limit_width(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "8", 0);
}
