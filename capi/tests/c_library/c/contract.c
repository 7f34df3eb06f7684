/* What wegman.h promises beyond tags: statuses, misuse of streams, overlaps, batches, parts, edits, links. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

static const uint8_t SECRET[32] = "sixteen byte keysixteen byte key";

static void streams(void) {
    wegman_umac64 *key;
    wegman_umac64_stream stream, moved;
    uint8_t nonce[8] = {0}, tag[8], other[8];
    OK(wegman_umac64_new(SECRET, &key));
    OK(wegman_umac64_tag(key, nonce, "a message", 9, tag));
    /* Memory of any contents is not a stream. */
    memset(&stream, 0, sizeof stream);
    GIVES(WEGMAN_STREAM, wegman_umac64_stream_update(&stream, "a", 1));
    memset(&stream, 0xff, sizeof stream);
    GIVES(WEGMAN_STREAM, wegman_umac64_stream_finish(&stream, nonce, tag));
    wegman_umac64_stream_clear(&stream);
    OK(wegman_umac64_stream_start(&stream, key));
    OK(wegman_umac64_stream_update(&stream, "a mess", 6));
    memcpy(&moved, &stream, sizeof stream);
    GIVES(WEGMAN_STREAM, wegman_umac64_stream_update(&moved, "age", 3));
    GIVES(WEGMAN_NULL, wegman_umac64_stream_finish(&stream, NULL, other));
    OK(wegman_umac64_stream_update(&stream, "age", 3)); /* it goes on */
    OK(wegman_umac64_stream_finish(&stream, nonce, other));
    CHECK(memcmp(tag, other, 8) == 0);
    GIVES(WEGMAN_STREAM, wegman_umac64_stream_update(&stream, "a", 1));
    OK(wegman_umac64_stream_start(&stream, key));
    wegman_umac64_stream_clear(&stream);
    wegman_umac64_stream_clear(&stream);
    GIVES(WEGMAN_STREAM, wegman_umac64_stream_verify(&stream, nonce, tag));
    {
        /* Any address that is a multiple of 8 will do, and no other. */
        static uint64_t room[4 + sizeof(wegman_carter128_stream) / 8];
        wegman_carter128 *carter;
        uint8_t long_nonce[12] = {0}, one[16], two[16];
        OK(wegman_carter128_new(SECRET, &carter));
        OK(wegman_carter128_tag(carter, long_nonce, SECRET, 32, one));
        for (size_t i = 0; i < 4; i++) {
            wegman_carter128_stream *at = (wegman_carter128_stream *)(void *)(room + i);
            OK(wegman_carter128_stream_start(at, carter));
            OK(wegman_carter128_stream_update(at, SECRET, 32));
            OK(wegman_carter128_stream_finish(at, long_nonce, two));
            CHECK(memcmp(one, two, 16) == 0);
        }
        GIVES(WEGMAN_STREAM, wegman_carter128_stream_start(
                                 (wegman_carter128_stream *)(void *)((uint8_t *)room + 4), carter));
        wegman_carter128_free(carter);
    }
    wegman_umac64_free(key);
}

static void overlaps(void) {
    wegman_umac128 *key;
    uint8_t nonce[8] = {1}, message[64], tag[16];
    OK(wegman_umac128_new(SECRET, &key));
    memset(message, 7, sizeof message);
    OK(wegman_umac128_tag(key, nonce, message, sizeof message, tag));
    OK(wegman_umac128_tag(key, nonce, message, sizeof message, message + 3)); /* over the message */
    CHECK(memcmp(tag, message + 3, 16) == 0);
    memset(message, 7, sizeof message);
    {
        wegman_bytes parts[2];
        parts[0].data = message;
        parts[0].length = 20;
        parts[1].data = message + 20;
        parts[1].length = 44;
        OK(wegman_umac128_tag_parts(key, nonce, parts, 2, message));
        CHECK(memcmp(tag, message, 16) == 0);
    }
    wegman_umac128_free(key);
}

