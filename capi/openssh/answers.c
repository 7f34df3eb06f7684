/*
 Prints tags under OpenSSH's umac interface, the same ones each time: of random keys, nonces, messages and pieces. Linked with
 OpenSSH's own objects and with ours, it must print the same. Each line: the length, UMAC-64, UMAC-128.
*/
#include <sys/types.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "umac.h"

enum { LONGEST = 70000, KEYS = 64 };

/* xorshift64: the same numbers on every machine. */
static uint64_t next(void) {
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void fill(u_char *bytes, size_t length) {
    size_t i;
    for (i = 0; i < length; i++)
        bytes[i] = (u_char)(next() >> 32);
}

static size_t below(size_t end) {
    return (size_t)((next() >> 32) % end);
}

static void print(const u_char *bytes, size_t length) {
    size_t i;
    for (i = 0; i < length; i++)
        printf("%02x", bytes[i]);
}

static u_char buffer[LONGEST + 64];

static void message(struct umac_ctx *ctx64, struct umac_ctx *ctx128, const u_char nonce[8], size_t length) {
    u_char tag64[8], tag128[16];
    u_char *bytes = buffer + below(64);
    size_t done = 0;
    /* Half of the messages come in one piece, as OpenSSH's do, the others in pieces of two sizes. */
    size_t most = below(2) ? LONGEST : below(2) ? 40 : 4000;
    if (length > 20 * most)
        most = 4000;
    fill(bytes, length);
    do {
        size_t piece = most == LONGEST ? length : below(most);
        if (piece > length - done)
            piece = length - done;
        umac_update(ctx64, bytes + done, (long)piece);
        umac128_update(ctx128, bytes + done, (long)piece);
        done += piece;
    } while (done < length);
    umac_final(ctx64, tag64, nonce);
    umac128_final(ctx128, tag128, nonce);
    printf("%lu ", (unsigned long)length);
    print(tag64, sizeof tag64);
    printf(" ");
    print(tag128, sizeof tag128);
    printf("\n");
}

int main(void) {
    /* From 33 before the end of a block to 33 after it. */
    static const size_t edges[] = {0, 1024 - 33, 2048 - 33, 4096 - 33, 16384 - 33, 32768 - 33, 65536 - 33};
    size_t i, j;
    for (i = 0; i < KEYS; i++) {
        u_char key[16], nonce[8];
        struct umac_ctx *ctx64, *ctx128;
        fill(key, sizeof key);
        fill(nonce, sizeof nonce);
        ctx64 = umac_new(key);
        ctx128 = umac128_new(key);
        if (ctx64 == NULL || ctx128 == NULL)
            return 1;
        /* The nonces are consecutive, as sequence numbers are, from a random one on. */
        for (j = 0; j < 120; j++) {
            size_t length;
            if (j < 40)
                length = below(300);
            else if (j < 80)
                length = edges[below(sizeof edges / sizeof *edges)] + below(67);
            else
                length = below(LONGEST + 1);
            message(ctx64, ctx128, nonce, length);
            if (++nonce[7] == 0)
                ++nonce[6];
        }
        umac_delete(ctx64);
        umac128_delete(ctx128);
    }
    return 0;
}
