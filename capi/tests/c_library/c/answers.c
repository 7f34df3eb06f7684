/* Answers requests with tags, each computed in every way and on every kernel of this machine. A request is a line
   `NAME KEY NONCE LENGTH`, in hexadecimal and with `-` for no nonce, and then LENGTH bytes; the answer is a line with the tag. */
#include "check.h"

enum { MOST = 64 };

static size_t unhex(const char *digits, uint8_t *bytes, size_t room) {
    size_t length = strlen(digits) / 2;
    if (strcmp(digits, "-") == 0) return 0;
    CHECK(length <= room);
    for (size_t i = 0; i < length; i++) {
        unsigned value;
        CHECK(sscanf(digits + 2 * i, "%2x", &value) == 1);
        bytes[i] = (uint8_t)value;
    }
    return length;
}

struct request {
    char name[MOST];
    uint8_t key[2 * MOST], nonce[16];
    size_t key_length, nonce_length;
    const uint8_t *message;
    size_t length;
};

/* Three parts of a message, the middle one empty. */
static void cut(const struct request *request, wegman_bytes parts[3]) {
    size_t first = request->length / 3;
    parts[0].data = request->message;
    parts[0].length = first;
    parts[1].data = NULL;
    parts[1].length = 0;
    parts[2].data = request->length == 0 ? NULL : request->message + first;
    parts[2].length = request->length - first;
}

