/* How much stack the functions use: each runs in a thread of the size that is given, whose stack is painted before, and ends
   at pages that may not be touched. Prints the most bytes of those that give an object or take a link, and of all others. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <pthread.h>
#include <sys/mman.h>

enum { GUARD = 1 << 20, PAINT = 0xa5 };

static const uint8_t SECRET[32] = "sixteen byte keysixteen byte key", NONCE[12] = {0, 0, 0, 0, 0, 0, 0, 1};
static uint8_t message[100000], tags[40 * 32];
static wegman_bytes parts[40];
static wegman_algorithm algorithm;
static char kernel[64];
static size_t room, thread_itself, giving, others;

static void nothing(void) {}

static void *call(void *family) {
    (*(void (**)(void))family)();
    return NULL;
}

static size_t used(void (*family)(void)) {
    pthread_t thread;
    pthread_attr_t attributes;
    size_t untouched = 0;
    uint8_t *all = mmap(NULL, GUARD + room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(all != MAP_FAILED && mprotect(all, GUARD, PROT_NONE) == 0);
    memset(all + GUARD, PAINT, room);
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, all + GUARD, room) == 0);
    CHECK(pthread_create(&thread, &attributes, call, &family) == 0 && pthread_join(thread, NULL) == 0);
    while (untouched < room && all[GUARD + untouched] == PAINT) untouched++;
    CHECK(pthread_attr_destroy(&attributes) == 0 && munmap(all, GUARD + room) == 0);
    return room - untouched;
}

/* The most that any call so far has used beside the thread itself. */
static void most(size_t *so_far, void (*family)(void)) {
    size_t now = used(family) - thread_itself;
    if (now > *so_far) *so_far = now;
}

