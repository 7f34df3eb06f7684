/* The provider as programs use it, by EVP_MAC. `evp answers` answers requests with tags; `evp rules` tries what is allowed and what
   is not; `evp threads` makes many contexts at once; `evp wiped` looks for what is left of a key. The provider's folder is the second
   argument. */
#include "two_secrets.h"
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                \
    do {                                                                                \
        if (!(condition)) {                                                             \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);   \
            ERR_print_errors_fp(stderr);                                                \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

static unsigned char KEY[32] = "sixteen byte keysixteen byte key";
static unsigned char NONCE[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static size_t unhex(const char *digits, unsigned char *bytes) {
    size_t length = strlen(digits) / 2;
    if (strcmp(digits, "-") == 0) return 0;
    for (size_t i = 0; i < length; i++) {
        unsigned value;
        CHECK(sscanf(digits + 2 * i, "%2x", &value) == 1);
        bytes[i] = (unsigned char)value;
    }
    return length;
}

static OSSL_PARAM *iv(OSSL_PARAM params[2], void *nonce, size_t length) {
    params[0] = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, nonce, length);
    params[1] = OSSL_PARAM_construct_end();
    return params;
}

static EVP_MAC_CTX *context(const char *name) {
    EVP_MAC *mac = EVP_MAC_fetch(NULL, name, "provider=wegman");
    CHECK(mac != NULL);
    EVP_MAC_CTX *made = EVP_MAC_CTX_new(mac);
    CHECK(made != NULL);
    EVP_MAC_free(mac);
    return made;
}

static void answers(void) {
    static char line[1024];
    while (fgets(line, sizeof line, stdin)) {
        char name[64], key_hex[257], nonce_hex[33];
        unsigned char key[128], nonce[16], tag[32], again[32];
        unsigned long tag_length, length;
        size_t made, key_length, nonce_length, size;
        CHECK(sscanf(line, "%63s %256s %32s %lu %lu", name, key_hex, nonce_hex, &tag_length, &length) == 5);
        key_length = unhex(key_hex, key);
        nonce_length = unhex(nonce_hex, nonce);
        unsigned char *message = malloc(length + 1);
        CHECK(message != NULL && fread(message, 1, length, stdin) == length);
        EVP_MAC_CTX *mac = context(name);
        OSSL_PARAM params[3], *last = params;
        size = tag_length;
        if (nonce_length > 0) *last++ = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, nonce, nonce_length);
        *last++ = OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size);
        *last = OSSL_PARAM_construct_end();
        CHECK(EVP_MAC_init(mac, key, key_length, params));
        CHECK(EVP_MAC_CTX_get_mac_size(mac) == tag_length);
        CHECK(EVP_MAC_update(mac, message, length));
        CHECK(EVP_MAC_final(mac, tag, &made, sizeof tag) && made == tag_length);
        /* The same key, in pieces, one of them empty. */
        CHECK(EVP_MAC_init(mac, NULL, 0, params));
        CHECK(EVP_MAC_update(mac, message, length / 3));
        CHECK(EVP_MAC_update(mac, NULL, 0));
        CHECK(EVP_MAC_update(mac, message + length / 3, length - length / 3));
        CHECK(EVP_MAC_final(mac, again, &made, tag_length) && made == tag_length);
        CHECK(memcmp(tag, again, tag_length) == 0);
        for (size_t i = 0; i < tag_length; i++) printf("%02x", tag[i]);
        printf("\n");
        EVP_MAC_CTX_free(mac);
        free(message);
    }
}

/* The reason that the provider gave for the last failure, in which file and line of its sources it may be. */
static const char *reason(void) {
    static char last[200];
    const char *file, *function, *data;
    int line, flags;
    unsigned long error = ERR_peek_last_error_all(&file, &line, &function, &data, &flags);
    const char *text = ERR_reason_error_string(error);
    snprintf(last, sizeof last, "%s", text == NULL ? "none" : text);
    if (text != NULL && ERR_GET_LIB(error) >= ERR_LIB_USER) {
        CHECK(strncmp(file, "openssl/src/", 12) == 0 && line > 0);
    }
    ERR_clear_error();
    return last;
}

static void fails(int line, const char *call, int outcome, const char *why) {
    const char *said = reason();
    if (outcome != 0 || strstr(said, why) == NULL) {
        fprintf(stderr, "line %d: %s gave %d and \"%s\", not 0 and \"%s\"\n", line, call, outcome, said, why);
        exit(1);
    }
}

