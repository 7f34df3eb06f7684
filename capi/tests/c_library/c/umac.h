/* OpenSSH's umac interface, for tests without OpenSSH. make openssh compiles against OpenSSH's own header. */
#ifndef UMAC_H
#define UMAC_H

struct umac_ctx;

struct umac_ctx *umac_new(const u_char key[]);
int umac_update(struct umac_ctx *ctx, const u_char *input, long length);
int umac_final(struct umac_ctx *ctx, u_char tag[], const u_char nonce[8]);
int umac_delete(struct umac_ctx *ctx);

struct umac_ctx *umac128_new(const u_char key[]);
int umac128_update(struct umac_ctx *ctx, const u_char *input, long length);
int umac128_final(struct umac_ctx *ctx, u_char tag[], const u_char nonce[8]);
int umac128_delete(struct umac_ctx *ctx);

#endif
