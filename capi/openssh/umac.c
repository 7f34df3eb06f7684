/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 OpenSSH's umac.c, by libwegman: umac_new, umac_update, umac_final and umac_delete for tags of 8 bytes, and, as OpenSSH's
 umac128.c includes this file, the same under the names umac128_* for tags of 16. Copy it over OpenSSH's file, put wegman.h
 beside it, and link libwegman.a. OpenSSH's umac.h stays.

 umac_new returns NULL if there is no memory. The others return 1, or do not return: OpenSSH does not look at what
 umac_update and umac_final return, and would send or compare the bytes that were where the tag should be. So they abort, and
 the connection ends. That needs a negative length, a context that was moved, or a bug.
*/
#include <sys/types.h>

#include <stdlib.h>

#include "umac.h"
#include "wegman.h"

#if !defined(UMAC_OUTPUT_LEN) || UMAC_OUTPUT_LEN == 8
#define WEGMAN(name) wegman_umac64_##name
typedef wegman_umac64 mac_key;
typedef wegman_umac64_stream mac_stream;
#elif UMAC_OUTPUT_LEN == 16
#define WEGMAN(name) wegman_umac128_##name
typedef wegman_umac128 mac_key;
typedef wegman_umac128_stream mac_stream;
#else
#error "tags have 8 or 16 bytes"
#endif

struct umac_ctx {
    mac_key *key;
    mac_stream message;
};

static void must(wegman_status status) {
    if (status != WEGMAN_OK)
        abort();
}

struct umac_ctx *umac_new(const u_char key[]) {
    struct umac_ctx *ctx = malloc(sizeof *ctx);
    if (ctx == NULL)
        return NULL;
    if (WEGMAN(new)(key, &ctx->key) != WEGMAN_OK) {
        free(ctx);
        return NULL;
    }
    must(WEGMAN(stream_start)(&ctx->message, ctx->key));
    return ctx;
}

int umac_update(struct umac_ctx *ctx, const u_char *input, long len) {
    if (len < 0)
        abort();
    must(WEGMAN(stream_update)(&ctx->message, input, (size_t)len));
    return 1;
}

/* The next update begins another message under the same key. */
int umac_final(struct umac_ctx *ctx, u_char tag[], const u_char nonce[8]) {
    must(WEGMAN(stream_finish)(&ctx->message, nonce, tag));
    must(WEGMAN(stream_start)(&ctx->message, ctx->key));
    return 1;
}

/* Both calls wipe what they end. */
int umac_delete(struct umac_ctx *ctx) {
    if (ctx != NULL) {
        WEGMAN(stream_clear)(&ctx->message);
        WEGMAN(free)(ctx->key);
        free(ctx);
    }
    return 1;
}
