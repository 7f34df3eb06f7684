/* Writes 10,000 random messages with libwegman's tags, one test a line as in vectors/wycheproof. */
#include "check.h"

enum { TESTS = 10000 };

static uint64_t state = 1;

static void fill(uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (uint8_t)(state >> 56);
    }
}

static void field(const char *name, const uint8_t *bytes, size_t length) {
    printf("\"%s\":\"", name);
    for (size_t i = 0; i < length; i++) printf("%02x", bytes[i]);
    printf("\",");
}

#define TAG(mac, ...)                                                                           \
    do {                                                                                        \
        wegman_##mac *key;                                                                      \
        OK(wegman_##mac##_new(secret, &key));                                                   \
        OK(wegman_##mac##_tag(key, __VA_ARGS__, length, tag));                                  \
        wegman_##mac##_free(key);                                                               \
    } while (0)

int main(void) {
    static uint8_t message[4000];
    uint8_t secret[16], nonce[8], tag[16];
    for (int test = 0; test < TESTS; test++) {
        size_t length = (size_t)(state >> 33) % (sizeof message + 1);
        fill(secret, sizeof secret);
        fill(nonce, sizeof nonce);
        fill(message, length);
        if (test % 3 == 0) TAG(umac64, nonce, message);
        if (test % 3 == 1) TAG(umac128, nonce, message);
        if (test % 3 == 2) TAG(pmac_aes128, message);
        printf("{\"tcId\":%d,", test);
        field("key", secret, sizeof secret);
        if (test % 3 != 2) field("iv", nonce, sizeof nonce);
        field("msg", message, length);
        field("tag", tag, test % 3 == 0 ? 8 : 16);
        printf("\"result\":\"valid\"}\n");
    }
    printf("\"numberOfTests\":%d\n", TESTS);
    return 0;
}
