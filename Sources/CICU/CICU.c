// Opaque wrappers of the ICU functions used: no ICU header is visible to Swift (it would clash with Foundation's own ICU).
#include "CICU.h"
#include <unicode/uvernum.h>
int32_t cicu_version_major(void) { return U_ICU_VERSION_MAJOR_NUM; }