/* Everything that can be done with one typed key. `N` and `NS` are its nonce arguments, which PMAC has not. */
#define EVERY_WAY(mac, tag_length, N, NS)                                                       \
    static void mac##_ways(const char *kernel, const struct request *request, uint8_t *tag) {   \
        wegman_##mac *key;                                                                      \
        wegman_##mac##_stream stream;                                                           \
        wegman_bytes parts[3], whole[2];                                                        \
        uint8_t other[tag_length], many[2 * tag_length];                                        \
        const uint8_t *nonce = request->nonce;                                                  \
        bool valid[2] = {false, false};                                                         \
        (void)nonce;                                                                            \
        OK(wegman_##mac##_new_with(kernel, request->key, &key));                                \
        OK(wegman_##mac##_tag(key, N request->message, request->length, tag));                  \
        OK(wegman_##mac##_verify(key, N request->message, request->length, tag));               \
        cut(request, parts);                                                                    \
        OK(wegman_##mac##_tag_parts(key, N parts, 3, other));                                   \
        CHECK(memcmp(tag, other, tag_length) == 0);                                             \
        OK(wegman_##mac##_verify_parts(key, N parts, 3, tag));                                  \
        OK(wegman_##mac##_stream_start(&stream, key));                                          \
        for (size_t i = 0; i < 3; i++)                                                          \
            OK(wegman_##mac##_stream_update(&stream, parts[i].data, parts[i].length));          \
        OK(wegman_##mac##_stream_verify(&stream, N tag));                                       \
        memset(other, 0, sizeof other);                                                         \
        OK(wegman_##mac##_stream_finish(&stream, N other));                                     \
        CHECK(memcmp(tag, other, tag_length) == 0);                                             \
        GIVES(WEGMAN_STREAM, wegman_##mac##_stream_finish(&stream, N other));                   \
        whole[0].data = request->message;                                                       \
        whole[0].length = request->length;                                                      \
        whole[1] = parts[2];                                                                    \
        OK(wegman_##mac##_tag_many(key, N whole, 1, many));                                     \
        CHECK(memcmp(tag, many, tag_length) == 0);                                              \
        OK(wegman_##mac##_verify_many(key, NS whole, many, 1, valid));                          \
        CHECK(valid[0] && !valid[1]);                                                           \
        many[0] ^= 1;                                                                           \
        GIVES(WEGMAN_MISMATCH, wegman_##mac##_verify_many(key, NS whole, many, 1, valid));      \
        CHECK(!valid[0]);                                                                       \
        GIVES(WEGMAN_MISMATCH,                                                                  \
              wegman_##mac##_verify(key, N request->message, request->length, many));           \
        wegman_##mac##_free(key);                                                               \
    }

#define NONCE nonce,
#define NOTHING
EVERY_WAY(umac64, 8, NONCE, NONCE)
EVERY_WAY(umac128, 16, NONCE, NONCE)
EVERY_WAY(carter128, 16, NONCE, NONCE)
EVERY_WAY(pmac_aes128, 16, NOTHING, NOTHING)

static const struct {
    const char *name;
    size_t nonce_length, tag_length;
    void (*ways)(const char *, const struct request *, uint8_t *);
} TYPED[] = {
    {"UMAC-64", 8, 8, umac64_ways},
    {"UMAC-128", 8, 16, umac128_ways},
    {"Carter-128", 12, 16, carter128_ways},
    {"PMAC-AES128", 0, 16, pmac_aes128_ways},
};

static void by_name(const char *kernel, const struct request *request, uint8_t *tag, size_t tag_length) {
    wegman_key *key;
    wegman_stream *stream, *copy;
    wegman_bytes parts[3], whole;
    uint8_t other[MOST];
    size_t nonce_length = request->nonce_length;
    OK(wegman_key_new_with(request->name, kernel, request->key, request->key_length, tag_length, nonce_length, &key));
    CHECK(wegman_key_tag_length(key) == tag_length);
    CHECK(wegman_key_nonce_length(key) == nonce_length);
    OK(wegman_key_tag(key, request->nonce, nonce_length, request->message, request->length, tag, tag_length));
    OK(wegman_key_verify(key, request->nonce, nonce_length, request->message, request->length, tag, tag_length));
    whole.data = request->message;
    whole.length = request->length;
    OK(wegman_key_tag_many(key, request->nonce, nonce_length, &whole, 1, other, tag_length));
    CHECK(memcmp(tag, other, tag_length) == 0);
    OK(wegman_stream_new(key, &stream));
    cut(request, parts);
    OK(wegman_stream_update(stream, parts[0].data, parts[0].length));
    OK(wegman_stream_copy(stream, &copy));
    OK(wegman_stream_update(stream, "other", 5));
    wegman_stream_reset(stream);
    wegman_key_free(key); /* streams keep their key */
    OK(wegman_stream_update(copy, parts[2].data, parts[2].length));
    OK(wegman_stream_verify(copy, request->nonce, nonce_length, tag, tag_length));
    memset(other, 0, sizeof other);
    OK(wegman_stream_finish(copy, request->nonce, nonce_length, other, tag_length));
    CHECK(memcmp(tag, other, tag_length) == 0);
    OK(wegman_stream_update(stream, request->message, request->length));
    tag[0] ^= 1;
    GIVES(WEGMAN_MISMATCH, wegman_stream_verify(stream, request->nonce, nonce_length, tag, tag_length));
    tag[0] ^= 1;
    OK(wegman_stream_verify(stream, request->nonce, nonce_length, tag, tag_length));
    wegman_stream_free(copy);
    wegman_stream_free(stream);
}

int main(void) {
    static char line[1024];
    while (fgets(line, sizeof line, stdin)) {
        struct request request;
        char key[4 * MOST + 1], nonce[33], kernel[64];
        unsigned long length, tag_length;
        uint8_t first[MOST], tag[MOST];
        CHECK(sscanf(line, "%63s %256s %32s %lu %lu", request.name, key, nonce, &tag_length, &length) == 5);
        CHECK(tag_length <= MOST);
        request.key_length = unhex(key, request.key, sizeof request.key);
        request.nonce_length = unhex(nonce, request.nonce, sizeof request.nonce);
        uint8_t *message = malloc(length + 1);
        CHECK(message != NULL && fread(message, 1, length, stdin) == length);
        request.message = message;
        request.length = length;
        size_t kernels = 0;
        while (wegman_kernel_at(request.name, kernels, kernel) == WEGMAN_OK) {
            by_name(kernel, &request, tag, tag_length);
            CHECK(kernels == 0 || memcmp(first, tag, tag_length) == 0);
            memcpy(first, tag, tag_length);
            for (size_t i = 0; i < sizeof TYPED / sizeof TYPED[0]; i++) {
                if (strcmp(TYPED[i].name, request.name) != 0 || TYPED[i].tag_length != tag_length) continue;
                if (TYPED[i].nonce_length != request.nonce_length) continue;
                TYPED[i].ways(kernel, &request, tag);
                CHECK(memcmp(first, tag, tag_length) == 0);
            }
            kernels++;
        }
        CHECK(kernels > 0);
        for (size_t i = 0; i < tag_length; i++) printf("%02x", tag[i]);
        printf("\n");
        free(message);
    }
    return 0;
}
