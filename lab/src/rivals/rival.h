/* What the file of each library tells libraries.rs of it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The classes of instructions, in the order of class.rs. */
enum instructions { SSE, AVX2, VAES256, ALL };

struct rival {
    const char *(*version)(void);
    /* What the library uses, now that it is held to a class; NULL if it can't be held to it, or does not say. Called
       before the functions below. */
    const char *(*uses)(enum instructions class_);
    /* A key for an algorithm, whose number is its place in libraries.rs. It lives as long as the program; NULL if the
       library does not have it here. */
    void *(*key)(unsigned algorithm, enum instructions class_, const uint8_t secret[32]);
    /* The tag of a message, of which 16 bytes count; false if that fails. */
    bool (*tag)(void *key, uint64_t count, const uint8_t *message, size_t length, uint8_t tag[32]);
};

/* A counter as the last bytes of a nonce. */
static inline void put_count(uint8_t nonce[8], uint64_t count)
{
    for (int i = 0; i < 8; i++)
        nonce[i] = (uint8_t)(count >> (56 - 8 * i));
}