static void batches(void) {
    enum { COUNT = 100 };
    static uint8_t data[COUNT][COUNT], tags[COUNT * 8], one[8], nonces[COUNT * 8];
    static bool valid[COUNT];
    wegman_umac64 *key;
    wegman_pmac_aes128 *pmac;
    static uint8_t tags16[COUNT * 16];
    wegman_bytes messages[COUNT];
    uint8_t nonce[8] = {0}, last[8];
    OK(wegman_umac64_new(SECRET, &key));
    OK(wegman_pmac_aes128_new(SECRET, &pmac));
    for (size_t i = 0; i < COUNT; i++) {
        memset(data[i], (int)i, i);
        messages[i].data = i == 0 ? NULL : data[i];
        messages[i].length = i;
        nonces[8 * i + 7] = (uint8_t)(200 + i); /* and a carry */
        nonces[8 * i + 6] = (uint8_t)((200 + i) >> 8);
    }
    nonce[7] = 200;
    for (size_t count = 0; count <= COUNT; count++) {
        memset(tags, 0, sizeof tags);
        OK(wegman_umac64_tag_many(key, nonce, messages, count, tags));
        for (size_t i = 0; i < count; i++) {
            OK(wegman_umac64_tag(key, nonces + 8 * i, messages[i].data, messages[i].length, one));
            CHECK(memcmp(one, tags + 8 * i, 8) == 0);
        }
        for (size_t i = 8 * count; i < sizeof tags; i++) CHECK(tags[i] == 0);
        OK(wegman_umac64_verify_many(key, nonces, messages, tags, count, valid));
        OK(wegman_pmac_aes128_tag_many(pmac, messages, count, tags16));
        OK(wegman_pmac_aes128_verify_many(pmac, messages, tags16, count, valid));
    }
    tags[8 * 70] ^= 0x80;
    GIVES(WEGMAN_MISMATCH, wegman_umac64_verify_many(key, nonces, messages, tags, COUNT, valid));
    for (size_t i = 0; i < COUNT; i++) CHECK(valid[i] == (i != 70));
    /* One wrong piece, and nothing is written. */
    memset(tags, 0x55, sizeof tags);
    messages[80].data = NULL;
    GIVES(WEGMAN_NULL, wegman_umac64_tag_many(key, nonce, messages, COUNT, tags));
    for (size_t i = 0; i < sizeof tags; i++) CHECK(tags[i] == 0x55);
    messages[80].data = data[80];
    messages[80].length = SIZE_MAX;
    GIVES(WEGMAN_LENGTH, wegman_umac64_tag_many(key, nonce, messages, COUNT, tags));
    messages[80].length = 80;
    memset(last, 0xff, 8);
    last[7] = 0xff - (COUNT - 2);
    GIVES(WEGMAN_NONCES_EXHAUSTED, wegman_umac64_tag_many(key, last, messages, COUNT, tags));
    for (size_t i = 0; i < sizeof tags; i++) CHECK(tags[i] == 0x55);
    OK(wegman_umac64_tag_many(key, last, messages, COUNT - 1, tags));
    /* What is written is nowhere where something is read. */
    messages[99].data = tags + 792;
    messages[99].length = 1;
    GIVES(WEGMAN_OVERLAP, wegman_umac64_tag_many(key, nonce, messages, COUNT, tags));
    OK(wegman_umac64_tag_many(key, nonce, messages, 99, tags)); /* just before it */
    messages[99].data = data[99];
    messages[99].length = 99;
    GIVES(WEGMAN_OVERLAP, wegman_umac64_tag_many(key, nonce, messages, COUNT, (uint8_t *)messages));
    GIVES(WEGMAN_OVERLAP, wegman_umac64_verify_many(key, nonces, messages, tags, COUNT, (bool *)(tags + 799)));
    GIVES(WEGMAN_OVERLAP, wegman_umac64_verify_many(key, nonces, messages, tags, COUNT, (bool *)nonces));
    GIVES(WEGMAN_OVERLAP, wegman_pmac_aes128_verify_many(pmac, messages, tags16, COUNT, (bool *)data[99]));
    GIVES(WEGMAN_LENGTH, wegman_umac64_tag(key, nonce, data, SIZE_MAX, one));
    GIVES(WEGMAN_LENGTH, wegman_umac64_tag_parts(key, nonce, messages, SIZE_MAX / 16, one));
    /* More parts than fit on the stack. */
    {
        static uint8_t joined[COUNT * COUNT];
        size_t length = 0;
        uint8_t tag[16], whole[16];
        for (size_t i = 0; i < COUNT; i++) {
            if (i > 0) memcpy(joined + length, data[i], i);
            length += i;
        }
        OK(wegman_pmac_aes128_tag(pmac, joined, length, whole));
        OK(wegman_pmac_aes128_tag_parts(pmac, messages, COUNT, tag));
        CHECK(memcmp(tag, whole, 16) == 0);
        OK(wegman_pmac_aes128_verify_parts(pmac, messages, COUNT, tag));
        tag[15] ^= 1;
        GIVES(WEGMAN_MISMATCH, wegman_pmac_aes128_verify_parts(pmac, messages, COUNT, tag));
    }
    wegman_umac64_free(key);
    wegman_pmac_aes128_free(pmac);
}

