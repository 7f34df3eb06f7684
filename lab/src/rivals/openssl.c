/* GMAC, HMAC-SHA1, AES-CMAC and Poly1305 of OpenSSL 3. GMAC is AES-128-GCM without a plaintext, the cheaper of OpenSSL's
   two ways to it. */
#include "rival.h"
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdlib.h>

struct key {
    EVP_CIPHER_CTX *gcm;
    EVP_MAC_CTX *mac;
    /* Of Poly1305: it takes a new key for every message. */
    const uint8_t *each;
};

static const char *version(void)
{
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}

/* A class is told in the variable OPENSSL_ia32cap, which the library reads before main. */
static const char *uses(enum instructions class)
{
    (void)class;
    return OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS);
}

static void *new_key(unsigned algorithm, enum instructions class, const uint8_t secret[32])
{
    static const char *const names[] = { "", "HMAC", "CMAC", "POLY1305" };
    static char sha1[] = "SHA1", aes[] = "AES-128-CBC";
    OSSL_PARAM parameters[4][2] = {
        { OSSL_PARAM_construct_end() },
        { OSSL_PARAM_construct_utf8_string("digest", sha1, 0), OSSL_PARAM_construct_end() },
        { OSSL_PARAM_construct_utf8_string("cipher", aes, 0), OSSL_PARAM_construct_end() },
        { OSSL_PARAM_construct_end() },
    };
    struct key *key = calloc(1, sizeof *key);
    EVP_MAC *mac;

    (void)class;
    if (key == NULL)
        return NULL;
    if (algorithm == 0) {
        key->gcm = EVP_CIPHER_CTX_new();
        return key->gcm != NULL && EVP_EncryptInit_ex(key->gcm, EVP_aes_128_gcm(), NULL, secret, NULL) == 1 ? key : NULL;
    }
    if ((mac = EVP_MAC_fetch(NULL, names[algorithm], NULL)) == NULL || (key->mac = EVP_MAC_CTX_new(mac)) == NULL)
        return NULL;
    key->each = algorithm == 3 ? secret : NULL;
    return EVP_MAC_init(key->mac, secret, algorithm == 3 ? 32 : 16, parameters[algorithm]) == 1 ? key : NULL;
}

static bool gmac(EVP_CIPHER_CTX *gcm, uint64_t count, const uint8_t *message, size_t length, uint8_t tag[32])
{
    uint8_t nonce[12] = { 0 };
    int written;

    put_count(nonce + 4, count);
    return EVP_EncryptInit_ex(gcm, NULL, NULL, NULL, nonce) == 1 &&
           EVP_EncryptUpdate(gcm, NULL, &written, message, (int)length) == 1 &&
           EVP_EncryptFinal_ex(gcm, tag, &written) == 1 &&
           EVP_CIPHER_CTX_ctrl(gcm, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
}

static bool tag(void *made, uint64_t count, const uint8_t *message, size_t length, uint8_t tag[32])
{
    const struct key *key = made;
    size_t written = 0;

    if (key->gcm != NULL)
        return gmac(key->gcm, count, message, length, tag);
    /* Into its place: a copy would wait for the stores of the library. */
    return EVP_MAC_init(key->mac, key->each, key->each == NULL ? 0 : 32, NULL) == 1 &&
           EVP_MAC_update(key->mac, message, length) == 1 &&
           EVP_MAC_final(key->mac, tag, &written, 32) == 1 && written >= 16;
}

const struct rival wegman_bench_openssl = { version, uses, new_key, tag };
