// The stemmers of Snowball, over UTF-8.
#ifndef CSTEMMER_H
#define CSTEMMER_H
#include <stdint.h>

typedef struct cstemmer cstemmer;

/// A stemmer of a language by its English name in lower case; NULL for a language that the library does not know, and
/// when memory is exhausted. It serves one caller at a time.
cstemmer *cstemmer_open(const char *language);
void cstemmer_close(cstemmer *stemmer);

/// The stem of a word in lower case, which is valid until the next call. `*length` is its number of bytes.
/// NULL when memory is exhausted.
const uint8_t *cstemmer_stem(cstemmer *stemmer, const uint8_t *word, int32_t count, int32_t *length);

#endif