static void edits(void) {
    static uint8_t message[100000], old[100000];
    wegman_pmac_aes128 *key, *wrong;
    wegman_pmac_segment *parts[3], *whole, *read;
    wegman_pmac_sum *sum;
    uint8_t tag[16], other[16], encoded[68];
    uint64_t start, end;
    OK(wegman_pmac_aes128_new(SECRET, &key));
    OK(wegman_pmac_aes128_new(SECRET + 1, &wrong));
    for (size_t i = 0; i < sizeof message; i++) message[i] = (uint8_t)(i * 7 + i / 251);
    OK(wegman_pmac_aes128_tag(key, message, sizeof message, tag));
    OK(wegman_pmac_segment_new(key, 4000, message + 64000, 36000, &parts[0]));
    OK(wegman_pmac_segment_new(key, 0, message, 16, &parts[1]));
    OK(wegman_pmac_segment_new(key, 1, message + 16, 63984, &parts[2]));
    GIVES(WEGMAN_SEGMENT, wegman_pmac_segment_combine((const wegman_pmac_segment *const *)parts, 2, &whole));
    OK(wegman_pmac_segment_combine((const wegman_pmac_segment *const *)parts, 3, &whole));
    CHECK(wegman_pmac_segment_length(whole) == sizeof message);
    OK(wegman_pmac_segment_tag(whole, key, other));
    CHECK(memcmp(tag, other, 16) == 0);
    GIVES(WEGMAN_SEGMENT, wegman_pmac_segment_tag(whole, wrong, other));
    GIVES(WEGMAN_SEGMENT, wegman_pmac_segment_tag(parts[0], key, other));
    GIVES(WEGMAN_SEGMENT, wegman_pmac_segment_append(parts[1], parts[1]));
    OK(wegman_pmac_segment_append(parts[1], parts[2]));
    OK(wegman_pmac_segment_append(parts[1], parts[0]));
    OK(wegman_pmac_segment_encode(parts[1], encoded));
    OK(wegman_pmac_segment_decode(encoded, &read));
    OK(wegman_pmac_segment_tag(read, key, other));
    CHECK(memcmp(tag, other, 16) == 0);
    encoded[0] ^= 1;
    {
        wegman_pmac_segment *none = whole;
        GIVES(WEGMAN_SAVED, wegman_pmac_segment_decode(encoded, &none));
        CHECK(none == NULL);
    }
    /* An edit, an end that moves forth and back. */
    OK(wegman_pmac_sum_from_tag(key, tag, sizeof message - 5, &sum));
    wegman_pmac_sum_free(sum);
    OK(wegman_pmac_sum_from_segment(key, whole, &sum));
    OK(wegman_pmac_sum_replace_window(sum, 50001, 1000, &start, &end));
    CHECK(start == 50000 && end == 51008);
    memcpy(old, message + start, end - start);
    memset(message + 50001, 9, 1000);
    GIVES(WEGMAN_EDIT, wegman_pmac_sum_replace(sum, key, 50001, message + 50001, 1000, old, end - start - 1));
    GIVES(WEGMAN_EDIT, wegman_pmac_sum_replace(sum, key, 99999, message, 2, old, 16));
    GIVES(WEGMAN_SEGMENT, wegman_pmac_sum_replace(sum, wrong, 50001, message + 50001, 1000, old, end - start));
    GIVES(WEGMAN_LENGTH, wegman_pmac_sum_replace(sum, key, UINT64_MAX / 4, message, 2, old, 16));
    OK(wegman_pmac_sum_replace(sum, key, 50001, message + 50001, 1000, old, end - start));
    OK(wegman_pmac_sum_tag(sum, key, other));
    OK(wegman_pmac_aes128_verify(key, message, sizeof message, other));
    OK(wegman_pmac_sum_truncate_window(sum, 777, &start, &end));
    CHECK(start == 768 && end == sizeof message);
    OK(wegman_pmac_sum_truncate(sum, key, 777, message + start, end - start));
    OK(wegman_pmac_sum_tag(sum, key, other));
    OK(wegman_pmac_aes128_verify(key, message, 777, other));
    OK(wegman_pmac_sum_append_window(sum, &start, &end));
    OK(wegman_pmac_sum_append(sum, key, message + 777, 1234, message + start, end - start));
    CHECK(wegman_pmac_sum_length(sum) == 777 + 1234);
    OK(wegman_pmac_sum_tag(sum, key, other));
    OK(wegman_pmac_aes128_verify(key, message, 777 + 1234, other));
    wegman_pmac_sum_free(sum);
    wegman_pmac_segment_free(read);
    wegman_pmac_segment_free(whole);
    for (size_t i = 0; i < 3; i++) wegman_pmac_segment_free(parts[i]);
    wegman_pmac_aes128_free(key);
    wegman_pmac_aes128_free(wrong);
}

