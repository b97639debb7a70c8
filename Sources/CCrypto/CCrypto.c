// Loads libcrypto and calls its functions. The declarations are the library's documented ones, which stay the same for
// all versions of libcrypto.so.3.
#include "CCrypto.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct context context;
typedef struct cipher cipher;

// EVP_CTRL_AEAD_GET_TAG and EVP_CTRL_AEAD_SET_TAG.
enum { GET_TAG = 0x10, SET_TAG = 0x11 };

// Every function that is used: what it returns, its name, its parameters.
#define FUNCTIONS(F)                                                                                                  \
    F(context *, EVP_CIPHER_CTX_new, (void))                                                                          \
    F(void, EVP_CIPHER_CTX_free, (context *))                                                                         \
    F(int, EVP_CIPHER_CTX_ctrl, (context *, int, int, void *))                                                        \
    F(const cipher *, EVP_aes_256_gcm, (void))                                                                        \
    F(int, EVP_EncryptInit_ex, (context *, const cipher *, void *, const uint8_t *, const uint8_t *))                 \
    F(int, EVP_EncryptUpdate, (context *, uint8_t *, int *, const uint8_t *, int))                                    \
    F(int, EVP_EncryptFinal_ex, (context *, uint8_t *, int *))                                                        \
    F(int, EVP_DecryptInit_ex, (context *, const cipher *, void *, const uint8_t *, const uint8_t *))                 \
    F(int, EVP_DecryptUpdate, (context *, uint8_t *, int *, const uint8_t *, int))                                    \
    F(int, EVP_DecryptFinal_ex, (context *, uint8_t *, int *))

#define MEMBER(result, name, parameters) result(*name) parameters;
static struct {
    FUNCTIONS(MEMBER)
} library;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[256];
static int is_loaded;

static void load(void) {
    void *handle = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        snprintf(failure, sizeof failure, "the library libcrypto.so.3 is not there");
        return;
    }
    // A pointer to an object and one to a function have one form here, as POSIX demands of dlsym.
#define RESOLVE(result, name, parameters)                                                                             \
    {                                                                                                                 \
        void *address = dlsym(handle, #name);                                                                         \
        if (!address) {                                                                                               \
            snprintf(failure, sizeof failure, "libcrypto.so.3 has no function " #name);                               \
            return;                                                                                                   \
        }                                                                                                             \
        memcpy(&library.name, &address, sizeof address);                                                              \
    }
    FUNCTIONS(RESOLVE)
    is_loaded = 1;
}

int ccrypto_load(void) {
    pthread_once(&once, load);
    return is_loaded;
}

const char *ccrypto_load_failure(void) { return failure; }

int ccrypto_seal(const uint8_t *key, const uint8_t *nonce, const uint8_t *context_bytes, size_t context_size,
    const uint8_t *plain, size_t size, uint8_t *sealed) {
    if (!is_loaded || size > INT_MAX || context_size > INT_MAX) return 0;
    context *state = library.EVP_CIPHER_CTX_new();
    if (!state) return 0;
    int count = 0;
    int done = library.EVP_EncryptInit_ex(state, library.EVP_aes_256_gcm(), NULL, key, nonce) == 1
        && library.EVP_EncryptUpdate(state, NULL, &count, context_bytes, (int)context_size) == 1
        && library.EVP_EncryptUpdate(state, sealed, &count, plain, (int)size) == 1
        && library.EVP_EncryptFinal_ex(state, sealed + count, &count) == 1
        && library.EVP_CIPHER_CTX_ctrl(state, GET_TAG, CCRYPTO_TAG_SIZE, sealed + size) == 1;
    library.EVP_CIPHER_CTX_free(state);
    return done;
}

int ccrypto_open(const uint8_t *key, const uint8_t *nonce, const uint8_t *context_bytes, size_t context_size,
    const uint8_t *sealed, size_t size, uint8_t *plain) {
    if (!is_loaded || size > INT_MAX || context_size > INT_MAX) return 0;
    context *state = library.EVP_CIPHER_CTX_new();
    if (!state) return 0;
    int count = 0;
    uint8_t tag[CCRYPTO_TAG_SIZE];
    memcpy(tag, sealed + size, sizeof tag);
    int done = library.EVP_DecryptInit_ex(state, library.EVP_aes_256_gcm(), NULL, key, nonce) == 1
        && library.EVP_DecryptUpdate(state, NULL, &count, context_bytes, (int)context_size) == 1
        && library.EVP_DecryptUpdate(state, plain, &count, sealed, (int)size) == 1
        && library.EVP_CIPHER_CTX_ctrl(state, SET_TAG, CCRYPTO_TAG_SIZE, tag) == 1
        && library.EVP_DecryptFinal_ex(state, plain + count, &count) == 1;
    library.EVP_CIPHER_CTX_free(state);
    return done;
}
