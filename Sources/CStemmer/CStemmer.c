// The stemmers of libstemmer under the names of the seam.
#include "CStemmer.h"

#include <libstemmer.h>

cstemmer *cstemmer_open(const char *language) { return (cstemmer *)sb_stemmer_new(language, "UTF_8"); }

void cstemmer_close(cstemmer *stemmer) { sb_stemmer_delete((struct sb_stemmer *)stemmer); }

const uint8_t *cstemmer_stem(cstemmer *stemmer, const uint8_t *word, int32_t count, int32_t *length)
{
    struct sb_stemmer *snowball = (struct sb_stemmer *)stemmer;
    const uint8_t *stem = sb_stemmer_stem(snowball, word, count);
    *length = stem ? sb_stemmer_length(snowball) : 0;
    return stem;
}
