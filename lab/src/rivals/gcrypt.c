/* AES-CMAC of libgcrypt. */
#include "rival.h"
#include <gcrypt.h>
#include <stdio.h>

/* The features that classes must not use, by its names for them; how many of them. */
static const char *const features[] = {
    "intel-avx512", "intel-gfni", "intel-vaes-vpclmul", "intel-bmi2", "intel-avx2", "intel-avx",
};
static const int hidden[] = { [SSE] = 6, [AVX2] = 3, [VAES256] = 1, [ALL] = 0 };

static const char *version(void)
{
    return gcry_check_version(NULL);
}

/* The features that the library uses: `hwflist:intel-cpu:...`. Names that it does not know are an error, which is as
   good; once the library is ready nothing changes. */
static const char *uses(enum instructions class)
{
    char name[32], *list;

    for (int i = 0; i < hidden[class]; i++)
        gcry_control(GCRYCTL_DISABLE_HWF, features[i], NULL);
    if (gcry_check_version(NULL) == NULL || gcry_control(GCRYCTL_DISABLE_SECMEM, 0) != 0 ||
        gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0) != 0 || (list = gcry_get_config(0, "hwflist")) == NULL)
        return NULL;
    for (int i = 0; i < hidden[class]; i++) {
        snprintf(name, sizeof name, ":%s:", features[i]);
        if (strstr(list, name) != NULL)
            return NULL;
    }
    return list;
}

static void *new_key(unsigned algorithm, enum instructions class, const uint8_t secret[32])
{
    gcry_mac_hd_t mac;

    (void)algorithm, (void)class;
    if (gcry_mac_open(&mac, GCRY_MAC_CMAC_AES, 0, NULL) != 0 || gcry_mac_setkey(mac, secret, 16) != 0)
        return NULL;
    return mac;
}

static bool tag(void *key, uint64_t count, const uint8_t *message, size_t length, uint8_t tag[32])
{
    gcry_mac_hd_t mac = key;
    size_t written = 16;

    (void)count;
    return gcry_mac_reset(mac) == 0 && gcry_mac_write(mac, message, length) == 0 &&
           gcry_mac_read(mac, tag, &written) == 0 && written == 16;
}

const struct rival wegman_bench_gcrypt = { version, uses, new_key, tag };
