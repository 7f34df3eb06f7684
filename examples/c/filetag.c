/* The tag of a file under PMAC-AES128, as `wegman mac PMAC-AES128 --key-hex-file KEY FILE` prints it: filetag KEY FILE
   Build: cc -o filetag filetag.c $(pkg-config --cflags --libs wegman) */
#include <stdio.h>
#include <wegman.h>

/* Reads 32 hexadecimal digits. A key never stands on a command line, which others can see. */
static int read_key(const char *name, uint8_t key[16]) {
    int read = 0;
    FILE *file = fopen(name, "r");
    if (file == NULL) return -1;
    for (unsigned value; read < 16 && fscanf(file, "%2x", &value) == 1; read++) key[read] = (uint8_t)value;
    fclose(file);
    return read == 16 ? 0 : -1;
}

int main(int count, char **arguments) {
    static unsigned char piece[1 << 16];
    uint8_t secret[16], tag[16];
    wegman_pmac_aes128 *key;
    wegman_pmac_aes128_stream stream; /* on the stack: nothing is allocated for a message */
    size_t length;
    int status;
    if (count != 3 || read_key(arguments[1], secret) != 0) {
        fprintf(stderr, "usage: filetag KEY FILE, where the file KEY has 32 hexadecimal digits\n");
        return 2;
    }
    FILE *file = fopen(arguments[2], "rb");
    if (file == NULL) {
        perror(arguments[2]);
        return 1;
    }
    status = wegman_pmac_aes128_new(secret, &key);
    if (status != WEGMAN_OK) goto failed;
    status = wegman_pmac_aes128_stream_start(&stream, key);
    while (status == WEGMAN_OK && (length = fread(piece, 1, sizeof piece, file)) > 0)
        status = wegman_pmac_aes128_stream_update(&stream, piece, length);
    if (ferror(file)) {
        perror(arguments[2]);
        wegman_pmac_aes128_stream_clear(&stream);
        wegman_pmac_aes128_free(key);
        fclose(file);
        return 1;
    }
    if (status == WEGMAN_OK) status = wegman_pmac_aes128_stream_finish(&stream, tag);
    wegman_pmac_aes128_free(key);
    if (status != WEGMAN_OK) goto failed;
    for (int i = 0; i < 16; i++) printf("%02x", tag[i]);
    printf("  %s\n", arguments[2]);
    fclose(file);
    return 0;
failed:
    fprintf(stderr, "filetag: %s\n", wegman_strerror(status));
    fclose(file);
    return 1;
}
