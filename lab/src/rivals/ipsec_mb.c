/* GMAC and AES-CMAC of ipsec-mb, whose functions are reached through macros over a structure. */
#include <intel-ipsec-mb.h>
#include <stdlib.h>

struct gmac {
    struct gcm_key_data key;
    IMB_MGR *manager;
};

struct cmac {
    uint32_t round_keys[4 * 11];
    uint8_t subkeys[2][16];
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

/* A key that lives as long as the program; NULL if the library does not work here. */
void *wegman_bench_cmac_new(uint32_t class, const uint8_t key[16])
{
    uint32_t unused[4 * 11] __attribute__((aligned(16))); /* round keys for decryption */
    IMB_MGR *manager = new_manager(class);
    struct cmac *cmac;

    if (manager == NULL || posix_memalign((void **)&cmac, 64, sizeof *cmac) != 0)
        return NULL;
    cmac->manager = manager;
    IMB_AES_KEYEXP_128(manager, key, cmac->round_keys, unused);
    IMB_AES_CMAC_SUBKEY_GEN_128(manager, cmac->round_keys, cmac->subkeys[0], cmac->subkeys[1]);
    return cmac;
}

static void fill(IMB_JOB *job, const struct cmac *cmac, const uint8_t *message, uint64_t length,
                 uint8_t *tag)
{
    job->cipher_mode = IMB_CIPHER_NULL;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->hash_alg = IMB_AUTH_AES_CMAC;
    job->key_len_in_bytes = 16;
    job->src = message;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_hash_in_bytes = length;
    job->msg_len_to_cipher_in_bytes = 0;
    job->auth_tag_output = tag;
    job->auth_tag_output_len_in_bytes = 16;
    job->u.CMAC._key_expanded = cmac->round_keys;
    job->u.CMAC._skey1 = cmac->subkeys[0];
    job->u.CMAC._skey2 = cmac->subkeys[1];
}

/* A burst is some 15 cycles a message faster than jobs one by one. From 1.4 on it wants a session
   for each job. (A burst of hashes alone, which is another function, does not take CMAC in 1.3.) */
#define BURSTS (IMB_VERSION_NUM >= IMB_VERSION(1, 3, 0) && IMB_VERSION_NUM < IMB_VERSION(1, 4, 0))

/* The tags of up to 32 messages of up to 65534 bytes, none of which the library checks; returns how
   many were made. */
uint32_t wegman_bench_cmac_tags(const struct cmac *cmac, uint32_t count,
                                const uint8_t *const messages[], const uint64_t lengths[],
                                uint8_t (*tags)[16])
{
    IMB_MGR *manager = cmac->manager;
    uint32_t done = 0, i;

#if BURSTS
    if (count > 1) {
        IMB_JOB *jobs[32];

        if (IMB_GET_NEXT_BURST(manager, count, jobs) != count)
            return 0;
        for (i = 0; i < count; i++)
            fill(jobs[i], cmac, messages[i], lengths[i], tags[i]);
        done = IMB_SUBMIT_BURST_NOCHECK(manager, count, jobs);
        while (done < count) {
            const uint32_t flushed = IMB_FLUSH_BURST(manager, count - done, jobs);

            if (flushed == 0)
                return done;
            done += flushed;
        }
        return done;
    }
#endif
    for (i = 0; i < count; i++) {
        fill(IMB_GET_NEXT_JOB(manager), cmac, messages[i], lengths[i], tags[i]);
        done += IMB_SUBMIT_JOB_NOCHECK(manager) != NULL;
    }
    while (IMB_FLUSH_JOB(manager) != NULL)
        done++;
    return done;
}
