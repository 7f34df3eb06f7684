// VMAC of Crypto++, whose interface is C++.
#if __has_include(<cryptopp/vmac.h>)
#include <cryptopp/aes.h>
#include <cryptopp/vmac.h>
#else
#include <crypto++/aes.h>
#include <crypto++/vmac.h>
#endif

using CryptoPP::AES;
using CryptoPP::VMAC;
using CryptoPP::VMAC_Base;

// A key that lives as long as the program; null if that fails.
extern "C" VMAC_Base *wegman_bench_vmac_new(const unsigned char key[16])
{
    const unsigned char nonce[8] = {0};
    try {
        VMAC_Base *vmac = new VMAC<AES, 128>;
        vmac->SetKeyWithIV(key, 16, nonce, sizeof nonce);
        return vmac;
    } catch (...) {
        return nullptr;
    }
}

// The tag of a message; false if that fails.
extern "C" bool wegman_bench_vmac_tag(VMAC_Base *vmac, const unsigned char nonce[8],
                                      const unsigned char *message, size_t length,
                                      unsigned char *tag)
{
    try {
        vmac->Resynchronize(nonce, 8);
        vmac->CalculateDigest(tag, message, length);
        return true;
    } catch (...) {
        return false;
    }
}
