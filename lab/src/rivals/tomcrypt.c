/* PMAC of LibTomCrypt, whose state is a structure. */
#include <stdlib.h>
#include <string.h>
#include <tomcrypt.h>

struct pmac {
    pmac_state fresh, state;
};

/* A key that lives as long as the program; NULL if that fails. */
void *wegman_bench_pmac_new(const unsigned char key[16])
{
    const int cipher = register_cipher(&aes_desc);
    struct pmac *pmac = malloc(sizeof *pmac);

    if (cipher == -1 || pmac == NULL)
        return NULL;
    if (pmac_init(&pmac->fresh, cipher, key, 16) != CRYPT_OK)
        return NULL;
    pmac->state = pmac->fresh;
    return pmac;
}

/* The tag of a message; 0 if that fails. */
int wegman_bench_pmac_tag(struct pmac *pmac, const unsigned char *message, unsigned long length,
                          unsigned char tag[16])
{
    pmac_state *state = &pmac->state;
    const pmac_state *fresh = &pmac->fresh;
    unsigned long tag_length = 16;

#ifdef LTC_CLEAN_STACK
    *state = *fresh; /* the end of a message wiped it */
#else
    /* What a message changes. All of the state are 9 KB, most of it room for other ciphers' keys. */
    memcpy(state->Li, fresh->Li, 16);
    memcpy(state->checksum, fresh->checksum, 16);
    state->block_index = fresh->block_index;
    state->buflen = fresh->buflen;
#endif
    return pmac_process(state, message, length) == CRYPT_OK
        && pmac_done(state, tag, &tag_length) == CRYPT_OK && tag_length == 16;
}
