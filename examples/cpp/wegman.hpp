// SPDX-License-Identifier: MIT OR Apache-2.0
// libwegman for C++11: objects that free and wipe themselves, exceptions for what must not fail, false for a wrong tag.
#ifndef WEGMAN_HPP
#define WEGMAN_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <wegman.h>

namespace wegman {

struct Error : std::runtime_error {
    wegman_status status;
    explicit Error(wegman_status status) : std::runtime_error(wegman_strerror(status)), status(status) {}
};

inline void check(wegman_status status) {
    if (status != WEGMAN_OK) throw Error(status);
}

// The outcome of a verification: false for a wrong tag, an exception for a wrong call.
inline bool accepted(wegman_status status) {
    if (status != WEGMAN_MISMATCH) check(status);
    return status == WEGMAN_OK;
}

using Secret = std::array<std::uint8_t, 16>;

inline Secret generate_key() {
    Secret secret;
    check(wegman_generate_key(secret.data(), secret.size()));
    return secret;
}

// UMAC-64: packets, under nonces that never repeat.
class Umac64 {
public:
    using Nonce = std::array<std::uint8_t, 8>;
    using Tag = std::array<std::uint8_t, 8>;

    explicit Umac64(const Secret &secret) {
        wegman_umac64 *made;
        check(wegman_umac64_new(secret.data(), &made));
        key.reset(made, wegman_umac64_free);
    }
    Tag tag(const Nonce &nonce, const void *message, std::size_t length) const {
        Tag tag;
        check(wegman_umac64_tag(key.get(), nonce.data(), message, length, tag.data()));
        return tag;
    }
    bool verify(const Nonce &nonce, const void *message, std::size_t length, const Tag &tag) const {
        return accepted(wegman_umac64_verify(key.get(), nonce.data(), message, length, tag.data()));
    }

private:
    std::shared_ptr<wegman_umac64> key;
};

// Any algorithm by name: wegman::Key("HMAC-SHA256", secret).
class Key {
public:
    Key(const std::string &algorithm, const std::vector<std::uint8_t> &secret) {
        wegman_key *made;
        check(wegman_key_new(algorithm.c_str(), secret.data(), secret.size(), &made));
        key.reset(made, wegman_key_free);
    }
    std::vector<std::uint8_t> tag(const std::string &message, const std::vector<std::uint8_t> &nonce = {}) const {
        std::vector<std::uint8_t> tag(wegman_key_tag_length(key.get()));
        check(wegman_key_tag(key.get(), nonce.data(), nonce.size(), message.data(), message.size(), tag.data(), tag.size()));
        return tag;
    }
    bool verify(const std::string &message, const std::vector<std::uint8_t> &tag,
                const std::vector<std::uint8_t> &nonce = {}) const {
        return accepted(wegman_key_verify(key.get(), nonce.data(), nonce.size(), message.data(), message.size(), tag.data(), tag.size()));
    }

private:
    std::shared_ptr<wegman_key> key;
};

} // namespace wegman

#endif
