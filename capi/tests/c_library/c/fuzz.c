/* Random calls for libFuzzer: the input is a list of calls, and what must agree is compared. */
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t SECRET[32] = "sixteen byte keysixteen byte key";
static const char *const NAMES[4] = {"UMAC-64", "UMAC-128", "Carter-128", "PMAC-AES128"};

/* Takes up to `most` bytes of the input. */
static const uint8_t *take(const uint8_t **data, size_t *size, size_t most, size_t *length) {
    const uint8_t *taken = *data;
    *length = most < *size ? most : *size;
    *data += *length;
    *size -= *length;
    return taken;
}

static unsigned byte(const uint8_t **data, size_t *size) {
    size_t length;
    const uint8_t *taken = take(data, size, 1, &length);
    return length == 1 ? *taken : 0;
}

/* A message in pieces: whole, in parts, from both kinds of streams, in a batch. */
static void tags(const uint8_t *data, size_t size) {
    uint8_t nonce[12] = {0}, whole[16], other[16];
    wegman_bytes parts[8];
    size_t count = 0;
    const char *name = NAMES[byte(&data, &size) % 4];
    unsigned cut = byte(&data, &size);
    wegman_key *key;
    wegman_stream *stream;
    size_t tag_length, nonce_length;
    for (size_t i = 0; i < 12; i++) nonce[i] = (uint8_t)byte(&data, &size);
    OK(wegman_key_new(name, SECRET, 16, &key));
    tag_length = wegman_key_tag_length(key);
    nonce_length = wegman_key_nonce_length(key);
    OK(wegman_key_tag(key, nonce, nonce_length, data, size, whole, tag_length));
    OK(wegman_stream_new(key, &stream));
    const uint8_t *rest = data;
    for (size_t left = size; left > 0 && count < 8; count++) {
        parts[count].data = rest;
        parts[count].length = count == 7 ? left : (cut * (count + 1) * (count + 1)) % (left + 1);
        OK(wegman_stream_update(stream, parts[count].data, parts[count].length));
        rest += parts[count].length;
        left -= parts[count].length;
    }
    OK(wegman_stream_finish(stream, nonce, nonce_length, other, tag_length));
    CHECK(memcmp(whole, other, tag_length) == 0);
#define TYPED(mac, N)                                                                     \
    do {                                                                                  \
        wegman_##mac *typed;                                                              \
        wegman_##mac##_stream inside;                                                     \
        OK(wegman_##mac##_new(SECRET, &typed));                                           \
        OK(wegman_##mac##_tag_parts(typed, N parts, count, other));                       \
        CHECK(memcmp(whole, other, tag_length) == 0);                                     \
        OK(wegman_##mac##_tag(typed, N data, size, other));                               \
        CHECK(memcmp(whole, other, tag_length) == 0);                                     \
        OK(wegman_##mac##_verify(typed, N data, size, whole));                            \
        OK(wegman_##mac##_stream_start(&inside, typed));                                  \
        for (size_t i = 0; i < count; i++)                                                \
            OK(wegman_##mac##_stream_update(&inside, parts[i].data, parts[i].length));    \
        other[cut % tag_length] ^= (uint8_t)(1 << cut % 8);                               \
        GIVES(WEGMAN_MISMATCH, wegman_##mac##_verify_parts(typed, N parts, count, other));\
        GIVES(WEGMAN_MISMATCH, wegman_##mac##_stream_verify(&inside, N other));           \
        OK(wegman_##mac##_stream_finish(&inside, N other));                               \
        CHECK(memcmp(whole, other, tag_length) == 0);                                     \
        OK(wegman_##mac##_stream_start(&inside, typed));                                  \
        wegman_##mac##_stream_clear(&inside);                                             \
        wegman_##mac##_free(typed);                                                       \
    } while (0)
#define NONCE nonce,
#define NOTHING
    if (name == NAMES[0]) TYPED(umac64, NONCE);
    if (name == NAMES[1]) TYPED(umac128, NONCE);
    if (name == NAMES[2]) TYPED(carter128, NONCE);
    if (name == NAMES[3]) TYPED(pmac_aes128, NOTHING);
    wegman_stream_free(stream);
    wegman_key_free(key);
}

/* Edits of a message, each followed by a comparison with the tag of the whole. */
static void edits(const uint8_t *data, size_t size) {
    static uint8_t message[4096], old[4096];
    size_t length = 1000;
    wegman_pmac_aes128 *key;
    wegman_pmac_sum *sum;
    uint8_t tag[16];
    memset(message, 3, sizeof message);
    OK(wegman_pmac_aes128_new(SECRET, &key));
    OK(wegman_pmac_aes128_tag(key, message, length, tag));
    OK(wegman_pmac_sum_from_tag(key, tag, length, &sum));
    while (size > 4) {
        unsigned what = byte(&data, &size);
        size_t at = byte(&data, &size) * 16 + byte(&data, &size) % 16;
        size_t most = byte(&data, &size), new_length;
        const uint8_t *new_bytes = take(&data, &size, most, &new_length);
        uint64_t start, end;
        int status;
        if (what % 3 == 0) {
            OK(wegman_pmac_sum_replace_window(sum, at, new_length, &start, &end));
            memcpy(old, message + start, end - start);
            status = wegman_pmac_sum_replace(sum, key, at, new_bytes, new_length, old, end - start);
            CHECK((status == WEGMAN_OK) == (at + new_length <= length));
            if (status == WEGMAN_OK && new_length > 0) memcpy(message + at, new_bytes, new_length);
        } else if (what % 3 == 1 && length + new_length <= sizeof message) {
            OK(wegman_pmac_sum_append_window(sum, &start, &end));
            OK(wegman_pmac_sum_append(sum, key, new_bytes, new_length, message + start, end - start));
            if (new_length > 0) memcpy(message + length, new_bytes, new_length);
            length += new_length;
        } else {
            OK(wegman_pmac_sum_truncate_window(sum, at, &start, &end));
            status = wegman_pmac_sum_truncate(sum, key, at, message + start, end - start);
            CHECK((status == WEGMAN_OK) == (at <= length));
            if (status == WEGMAN_OK) length = at;
        }
        CHECK(wegman_pmac_sum_length(sum) == length);
        OK(wegman_pmac_sum_tag(sum, key, tag));
        OK(wegman_pmac_aes128_verify(key, message, length, tag));
    }
    wegman_pmac_sum_free(sum);
    wegman_pmac_aes128_free(key);
}

/* A channel on which packets are lost, repeated and altered. */
static void link_calls(const uint8_t *data, size_t size) {
    wegman_link *alice, *bob;
    uint8_t header[12] = {0}, tag[16] = {0};
    const char *name = byte(&data, &size) % 2 ? "UMAC-64" : "PMAC-AES256";
    size_t tag_length;
    bool fresh = false;
    OK(wegman_link_new(name, SECRET, data, size, true, &alice));
    OK(wegman_link_new(name, SECRET, data, size, false, &bob));
    tag_length = wegman_link_tag_length(alice);
    wegman_bytes message;
    message.data = "a message";
    message.length = 9;
    while (size > 0) {
        unsigned what = byte(&data, &size);
        if (what % 4 == 0) {
            OK(wegman_link_seal(alice, &message, 1, header, tag, tag_length));
            fresh = true;
        } else if (what % 4 == 1) {
            int status = wegman_link_open(bob, header, &message, 1, tag, tag_length);
            CHECK(fresh ? status == WEGMAN_OK || status == WEGMAN_OUTSIDE : status != WEGMAN_OK);
            fresh = false;
        } else if (what % 4 == 2) {
            uint8_t altered[12];
            memcpy(altered, header, 12);
            altered[what / 4 % 12] ^= (uint8_t)(1 + byte(&data, &size) % 255);
            CHECK(wegman_link_open(bob, altered, &message, 1, tag, tag_length) != WEGMAN_OK);
        } else {
            OK(wegman_link_rekey(alice));
        }
    }
    wegman_link_free(alice);
    wegman_link_free(bob);
}

/* What is decoded may be anything. */
static void decoded(const uint8_t *data, size_t size) {
    wegman_pmac_segment *segment;
    wegman_link *link;
    wegman_key *key;
    char name[64];
    size_t length = size < 63 ? size : 63;
    if (size >= 68 && wegman_pmac_segment_decode(data, &segment) == WEGMAN_OK) {
        uint8_t encoded[68];
        OK(wegman_pmac_segment_encode(segment, encoded));
        CHECK(memcmp(encoded, data, 68) == 0);
        wegman_pmac_segment_free(segment);
    }
    if (wegman_link_restore("UMAC-64", data, size / 2, data + size / 2, size - size / 2, &link) == WEGMAN_OK)
        wegman_link_free(link);
    memset(name, 0, sizeof name);
    if (length > 0) memcpy(name, data, length);
    if (wegman_key_new(name, SECRET, 16, &key) == WEGMAN_OK) wegman_key_free(key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned what = byte(&data, &size);
    if (what % 4 == 0) tags(data, size);
    if (what % 4 == 1) edits(data, size);
    if (what % 4 == 2) link_calls(data, size);
    if (what % 4 == 3) decoded(data, size);
    return 0;
}