#define TYPED(mac, N)                                                                       \
    static wegman_##mac *mac##_key;                                                         \
    static void mac##_new(void) { OK(wegman_##mac##_new_with(kernel, SECRET, &mac##_key)); }\
    static void mac##_use(void) {                                                           \
        wegman_##mac##_stream stream;                                                       \
        bool valid[40];                                                                     \
        OK(wegman_##mac##_tag(mac##_key, N message, sizeof message, tags));                 \
        OK(wegman_##mac##_verify(mac##_key, N message, sizeof message, tags));              \
        OK(wegman_##mac##_tag_parts(mac##_key, N parts, 40, tags));                         \
        OK(wegman_##mac##_verify_parts(mac##_key, N parts, 40, tags));                      \
        OK(wegman_##mac##_tag_many(mac##_key, N parts, 40, tags));                          \
        (void)!wegman_##mac##_verify_many(mac##_key, N##S parts, tags, 40, valid);          \
        OK(wegman_##mac##_stream_start(&stream, mac##_key));                                \
        OK(wegman_##mac##_stream_update(&stream, message, sizeof message));                 \
        OK(wegman_##mac##_stream_finish(&stream, N tags));                                  \
    }                                                                                       \
    static void mac##_free(void) { wegman_##mac##_free(mac##_key); }
#define NONE
#define NONES
#define ONE NONCE,
#define ONES message,
TYPED(umac64, ONE)
TYPED(umac128, ONE)
TYPED(carter128, ONE)
TYPED(pmac_aes128, NONE)

static void typed(void) {
#define EACH(mac, name)                                                                     \
    for (size_t i = 0; wegman_kernel_at(name, i, kernel) == WEGMAN_OK; i++) {               \
        most(&giving, mac##_new);                                                           \
        most(&others, mac##_use);                                                            \
        most(&others, mac##_free);                                                           \
    }
    EACH(umac64, "UMAC-64")
    EACH(umac128, "UMAC-128")
    EACH(carter128, "Carter-128")
    EACH(pmac_aes128, "PMAC-AES128")
}

static wegman_key *named_key;
static wegman_stream *named_stream, *named_copy;

static void named_new(void) {
    OK(wegman_key_new_with(algorithm.name, kernel, message, algorithm.key_length, 0, 0, &named_key));
    OK(wegman_stream_new(named_key, &named_stream));
    OK(wegman_stream_copy(named_stream, &named_copy));
}

static void named_use(void) {
    size_t nonce = algorithm.nonce_length, tag = algorithm.tag_length;
    OK(wegman_key_tag(named_key, NONCE, nonce, message, 5000, tags, tag));
    OK(wegman_key_verify(named_key, NONCE, nonce, message, 5000, tags, tag));
    OK(wegman_key_tag_many(named_key, NONCE, nonce, parts, 40, tags, 40 * tag));
    OK(wegman_stream_update(named_stream, message, 5000));
    OK(wegman_stream_finish(named_stream, NONCE, nonce, tags, tag));
    OK(wegman_stream_update(named_copy, message, 5000));
    OK(wegman_stream_verify(named_copy, NONCE, nonce, tags, tag));
}

static void named_free(void) {
    wegman_stream_free(named_stream);
    wegman_stream_free(named_copy);
    wegman_key_free(named_key);
}

static void by_name(void) {
    for (size_t i = 0; wegman_algorithm_at(i, &algorithm, sizeof algorithm) == WEGMAN_OK; i++) {
        for (size_t k = 0; wegman_kernel_at(algorithm.name, k, kernel) == WEGMAN_OK; k++) {
            most(&giving, named_new);
            most(&others, named_use);
            most(&others, named_free);
        }
    }
}

static const char *mac;
static wegman_link *alice, *bob;
static struct { uint8_t bytes[512]; size_t length; } sealing, opening;

static int32_t store(void *user, const uint8_t *stored, size_t length) {
    CHECK(length < sizeof sealing.bytes);
    memcpy(user, stored, length);
    *(user == &sealing ? &sealing.length : &opening.length) = length;
    return 0;
}

static void link_new(void) {
    OK(wegman_link_new(mac, SECRET, message, 1000, true, &alice));
    OK(wegman_link_new(mac, SECRET, message, 1000, false, &bob));
}

static void link_use(void) {
    uint8_t header[12];
    size_t tag = wegman_link_tag_length(alice);
    OK(wegman_link_set_budget(alice, 50));
    OK(wegman_link_set_longest(alice, sizeof message));
    OK(wegman_link_set_epoch_limit(alice, 100000));
    for (int i = 0; i < 3; i++) {
        OK(wegman_link_rekey(alice));
        OK(wegman_link_seal(alice, parts, 40, header, tags, tag));
    }
    /* The keys of two epochs are made for one packet. */
    OK(wegman_link_open(bob, header, parts, 40, tags, tag));
    GIVES(WEGMAN_REPLAYED, wegman_link_open(bob, header, parts, 40, tags, tag));
    OK(wegman_link_reserve_sealing(alice, 10, 1000, store, &sealing));
    OK(wegman_link_reserve_opening(alice, 10, 10, 1000, store, &opening));
}

static void link_restore(void) {
    wegman_link_free(alice);
    wegman_link_free(bob);
    OK(wegman_link_restore(mac, sealing.bytes, sealing.length, opening.bytes, opening.length, &alice));
    wegman_link_free(alice);
}

static void links(void) {
    static const char *const macs[] = {"UMAC-64", "UMAC-128", "PMAC-AES128", "PMAC-AES256"};
    for (size_t i = 0; i < sizeof macs / sizeof *macs; i++) {
        mac = macs[i];
        most(&giving, link_new);
        most(&giving, link_use);
        most(&giving, link_restore);
    }
}

static wegman_pmac_segment *segments[3], *whole;
static wegman_pmac_sum *sum, *recovered;
static uint8_t encoded[68];

static void edits_made(void) {
    OK(wegman_pmac_segment_new(pmac_aes128_key, 0, message, 64000, &segments[0]));
    OK(wegman_pmac_segment_new(pmac_aes128_key, 4000, message + 64000, 36000, &segments[1]));
    OK(wegman_pmac_segment_combine((const wegman_pmac_segment *const *)segments, 2, &whole));
    OK(wegman_pmac_sum_from_segment(pmac_aes128_key, whole, &sum));
    OK(wegman_pmac_sum_from_tag(pmac_aes128_key, tags, sizeof message, &recovered));
    OK(wegman_pmac_segment_encode(segments[1], encoded));
    OK(wegman_pmac_segment_decode(encoded, &segments[2]));
}

static void edits_used(void) {
    uint64_t start, end;
    OK(wegman_pmac_segment_append(segments[0], segments[2]));
    OK(wegman_pmac_segment_tag(whole, pmac_aes128_key, tags));
    OK(wegman_pmac_sum_replace_window(sum, 1, 50000, &start, &end));
    OK(wegman_pmac_sum_replace(sum, pmac_aes128_key, 1, message, 50000, message, end - start));
    OK(wegman_pmac_sum_truncate_window(sum, 777, &start, &end));
    OK(wegman_pmac_sum_truncate(sum, pmac_aes128_key, 777, message + start, end - start));
    OK(wegman_pmac_sum_append_window(sum, &start, &end));
    OK(wegman_pmac_sum_append(sum, pmac_aes128_key, message, 5000, message, end - start));
    OK(wegman_pmac_sum_tag(sum, pmac_aes128_key, tags));
    OK(wegman_pmac_segment_encode(segments[0], encoded));
    wegman_pmac_sum_free(sum);
    wegman_pmac_sum_free(recovered);
    wegman_pmac_segment_free(whole);
    for (int i = 0; i < 3; i++) wegman_pmac_segment_free(segments[i]);
}

static void the_rest(void) {
    wegman_algorithm found;
    uint8_t secret[32];
    OK(wegman_generate_key(secret, sizeof secret));
    OK(wegman_algorithm_find("UMAC-64", &found, sizeof found));
    OK(wegman_kernel_at("UMAC-MMX-60", 0, kernel));
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    room = strtoul(arguments[1], NULL, 10);
    for (size_t i = 0; i < 40; i++) {
        parts[i].data = message;
        parts[i].length = 60 * i;
    }
    thread_itself = used(nothing);
    typed();
    OK(wegman_pmac_aes128_new(SECRET, &pmac_aes128_key));
    most(&giving, edits_made);
    most(&others, edits_used);
    wegman_pmac_aes128_free(pmac_aes128_key);
    links();
    by_name();
    most(&others, the_rest);
    printf("%zu %zu\n", giving, others);
    return 0;
}
