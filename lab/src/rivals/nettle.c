/* UMAC of Nettle, the other library that has it. */
#include "rival.h"
#include <nettle/umac.h>
#include <nettle/version.h>
#include <stdio.h>
#include <stdlib.h>

struct functions {
    void (*set_key)(void *, const uint8_t *);
    void (*set_nonce)(void *, size_t, const uint8_t *);
    void (*update)(void *, size_t, const uint8_t *);
    void (*digest)(void *, size_t, uint8_t *);
    size_t tag_bytes;
};

#define FUNCTIONS(bits, bytes) { \
    (void (*)(void *, const uint8_t *))nettle_umac##bits##_set_key, \
    (void (*)(void *, size_t, const uint8_t *))nettle_umac##bits##_set_nonce, \
    (void (*)(void *, size_t, const uint8_t *))nettle_umac##bits##_update, \
    (void (*)(void *, size_t, uint8_t *))nettle_umac##bits##_digest, bytes }

static const struct functions all[] = {
    FUNCTIONS(32, 4), FUNCTIONS(64, 8), FUNCTIONS(96, 12), FUNCTIONS(128, 16),
};

struct key {
    union { struct umac32_ctx a; struct umac64_ctx b; struct umac96_ctx c; struct umac128_ctx d; } context;
    struct functions functions;
    /* The library counts its nonces up by itself: the one that comes next need not be set. */
    uint64_t next;
};

static const char *version(void)
{
    static char text[32];

    snprintf(text, sizeof text, "%d.%d", NETTLE_VERSION_MAJOR, NETTLE_VERSION_MINOR);
    return text;
}

static const char *uses(enum instructions class)
{
    (void)class;
    return NULL;
}

static void *new_key(unsigned algorithm, enum instructions class, const uint8_t secret[32])
{
    struct key *key = aligned_alloc(64, (sizeof *key + 63) / 64 * 64);

    (void)class;
    if (key == NULL)
        return NULL;
    key->functions = all[algorithm];
    key->functions.set_key(&key->context, secret);
    key->next = UINT64_MAX;
    return key;
}

static bool tag(void *made, uint64_t count, const uint8_t *message, size_t length, uint8_t tag[32])
{
    struct key *key = made;
    uint8_t nonce[8];

    if (key->next != count) {
        put_count(nonce, count);
        key->functions.set_nonce(&key->context, sizeof nonce, nonce);
    }
    key->next = count + 1;
    key->functions.update(&key->context, length, message);
    key->functions.digest(&key->context, key->functions.tag_bytes, tag);
    return true;
}

const struct rival wegman_bench_nettle = { version, uses, new_key, tag };
