/* GMAC of ipsec-mb, whose functions are reached through macros over a structure. */
#include <intel-ipsec-mb.h>
#include <stdlib.h>

struct gmac {
    struct gcm_key_data key;
    IMB_MGR *manager;
};

/* The classes of instructions, in the order of class.rs. */
enum class { SSE, AVX2, VAES256, ALL };

/* With the code for this machine and class; NULL if the library does not work here. Code for AVX2 uses
   AES on wider registers only together with GFNI, which can be turned off. */
static IMB_MGR *new_manager(enum class class)
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

/* The name of the architecture that the library uses for a class, if it may be used there; otherwise NULL. */
const char *wegman_bench_ipsec_mb_uses(uint32_t class)
{
    static const char *const names[] = { "none", "sse without AES", "sse", "avx", "avx2", "avx512" };
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

/* A key that lives as long as the program; NULL if the library does not work here. */
void *wegman_bench_gmac_new(uint32_t class, const uint8_t key[16])
{
    IMB_MGR *manager = new_manager(class);
    struct gmac *gmac;

    if (manager == NULL || posix_memalign((void **)&gmac, 64, sizeof *gmac) != 0)
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