#define FAILS(call, why) (ERR_clear_error(), fails(__LINE__, #call, call, why))

static void nonces(const char *name, size_t nonce_length) {
    OSSL_PARAM params[2];
    unsigned char tag[32], other[32];
    size_t length;
    EVP_MAC_CTX *mac = context(name), *copy;
    FAILS(EVP_MAC_update(mac, KEY, 1), "no key");
    FAILS(EVP_MAC_final(mac, tag, &length, sizeof tag), "no key");
    FAILS(EVP_MAC_init(mac, KEY, 15, NULL), "key of this length");
    CHECK(EVP_MAC_init(mac, KEY, 16, NULL));
    FAILS(EVP_MAC_update(mac, KEY, 1), "no nonce");
    FAILS(EVP_MAC_final(mac, tag, &length, sizeof tag), "no nonce");
    FAILS(EVP_MAC_CTX_set_params(mac, iv(params, NONCE, 0)), "iv of this length");
    CHECK(EVP_MAC_init(mac, NULL, 0, iv(params, NONCE, nonce_length)));
    CHECK(EVP_MAC_update(mac, "message", 7));
    CHECK(EVP_MAC_final(mac, tag, &length, sizeof tag));
    /* One nonce, one tag. */
    FAILS(EVP_MAC_final(mac, other, &length, sizeof other), "");
    CHECK(EVP_MAC_init(mac, NULL, 0, NULL));
    FAILS(EVP_MAC_update(mac, KEY, 1), "no nonce");
    /* Set before init, as openssl mac does it. */
    CHECK(EVP_MAC_CTX_set_params(mac, iv(params, NONCE, nonce_length)));
    CHECK(EVP_MAC_init(mac, NULL, 0, NULL));
    CHECK(EVP_MAC_update(mac, "message", 7));
    /* A message that is given up takes its nonce with it. */
    CHECK(EVP_MAC_init(mac, NULL, 0, NULL));
    FAILS(EVP_MAC_update(mac, KEY, 1), "no nonce");
    CHECK(EVP_MAC_init(mac, NULL, 0, iv(params, NONCE, nonce_length)));
    CHECK(EVP_MAC_update(mac, "mess", 4));
    /* Neither nonce nor key changes in the middle of a message. */
    FAILS(EVP_MAC_CTX_set_params(mac, iv(params, NONCE, nonce_length)), "under way");
    params[0] = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, KEY, 16);
    FAILS(EVP_MAC_CTX_set_params(mac, params), "under way");
    /* Only one of two copies finishes under the nonce. */
    copy = EVP_MAC_CTX_dup(mac);
    CHECK(copy != NULL);
    CHECK(EVP_MAC_update(copy, "age", 3));
    CHECK(EVP_MAC_final(copy, other, &length, sizeof other));
    CHECK(memcmp(tag, other, length) == 0);
    CHECK(EVP_MAC_update(mac, "enger", 5));
    FAILS(EVP_MAC_final(mac, other, &length, sizeof other), "copy");
    CHECK(EVP_MAC_init(mac, NULL, 0, iv(params, NONCE, nonce_length)));
    CHECK(EVP_MAC_update(mac, "message", 7));
    CHECK(EVP_MAC_final(mac, other, &length, sizeof other));
    CHECK(memcmp(tag, other, length) == 0);
    /* A copy of what has finished has no nonce. */
    EVP_MAC_CTX_free(copy);
    copy = EVP_MAC_CTX_dup(mac);
    CHECK(copy != NULL);
    FAILS(EVP_MAC_final(copy, other, &length, sizeof other), "no nonce");
    /* A key has nonces of one length. */
    FAILS(EVP_MAC_init(mac, NULL, 0, iv(params, NONCE, nonce_length + 1)), "iv of this length");
    EVP_MAC_CTX_free(copy);
    EVP_MAC_CTX_free(mac);
}