struct file {
    uint8_t bytes[1024];
    size_t length;
    int fails;
};

static int store(void *context, const uint8_t *stored, size_t length) {
    struct file *file = context;
    if (file->fails) return -1;
    CHECK(length <= sizeof file->bytes);
    memcpy(file->bytes, stored, length);
    file->length = length;
    return 0;
}

static void links(const char *mac) {
    wegman_link *alice, *bob;
    uint8_t header[12], tag[16], short_header[4], whole[12];
    wegman_bytes parts[2];
    wegman_counts counts;
    size_t tag_length;
    static struct file sealing, opening;
    parts[0].data = "header";
    parts[0].length = 6;
    parts[1].data = "payload";
    parts[1].length = 7;
    OK(wegman_link_new(mac, SECRET, "a test", 6, true, &alice));
    OK(wegman_link_new(mac, SECRET, "a test", 6, false, &bob));
    tag_length = wegman_link_tag_length(alice);
    for (int i = 0; i < 100; i++) {
        if (i == 50) OK(wegman_link_rekey(alice));
        OK(wegman_link_seal(alice, parts, 2, header, tag, tag_length));
        short_header[0] = header[3];
        memcpy(short_header + 1, header + 9, 3);
        OK(wegman_link_extend(bob, short_header, whole));
        CHECK(memcmp(header, whole, 12) == 0);
        tag[i % (int)tag_length] ^= 1;
        GIVES(WEGMAN_MISMATCH, wegman_link_open(bob, header, parts, 2, tag, tag_length));
        tag[i % (int)tag_length] ^= 1;
        GIVES(WEGMAN_MISMATCH, wegman_link_open(alice, header, parts, 2, tag, tag_length)); /* reflected */
        GIVES(WEGMAN_LENGTH, wegman_link_open(bob, header, parts, 2, tag, tag_length - 1));
        OK(wegman_link_open(bob, header, parts, 2, tag, tag_length));
        GIVES(WEGMAN_REPLAYED, wegman_link_open(bob, header, parts, 2, tag, tag_length));
    }
    OK(wegman_link_counts(bob, &counts, sizeof counts));
    CHECK(counts.accepted == 100 && counts.replayed == 100 && counts.forged == 100);
    /* A channel that outlives its process. */
    OK(wegman_link_reserve_sealing(alice, 10, 10000, store, &sealing));
    OK(wegman_link_reserve_opening(alice, 10, 10, 10000, store, &opening));
    wegman_link_free(alice);
    OK(wegman_link_restore(mac, sealing.bytes, sealing.length, opening.bytes, opening.length, &alice));
    GIVES(WEGMAN_NOT_RESERVED, wegman_link_seal(alice, parts, 2, header, tag, tag_length));
    sealing.fails = 1;
    GIVES(WEGMAN_STORE, wegman_link_reserve_sealing(alice, 10, 10000, store, &sealing));
    GIVES(WEGMAN_NOT_RESERVED, wegman_link_seal(alice, parts, 2, header, tag, tag_length));
    sealing.fails = 0;
    OK(wegman_link_reserve_sealing(alice, 10, 10000, store, &sealing));
    OK(wegman_link_seal(alice, parts, 2, header, tag, tag_length));
    OK(wegman_link_open(bob, header, parts, 2, tag, tag_length));
    {
        wegman_link *none = alice;
        GIVES(WEGMAN_SAVED, wegman_link_restore(mac, opening.bytes, opening.length, sealing.bytes, sealing.length, &none));
        CHECK(none == NULL);
        none = alice;
        GIVES(WEGMAN_NAME, wegman_link_new("Carter-128", SECRET, NULL, 0, true, &none));
        CHECK(none == NULL);
    }
    GIVES(WEGMAN_LENGTH, wegman_link_set_budget(bob, 121));
    OK(wegman_link_set_budget(bob, 120));
    /* No message fits under a limit of 0, and a long one not under PMAC's of two blocks. */
    GIVES(WEGMAN_LENGTH, wegman_link_set_epoch_limit(alice, 0));
    OK(wegman_link_seal(alice, parts, 2, header, tag, tag_length));
    OK(wegman_link_set_epoch_limit(alice, 2));
    parts[0].length = 0;
    GIVES(WEGMAN_NOT_RESERVED, wegman_link_seal(alice, parts, 2, header, tag, tag_length));
    OK(wegman_link_reserve_sealing(alice, 1, 16, store, &sealing));
    OK(wegman_link_seal(alice, parts, 2, header, tag, tag_length));
    parts[0].data = SECRET;
    parts[0].length = 32;
    GIVES(strncmp(mac, "PMAC", 4) == 0 ? WEGMAN_TOO_LONG : WEGMAN_NOT_RESERVED,
          wegman_link_seal(alice, parts, 2, header, tag, tag_length));
    wegman_link_free(alice);
    wegman_link_free(bob);
}

