/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 libwegman: fast message authentication with bounds on forgeries. UMAC (RFC 4418), PMAC (EUROCRYPT 2002), sessions of both, and every other
 MAC of the project by name.

     uint8_t tag[8];
     wegman_umac64 *key;
     if (wegman_umac64_new(secret, &key) != WEGMAN_OK) abort();
     if (wegman_umac64_tag(key, nonce, packet, length, tag) != WEGMAN_OK) abort();
     if (wegman_umac64_verify(key, nonce, packet, length, tag) != WEGMAN_OK) drop(packet);
     wegman_umac64_free(key);

 Which one: packets, records, RPC: a wegman_link, which keeps counters, windows and budgets, or wegman_umac64 with nonces that
 you never repeat. Files, objects, disk images: wegman_pmac_aes128, without nonces. Carter is experimental.

 Results. Functions that can fail return WEGMAN_OK, which is 0, or a negative wegman_status. Unless a function says otherwise,
 it has then done nothing and written nothing; one that gives an object gives NULL. A function that verifies returns WEGMAN_OK
 only for an authentic message.

 Memory. Each pointer is NULL or points to as many bytes or objects as the function says. NULL gives WEGMAN_NULL, except for
 data of length 0, and nothing happens when NULL is freed. Inputs must not change during the call. What a function writes may
 overlap what it reads unless it says otherwise. The library keeps no pointer after a call, except a stream's to its key. It has
 no state of its own but what tells a process from its forks, and frees and wipes what it has made: keys, streams, sums, segments and links, each by its own function.

 Structures that the library fills are passed with their size: later versions may add fields at their end, and those that a
 version does not know are 0.

 Threads. Each function says what threads may do; an object may move between threads.

 Stack. Functions that give an object or take a link use up to 64 KiB, all others up to 16 KiB. A thread of 128 KiB, as musl
 makes them, has room for all.

 The bounds and their assumptions are in docs/bounds.md of wegman-catalogue.
*/


#ifndef WEGMAN_H
#define WEGMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define WEGMAN_MUST_USE __attribute__((warn_unused_result))
#else
#define WEGMAN_MUST_USE
#endif

/* The version of this header; wegman_version gives that of the library. */
#define WEGMAN_VERSION "0.1.0"


/*
 What a function returns: WEGMAN_OK, which is 0, or a negative code. wegman_strerror has a sentence for each.
 Later versions may add codes.
 */
typedef enum {
    /*
     It is done. After a function that verifies: the message is authentic.
     */
    WEGMAN_OK = 0,
    /*
     The message is not authentic: wrong key, nonce, message or tag.
     */
    WEGMAN_MISMATCH = -1,
    /*
     A pointer is NULL that may not be.
     */
    WEGMAN_NULL = -2,
    /*
     A key, nonce, tag, message or buffer does not have a length that the function takes.
     */
    WEGMAN_LENGTH = -3,
    /*
     No algorithm, no kernel of this machine, or no MAC of a link has that name.
     */
    WEGMAN_NAME = -4,
    /*
     The algorithm needs a nonce and got none, or takes none and got one.
     */
    WEGMAN_NONCE = -5,
    /*
     There are fewer nonces from the first on than messages.
     */
    WEGMAN_NONCES_EXHAUSTED = -6,
    /*
     The stream was not started, has ended, or was moved in memory.
     */
    WEGMAN_STREAM = -7,
    /*
     Segments or sums do not belong to the key or to each other, or leave a gap, or overlap.
     */
    WEGMAN_SEGMENT = -8,
    /*
     The place is not in the message, or the old bytes are not as many as the edit touches.
     */
    WEGMAN_EDIT = -9,
    /*
     The bytes are not what this library stored, or of another version or MAC.
     */
    WEGMAN_SAVED = -10,
    /*
     A packet of this number was accepted before.
     */
    WEGMAN_REPLAYED = -11,
    /*
     The packet's number is behind the window, or its epoch is over.
     */
    WEGMAN_TOO_OLD = -12,
    /*
     The packet's number or epoch is too far ahead.
     */
    WEGMAN_OUTSIDE = -13,
    /*
     The budget for forgery attempts has no room for another one.
     */
    WEGMAN_CLOSED = -14,
    /*
     More is needed than is reserved: reserve first.
     */
    WEGMAN_NOT_RESERVED = -15,
    /*
     The message is longer than both ends have agreed.
     */
    WEGMAN_TOO_LONG = -16,
    /*
     No epoch is left: make a link from a new secret.
     */
    WEGMAN_EXHAUSTED = -17,
    /*
     The function that stores said that it failed.
     */
    WEGMAN_STORE = -18,
    /*
     The system has no random bytes.
     */
    WEGMAN_RANDOM = -19,
    /*
     A function with many messages would write over what it reads.
     */
    WEGMAN_OVERLAP = -20,
    /*
     There is not enough memory.
     */
    WEGMAN_MEMORY = -21,
    /*
     This process was forked, and its parent still uses these numbers: make a new link for each process.
     */
    WEGMAN_OTHER_PROCESS = -22,
    /*
     The library has a bug. Nothing was done.
     */
    WEGMAN_INTERNAL = -127,
} wegman_status;

/*
 A key of Carter-128 for tags of 16 bytes under nonces of 12 bytes. Experimental: our own design, and nobody outside has
 reviewed its proof. At most about v n / 2^128 for v attempts at a forgery with messages of up to n blocks of 2048 bytes, as
 long as no nonce is used twice.

 Thread safety: any number of threads may use a key at once, except that nobody uses it while and after it is freed.
 */
typedef struct wegman_carter128 wegman_carter128;

/*
 One end of a channel: it counts, refuses replays, changes keys, and keeps the chance of a forgery below a budget. Both ends
 are made from one secret and context. docs/sessions.md of wegman says what it does and which keys it derives.

 A packet is a header of 12 bytes, a message, and a tag. The header is sent with the packet.

 A channel that lives as long as its process needs nothing stored. One that outlives it stores both halves, by
 wegman_link_reserve_sealing and wegman_link_reserve_opening, before its first packet, and after a restart begins with
 wegman_link_restore. If it ends before both were stored once, the channel needs a new secret.

 A fork copies the numbers, and the parent goes on with them: in the child, the link seals, opens and stores nothing, and
 returns WEGMAN_OTHER_PROCESS. A link that the child makes works there.

 Thread safety: one thread at a time.
 */