/* A fork copies a context with its nonce, which is used by the parent alone. */
static void forks(const char *name, size_t nonce_length) {
    OSSL_PARAM params[2];
    unsigned char tag[16];
    size_t length;
    int status;
    EVP_MAC_CTX *mac = context(name), *copy;
    CHECK(EVP_MAC_init(mac, KEY, 16, iv(params, NONCE, nonce_length)));
    CHECK(EVP_MAC_update(mac, "mess", 4));
    copy = EVP_MAC_CTX_dup(mac);
    CHECK(copy != NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        EVP_MAC_CTX *later = EVP_MAC_CTX_dup(mac);
        CHECK(EVP_MAC_update(mac, "age 2", 5));
        FAILS(EVP_MAC_final(mac, tag, &length, sizeof tag), "forked");
        FAILS(EVP_MAC_final(copy, tag, &length, sizeof tag), "forked");
        FAILS(EVP_MAC_final(later, tag, &length, sizeof tag), "forked");
        /* The key may be used, under nonces that the child sets. */
        CHECK(EVP_MAC_init(mac, NULL, 0, iv(params, NONCE + 1, nonce_length)));
        CHECK(EVP_MAC_update(mac, "message", 7));
        CHECK(EVP_MAC_final(mac, tag, &length, sizeof tag));
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(EVP_MAC_update(mac, "age 1", 5));
    CHECK(EVP_MAC_final(mac, tag, &length, sizeof tag));
    EVP_MAC_CTX_free(copy);
    EVP_MAC_CTX_free(mac);
}

static void without_nonces(void) {
    unsigned char tag[16], other[16];
    static unsigned char message[5000];
    size_t length, size = 8;
    unsigned char one_byte = 4;
    OSSL_PARAM params[2];
    EVP_MAC_CTX *mac = context("PMAC-AES128"), *copy;
    FAILS(EVP_MAC_final(mac, tag, &length, sizeof tag), "no key");
    FAILS(EVP_MAC_init(mac, KEY, 16, iv(params, NONCE, 8)), "parameter");
    CHECK(EVP_MAC_init(mac, KEY, 16, NULL));
    CHECK(EVP_MAC_update(mac, message, 3000));
    copy = EVP_MAC_CTX_dup(mac);
    CHECK(copy != NULL);
    CHECK(EVP_MAC_update(mac, message, 2000));
    CHECK(EVP_MAC_final(mac, NULL, &length, 0) && length == 16);
    FAILS(EVP_MAC_final(mac, tag, &length, 15), "");
    CHECK(EVP_MAC_final(mac, tag, &length, sizeof tag) && length == 16);
    CHECK(EVP_MAC_init(mac, NULL, 0, NULL)); /* the key stays */
    CHECK(EVP_MAC_update(mac, message, 5000));
    CHECK(EVP_MAC_final(mac, other, &length, sizeof other));
    CHECK(memcmp(tag, other, 16) == 0);
    CHECK(EVP_MAC_update(copy, message, 2000));
    memset(other, 0, sizeof other);
    CHECK(EVP_MAC_final(copy, other, &length, sizeof other));
    CHECK(memcmp(tag, other, 16) == 0);
    /* The size is the key's. */
    params[0] = OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size);
    FAILS(EVP_MAC_CTX_set_params(mac, params), "size");
    CHECK(EVP_MAC_init(mac, KEY, 16, params));
    CHECK(EVP_MAC_update(mac, message, 5000));
    CHECK(EVP_MAC_final(mac, other, &length, sizeof other) && length == 8);
    CHECK(memcmp(tag, other, 8) == 0);
    size = 3;
    FAILS(EVP_MAC_init(mac, KEY, 16, params), "size");
    /* A size of one byte, as openssl mac passes it where the width is unknown. */
    params[0] = OSSL_PARAM_construct_uint("size", NULL);
    params[0].data = &one_byte;
    params[0].data_size = 1;
    CHECK(EVP_MAC_init(mac, KEY, 16, params));
    CHECK(EVP_MAC_CTX_get_mac_size(mac) == 4);
    CHECK(EVP_MAC_CTX_get_block_size(mac) == 16);
    EVP_MAC_CTX_free(copy);
    EVP_MAC_CTX_free(mac);
    CHECK(EVP_MAC_fetch(NULL, "CARTER-128", "provider=wegman,wegman.experimental!=yes") == NULL);
    ERR_clear_error();
}

