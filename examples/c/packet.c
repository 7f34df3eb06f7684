/* Two ends of a channel: every packet carries a header and a tag, and is accepted once, by the other end only.
   Build: cc -o packet packet.c $(pkg-config --cflags --libs wegman) */
#include <stdio.h>
#include <string.h>
#include <wegman.h>

/* What goes over the wire: header, tag, message. */
struct packet {
    uint8_t header[12];
    uint8_t tag[8];
    char message[100];
    size_t length;
};

static int send_packet(wegman_link *link, const char *text, struct packet *packet) {
    wegman_bytes message;
    packet->length = strlen(text);
    memcpy(packet->message, text, packet->length);
    message.data = packet->message;
    message.length = packet->length;
    return wegman_link_seal(link, &message, 1, packet->header, packet->tag, sizeof packet->tag);
}

static int receive_packet(wegman_link *link, const struct packet *packet) {
    wegman_bytes message;
    message.data = packet->message;
    message.length = packet->length;
    return wegman_link_open(link, packet->header, &message, 1, packet->tag, sizeof packet->tag);
}

static void show(const char *what, int status) {
    printf("%s: %s\n", what, status == WEGMAN_OK ? "accepted" : wegman_strerror(status));
}

/* The tag of a message that comes in pieces, under your own counter as the nonce: never twice under one key. */
static int tag_pieces(const wegman_umac64 *key, const uint8_t nonce[8], uint8_t tag[8]) {
    wegman_umac64_stream stream;
    int status = wegman_umac64_stream_start(&stream, key);
    if (status == WEGMAN_OK) status = wegman_umac64_stream_update(&stream, "pay 10 ", 7);
    if (status == WEGMAN_OK) status = wegman_umac64_stream_update(&stream, "to Carol", 8);
    if (status == WEGMAN_OK) return wegman_umac64_stream_finish(&stream, nonce, tag);
    wegman_umac64_stream_clear(&stream); /* before the key is freed */
    return status;
}

int main(void) {
    uint8_t secret[32]; /* from a key exchange; both ends have it */
    wegman_link *alice = NULL, *bob = NULL;
    struct packet packet;
    int status = wegman_generate_key(secret, sizeof secret);
    if (status == WEGMAN_OK) status = wegman_link_new("UMAC-64", secret, "example", 7, true, &alice);
    if (status == WEGMAN_OK) status = wegman_link_new("UMAC-64", secret, "example", 7, false, &bob);
    if (status == WEGMAN_OK) status = send_packet(alice, "pay 10 to Carol", &packet);
    if (status != WEGMAN_OK) {
        fprintf(stderr, "packet: %s\n", wegman_strerror(status));
        return 1;
    }
    show("the packet", receive_packet(bob, &packet));
    show("once more", receive_packet(bob, &packet));
    show("sent back", receive_packet(alice, &packet));
    status = send_packet(alice, "pay 10 to Carol", &packet);
    if (status != WEGMAN_OK) return 1;
    packet.message[4] = '9';
    show("altered", receive_packet(bob, &packet));
    wegman_umac64 *key;
    uint8_t nonce[8] = {0, 0, 0, 0, 0, 0, 0, 1}, tag[8];
    if (wegman_generate_key(secret, 16) != WEGMAN_OK || wegman_umac64_new(secret, &key) != WEGMAN_OK) return 1;
    if (tag_pieces(key, nonce, tag) != WEGMAN_OK) return 1;
    show("in pieces", wegman_umac64_verify(key, nonce, "pay 10 to Carol", 15, tag));
    wegman_umac64_free(key);
    wegman_link_free(alice);
    wegman_link_free(bob);
    return 0;
}
