// VMAC of Crypto++, UMAC's successor for 64-bit machines (draft-krovetz-vmac-01).
//
// Only with tags of 128 bits. With 64 bits, Crypto++ 8.7 uses the pad of a key's first nonce for
// most of the later ones too (`Resynchronize`): what it makes then are not the tags of VMAC.
#include "rival.h"
#if __has_include(<cryptopp/vmac.h>)
#include <cryptopp/aes.h>
#include <cryptopp/vmac.h>
#else
#include <crypto++/aes.h>
#include <crypto++/vmac.h>
#endif
#include <string>

using CryptoPP::AES;
using CryptoPP::VMAC;
using CryptoPP::VMAC_Base;

static const char *version()
{
    static const std::string text = std::to_string(CRYPTOPP_MAJOR) + "." + std::to_string(CRYPTOPP_MINOR) + "." +
                                    std::to_string(CRYPTOPP_REVISION);
    return text.c_str();
}

static const char *uses(instructions)
{
    return nullptr;
}

static void *new_key(unsigned, instructions, const uint8_t secret[32])
{
    const unsigned char nonce[8] = {0};
    try {
        VMAC_Base *vmac = new VMAC<AES, 128>;
        vmac->SetKeyWithIV(secret, 16, nonce, sizeof nonce);
        return vmac;
    } catch (...) {
        return nullptr;
    }
}

static bool tag(void *key, uint64_t count, const uint8_t *message, size_t length, uint8_t tag[32])
{
    uint8_t nonce[8];

    put_count(nonce, count);
    try {
        VMAC_Base *vmac = static_cast<VMAC_Base *>(key);
        vmac->Resynchronize(nonce, 8);
        vmac->CalculateDigest(tag, message, length);
        return true;
    } catch (...) {
        return false;
    }
}

extern "C" const rival wegman_bench_cryptopp;
const rival wegman_bench_cryptopp = {version, uses, new_key, tag};