/* Whoever ignores a failed init gets no tag under what was there before; the order of parameters does not matter. */
static void mistakes(void) {
    OSSL_PARAM params[3];
    size_t length, size = 99;
    unsigned char tag[64];
    EVP_MAC_CTX *mac = context("UMAC-64");
    for (int wrong = 0; wrong < 3; wrong++) {
        CHECK(EVP_MAC_init(mac, KEY, 16, iv(params, NONCE, 8)));
        CHECK(EVP_MAC_update(mac, "message", 7) && EVP_MAC_final(mac, tag, &length, sizeof tag));
        NONCE[7] ^= 0x80;
        params[0] = OSSL_PARAM_construct_octet_string("iv", NONCE, wrong == 1 ? 17 : 8);
        params[1] = OSSL_PARAM_construct_end();
        if (wrong == 0) FAILS(EVP_MAC_init(mac, KEY, 15, params), "key");
        if (wrong == 1) FAILS(EVP_MAC_init(mac, NULL, 0, params), "no iv of this length");
        if (wrong == 2) {
            params[1] = OSSL_PARAM_construct_size_t("size", &size);
            params[2] = OSSL_PARAM_construct_end();
            FAILS(EVP_MAC_init(mac, NULL, 0, params), "size");
        }
        ERR_clear_error();
        CHECK(!EVP_MAC_update(mac, "message", 7) && !EVP_MAC_final(mac, tag, &length, sizeof tag));
        NONCE[7] ^= 0x80;
    }
    EVP_MAC_CTX_free(mac);
    mac = context("PMAC-AES128");
    CHECK(EVP_MAC_init(mac, KEY, 16, NULL));
    FAILS(EVP_MAC_init(mac, KEY, 15, NULL), "key");
    FAILS(EVP_MAC_update(mac, "message", 7), "key");
    /* A size before the key that it is for. */
    CHECK(EVP_MAC_init(mac, KEY, 16, NULL) && EVP_MAC_update(mac, "message", 7));
    CHECK(EVP_MAC_final(mac, tag, &length, sizeof tag) && length == 16);
    size = 8;
    params[0] = OSSL_PARAM_construct_size_t("size", &size);
    params[1] = OSSL_PARAM_construct_octet_string("key", KEY, 16);
    params[2] = OSSL_PARAM_construct_end();
    CHECK(EVP_MAC_init(mac, NULL, 0, params) && EVP_MAC_update(mac, "message", 7));
    CHECK(EVP_MAC_final(mac, tag, &length, sizeof tag) && length == 8);
    /* There is no output of any length. */
    CHECK(EVP_MAC_init(mac, KEY, 16, NULL) && EVP_MAC_update(mac, "message", 7));
    ERR_clear_error();
    CHECK(!EVP_MAC_finalXOF(mac, tag, sizeof tag));
    ERR_clear_error();
    EVP_MAC_CTX_free(mac);
}

static pthread_barrier_t together;
static EVP_MAC_CTX *template;

static void *copies(void *place) {
    pthread_barrier_wait(&together);
    *(EVP_MAC_CTX **)place = EVP_MAC_CTX_dup(template);
    return NULL;
}

/* Two threads copy one context at once: of the three, one finishes under the nonce. */
static void races(void) {
    OSSL_PARAM params[2];
    unsigned char tag[16];
    size_t length;
    CHECK(pthread_barrier_init(&together, NULL, 2) == 0);
    for (int round = 0; round < 5000; round++) {
        pthread_t threads[2];
        EVP_MAC_CTX *all[3];
        template = all[2] = context("UMAC-64");
        CHECK(EVP_MAC_init(template, KEY, 16, iv(params, NONCE, 8)));
        for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, copies, &all[i]) == 0);
        for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
        int made = 0;
        for (int i = 0; i < 3; i++) {
            CHECK(all[i] != NULL && EVP_MAC_update(all[i], "abc" + i, 1));
            made += EVP_MAC_final(all[i], tag, &length, sizeof tag);
            EVP_MAC_CTX_free(all[i]);
        }
        ERR_clear_error();
        CHECK(made == 1);
    }
    pthread_barrier_destroy(&together);
}

static void *many(void *argument) {
    unsigned char tag[16], wanted[8];
    size_t length;
    OSSL_PARAM params[2];
    EVP_MAC *mac = argument;
    for (int i = 0; i < 100000; i++) {
        EVP_MAC_CTX *made = EVP_MAC_CTX_new(mac);
        CHECK(made != NULL && EVP_MAC_init(made, KEY, 16, iv(params, NONCE, 8)));
        CHECK(EVP_MAC_update(made, "message", 7) && EVP_MAC_final(made, tag, &length, sizeof tag));
        if (i == 0) memcpy(wanted, tag, 8);
        CHECK(memcmp(wanted, tag, 8) == 0);
        EVP_MAC_CTX_free(made);
    }
    return NULL;
}