typedef struct wegman_link wegman_link;

/*
 A key of any algorithm. Its tags have one length, and so have its nonces.

 Thread safety: any number of threads may use a key at once, except that nobody uses it while and after it is freed.
 */
typedef struct wegman_key wegman_key;

/*
 A message under way, of any algorithm. It keeps its key.

 Thread safety: one thread at a time.
 */
typedef struct wegman_stream wegman_stream;

/*
 A key of PMAC with AES-128 (Black and Rogaway, EUROCRYPT 2002) for tags of 16 bytes: for files, objects and disk images.
 It needs no nonce. At most (s + 1)^2 / 2^127 + v / 2^128 for v attempts at a forgery and s blocks of 16 bytes tagged and
 tried: change the key before 2^43 blocks.

 Thread safety: any number of threads may use a key at once, except that nobody uses it while and after it is freed.
 */
typedef struct wegman_pmac_aes128 wegman_pmac_aes128;

/*
 The sum of a part of a message. As secret as the key: encrypt what is stored or sent of it. Machines that share a key make
 segments of one message in any order; together they give its tag, the same as that of the whole message in one piece.

 Thread safety: any number of threads may read one at once; one thread changes or frees it.
 */
typedef struct wegman_pmac_segment wegman_pmac_segment;

/*
 The sum of a message, kept from it or recovered from its tag: with it an edit costs what it changes, not what the message
 has. As secret as the key. An edit trusts the old bytes that it is given: edit only what was verified.

 Thread safety: any number of threads may read one at once; one thread changes or frees it.
 */
typedef struct wegman_pmac_sum wegman_pmac_sum;

/*
 A key of UMAC-128 (RFC 4418) for tags of 16 bytes under nonces of 8 bytes. At most v * 2^-120 for v attempts at a forgery,
 as long as no nonce is used twice (claimed in RFC 4418, section 6; Bernstein, EUROCRYPT 2005).

 Thread safety: any number of threads may use a key at once, except that nobody uses it while and after it is freed.
 */
typedef struct wegman_umac128 wegman_umac128;

/*
 A key of UMAC-64 (RFC 4418) for tags of 8 bytes under nonces of 8 bytes: for packets, records and SSH. At most v * 2^-60
 for v attempts at a forgery, as long as no nonce is used twice (claimed in RFC 4418, section 6; Bernstein, EUROCRYPT 2005).

 Thread safety: any number of threads may use a key at once, except that nobody uses it while and after it is freed.
 */
typedef struct wegman_umac64 wegman_umac64;

/*
 A piece of memory. It has the layout of struct iovec, and a list of them is a message in parts or a list of messages.
 */
typedef struct {
    /*
     Where it begins. It may be NULL if length is 0.
     */
    const void *data;
    /*
     How many bytes it has.
     */
    size_t length;
} wegman_bytes;

/*
 A message under way, in memory that the caller owns: on the stack, in a structure, anywhere. It refers to its key, which must
 stay until the stream has ended. Start it
 first, or fill it with zeroes: other functions refuse what was not started, has ended, or was moved or copied to another
 address, but memory that nobody has written to may look like anything.

 Thread safety: one thread at a time.
 */
typedef struct {
    /*
     Of no concern to callers.
     */
    uint64_t words[304];
} wegman_carter128_stream;

/*
 Stores length bytes, which are secret, where this end finds them after a restart: writes another file, syncs it, renames
 it, and syncs its folder. Returns 0 once that is done, and another number if it failed. It must not use the link, throw an
 exception or longjmp.
 */
typedef int32_t (*wegman_store)(void *user, const uint8_t *stored, size_t length);

/*
 How many packets had each outcome so far. Anybody can send packets that are counted: only accepted are authentic.
 */
typedef struct {
    /*
     Packets accepted.
     */
    uint64_t accepted;
    /*
     Packets whose number had been accepted before.
     */
    uint64_t replayed;
    /*
     Packets behind the window.
     */
    uint64_t too_old;
    /*
     Packets whose number is too far ahead.
     */
    uint64_t outside;
    /*
     Packets whose tag was wrong: attempts at a forgery.
     */
    uint64_t forged;
    /*
     Packets that were not checked because the budget was spent.
     */
    uint64_t closed;
    /*
     Packets that were put off until the link is stored.
     */
    uint64_t not_reserved;
} wegman_counts;

/*
 What an algorithm takes, and when to use it.
 */
typedef struct {
    /*
     Its name.
     */
    char name[64];
    /*
     "recommended", "interop", "experimental", "historical" or "comparator".
     */
    char status[16];
    /*
     Bytes of a key.
     */
    size_t key_length;
    /*
     Bytes of a nonce, if nothing else is asked for; 0 if it takes none.
     */
    size_t nonce_length;
    /*
     Bytes of the longest tag, which is the usual one.
     */
    size_t tag_length;
    /*
     Bytes of the shortest tag.
     */
    size_t shortest_tag_length;
} wegman_algorithm;

/*
 A message under way, in memory that the caller owns: on the stack, in a structure, anywhere. It refers to its key, which must
 stay until the stream has ended. Start it
 first, or fill it with zeroes: other functions refuse what was not started, has ended, or was moved or copied to another
 address, but memory that nobody has written to may look like anything.

 Thread safety: one thread at a time.
 */
typedef struct {
    /*
     Of no concern to callers.
     */
    uint64_t words[80];
} wegman_pmac_aes128_stream;

/*
 A message under way, in memory that the caller owns: on the stack, in a structure, anywhere. It refers to its key, which must
 stay until the stream has ended. Start it
 first, or fill it with zeroes: other functions refuse what was not started, has ended, or was moved or copied to another
 address, but memory that nobody has written to may look like anything.

 Thread safety: one thread at a time.
 */
typedef struct {
    /*
     Of no concern to callers.
     */
    uint64_t words[160];
} wegman_umac128_stream;

