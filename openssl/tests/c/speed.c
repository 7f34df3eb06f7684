/* What a tag costs by EVP_MAC: ours beside OpenSSL's own, with the key kept, and with a key for each message. Each tag is
   compared with the first one of its size.
   Argument: the folder of the provider. */
#define _POSIX_C_SOURCE 200809L
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Before the last size, the key is kept. */
enum { SIZES = 7, ROUNDS = 9 };
static const size_t SIZE[SIZES] = {16, 64, 256, 1500, 8192, 65536, 16};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static struct subject {
    const char *name, *properties, *cipher, *digest;
    size_t key_length, nonce_length;
    EVP_MAC_CTX *context;
    double best[SIZES];
} subjects[] = {
    {"UMAC-64", "provider=wegman", NULL, NULL, 16, 8, NULL, {0}},
    {"UMAC-128", "provider=wegman", NULL, NULL, 16, 8, NULL, {0}},
    {"PMAC-AES128", "provider=wegman", NULL, NULL, 16, 0, NULL, {0}},
    {"CARTER-128", "provider=wegman", NULL, NULL, 16, 12, NULL, {0}},
    {"GMAC", "provider=default", "AES-128-GCM", NULL, 16, 12, NULL, {0}},
    {"CMAC", "provider=default", "AES-128-CBC", NULL, 16, 0, NULL, {0}},
    {"HMAC", "provider=default", NULL, "SHA256", 32, 0, NULL, {0}},
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

static unsigned char key[32] = "sixteen byte keysixteen byte key", message[65536];

static void die(const char *what) {
    fprintf(stderr, "speed: %s failed\n", what);
    exit(1);
}

/* The time of a tag in ns. All tags are made under one nonce, so that they can be compared. */
static double tags(struct subject *subject, size_t size, long calls, int keeps_key) {
    unsigned char nonce[12] = {1}, first[64], tag[64];
    size_t length = 0;
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()};
    if (subject->nonce_length > 0)
        params[0] = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, nonce, subject->nonce_length);
    const unsigned char *secret = keeps_key ? NULL : key;
    double begin = now();
    for (long i = 0; i < calls; i++) {
        if (!EVP_MAC_init(subject->context, secret, keeps_key ? 0 : subject->key_length, params) || !EVP_MAC_update(subject->context, message, size) ||
            !EVP_MAC_final(subject->context, tag, &length, sizeof tag))
            die(subject->name);
        if (i == 0) memcpy(first, tag, sizeof first);
        if (memcmp(first, tag, length) != 0) die("a comparison");
    }
    return (now() - begin) / (double)calls;
}

int main(int count, char **arguments) {
    if (count != 2) die("the argument");
    OSSL_PROVIDER_set_default_search_path(NULL, arguments[1]);
    if (!OSSL_PROVIDER_load(NULL, "wegman") || !OSSL_PROVIDER_load(NULL, "default")) die("loading");
    for (int s = 0; s < SUBJECTS; s++) {
        struct subject *subject = &subjects[s];
        EVP_MAC *mac = EVP_MAC_fetch(NULL, subject->name, subject->properties);
        OSSL_PARAM params[2] = {OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()};
        if (subject->cipher) params[0] = OSSL_PARAM_construct_utf8_string("cipher", (char *)subject->cipher, 0);
        if (subject->digest) params[0] = OSSL_PARAM_construct_utf8_string("digest", (char *)subject->digest, 0);
        if (mac == NULL || (subject->context = EVP_MAC_CTX_new(mac)) == NULL ||
            !EVP_MAC_init(subject->context, key, subject->key_length, params))
            die(subject->name);
    }
    /* In turn, so that whatever else happens meets all. */
    for (int round = 0; round < ROUNDS; round++)
        for (int s = 0; s < SUBJECTS; s++)
            for (int i = 0; i < SIZES; i++) {
                long calls = 20000000 / (long)(SIZE[i] + 1000);
                double time = tags(&subjects[s], SIZE[i], calls, i < SIZES - 1);
                if (round == 0 || time < subjects[s].best[i]) subjects[s].best[i] = time;
            }
    printf("%-12s", "ns a tag");
    for (int i = 0; i < SIZES - 1; i++) printf("%9zu", SIZE[i]);
    printf("  16, new key\n");
    for (int s = 0; s < SUBJECTS; s++) {
        printf("%-12s", subjects[s].name);
        for (int i = 0; i < SIZES; i++) printf("%9.0f", subjects[s].best[i]);
        printf("\n");
    }
    return 0;
}
