/* Valid arguments for the program that passes NULL for each pointer of each function. */
#ifndef NULLS_H
#define NULLS_H

#include "check.h"

static uint64_t memory[512];
static wegman_bytes piece;
static uint8_t encoded[68];
static void *result;
static const wegman_pmac_segment *segments[1];
static struct { uint8_t bytes[1024]; size_t length; } sealing, opening;

static int32_t store(void *context, const uint8_t *stored, size_t length) {
    (void)context, (void)stored, (void)length;
    return 0;
}

static int32_t keep(void *context, const uint8_t *stored, size_t length) {
    memcpy(context, stored, length);
    sealing.length = context == sealing.bytes ? length : sealing.length;
    opening.length = context == opening.bytes ? length : opening.length;
    return 0;
}

#define TYPED(mac)                                                              \
    static wegman_##mac *new_wegman_##mac(void) {                               \
        wegman_##mac *key;                                                      \
        OK(wegman_##mac##_new((const uint8_t *)"sixteen byte key", &key));      \
        return key;                                                             \
    }                                                                           \
    static wegman_##mac##_stream *new_wegman_##mac##_stream(void) {             \
        wegman_##mac##_stream *stream = malloc(sizeof *stream);                 \
        OK(wegman_##mac##_stream_start(stream, new_wegman_##mac()));            \
        return stream;                                                          \
    }

TYPED(umac64)
TYPED(umac128)
TYPED(carter128)
TYPED(pmac_aes128)

static wegman_pmac_segment *new_wegman_pmac_segment(void) {
    wegman_pmac_segment *segment;
    OK(wegman_pmac_segment_new(new_wegman_pmac_aes128(), 0, "sixteen byte key", 16, &segment));
    return segment;
}

static wegman_pmac_sum *new_wegman_pmac_sum(void) {
    wegman_pmac_sum *sum;
    OK(wegman_pmac_sum_from_tag(new_wegman_pmac_aes128(), (const uint8_t *)"sixteen byte key", 16, &sum));
    return sum;
}

static wegman_link *new_wegman_link(void) {
    wegman_link *link;
    OK(wegman_link_new("UMAC-64", (const uint8_t *)memory, NULL, 0, true, &link));
    return link;
}

static wegman_key *new_wegman_key(void) {
    wegman_key *key;
    OK(wegman_key_new("UMAC-64", "sixteen byte key", 16, &key));
    return key;
}

static wegman_stream *new_wegman_stream(void) {
    wegman_stream *stream;
    OK(wegman_stream_new(new_wegman_key(), &stream));
    return stream;
}

static void prepare(void) {
    wegman_link *link = new_wegman_link();
    piece.data = memory;
    piece.length = 16;
    segments[0] = new_wegman_pmac_segment();
    OK(wegman_pmac_segment_encode(segments[0], encoded));
    OK(wegman_link_reserve_sealing(link, 1, 1, keep, sealing.bytes));
    OK(wegman_link_reserve_opening(link, 1, 1, 1, keep, opening.bytes));
}

#endif