/* The kept key of the epoch before has a name, though the one after it was lost. */
static void late_packets(void) {
    wegman_link *alice, *bob;
    uint8_t headers[2][12], tags[2][8], header[12], tag[8], short_header[4], whole[12];
    OK(wegman_link_new("UMAC-64", SECRET, NULL, 0, true, &alice));
    OK(wegman_link_new("UMAC-64", SECRET, NULL, 0, false, &bob));
    for (int i = 0; i < 2; i++) OK(wegman_link_seal(alice, NULL, 0, headers[i], tags[i], 8));
    OK(wegman_link_open(bob, headers[0], NULL, 0, tags[0], 8));
    for (int i = 0; i < 3; i++) {
        OK(wegman_link_rekey(alice));
        OK(wegman_link_seal(alice, NULL, 0, header, tag, 8));
    }
    OK(wegman_link_open(bob, header, NULL, 0, tag, 8));
    CHECK(header[3] == 3);
    memcpy(short_header, headers[1] + 8, 4);
    short_header[0] = headers[1][3];
    OK(wegman_link_extend(bob, short_header, whole));
    CHECK(memcmp(headers[1], whole, 12) == 0);
    OK(wegman_link_open(bob, whole, NULL, 0, tags[1], 8));
    /* The lost ones are over. */
    short_header[0] = 2;
    OK(wegman_link_extend(bob, short_header, whole));
    GIVES(WEGMAN_TOO_OLD, wegman_link_open(bob, whole, NULL, 0, tags[1], 8));
    wegman_link_free(alice);
    wegman_link_free(bob);
}

