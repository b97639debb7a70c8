// simdjson behind a C interface. No exception leaves this file: only the error codes of simdjson are used.
#include "CSIMDJSON.h"

#include <algorithm>
#include <new>
#include <simdjson.h>

struct csimdjson_parser {
    simdjson::dom::parser parser;
    size_t max_depth;
};

extern "C" {

csimdjson_parser *csimdjson_parser_create(size_t max_depth) {
    auto *created = new (std::nothrow) csimdjson_parser();
    if (created) created->max_depth = max_depth;
    return created;
}

void csimdjson_parser_destroy(csimdjson_parser *parser) { delete parser; }

size_t csimdjson_padding(void) { return simdjson::SIMDJSON_PADDING; }

int32_t csimdjson_parse(csimdjson_parser *parser, const uint8_t *text, size_t length, const uint64_t **tape,
                        const uint8_t **strings) {
    try {
        if (length > parser->parser.capacity()) {
            // Doubled, so that lines which grow slowly do not allocate each time.
            size_t room = std::min(std::max(length * 2, size_t(1) << 12), parser->parser.max_capacity());
            if (auto error = parser->parser.allocate(std::max(room, length), parser->max_depth)) return error;
        }
        auto result = parser->parser.parse(text, length, false);
        if (result.error()) return result.error();
        *tape = parser->parser.doc.tape.get();
        *strings = parser->parser.doc.string_buf.get();
        return 0;
    } catch (...) {
        return simdjson::MEMALLOC;
    }
}
}
