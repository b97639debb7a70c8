#ifndef CSIMDJSON_H
#define CSIMDJSON_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
int32_t csimdjson_padding(void);
#ifdef __cplusplus
}
#endif
#endif
