// zlib and zstd behind one streaming interface.
#include "CCompression.h"
#include <zlib.h>
const char *ccompression_zlib_version(void) { return zlibVersion(); }
