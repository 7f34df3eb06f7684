/* GMAC of ipsec-mb, whose functions are reached through macros over a structure. */
#include <intel-ipsec-mb.h>
#include <stdlib.h>

struct gmac {
    struct gcm_key_data key;
    IMB_MGR *manager;
};

/* A key that lives as long as the program; NULL if the library does not work here. */
void *wegman_bench_gmac_new(const uint8_t key[16])
{
    IMB_MGR *manager = alloc_mb_mgr(0);
    struct gmac *gmac;

    if (manager == NULL)
        return NULL;
    init_mb_mgr_auto(manager, NULL);
    if (imb_get_errno(manager) != 0)
        return NULL;
    if (posix_memalign((void **)&gmac, 64, sizeof *gmac) != 0)
        return NULL;
    gmac->manager = manager;
    IMB_AES128_GCM_PRE(manager, key, &gmac->key);
    return gmac;
}

/* The tag of a message. */
void wegman_bench_gmac_tag(const struct gmac *gmac, const uint8_t nonce[12],
                           const uint8_t *message, uint64_t length, uint8_t tag[16])
{
    struct gcm_context_data context;

    IMB_AES128_GMAC_INIT(gmac->manager, &gmac->key, &context, nonce, 12);
    IMB_AES128_GMAC_UPDATE(gmac->manager, &gmac->key, &context, message, length);
    IMB_AES128_GMAC_FINALIZE(gmac->manager, &gmac->key, &context, tag, 16);
}