/*
 A message under way, in memory that the caller owns: on the stack, in a structure, anywhere. It refers to its key, which must
 stay until the stream has ended. Start it
 first, or fill it with zeroes: other functions refuse what was not started, has ended, or was moved or copied to another
 address, but memory that nobody has written to may look like anything.

 Thread safety: one thread at a time.
 */
typedef struct {
    /*
     Of no concern to callers.
     */
    uint64_t words[160];
} wegman_umac64_stream;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Makes a key from 16 uniformly random bytes that are used for nothing else, and stores it at out. Free it with
 wegman_carter128_free. Making a key costs thousands of cycles: make it once, and share it.

 Errors: WEGMAN_NULL. Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_carter128_new(const uint8_t secret[16], wegman_carter128 **out);

/*
 wegman_carter128_new with the kernel of that name, such as "portable" or "avx2": the same tags in another time. For tests; the
 usual one is the fastest. wegman_kernel_at lists them.

 Errors: WEGMAN_NULL; WEGMAN_NAME if this machine has no such kernel. Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_new_with(const char *kernel,
                                        const uint8_t secret[16],
                                        wegman_carter128 **out);

/*
 Wipes and frees a key. NULL is allowed, and nothing happens.
 */
void wegman_carter128_free(wegman_carter128 *key);

/*
 Writes the tag of a message to tag, under a nonce of 12 bytes. A nonce is never used for two messages: two tags under one reveal the key. A counter is the best nonce. The tag may overlap the message.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if no memory is that long. Then nothing is written.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_tag(const wegman_carter128 *key,
                                   const uint8_t nonce[12],
                                   const void *message,
                                   size_t length,
                                   uint8_t tag[16]);

/*
 Accepts a message only with its tag. The time does not depend on the bytes of the tag.

 Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_LENGTH as for wegman_carter128_tag.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_verify(const wegman_carter128 *key,
                                      const uint8_t nonce[12],
                                      const void *message,
                                      size_t length,
                                      const uint8_t tag[16]);

/*
 The tag of a message in count parts, one after the other, as in a struct iovec. Where parts end is not authenticated.

 Errors and thread safety: as for wegman_carter128_tag.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_tag_parts(const wegman_carter128 *key,
                                         const uint8_t nonce[12],
                                         const wegman_bytes *parts,
                                         size_t count,
                                         uint8_t tag[16]);

/*
 Accepts a message in parts only with its tag.

 Errors and thread safety: as for wegman_carter128_verify.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_verify_parts(const wegman_carter128 *key,
                                            const uint8_t nonce[12],
                                            const wegman_bytes *parts,
                                            size_t count,
                                            const uint8_t tag[16]);

/*
 The tags of count messages under consecutive nonces: big-endian numbers from first_nonce on. They are written one after another, 16 bytes each. This is faster than one at
 a time. Tags must not overlap what
 is read: WEGMAN_OVERLAP.

 Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_NONCES_EXHAUSTED if there are fewer nonces than messages. Then no tag is written.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_tag_many(const wegman_carter128 *key,
                                        const uint8_t first_nonce[12],
                                        const wegman_bytes *messages,
                                        size_t count,
                                        uint8_t *tags);

/*
 Verifies count messages, each with its own nonce of 12 bytes and tag of 16 bytes, one after another. valid
 says for each whether it is authentic; it must not overlap what is read: WEGMAN_OVERLAP.

 Errors: WEGMAN_MISMATCH if one or more are not authentic: valid is complete. WEGMAN_NULL, WEGMAN_LENGTH: nothing is
 written. Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_verify_many(const wegman_carter128 *key,
                                           const uint8_t *nonces,
                                           const wegman_bytes *messages,
                                           const uint8_t *tags,
                                           size_t count,
                                           bool *valid);

/*
 Starts a stream in memory of any contents. What was there before is overwritten: end an earlier stream first. No memory is
 allocated.

 Errors: WEGMAN_NULL; WEGMAN_STREAM if the memory is not aligned to 8 bytes.
 Thread safety: one thread at a time for a stream, any number for its key.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_stream_start(wegman_carter128_stream *stream,
                                            const wegman_carter128 *key);

/*
 Appends bytes to the message.

 Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_STREAM if the stream was not started, has ended, or was moved.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_stream_update(wegman_carter128_stream *stream,
                                             const void *piece,
                                             size_t length);

/*
 Writes the tag of the message under a nonce, and ends and wipes the stream.

 Errors: WEGMAN_NULL, and the stream goes on; WEGMAN_STREAM. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_stream_finish(wegman_carter128_stream *stream,
                                             const uint8_t nonce[12],
                                             uint8_t tag[16]);

/*
 Accepts the message so far only with its tag. The stream goes on.

 Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_STREAM. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_stream_verify(wegman_carter128_stream *stream,
                                             const uint8_t nonce[12],
                                             const uint8_t tag[16]);

/*
 Ends and wipes a stream without a tag. Nothing happens if it was not started or has ended, or is NULL.
 Thread safety: one thread at a time.
 */
void wegman_carter128_stream_clear(wegman_carter128_stream *stream);

/*
 The version of the library, such as "0.1.0". Functions and constants that exist keep their meaning as long as the first
 number that is not 0 stays.

 Thread safety: any thread at any time.
 */
const char *wegman_version(void);

/*
 Writes length random bytes of the system to secret: a new key.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if length is 0; WEGMAN_RANDOM if the system gives none. Then what was at secret may
 be overwritten. Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_generate_key(uint8_t *secret,
                                  size_t length);

/*
 Makes one end of a new channel with the MAC "UMAC-64", "UMAC-128", "PMAC-AES128", "PMAC-AES256" or, experimental,
 "Carter-128". secret has 32 random bytes, from a key exchange. A secret and a context never make a second channel.
 context is what else the ends agree on, such as the protocol's name; it may be empty. One end is the initiator, the other
 is not. Free it with wegman_link_free.

 Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_NAME if no link has that MAC. Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_new(const char *mac,
                              const uint8_t secret[32],
                              const void *context,
                              size_t context_length,
                              bool initiator,
                              wegman_link **out);

/*
 Continues a channel from what wegman_link_reserve_sealing and wegman_link_reserve_opening have stored last: reserve both
 again before the first packet. Older states repeat nonces, or accept packets again. Both halves are of one end of one
 channel: halves of different ones are not noticed. What was spent and the limit of an epoch are stored; set the budget and
 the longest message again if they were not the usual ones. Packets up to the numbers that were reserved are refused
 (WEGMAN_TOO_OLD): they may have been accepted before.

 Errors: WEGMAN_NULL; WEGMAN_NAME; WEGMAN_SAVED if the bytes are not those of a link with that MAC.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_restore(const char *mac,
                                  const void *sealing,
                                  size_t sealing_length,
                                  const void *opening,
                                  size_t opening_length,
                                  wegman_link **out);

/*
 How many bytes a tag has; 0 for NULL. Thread safety: one thread at a time.
 */
