/* What OpenSSH's interface does on failure with our umac.c: no context, or no return. */
#include <sys/types.h>
#include <sys/wait.h>

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "umac.h"

static const u_char key[16] = "sixteen byte key", nonce[8] = {0};

static void negative_length(void) {
    umac_update(umac_new(key), key, -1);
}

static void no_input(void) {
    umac128_update(umac128_new(key), NULL, 1);
}

static void no_tag(void) {
    umac_final(umac_new(key), NULL, nonce);
}

static void aborts(void (*call)(void)) {
    int status;
    pid_t child = fork();
    assert(child >= 0);
    if (child == 0) {
        call();
        _exit(0);
    }
    assert(waitpid(child, &status, 0) == child);
    assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void) {
    u_char first[8], tag[8];
    struct umac_ctx *ctx = umac_new(key);
    assert(umac_new(NULL) == NULL && umac128_new(NULL) == NULL);
    assert(umac_delete(NULL) == 1 && umac128_delete(NULL) == 1);
    assert(umac_update(ctx, NULL, 0) == 1);
    assert(umac_final(ctx, first, nonce) == 1);
    assert(umac_update(ctx, key, 16) == 1);
    assert(umac_delete(ctx) == 1); /* in the middle of a message */
    ctx = umac_new(key);
    assert(umac_final(ctx, tag, nonce) == 1 && memcmp(tag, first, 8) == 0);
    assert(umac_delete(ctx) == 1);
    aborts(negative_length);
    aborts(no_input);
    aborts(no_tag);
    puts("it fails as it should");
    return 0;
}
