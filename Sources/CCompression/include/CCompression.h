// zlib and zstd behind one streaming interface for reading.
#ifndef CCOMPRESSION_H
#define CCOMPRESSION_H
#include <stddef.h>
#include <stdint.h>

typedef struct ccompression_reader ccompression_reader;

typedef enum { CCOMPRESSION_GZIP = 1, CCOMPRESSION_ZSTD = 2 } ccompression_format;

typedef enum {
    CCOMPRESSION_OK = 0,
    CCOMPRESSION_CORRUPT = 1,
    CCOMPRESSION_OUT_OF_MEMORY = 2,
} ccompression_status;

/// A reader of one compressed stream; NULL when out of memory.
ccompression_reader *ccompression_reader_create(ccompression_format format);
void ccompression_reader_destroy(ccompression_reader *reader);

/// Expands as much of input as there is room for. Sets how many bytes were read and written; both may be less than
/// given. Streams (gzip members, zstd frames) that follow one another are read as one; zero bytes between or after
/// gzip members are skipped.
ccompression_status ccompression_read(ccompression_reader *reader, const uint8_t *input, size_t input_length,
                                      size_t *input_read, uint8_t *output, size_t output_length,
                                      size_t *output_written);

/// Whether the input may end here: at the end of a stream.
int ccompression_at_end(const ccompression_reader *reader);

/// Room that is enough for the gzip stream of an input.
size_t ccompression_gzip_room(size_t input_length);

/// Writes the input as one gzip stream, as small as zlib makes it. Gives its length; 0 when out of memory or room.
size_t ccompression_gzip(const uint8_t *input, size_t input_length, uint8_t *output, size_t output_length);
#endif