size_t wegman_link_tag_length(const wegman_link *link);

/*
 Seals a message in count parts: writes the packet's header, of 12 bytes, and its tag.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if tag_length is not wegman_link_tag_length; WEGMAN_TOO_LONG, also if the message alone
 is more than is sealed under one key; WEGMAN_NOT_RESERVED; WEGMAN_EXHAUSTED; WEGMAN_OTHER_PROCESS. Thread safety: one
 thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_seal(wegman_link *link,
                               const wegman_bytes *parts,
                               size_t count,
                               uint8_t header[12],
                               uint8_t *tag,
                               size_t tag_length);

/*
 Accepts a packet if its tag is right and its number is new. Use the message only then.

 Errors: WEGMAN_MISMATCH, WEGMAN_REPLAYED, WEGMAN_TOO_OLD, WEGMAN_OUTSIDE, WEGMAN_TOO_LONG: drop the packet.
 WEGMAN_NOT_RESERVED: reserve, and open it again, twice at most. Only an authentic packet, or as many forged ones as were
 reserved, give it. WEGMAN_CLOSED: the budget is spent; make a channel from a new secret, or set a larger budget.
 WEGMAN_OTHER_PROCESS; WEGMAN_NULL; WEGMAN_LENGTH if a tag has another length. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_open(wegman_link *link,
                               const uint8_t header[12],
                               const wegman_bytes *parts,
                               size_t count,
                               const uint8_t *tag,
                               size_t tag_length);

/*
 The whole header of a packet that came with a short one, of 4 bytes: the last byte of the epoch and the last three of the
 number, bytes 3, 9, 10 and 11 of the header. It is a guess that wegman_link_open authenticates, from the oldest epoch whose
 packets are accepted on.

 Errors: WEGMAN_NULL; WEGMAN_OUTSIDE if there is no such packet. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_extend(const wegman_link *link,
                                 const uint8_t short_header[4],
                                 uint8_t header[12]);

/*
 Seals from now on under the key of the next epoch, and wipes the present one. A key that has sealed nothing stays.

 Errors: WEGMAN_NULL, WEGMAN_EXHAUSTED, WEGMAN_OTHER_PROCESS. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE wegman_status wegman_link_rekey(wegman_link *link);

/*
 Sets the chance of an accepted forgery, over all epochs, at which the end closes: 2^-exponent. It is 2^-40 at first, if the
 tags are long enough.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if the exponent is above 120. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_set_budget(wegman_link *link,
                                     uint32_t exponent);

/*
 Sets, before the first packet, the longest message in bytes. Both ends set the same. It matters for Carter. Set later, it counts
 from then on.

 Errors: WEGMAN_NULL. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_set_longest(wegman_link *link,
                                      uint64_t length);

/*
 Sets, before the first packet, how much is sealed under one key: messages, or blocks of 16 bytes for PMAC. Both ends set
 the same. A higher limit than the present one changes nothing. Set later, it holds from then on.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if the limit is 0, under which no message fits. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_set_epoch_limit(wegman_link *link,
                                          uint64_t limit);

/*
 Stores the half that seals, and lets it seal messages more messages of bytes bytes in all, at most to the end of its
 epoch: before the first packet, and whenever wegman_link_seal returns WEGMAN_NOT_RESERVED. The bytes count for PMAC, whose
 limit is in blocks. After a restart, what was reserved and not used is lost. A thousand messages are a good start. What is
 stored is secret, and shorter than 512 bytes.

 Errors: WEGMAN_NULL; WEGMAN_STORE if store failed; WEGMAN_OTHER_PROCESS. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_reserve_sealing(wegman_link *link,
                                          uint64_t messages,
                                          uint64_t bytes,
                                          wegman_store store,
                                          void *user);

/*
 Stores the half that opens, and lets it accept numbers up to numbers above the highest so far, and examine attempts more
 forged packets of bytes bytes in all: before the first packet, and whenever wegman_link_open returns
 WEGMAN_NOT_RESERVED. After a restart, packets up to those numbers are refused: a small number loses fewer of them, a large
 one stores less often. What is stored is secret, and shorter than 512 bytes.

 Errors: WEGMAN_NULL; WEGMAN_STORE if store failed; WEGMAN_OTHER_PROCESS. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_reserve_opening(wegman_link *link,
                                          uint64_t numbers,
                                          uint64_t attempts,
                                          uint64_t bytes,
                                          wegman_store store,
                                          void *user);

/*
 What became of packets. size is sizeof(wegman_counts): a later library may count more.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if no version of this library has so short a wegman_counts.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE wegman_status wegman_link_counts(const wegman_link *link, wegman_counts *counts, size_t size);

/*
 Wipes and frees one end. NULL is allowed, and nothing happens.
 */
void wegman_link_free(wegman_link *link);

