// Build: c++ -std=c++11 -o tag tag.cpp $(pkg-config --cflags --libs wegman-catalogue)
#include "wegman.hpp"
#include <iostream>

int main() try {
    wegman::Umac64 key(wegman::generate_key());
    const std::string packet = "a packet";
    const wegman::Umac64::Nonce nonce = {{0, 0, 0, 0, 0, 0, 0, 1}}; // a counter
    auto tag = key.tag(nonce, packet.data(), packet.size());
    std::cout << "the packet: " << key.verify(nonce, packet.data(), packet.size(), tag) << "\n";
    tag[0] ^= 1;
    std::cout << "another tag: " << key.verify(nonce, packet.data(), packet.size(), tag) << "\n";
    const wegman::Key hmac("HMAC-SHA256", std::vector<std::uint8_t>(32, 7));
    std::cout << "by name: " << hmac.verify("a message", hmac.tag("a message")) << "\n";
    try {
        wegman::Key("UMAC-65", {});
    } catch (const wegman::Error &error) {
        std::cout << "refused: " << error.what() << "\n";
    }
} catch (const std::exception &error) {
    std::cerr << "tag: " << error.what() << "\n";
    return 1;
}