static void threads(void) {
    pthread_t all[8];
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "UMAC-64", "provider=wegman");
    for (int i = 0; i < 8; i++) CHECK(pthread_create(&all[i], NULL, many, mac) == 0);
    for (int i = 0; i < 8; i++) CHECK(pthread_join(all[i], NULL) == 0);
    EVP_MAC_free(mac);
}

/* What the calls under two secrets are about. */
struct offered {
    const char *name;
    size_t key_length, nonce_length;
    EVP_MAC *mac;
};

static EVP_MAC_CTX *keyed(const struct offered *offered) {
    OSSL_PARAM params[2];
    EVP_MAC_CTX *made = EVP_MAC_CTX_new(offered->mac);
    CHECK(made != NULL);
    CHECK(EVP_MAC_init(made, shared->secret, offered->key_length, offered->nonce_length ? iv(params, NONCE, offered->nonce_length) : NULL));
    CHECK(EVP_MAC_update(made, "m", 1)); /* makes the key */
    return made;
}

static void made(const void *offered) { (void)keyed(offered); }

static void freed(const void *offered) { EVP_MAC_CTX_free(keyed(offered)); }

static void used(const void *offered) {
    static unsigned char message[5000];
    const struct offered *what = offered;
    OSSL_PARAM params[2];
    size_t length;
    EVP_MAC_CTX *one = keyed(what), *other;
    CHECK(EVP_MAC_final(one, shared->made, &length, 32));
    CHECK(EVP_MAC_init(one, NULL, 0, what->nonce_length ? iv(params, NONCE, what->nonce_length) : NULL));
    CHECK(EVP_MAC_update(one, message, sizeof message));
    other = EVP_MAC_CTX_dup(one);
    CHECK(other != NULL && EVP_MAC_final(one, shared->made, &length, 32));
    /* A key that takes the place of another. */
    CHECK(EVP_MAC_init(one, shared->secret + 1, what->key_length, what->nonce_length ? iv(params, NONCE, what->nonce_length) : NULL));
    CHECK(EVP_MAC_update(one, message, 100));
    EVP_MAC_CTX_free(other);
    EVP_MAC_CTX_free(one);
    clean_stack();
}

static void wiped(void) {
    struct offered all[] = {
        {"UMAC-32", 16, 8, NULL},      {"UMAC-64", 16, 8, NULL},      {"UMAC-96", 16, 8, NULL},      {"UMAC-128", 16, 8, NULL},
        {"PMAC-AES128", 16, 0, NULL},  {"PMAC-AES192", 24, 0, NULL},  {"PMAC-AES256", 32, 0, NULL},  {"CARTER-128", 16, 12, NULL},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char name[100];
        all[i].mac = EVP_MAC_fetch(NULL, all[i].name, "provider=wegman");
        CHECK(all[i].mac != NULL);
        snprintf(name, sizeof name, "the stack that made a context of %s", all[i].name);
        count += differences(name, made, &all[i], true);
        snprintf(name, sizeof name, "a freed context of %s", all[i].name);
        count += differences(name, freed, &all[i], false);
        snprintf(name, sizeof name, "used contexts of %s", all[i].name);
        count += differences(name, used, &all[i], false);
        EVP_MAC_free(all[i].mac);
    }
    printf("%zu bytes depend on the secret\n", count);
    notices_what_is_left();
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    CHECK(OSSL_PROVIDER_set_default_search_path(NULL, arguments[2]));
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "wegman");
    CHECK(provider != NULL);
    if (strcmp(arguments[1], "answers") == 0) answers();
    if (strcmp(arguments[1], "wiped") == 0) wiped();
    if (strcmp(arguments[1], "threads") == 0) {
        threads();
        races();
    }
    if (strcmp(arguments[1], "rules") == 0) {
        nonces("UMAC-32", 8);
        nonces("UMAC-64", 8);
        nonces("UMAC-128", 15);
        nonces("CARTER-128", 12);
        forks("UMAC-64", 8);
        forks("CARTER-128", 12);
        without_nonces();
        mistakes();
        printf("the rules hold\n");
    }
    CHECK(OSSL_PROVIDER_unload(provider));
    OPENSSL_cleanup();
    return 0;
}