/*
 The algorithm of that index, from 0 on, to list them all. size is sizeof(wegman_algorithm): a later library may know more
 of an algorithm.

 Errors: WEGMAN_NULL; WEGMAN_NAME from the index on where there is none; WEGMAN_LENGTH if no version of this library has so
 short a wegman_algorithm. Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_algorithm_at(size_t index,
                                  wegman_algorithm *info,
                                  size_t size);

/*
 The algorithm of that name, such as "UMAC-64", "PMAC-AES256" or "HMAC-SHA256"; small and capital letters are the same.

 size is sizeof(wegman_algorithm).

 Errors: WEGMAN_NULL, WEGMAN_NAME, WEGMAN_LENGTH as for wegman_algorithm_at. Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_algorithm_find(const char *algorithm, wegman_algorithm *info, size_t size);

/*
 Writes the name of a kernel of an algorithm that this machine can run, as a string of at most 63 characters; the index is
 from 0 on. The last is the fastest and the usual one.

 Errors: WEGMAN_NULL; WEGMAN_NAME if there is no such algorithm, or from the index on where there is no kernel.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_kernel_at(const char *algorithm,
                               size_t index,
                               char kernel[64]);

/*
 Makes a key of an algorithm from a secret of length bytes, with the longest tags and the usual nonces. Free it with
 wegman_key_free.

 Errors: WEGMAN_NULL; WEGMAN_NAME if no algorithm has that name; WEGMAN_LENGTH if it takes no key of that length.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_key_new(const char *algorithm,
                             const void *secret,
                             size_t length,
                             wegman_key **out);

/*
 wegman_key_new for tags of tag_length and nonces of nonce_length bytes, each 0 for the usual ones, and with a kernel of that
 name, or the fastest if it is NULL.

 Errors: as for wegman_key_new; WEGMAN_NAME if this machine has no such kernel; WEGMAN_LENGTH if the algorithm does not have
 these lengths. Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_key_new_with(const char *algorithm,
                                  const char *kernel,
                                  const void *secret,
                                  size_t length,
                                  size_t tag_length,
                                  size_t nonce_length,
                                  wegman_key **out);

/*
 Wipes and frees a key. NULL is allowed, and nothing happens. Streams that were made from it stay as they are.
 */
void wegman_key_free(wegman_key *key);

/*
 Bytes of a tag; 0 for NULL. Thread safety: any number of threads with one key.
 */
size_t wegman_key_tag_length(const wegman_key *key);

/*
 Bytes of a nonce; 0 if the algorithm takes none, and for NULL. Thread safety: any number of threads with one key.
 */
size_t wegman_key_nonce_length(const wegman_key *key);

/*
 Writes the tag of a message under a nonce; if the algorithm takes none, nonce_length is 0. A nonce is never used for two
 messages.

 Errors: WEGMAN_NULL; WEGMAN_NONCE if a nonce is missing or not taken; WEGMAN_LENGTH if nonce or tag have not the lengths of
 the key. Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_key_tag(const wegman_key *key,
                             const void *nonce,
                             size_t nonce_length,
                             const void *message,
                             size_t length,
                             uint8_t *tag,
                             size_t tag_length);

/*
 Accepts a message only with its tag. The time does not depend on the bytes of the tag.

 Errors: WEGMAN_MISMATCH if the message is not authentic, a tag of another length included; WEGMAN_NULL; WEGMAN_NONCE,
 WEGMAN_LENGTH as for wegman_key_tag. Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_key_verify(const wegman_key *key,
                                const void *nonce,
                                size_t nonce_length,
                                const void *message,
                                size_t length,
                                const uint8_t *tag,
                                size_t tag_length);

/*
 The tags of count messages, one after another, under consecutive nonces from first_nonce on if the algorithm takes them.
 tags_length is their whole length. Tags must not overlap what
 is read: WEGMAN_OVERLAP.

 Errors: WEGMAN_NULL; WEGMAN_NONCE; WEGMAN_NONCES_EXHAUSTED; WEGMAN_LENGTH also if tags_length is another.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_key_tag_many(const wegman_key *key,
                                  const void *first_nonce,
                                  size_t nonce_length,
                                  const wegman_bytes *messages,
                                  size_t count,
                                  uint8_t *tags,
                                  size_t tags_length);

/*
 Starts a stream. Free it with wegman_stream_free. The key may be freed before.

 Errors: WEGMAN_NULL. Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE wegman_status wegman_stream_new(const wegman_key *key, wegman_stream **out);

/*
 Appends bytes to the message.

 Errors: WEGMAN_NULL, WEGMAN_LENGTH. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE wegman_status wegman_stream_update(wegman_stream *stream, const void *piece, size_t length);

/*
 Writes the tag of the message under a nonce; if the algorithm takes none, nonce_length is 0. The stream starts again, with an
 empty message.

 Errors: as for wegman_key_tag; then the stream goes on. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_stream_finish(wegman_stream *stream,
                                   const void *nonce,
                                   size_t nonce_length,
                                   uint8_t *tag,
                                   size_t tag_length);

/*
 Accepts the message so far only with its tag. The stream goes on.

 Errors: as for wegman_key_verify. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_stream_verify(const wegman_stream *stream,
                                   const void *nonce,
                                   size_t nonce_length,
                                   const uint8_t *tag,
                                   size_t tag_length);

/*
 Another stream with the same message so far: for messages that begin alike. Never end both under one nonce.

 Errors: WEGMAN_NULL. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE wegman_status wegman_stream_copy(const wegman_stream *stream, wegman_stream **out);

/*
 Forgets the message so far. Nothing happens for NULL. Thread safety: one thread at a time.
 */
void wegman_stream_reset(wegman_stream *stream);

/*
 Wipes and frees a stream. NULL is allowed, and nothing happens.
 */
void wegman_stream_free(wegman_stream *stream);

/*
 Makes a key from 16 uniformly random bytes that are used for nothing else, and stores it at out. Free it with
 wegman_pmac_aes128_free. Making a key costs thousands of cycles: make it once, and share it.

 Errors: WEGMAN_NULL. Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_pmac_aes128_new(const uint8_t secret[16], wegman_pmac_aes128 **out);

/*
 wegman_pmac_aes128_new with the kernel of that name, such as "portable" or "avx2": the same tags in another time. For tests; the
 usual one is the fastest. wegman_kernel_at lists them.

 Errors: WEGMAN_NULL; WEGMAN_NAME if this machine has no such kernel. Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_new_with(const char *kernel,
                                          const uint8_t secret[16],
                                          wegman_pmac_aes128 **out);

/*
 Wipes and frees a key. NULL is allowed, and nothing happens.
 */
void wegman_pmac_aes128_free(wegman_pmac_aes128 *key);