/* A fork copies a link's numbers: they stay with the parent. */
static void forks(const char *mac) {
    wegman_link *alice, *bob, *own;
    uint8_t header[12], tag[16], other_header[12], other_tag[16];
    static struct file stored;
    wegman_bytes part;
    size_t tag_length;
    int status;
    pid_t child;
    part.data = "message";
    part.length = 7;
    OK(wegman_link_new(mac, SECRET, "a test", 6, true, &alice));
    OK(wegman_link_new(mac, SECRET, "a test", 6, false, &bob));
    tag_length = wegman_link_tag_length(alice);
    OK(wegman_link_seal(alice, &part, 1, header, tag, tag_length));
    stored.length = 0;
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        GIVES(WEGMAN_OTHER_PROCESS, wegman_link_seal(alice, &part, 1, other_header, other_tag, tag_length));
        GIVES(WEGMAN_OTHER_PROCESS, wegman_link_rekey(alice));
        GIVES(WEGMAN_OTHER_PROCESS, wegman_link_open(bob, header, &part, 1, tag, tag_length));
        GIVES(WEGMAN_OTHER_PROCESS, wegman_link_reserve_sealing(alice, 10, 1000, store, &stored));
        GIVES(WEGMAN_OTHER_PROCESS, wegman_link_reserve_opening(bob, 10, 10, 1000, store, &stored));
        CHECK(stored.length == 0);
        OK(wegman_link_new(mac, SECRET, "a child", 7, true, &own));
        OK(wegman_link_seal(own, &part, 1, other_header, other_tag, tag_length));
        wegman_link_free(own);
        wegman_link_free(alice);
        wegman_link_free(bob);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    OK(wegman_link_open(bob, header, &part, 1, tag, tag_length));
    OK(wegman_link_seal(alice, &part, 1, header, tag, tag_length));
    OK(wegman_link_open(bob, header, &part, 1, tag, tag_length));
    wegman_link_free(alice);
    wegman_link_free(bob);
}

/* What the library writes ends where the caller's structure ends, be it of an earlier or a later header. */
static void sizes(void) {
    struct { wegman_algorithm known; uint8_t later[100]; } info;
    struct { wegman_counts known; uint8_t later[100]; } counts;
    wegman_link *link;
    OK(wegman_link_new("UMAC-64", SECRET, NULL, 0, true, &link));
    memset(&info, 0x55, sizeof info);
    memset(&counts, 0x55, sizeof counts);
    GIVES(WEGMAN_LENGTH, wegman_algorithm_at(0, &info.known, sizeof info.known - 1));
    GIVES(WEGMAN_LENGTH, wegman_algorithm_find("UMAC-64", &info.known, sizeof(wegman_algorithm *)));
    GIVES(WEGMAN_LENGTH, wegman_link_counts(link, &counts.known, sizeof(wegman_counts *)));
    CHECK(info.known.name[0] == 0x55 && counts.known.accepted == 0x5555555555555555);
    OK(wegman_algorithm_find("UMAC-64", &info.known, sizeof info.known));
    OK(wegman_link_counts(link, &counts.known, sizeof counts.known));
    CHECK(info.known.tag_length == 8 && counts.known.accepted == 0);
    for (size_t i = 0; i < 100; i++) CHECK(info.later[i] == 0x55 && counts.later[i] == 0x55);
    memset(&info, 0x55, sizeof info);
    OK(wegman_algorithm_find("UMAC-64", &info.known, sizeof info));
    OK(wegman_link_counts(link, &counts.known, sizeof counts));
    CHECK(info.known.tag_length == 8);
    for (size_t i = 0; i < 100; i++) CHECK(info.later[i] == 0 && counts.later[i] == 0);
    wegman_link_free(link);
}

