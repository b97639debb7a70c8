// simdjson behind a C interface: one JSON text in, simdjson's tape out.
#ifndef CSIMDJSON_H
#define CSIMDJSON_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/// A parser and the memory of the document parsed last.
typedef struct csimdjson_parser csimdjson_parser;

/// A parser of documents nested at most max_depth deep; NULL when out of memory.
csimdjson_parser *csimdjson_parser_create(size_t max_depth);
void csimdjson_parser_destroy(csimdjson_parser *parser);

/// Number of readable bytes that must follow every text; their contents do not matter.
size_t csimdjson_padding(void);

/// Parses one JSON text, checking it whole (UTF-8 too). Returns 0 and sets the tape and the string buffer, which are
/// valid until the next call; or returns an error of simdjson's.
///
/// The tape is a run of 64-bit words: kind in the top byte, payload in the other 56 bits. Word 0 is the root.
/// '{' '[': low 32 bits are the index behind the end, then the members or elements follow; '}' ']' end them.
/// '"': offset into strings, where a 32-bit length and the UTF-8 bytes stand. 'l' 'u' 'd': an int64, a uint64 above
/// int64, or a double in the next word. 't' 'f' 'n': no payload.
int32_t csimdjson_parse(csimdjson_parser *parser, const uint8_t *text, size_t length, const uint64_t **tape,
                        const uint8_t **strings);

#ifdef __cplusplus
}
#endif
#endif