/*
 Writes the tag of a message to tag. The tag may overlap the message.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if no memory is that long. Then nothing is written.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_tag(const wegman_pmac_aes128 *key,
                                     const void *message,
                                     size_t length,
                                     uint8_t tag[16]);

/*
 Accepts a message only with its tag. The time does not depend on the bytes of the tag.

 Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_LENGTH as for wegman_pmac_aes128_tag.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_verify(const wegman_pmac_aes128 *key,
                                        const void *message,
                                        size_t length,
                                        const uint8_t tag[16]);

/*
 The tag of a message in count parts, one after the other, as in a struct iovec. Where parts end is not authenticated.

 Errors and thread safety: as for wegman_pmac_aes128_tag.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_tag_parts(const wegman_pmac_aes128 *key,
                                           const wegman_bytes *parts,
                                           size_t count,
                                           uint8_t tag[16]);

/*
 Accepts a message in parts only with its tag.

 Errors and thread safety: as for wegman_pmac_aes128_verify.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_verify_parts(const wegman_pmac_aes128 *key,
                                              const wegman_bytes *parts,
                                              size_t count,
                                              const uint8_t tag[16]);

/*
 The tags of count messages. They are written one after another, 16 bytes each. This is faster than one at
 a time. Tags must not overlap what
 is read: WEGMAN_OVERLAP.

 Errors: WEGMAN_NULL, WEGMAN_LENGTH. Then no tag is written.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_tag_many(const wegman_pmac_aes128 *key,
                                          const wegman_bytes *messages,
                                          size_t count,
                                          uint8_t *tags);

/*
 Verifies count messages, each with its own tag of 16 bytes, one after another. valid
 says for each whether it is authentic; it must not overlap what is read: WEGMAN_OVERLAP.

 Errors: WEGMAN_MISMATCH if one or more are not authentic: valid is complete. WEGMAN_NULL, WEGMAN_LENGTH: nothing is
 written. Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_verify_many(const wegman_pmac_aes128 *key,
                                             const wegman_bytes *messages,
                                             const uint8_t *tags,
                                             size_t count,
                                             bool *valid);

/*
 Starts a stream in memory of any contents. What was there before is overwritten: end an earlier stream first. No memory is
 allocated.

 Errors: WEGMAN_NULL; WEGMAN_STREAM if the memory is not aligned to 8 bytes.
 Thread safety: one thread at a time for a stream, any number for its key.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_stream_start(wegman_pmac_aes128_stream *stream,
                                              const wegman_pmac_aes128 *key);

/*
 Appends bytes to the message.

 Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_STREAM if the stream was not started, has ended, or was moved.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_stream_update(wegman_pmac_aes128_stream *stream,
                                               const void *piece,
                                               size_t length);

/*
 Writes the tag of the message, and ends and wipes the stream.

 Errors: WEGMAN_NULL, and the stream goes on; WEGMAN_STREAM. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE wegman_status wegman_pmac_aes128_stream_finish(wegman_pmac_aes128_stream *stream, uint8_t tag[16]);

/*
 Accepts the message so far only with its tag. The stream goes on.

 Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_STREAM. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_stream_verify(wegman_pmac_aes128_stream *stream,
                                               const uint8_t tag[16]);

/*
 Ends and wipes a stream without a tag. Nothing happens if it was not started or has ended, or is NULL.
 Thread safety: one thread at a time.
 */
void wegman_pmac_aes128_stream_clear(wegman_pmac_aes128_stream *stream);

/*
 Sums a part of a message that comes after start_block whole blocks of 16 bytes. A part has whole blocks, except the last of its message.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if the message would be longer than 2^61 bytes.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_segment_new(const wegman_pmac_aes128 *key,
                                      uint64_t start_block,
                                      const void *part,
                                      size_t length,
                                      wegman_pmac_segment **out);

/*
 Appends next to segment: it begins where the segment ends.

 Errors: WEGMAN_NULL; WEGMAN_SEGMENT if it does not begin there, has another key, or if the segment does not end with a whole
 block. Thread safety: one thread changes a segment.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_segment_append(wegman_pmac_segment *segment,
                                         const wegman_pmac_segment *next);

/*
 Joins count segments of a message in any order. They stay as they are.

 Errors: WEGMAN_NULL; WEGMAN_SEGMENT if there is none, or if they leave a gap, overlap or have different keys.
 Thread safety: any number of threads.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_segment_combine(const wegman_pmac_segment *const *segments,
                                          size_t count,
                                          wegman_pmac_segment **out);

/*
 Writes the tag of the message that consists of the segment. Only the caller knows whether the message is whole:
 wegman_pmac_segment_length.

 Errors: WEGMAN_NULL; WEGMAN_SEGMENT if it does not begin with the message, or has another key.
 Thread safety: any number of threads.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_segment_tag(const wegman_pmac_segment *segment,
                                      const wegman_pmac_aes128 *key,
                                      uint8_t tag[16]);

/*
 How many bytes the segment has; 0 for NULL. Thread safety: any number of threads.
 */
uint64_t wegman_pmac_segment_length(const wegman_pmac_segment *segment);

/*
 Writes the segment as 68 bytes. They are as secret as the key. docs/pmac.md of wegman has the layout.

 Errors: WEGMAN_NULL. Thread safety: any number of threads.
 */
WEGMAN_MUST_USE wegman_status wegman_pmac_segment_encode(const wegman_pmac_segment *segment, uint8_t encoded[68]);

/*
 Reads what wegman_pmac_segment_encode wrote.

 Errors: WEGMAN_NULL; WEGMAN_SAVED if the bytes are not a segment. Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_pmac_segment_decode(const uint8_t encoded[68], wegman_pmac_segment **out);

/*
 Wipes and frees a segment. NULL is allowed, and nothing happens.
 */
void wegman_pmac_segment_free(wegman_pmac_segment *segment);

/*
 The sum of a message of length bytes from its tag alone.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if no message is that long. Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_sum_from_tag(const wegman_pmac_aes128 *key,
                                       const uint8_t tag[16],
                                       uint64_t length,
                                       wegman_pmac_sum **out);

/*
 The sum of the message that consists of a segment.

 Errors: WEGMAN_NULL; WEGMAN_SEGMENT as for wegman_pmac_segment_tag. Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_sum_from_segment(const wegman_pmac_aes128 *key,
                                           const wegman_pmac_segment *segment,
                                           wegman_pmac_sum **out);

/*
 How many bytes the message has now; 0 for NULL. Thread safety: any number of threads.
 */
