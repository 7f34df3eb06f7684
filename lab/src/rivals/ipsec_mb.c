/* GMAC of Intel's ipsec-mb, by its direct interface: no jobs, no queue. */
#include "rival.h"
#include <intel-ipsec-mb.h>
#include <stdlib.h>

struct gmac {
    struct gcm_key_data key;
    IMB_MGR *manager;
};

static const char *version(void)
{
    return imb_get_version_str();
}

/* With the code for this machine and class; NULL if the library does not work here. Code for AVX2 uses
   AES on wider registers only together with GFNI, which can be turned off. */
static IMB_MGR *new_manager(enum instructions class)
{
    IMB_MGR *manager = alloc_mb_mgr(class == SSE || class == AVX2 ? IMB_FLAG_GFNI_OFF : 0);

    if (manager == NULL)
        return NULL;
    switch (class) {
    case SSE: init_mb_mgr_sse(manager); break;
    case AVX2: case VAES256: init_mb_mgr_avx2(manager); break;
    case ALL: init_mb_mgr_auto(manager, NULL); break;
    }
    return imb_get_errno(manager) == 0 ? manager : NULL;
}

/* The name of the architecture that the library uses for a class, if it may be used there. */
static const char *uses(enum instructions class)
{
    static const char *const names[] = {
        "its code for none", "its code for sse without AES", "its code for sse",
        "its code for avx", "its code for avx2", "its code for avx512",
    };
    const IMB_MGR *manager = new_manager(class);

    if (manager == NULL || manager->used_arch >= sizeof names / sizeof *names)
        return NULL;
    if (class == SSE && manager->used_arch > IMB_ARCH_SSE)
        return NULL;
    if (class < ALL && manager->used_arch > IMB_ARCH_AVX2)
        return NULL;
    if (class <= AVX2 && (manager->features & IMB_FEATURE_GFNI) != 0)
        return NULL;
    return names[manager->used_arch];
}

static void *new_key(unsigned algorithm, enum instructions class, const uint8_t secret[32])
{
    IMB_MGR *manager = new_manager(uses(class) == NULL ? ALL : class);
    struct gmac *gmac;

    (void)algorithm;
    if (manager == NULL || posix_memalign((void **)&gmac, 64, sizeof *gmac) != 0)
        return NULL;
    gmac->manager = manager;
    IMB_AES128_GCM_PRE(manager, secret, &gmac->key);
    return gmac;
}

static bool tag(void *key, uint64_t count, const uint8_t *message, size_t length, uint8_t tag[32])
{
    const struct gmac *gmac = key;
    struct gcm_context_data context;
    uint8_t nonce[12] = { 0 };

    put_count(nonce + 4, count);
    IMB_AES128_GMAC_INIT(gmac->manager, &gmac->key, &context, nonce, 12);
    IMB_AES128_GMAC_UPDATE(gmac->manager, &gmac->key, &context, message, length);
    IMB_AES128_GMAC_FINALIZE(gmac->manager, &gmac->key, &context, tag, 16);
    return true;
}

const struct rival wegman_bench_ipsec_mb = { version, uses, new_key, tag };
