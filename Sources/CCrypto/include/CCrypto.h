// AES-256-GCM of OpenSSL's libcrypto. The library is loaded by name when the first value is encrypted or decrypted, so
// that no program is linked to it and none needs its headers to be built.
#ifndef CCRYPTO_H
#define CCRYPTO_H
#include <stddef.h>
#include <stdint.h>

enum { CCRYPTO_KEY_SIZE = 32, CCRYPTO_NONCE_SIZE = 12, CCRYPTO_TAG_SIZE = 16 };

/// Whether the library and all functions that are used were found; loads it at the first call. From any thread.
int ccrypto_load(void);
/// What was not found, for messages; an empty text where all was.
const char *ccrypto_load_failure(void);

/// Encrypts `size` bytes to as many, with the tag behind them; false when the library fails. After `ccrypto_load`.
int ccrypto_seal(const uint8_t *key, const uint8_t *nonce, const uint8_t *context, size_t context_size,
    const uint8_t *plain, size_t size, uint8_t *sealed);

/// Decrypts `size` bytes that the tag follows to as many; false when key, nonce, context or bytes are others than those
/// of `ccrypto_seal`: then `plain` is to be thrown away. After `ccrypto_load`.
int ccrypto_open(const uint8_t *key, const uint8_t *nonce, const uint8_t *context, size_t context_size,
    const uint8_t *sealed, size_t size, uint8_t *plain);
#endif