uint64_t wegman_pmac_sum_length(const wegman_pmac_sum *sum);

/*
 Writes the tag of the message as it is now.

 Errors: WEGMAN_NULL; WEGMAN_SEGMENT if the sum has another key. Thread safety: any number of threads.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_sum_tag(const wegman_pmac_sum *sum,
                                  const wegman_pmac_aes128 *key,
                                  uint8_t tag[16]);

/*
 The bytes from start to before end that a replacement of length bytes at at needs in their old state. They end with the
 message, even if the replacement does not fit in it.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if no message is that long. Thread safety: any number of threads.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_sum_replace_window(const wegman_pmac_sum *sum,
                                             uint64_t at,
                                             uint64_t length,
                                             uint64_t *start,
                                             uint64_t *end);

/*
 Replaces length bytes of the message from at on by those at new_bytes. old has the window as it was before.

 Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_SEGMENT if the sum has another key; WEGMAN_EDIT if the place is not in the
 message, or old is not the window. Then the sum is as before. Thread safety: one thread changes a sum.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_sum_replace(wegman_pmac_sum *sum,
                                      const wegman_pmac_aes128 *key,
                                      uint64_t at,
                                      const void *new_bytes,
                                      size_t length,
                                      const void *old,
                                      size_t old_length);

/*
 The bytes from start to before end that wegman_pmac_sum_append needs: the last block.

 Errors: WEGMAN_NULL. Thread safety: any number of threads.
 */
WEGMAN_MUST_USE wegman_status wegman_pmac_sum_append_window(const wegman_pmac_sum *sum, uint64_t *start, uint64_t *end);

/*
 Appends bytes to the message. old has the window.

 Errors and thread safety: as for wegman_pmac_sum_replace.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_sum_append(wegman_pmac_sum *sum,
                                     const wegman_pmac_aes128 *key,
                                     const void *new_bytes,
                                     size_t length,
                                     const void *old,
                                     size_t old_length);

/*
 The bytes from start to before end that truncating the message to length bytes needs: all from the block on that will
 be the last.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if no message is that long. Thread safety: any number of threads.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_sum_truncate_window(const wegman_pmac_sum *sum,
                                              uint64_t length,
                                              uint64_t *start,
                                              uint64_t *end);

/*
 Truncates the message to its first length bytes. old has the window.

 Errors and thread safety: as for wegman_pmac_sum_replace.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_sum_truncate(wegman_pmac_sum *sum,
                                       const wegman_pmac_aes128 *key,
                                       uint64_t length,
                                       const void *old,
                                       size_t old_length);

/*
 Wipes and frees a sum. NULL is allowed, and nothing happens.
 */
void wegman_pmac_sum_free(wegman_pmac_sum *sum);

/*
 A sentence in English for a status, without a full stop; for other numbers, that it is none. It stays in memory for
 good: do not free it.

 Thread safety: any thread at any time.
 */
const char *wegman_strerror(int status);

/*
 Makes a key from 16 uniformly random bytes that are used for nothing else, and stores it at out. Free it with
 wegman_umac128_free. Making a key costs thousands of cycles: make it once, and share it.

 Errors: WEGMAN_NULL. Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_umac128_new(const uint8_t secret[16], wegman_umac128 **out);

/*
 wegman_umac128_new with the kernel of that name, such as "portable" or "avx2": the same tags in another time. For tests; the
 usual one is the fastest. wegman_kernel_at lists them.

 Errors: WEGMAN_NULL; WEGMAN_NAME if this machine has no such kernel. Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_new_with(const char *kernel,
                                      const uint8_t secret[16],
                                      wegman_umac128 **out);

/*
 Wipes and frees a key. NULL is allowed, and nothing happens.
 */
void wegman_umac128_free(wegman_umac128 *key);

/*
 Writes the tag of a message to tag, under a nonce of 8 bytes. A nonce is never used for two messages: two tags under one reveal the key. A counter is the best nonce. The tag may overlap the message.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if no memory is that long. Then nothing is written.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_tag(const wegman_umac128 *key,
                                 const uint8_t nonce[8],
                                 const void *message,
                                 size_t length,
                                 uint8_t tag[16]);

/*
 Accepts a message only with its tag. The time does not depend on the bytes of the tag.

 Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_LENGTH as for wegman_umac128_tag.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_verify(const wegman_umac128 *key,
                                    const uint8_t nonce[8],
                                    const void *message,
                                    size_t length,
                                    const uint8_t tag[16]);

/*
 The tag of a message in count parts, one after the other, as in a struct iovec. Where parts end is not authenticated.

 Errors and thread safety: as for wegman_umac128_tag.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_tag_parts(const wegman_umac128 *key,
                                       const uint8_t nonce[8],
                                       const wegman_bytes *parts,
                                       size_t count,
                                       uint8_t tag[16]);

/*
 Accepts a message in parts only with its tag.

 Errors and thread safety: as for wegman_umac128_verify.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_verify_parts(const wegman_umac128 *key,
                                          const uint8_t nonce[8],
                                          const wegman_bytes *parts,
                                          size_t count,
                                          const uint8_t tag[16]);

/*
 The tags of count messages under consecutive nonces: big-endian numbers from first_nonce on. They are written one after another, 16 bytes each. This is faster than one at
 a time. Tags must not overlap what
 is read: WEGMAN_OVERLAP.

 Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_NONCES_EXHAUSTED if there are fewer nonces than messages. Then no tag is written.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_tag_many(const wegman_umac128 *key,
                                      const uint8_t first_nonce[8],
                                      const wegman_bytes *messages,
                                      size_t count,
                                      uint8_t *tags);

/*
 Verifies count messages, each with its own nonce of 8 bytes and tag of 16 bytes, one after another. valid
 says for each whether it is authentic; it must not overlap what is read: WEGMAN_OVERLAP.

 Errors: WEGMAN_MISMATCH if one or more are not authentic: valid is complete. WEGMAN_NULL, WEGMAN_LENGTH: nothing is
 written. Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_verify_many(const wegman_umac128 *key,
                                         const uint8_t *nonces,
                                         const wegman_bytes *messages,
                                         const uint8_t *tags,
                                         size_t count,
                                         bool *valid);

/*
 Starts a stream in memory of any contents. What was there before is overwritten: end an earlier stream first. No memory is
 allocated.

 Errors: WEGMAN_NULL; WEGMAN_STREAM if the memory is not aligned to 8 bytes.
 Thread safety: one thread at a time for a stream, any number for its key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_stream_start(wegman_umac128_stream *stream,
                                          const wegman_umac128 *key);

/*
 Appends bytes to the message.

 Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_STREAM if the stream was not started, has ended, or was moved.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_stream_update(wegman_umac128_stream *stream,
                                           const void *piece,
                                           size_t length);

/*
 Writes the tag of the message under a nonce, and ends and wipes the stream.

 Errors: WEGMAN_NULL, and the stream goes on; WEGMAN_STREAM. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_stream_finish(wegman_umac128_stream *stream,
                                           const uint8_t nonce[8],
                                           uint8_t tag[16]);

/*
 Accepts the message so far only with its tag. The stream goes on.

 Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_STREAM. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_stream_verify(wegman_umac128_stream *stream,
                                           const uint8_t nonce[8],
                                           const uint8_t tag[16]);

/*
 Ends and wipes a stream without a tag. Nothing happens if it was not started or has ended, or is NULL.
 Thread safety: one thread at a time.
 */
