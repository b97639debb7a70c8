// simdjson behind a C interface.
#include "CSIMDJSON.h"
#include <simdjson.h>
int32_t csimdjson_padding(void) { return (int32_t)simdjson::SIMDJSON_PADDING; }