static void names(void) {
    wegman_algorithm info;
    wegman_key *key = NULL;
    uint8_t tag[32], random[16] = {0}, zero[16] = {0};
    size_t count = 0;
    while (wegman_algorithm_at(count, &info, sizeof info) == WEGMAN_OK) {
        uint8_t secret[256];
        wegman_algorithm again;
        for (size_t i = 0; i < sizeof secret; i++) secret[i] = (uint8_t)(i + 1);
        OK(wegman_algorithm_find(info.name, &again, sizeof again));
        CHECK(strcmp(info.name, again.name) == 0 && again.tag_length == info.tag_length);
        OK(wegman_key_new(info.name, secret, info.key_length, &key));
        CHECK(wegman_key_tag_length(key) == info.tag_length);
        CHECK(wegman_key_nonce_length(key) == info.nonce_length);
        OK(wegman_key_tag(key, secret, info.nonce_length, "x", 1, tag, info.tag_length));
        OK(wegman_key_verify(key, secret, info.nonce_length, "x", 1, tag, info.tag_length));
        GIVES(WEGMAN_MISMATCH, wegman_key_verify(key, secret, info.nonce_length, "y", 1, tag, info.tag_length));
        GIVES(WEGMAN_LENGTH, wegman_key_tag(key, secret, info.nonce_length, "x", 1, tag, info.tag_length - 1));
        if (info.nonce_length > 0) {
            GIVES(WEGMAN_NONCE, wegman_key_tag(key, NULL, 0, "x", 1, tag, info.tag_length));
            GIVES(WEGMAN_LENGTH, wegman_key_tag(key, secret, 17, "x", 1, tag, info.tag_length));
        } else {
            GIVES(WEGMAN_NONCE, wegman_key_tag(key, secret, 8, "x", 1, tag, info.tag_length));
        }
        wegman_key_free(key);
        count++;
    }
    CHECK(count > 30);
    GIVES(WEGMAN_NAME, wegman_key_new("UMAC-65", SECRET, 16, &key));
    GIVES(WEGMAN_NAME, wegman_key_new("\xff", SECRET, 16, &key));
    GIVES(WEGMAN_LENGTH, wegman_key_new("UMAC-64", SECRET, 15, &key));
    GIVES(WEGMAN_LENGTH, wegman_key_new_with("UMAC-64", NULL, SECRET, 16, 16, 0, &key));
    GIVES(WEGMAN_NAME, wegman_key_new_with("UMAC-64", "abacus", SECRET, 16, 0, 0, &key));
    OK(wegman_generate_key(random, 16));
    CHECK(memcmp(random, zero, 16) != 0);
    GIVES(WEGMAN_LENGTH, wegman_generate_key(random, 0));
    CHECK(strcmp(wegman_version(), WEGMAN_VERSION) == 0);
    for (int status = -200; status < 200; status++) CHECK(strlen(wegman_strerror(status)) > 3);
    CHECK(strcmp(wegman_strerror(WEGMAN_NULL), wegman_strerror(WEGMAN_LENGTH)) != 0);
}

/* A stream whose counters are wrong: Rust panics at an index, and the program goes on. */
static void bugs(void) {
    wegman_umac64 *key;
    wegman_umac64_stream stream, before;
    size_t words = sizeof stream.words / sizeof *stream.words, counters = 0;
    OK(wegman_umac64_new(SECRET, &key));
    for (int again = 0; again < 2; again++) {
        memset(&stream, 0, sizeof stream);
        OK(wegman_umac64_stream_start(&stream, key));
        OK(wegman_umac64_stream_update(&stream, "a message", 9));
        before = stream;
        OK(wegman_umac64_stream_update(&stream, "", 1));
        for (size_t i = 0; i < words; i++)
            if (stream.words[i] == before.words[i] + 1) {
                stream.words[i] = UINT64_MAX / 2;
                counters++;
            }
        GIVES(WEGMAN_INTERNAL, wegman_umac64_stream_update(&stream, "a message", 9));
    }
    CHECK(counters > 0);
    wegman_umac64_free(key);
}

int main(void) {
    streams();
    overlaps();
    batches();
    edits();
    links("UMAC-64");
    links("umac-128");
    links("PMAC-AES128");
    links("PMAC-AES256");
    late_packets();
    sizes();
    forks("UMAC-64");
    forks("PMAC-AES128");
    names();
    bugs();
    printf("the contract holds\n");
    return 0;
}