void wegman_umac128_stream_clear(wegman_umac128_stream *stream);

/*
 Makes a key from 16 uniformly random bytes that are used for nothing else, and stores it at out. Free it with
 wegman_umac64_free. Making a key costs thousands of cycles: make it once, and share it.

 Errors: WEGMAN_NULL. Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_umac64_new(const uint8_t secret[16], wegman_umac64 **out);

/*
 wegman_umac64_new with the kernel of that name, such as "portable" or "avx2": the same tags in another time. For tests; the
 usual one is the fastest. wegman_kernel_at lists them.

 Errors: WEGMAN_NULL; WEGMAN_NAME if this machine has no such kernel. Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_new_with(const char *kernel,
                                     const uint8_t secret[16],
                                     wegman_umac64 **out);

/*
 Wipes and frees a key. NULL is allowed, and nothing happens.
 */
void wegman_umac64_free(wegman_umac64 *key);

/*
 Writes the tag of a message to tag, under a nonce of 8 bytes. A nonce is never used for two messages: two tags under one reveal the key. A counter is the best nonce. The tag may overlap the message.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if no memory is that long. Then nothing is written.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_tag(const wegman_umac64 *key,
                                const uint8_t nonce[8],
                                const void *message,
                                size_t length,
                                uint8_t tag[8]);

/*
 Accepts a message only with its tag. The time does not depend on the bytes of the tag.

 Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_LENGTH as for wegman_umac64_tag.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_verify(const wegman_umac64 *key,
                                   const uint8_t nonce[8],
                                   const void *message,
                                   size_t length,
                                   const uint8_t tag[8]);

/*
 The tag of a message in count parts, one after the other, as in a struct iovec. Where parts end is not authenticated.

 Errors and thread safety: as for wegman_umac64_tag.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_tag_parts(const wegman_umac64 *key,
                                      const uint8_t nonce[8],
                                      const wegman_bytes *parts,
                                      size_t count,
                                      uint8_t tag[8]);

/*
 Accepts a message in parts only with its tag.

 Errors and thread safety: as for wegman_umac64_verify.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_verify_parts(const wegman_umac64 *key,
                                         const uint8_t nonce[8],
                                         const wegman_bytes *parts,
                                         size_t count,
                                         const uint8_t tag[8]);

/*
 The tags of count messages under consecutive nonces: big-endian numbers from first_nonce on. They are written one after another, 8 bytes each. This is faster than one at
 a time. Tags must not overlap what
 is read: WEGMAN_OVERLAP.

 Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_NONCES_EXHAUSTED if there are fewer nonces than messages. Then no tag is written.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_tag_many(const wegman_umac64 *key,
                                     const uint8_t first_nonce[8],
                                     const wegman_bytes *messages,
                                     size_t count,
                                     uint8_t *tags);

/*
 Verifies count messages, each with its own nonce of 8 bytes and tag of 8 bytes, one after another. valid
 says for each whether it is authentic; it must not overlap what is read: WEGMAN_OVERLAP.

 Errors: WEGMAN_MISMATCH if one or more are not authentic: valid is complete. WEGMAN_NULL, WEGMAN_LENGTH: nothing is
 written. Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_verify_many(const wegman_umac64 *key,
                                        const uint8_t *nonces,
                                        const wegman_bytes *messages,
                                        const uint8_t *tags,
                                        size_t count,
                                        bool *valid);

/*
 Starts a stream in memory of any contents. What was there before is overwritten: end an earlier stream first. No memory is
 allocated.

 Errors: WEGMAN_NULL; WEGMAN_STREAM if the memory is not aligned to 8 bytes.
 Thread safety: one thread at a time for a stream, any number for its key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_stream_start(wegman_umac64_stream *stream,
                                         const wegman_umac64 *key);

/*
 Appends bytes to the message.

 Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_STREAM if the stream was not started, has ended, or was moved.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_stream_update(wegman_umac64_stream *stream,
                                          const void *piece,
                                          size_t length);

/*
 Writes the tag of the message under a nonce, and ends and wipes the stream.

 Errors: WEGMAN_NULL, and the stream goes on; WEGMAN_STREAM. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_stream_finish(wegman_umac64_stream *stream,
                                          const uint8_t nonce[8],
                                          uint8_t tag[8]);

/*
 Accepts the message so far only with its tag. The stream goes on.

 Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_STREAM. Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_stream_verify(wegman_umac64_stream *stream,
                                          const uint8_t nonce[8],
                                          const uint8_t tag[8]);

/*
 Ends and wipes a stream without a tag. Nothing happens if it was not started or has ended, or is NULL.
 Thread safety: one thread at a time.
 */
void wegman_umac64_stream_clear(wegman_umac64_stream *stream);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WEGMAN_H */
