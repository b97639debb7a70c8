// zlib and zstd behind one streaming interface for reading.
#include "CCompression.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

struct ccompression_reader {
    ccompression_format format;
    z_stream gzip;
    ZSTD_DStream *zstd;
    int at_end;  // between two streams, or behind the last
};

ccompression_reader *ccompression_reader_create(ccompression_format format) {
    ccompression_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->format = format;
    int ready;
    if (format == CCOMPRESSION_GZIP) {
        ready = inflateInit2(&reader->gzip, 15 + 16) == Z_OK; // 15: largest window, +16: gzip headers only
    } else {
        reader->zstd = ZSTD_createDStream();
        ready = reader->zstd && !ZSTD_isError(ZSTD_initDStream(reader->zstd));
    }
    if (!ready) {
        free(reader);
        return NULL;
    }
    return reader;
}

void ccompression_reader_destroy(ccompression_reader *reader) {
    if (!reader) return;
    if (reader->format == CCOMPRESSION_GZIP) inflateEnd(&reader->gzip);
    else ZSTD_freeDStream(reader->zstd);
    free(reader);
}

static ccompression_status read_gzip(ccompression_reader *reader, const uint8_t *input, size_t input_length,
                                     size_t *input_read, uint8_t *output, size_t output_length,
                                     size_t *output_written) {
    z_stream *stream = &reader->gzip;
    size_t skipped = 0;
    if (reader->at_end) {
        while (skipped < input_length && input[skipped] == 0) skipped++; // padding between members
        if (skipped == input_length) {
            *input_read = skipped;
            *output_written = 0;
            return CCOMPRESSION_OK;
        }
        if (inflateReset(stream) != Z_OK) return CCOMPRESSION_CORRUPT;
        reader->at_end = 0;
    }
    size_t given = input_length - skipped;
    if (given > INT_MAX) given = INT_MAX;
    if (output_length > INT_MAX) output_length = INT_MAX;
    stream->next_in = (Bytef *)(input + skipped);
    stream->avail_in = (uInt)given;
    stream->next_out = output;
    stream->avail_out = (uInt)output_length;
    int result = inflate(stream, Z_NO_FLUSH);
    *input_read = skipped + given - stream->avail_in;
    *output_written = output_length - stream->avail_out;
    if (result == Z_STREAM_END) reader->at_end = 1;
    else if (result == Z_MEM_ERROR) return CCOMPRESSION_OUT_OF_MEMORY;
    else if (result != Z_OK && result != Z_BUF_ERROR) return CCOMPRESSION_CORRUPT;
    return CCOMPRESSION_OK;
}

static ccompression_status read_zstd(ccompression_reader *reader, const uint8_t *input, size_t input_length,
                                     size_t *input_read, uint8_t *output, size_t output_length,
                                     size_t *output_written) {
    if (reader->at_end && input_length == 0) return CCOMPRESSION_OK; // else zstd would await another frame
    ZSTD_inBuffer in = {input, input_length, 0};
    ZSTD_outBuffer out = {output, output_length, 0};
    size_t result = ZSTD_decompressStream(reader->zstd, &out, &in);
    *input_read = in.pos;
    *output_written = out.pos;
    if (ZSTD_isError(result)) return CCOMPRESSION_CORRUPT;
    reader->at_end = result == 0;
    return CCOMPRESSION_OK;
}

ccompression_status ccompression_read(ccompression_reader *reader, const uint8_t *input, size_t input_length,
                                      size_t *input_read, uint8_t *output, size_t output_length,
                                      size_t *output_written) {
    *input_read = 0;
    *output_written = 0;
    if (reader->format == CCOMPRESSION_GZIP)
        return read_gzip(reader, input, input_length, input_read, output, output_length, output_written);
    return read_zstd(reader, input, input_length, input_read, output, output_length, output_written);
}

int ccompression_at_end(const ccompression_reader *reader) { return reader->at_end; }

// What the head and the tail of a gzip stream take beyond those of zlib.
enum { GZIP_FRAME = 18 };

size_t ccompression_gzip_room(size_t input_length) { return compressBound(input_length) + GZIP_FRAME; }

size_t ccompression_gzip(const uint8_t *input, size_t input_length, uint8_t *output, size_t output_length) {
    if (input_length > INT_MAX || output_length > INT_MAX) return 0;
    z_stream stream = {0};
    // 16 more than the window's size asks for gzip.
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (Bytef *)input;
    stream.avail_in = (uInt)input_length;
    stream.next_out = output;
    stream.avail_out = (uInt)output_length;
    int result = deflate(&stream, Z_FINISH);
    size_t length = stream.total_out;
    deflateEnd(&stream);
    return result == Z_STREAM_END ? length : 0;
}
