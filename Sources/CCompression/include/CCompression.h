#ifndef CCOMPRESSION_H
#define CCOMPRESSION_H
#include <stddef.h>
#include <stdint.h>
const char *ccompression_zlib_version(void);
#endif
