/* What the library frees holds nothing of a key, and neither does the stack on which it was made. */
#include "two_secrets.h"
#include "check.h"

#define COMMA ,

#define MESSAGE shared->message
static const unsigned char NONCE[12] = {0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5};

/* The keys that are known by type. Their streams lie in static memory. */
#define TYPED(NAME, NONCE_ARGUMENT, TAG)                                                                \
    static void NAME##_made(const void *kernel) {                                                       \
        wegman_##NAME *key;                                                                             \
        OK(wegman_##NAME##_new_with(kernel, shared->secret, &key));                                     \
    }                                                                                                   \
    static void NAME##_freed(const void *kernel) {                                                      \
        wegman_##NAME *key;                                                                             \
        OK(wegman_##NAME##_new_with(kernel, shared->secret, &key));                                     \
        wegman_##NAME##_free(key);                                                                      \
    }                                                                                                   \
    static wegman_##NAME##_stream NAME##_streams[2];                                                    \
    static void NAME##_used(const void *kernel) {                                                       \
        wegman_##NAME *key;                                                                             \
        OK(wegman_##NAME##_new_with(kernel, shared->secret, &key));                                     \
        for (size_t length = 0; length <= sizeof MESSAGE; length += 1250) {                             \
            OK(wegman_##NAME##_tag(key, NONCE_ARGUMENT MESSAGE, length, shared->made));                 \
            wegman_##NAME##_stream *one = &NAME##_streams[0], *other = &NAME##_streams[1];              \
            OK(wegman_##NAME##_stream_start(one, key));                                                 \
            OK(wegman_##NAME##_stream_update(one, MESSAGE, length / 3));                                \
            OK(wegman_##NAME##_stream_update(one, MESSAGE, length - length / 3));                       \
            OK(wegman_##NAME##_stream_finish(one, NONCE_ARGUMENT shared->made));                        \
            OK(wegman_##NAME##_stream_start(other, key));                                               \
            OK(wegman_##NAME##_stream_update(other, MESSAGE, length));                                  \
            wegman_##NAME##_stream_clear(other);                                                        \
        }                                                                                               \
        wegman_##NAME##_free(key);                                                                      \
        clean_stack();                                                                                  \
    }                                                                                                   \
    static size_t NAME(void) {                                                                          \
        size_t all = 0;                                                                                 \
        char kernel[64];                                                                                \
        for (size_t i = 0; wegman_kernel_at(TAG, i, kernel) == WEGMAN_OK; i++) {                        \
            all += differences("the stack that made a key of " TAG, NAME##_made, kernel, true);         \
            all += differences("a freed key of " TAG, NAME##_freed, kernel, false);                     \
            all += differences("used keys and streams of " TAG, NAME##_used, kernel, false);            \
        }                                                                                               \
        return all;                                                                                     \
    }

TYPED(umac64, NONCE COMMA, "UMAC-64")
TYPED(umac128, NONCE COMMA, "UMAC-128")
TYPED(carter128, NONCE COMMA, "Carter-128")
TYPED(pmac_aes128, , "PMAC-AES128")

static wegman_algorithm algorithm;

static wegman_key *named(const void *kernel) {
    wegman_key *key;
    OK(wegman_key_new_with(algorithm.name, kernel, shared->secret, algorithm.key_length, 0, 0, &key));
    return key;
}

static void named_made(const void *kernel) { (void)named(kernel); }

static void named_freed(const void *kernel) { wegman_key_free(named(kernel)); }

static void named_used(const void *kernel) {
    wegman_key *key = named(kernel);
    size_t nonce = algorithm.nonce_length, tag = algorithm.tag_length;
    for (size_t length = 0; length <= sizeof MESSAGE; length += 1250) {
        wegman_bytes messages[3] = {{MESSAGE, length}, {MESSAGE, 20}, {MESSAGE, 1100}};
        wegman_stream *one, *other;
        OK(wegman_key_tag(key, NONCE, nonce, MESSAGE, length, shared->made, tag));
        OK(wegman_key_tag_many(key, NONCE, nonce, messages, 3, shared->made, 3 * tag));
        OK(wegman_stream_new(key, &one));
        OK(wegman_stream_update(one, MESSAGE, length));
        OK(wegman_stream_copy(one, &other));
        wegman_stream_reset(one);
        OK(wegman_stream_update(other, MESSAGE, 100));
        OK(wegman_stream_finish(other, NONCE, nonce, shared->made, tag));
        CHECK(wegman_stream_verify(one, NONCE, nonce, MESSAGE, tag) == WEGMAN_MISMATCH);
        wegman_stream_free(other);
        wegman_stream_free(one);
    }
    wegman_key_free(key);
    clean_stack();
}

/* With every kernel of this machine. */
static size_t kernels(void) {
    size_t all = 0;
    char name[200], kernel[64];
    for (size_t i = 0; wegman_kernel_at(algorithm.name, i, kernel) == WEGMAN_OK; i++) {
        snprintf(name, sizeof name, "the stack that made a key of %s, %s", algorithm.name, kernel);
        all += differences(name, named_made, kernel, true);
        snprintf(name, sizeof name, "a freed key of %s, %s", algorithm.name, kernel);
        all += differences(name, named_freed, kernel, false);
        snprintf(name, sizeof name, "used keys and streams of %s, %s", algorithm.name, kernel);
        all += differences(name, named_used, kernel, false);
    }
    return all;
}

/* All that are listed, and members of the family that is not: each way to hash, each cipher. */
static size_t named_keys(void) {
    static const char *const FAMILY[] = {"UMAC-4/12/512", "UMAC-2/6/512/16/SIGNED", "UMAC-2/8/1024/32/UNSIGNED", "UMAC-4/8/4096"};
    size_t all = 0;
    for (size_t index = 0; wegman_algorithm_at(index, &algorithm, sizeof algorithm) == WEGMAN_OK; index++) all += kernels();
    for (size_t i = 0; i < sizeof FAMILY / sizeof *FAMILY; i++) {
        OK(wegman_algorithm_find(FAMILY[i], &algorithm, sizeof algorithm));
        all += kernels();
    }
    return all;
}

static wegman_link *link_of(const void *mac) {
    wegman_link *link;
    OK(wegman_link_new(mac, shared->secret, "wiped", 5, true, &link));
    return link;
}

static void link_made(const void *mac) { (void)link_of(mac); }

static void link_freed(const void *mac) { wegman_link_free(link_of(mac)); }

/* What a link stores, in shared memory. */
static struct stored {
    size_t length;
    unsigned char bytes[512];
} *stored[2];

static int32_t store(void *user, const uint8_t *bytes, size_t length) {
    struct stored *place = user;
    place->length = length;
    memcpy(place->bytes, bytes, length);
    return 0;
}

static void link_used(const void *mac) {
    wegman_link *link = link_of(mac), *again;
    unsigned char *header = shared->made, *tag = shared->made + 16;
    wegman_bytes part = {MESSAGE, 100};
    size_t tag_length = wegman_link_tag_length(link);
    stored[0] = (void *)(shared->made + 1024);
    stored[1] = stored[0] + 1;
    OK(wegman_link_set_budget(link, 30));
    OK(wegman_link_set_longest(link, 1000));
    OK(wegman_link_set_epoch_limit(link, 1000));
    for (int i = 0; i < 3; i++) {
        OK(wegman_link_seal(link, &part, 1, header, tag, tag_length));
        OK(wegman_link_rekey(link));
        /* A packet of a later epoch: its key is made to refuse it. */
        unsigned char later[12] = {0, 0, 0, (unsigned char)(2 * i + 1)};
        CHECK(wegman_link_open(link, later, &part, 1, MESSAGE, tag_length) == WEGMAN_MISMATCH);
    }
    OK(wegman_link_reserve_sealing(link, 10, 1000, store, stored[0]));
    OK(wegman_link_reserve_opening(link, 10, 10, 1000, store, stored[1]));
    OK(wegman_link_restore(mac, stored[0]->bytes, stored[0]->length, stored[1]->bytes, stored[1]->length, &again));
    clean_stack();
    OK(wegman_link_set_budget(link, 29));
    OK(wegman_link_set_longest(link, 900));
    OK(wegman_link_set_epoch_limit(link, 900));
    wegman_link_free(again);
    wegman_link_free(link);
}

static size_t links(void) {
    static const char *const MACS[] = {"UMAC-64", "UMAC-128", "PMAC-AES128", "PMAC-AES256"};
    size_t all = 0;
    for (size_t i = 0; i < sizeof MACS / sizeof *MACS; i++) {
        char name[200];
        snprintf(name, sizeof name, "the stack that made a link of %s", MACS[i]);
        all += differences(name, link_made, MACS[i], true);
        snprintf(name, sizeof name, "a freed link of %s", MACS[i]);
        all += differences(name, link_freed, MACS[i], false);
        snprintf(name, sizeof name, "a used link of %s", MACS[i]);
        all += differences(name, link_used, MACS[i], false);
    }
    return all;
}

static void edits_used(const void *nothing) {
    (void)nothing;
    wegman_pmac_aes128 *key;
    wegman_pmac_segment *segments[2], *both, *read;
    wegman_pmac_sum *sums[2];
    OK(wegman_pmac_aes128_new(shared->secret, &key));
    OK(wegman_pmac_segment_new(key, 0, MESSAGE, 1600, &segments[0]));
    OK(wegman_pmac_segment_new(key, 100, MESSAGE, 700, &segments[1]));
    OK(wegman_pmac_segment_combine((const wegman_pmac_segment *const *)segments, 2, &both));
    OK(wegman_pmac_segment_append(segments[0], segments[1]));
    OK(wegman_pmac_segment_encode(both, shared->made));
    OK(wegman_pmac_segment_decode(shared->made, &read));
    OK(wegman_pmac_segment_tag(read, key, shared->made));
    OK(wegman_pmac_sum_from_tag(key, shared->made, 2300, &sums[0]));
    OK(wegman_pmac_sum_from_segment(key, both, &sums[1]));
    OK(wegman_pmac_sum_replace(sums[0], key, 16, NONCE, 12, MESSAGE, 16));
    OK(wegman_pmac_sum_tag(sums[0], key, shared->made));
    for (int i = 0; i < 2; i++) {
        wegman_pmac_segment_free(segments[i]);
        wegman_pmac_sum_free(sums[i]);
    }
    wegman_pmac_segment_free(both);
    wegman_pmac_segment_free(read);
    wegman_pmac_aes128_free(key);
    clean_stack();
}

int main(void) {
    size_t all = umac64() + umac128() + carter128() + pmac_aes128() + named_keys() + links();
    all += differences("segments and sums", edits_used, NULL, false);
    printf("%zu bytes depend on the secret\n", all);
    notices_what_is_left();
    return 0;
}
