/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 libwegman: fast message authentication with bounds on forgeries.
 It has UMAC (RFC 4418), PMAC (EUROCRYPT 2002) and links of both.
 libwegman-catalogue, to be linked beside it, has Carter, and every MAC of wegman algorithms by name.

     uint8_t tag[8];
     wegman_umac64 *key;
     if (wegman_umac64_new(secret, &key) != WEGMAN_OK) abort();
     if (wegman_umac64_tag(key, nonce, packet, length, tag) != WEGMAN_OK) abort();
     if (wegman_umac64_verify(key, nonce, packet, length, tag) != WEGMAN_OK) drop(packet);
     wegman_umac64_free(key);

 Which one, in the order of this file:

     packets, with nonces that you never repeat   wegman_umac64_new, _tag, _verify, _free
     files, objects, disk images, without nonces  wegman_pmac_aes128_new, _stream_start, _stream_update, _stream_finish,
                                                  _stream_verify, _free
     packets, numbered for you, no replays        wegman_link_new, _seal, _open, _free and ten more
     secrets, errors, the version                 wegman_generate_key, wegman_strerror, wegman_version
     packets with tags of 16 bytes                wegman_umac128
     parts and edits of files                     wegman_pmac_segment, wegman_pmac_sum

 In libwegman-catalogue:

     our own design, experimental                 wegman_carter128
     any algorithm by its name                    wegman_key, wegman_stream, wegman_algorithm_at

 Results: a function that can fail returns WEGMAN_OK, which is 0, or a negative wegman_status.
 Unless its comment says otherwise, a failing function does nothing and writes nothing; if it makes objects,
 it gives NULL.
 A function that verifies returns WEGMAN_OK only for an authentic message.

 Memory: each pointer is NULL or points to as many bytes or objects as the function says.
 NULL gives WEGMAN_NULL, except for data of length 0; freeing NULL does nothing.
 Inputs must not change during the call.
 Outputs may overlap inputs unless the function says otherwise.
 After a call, the library keeps no pointer, except a stream's to its key.
 Its only state distinguishes a process from its forks.
 Free each key, stream, sum, segment and link that the library made with its own function, which also wipes
 it.

 Structures: you pass the size of a structure that the library fills.
 Later versions may add fields at its end; the library zeroes fields that it does not know.

 Threads: each function says what threads may do.
 An object may move between threads.

 Stack: functions that give an object or take a link use up to 64 KiB, all others up to 16 KiB.
 A thread of 128 KiB, as musl makes them, has room for all.

 Bounds: the comment of each key's type gives its bound on forgeries.
 To each bound, add the advantage of telling AES from a random permutation: once for PMAC, twice for UMAC and
 Carter.
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
 What a function returns: WEGMAN_OK, which is 0, or a negative code.
 wegman_strerror has a sentence for each.
 Later versions may add codes.
 */
typedef enum {
    /*
     Success.
     After a function that verifies: the message is authentic.
     */
    WEGMAN_OK = 0,
    /*
     The message is not authentic: wrong key, nonce, message or tag.
     */
    WEGMAN_MISMATCH = -1,
    /*
     A pointer is NULL where something is required.
     */
    WEGMAN_NULL = -2,
    /*
     A key, nonce, tag, message or buffer has a length that the function does not take.
     */
    WEGMAN_LENGTH = -3,
    /*
     No algorithm, kernel of this machine or MAC of a link has that name.
     */
    WEGMAN_NAME = -4,
    /*
     The algorithm needs a nonce and got none, or takes none and got one.
     */
    WEGMAN_NONCE = -5,
    /*
     Too few nonces are left for the messages.
     */
    WEGMAN_NONCES_EXHAUSTED = -6,
    /*
     The stream was not started, has ended, or was moved in memory.
     */
    WEGMAN_STREAM = -7,
    /*
     Segments or sums belong to different keys, leave a gap, or overlap.
     */
    WEGMAN_SEGMENT = -8,
    /*
     The edit lies outside the message, or does not have exactly the old bytes that it needs.
     */
    WEGMAN_EDIT = -9,
    /*
     The bytes are not what this library stored, or belong to another version or MAC.
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
     The budget for forgery attempts has no room for another attempt.
     */
    WEGMAN_CLOSED = -14,
    /*
     The call needs more than is reserved: reserve first.
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
     Your function of type wegman_store reported a failure.
     */
    WEGMAN_STORE = -18,
    /*
     The system has no random bytes.
     */
    WEGMAN_RANDOM = -19,
    /*
     A batch would write over what it reads.
     */
    WEGMAN_OVERLAP = -20,
    /*
     There is not enough memory.
     */
    WEGMAN_MEMORY = -21,
    /*
     This process was forked, and its parent still uses these numbers: make a new link in each process.
     */
    WEGMAN_OTHER_PROCESS = -22,
    /*
     The library has a bug.
     Nothing was done.
     */
    WEGMAN_INTERNAL = -127,
} wegman_status;

/*
 A key of UMAC-64 (RFC 4418) for tags of 8 bytes under nonces of 8 bytes: for packets, records and SSH.
 The probability of a forgery is at most v * 2^-60 for v attempts if no nonce is used twice (RFC 4418, section
 6, proved by Coq; Bernstein, EUROCRYPT 2005).

 Thread safety: any number of threads may use a key at once, but none while or after it is freed.
 */
typedef struct wegman_umac64 wegman_umac64;

/*
 A range of memory, with the layout of struct iovec.
 A list of them is a message in parts, or a list of messages.
 */
typedef struct {
    /*
     Its first byte.
     It may be NULL if length is 0.
     */
    const void *data;
    /*
     Its number of bytes.
     */
    size_t length;
} wegman_bytes;

/*
 A stream in memory that you own: on the stack, in a structure, anywhere.
 It refers to its key, which must stay until the stream has ended.
 Start the stream before any other call, or fill it with zeroes, because unwritten memory may look like a
 started stream.
 Other functions refuse a stream that was not started, has ended, or was moved or copied to another address.

 Thread safety: one thread at a time.
 */
typedef struct {
    /*
     Private.
     */
    uint64_t words[160];
} wegman_umac64_stream;

/*
 A key of PMAC with AES-128 (Black and Rogaway, EUROCRYPT 2002) for tags of 16 bytes: for files, objects and
 disk images.
 It needs no nonce.
 The probability of a forgery is at most (s + 1)^2 / 2^127 + v / 2^128 for v attempts and s blocks of 16
 bytes, tagged or tried.
 Change the key before 2^43 blocks.

 Thread safety: any number of threads may use a key at once, but none while or after it is freed.
 */
typedef struct wegman_pmac_aes128 wegman_pmac_aes128;

/*
 A stream in memory that you own: on the stack, in a structure, anywhere.
 It refers to its key, which must stay until the stream has ended.
 Start the stream before any other call, or fill it with zeroes, because unwritten memory may look like a
 started stream.
 Other functions refuse a stream that was not started, has ended, or was moved or copied to another address.

 Thread safety: one thread at a time.
 */
typedef struct {
    /*
     Private.
     */
    uint64_t words[80];
} wegman_pmac_aes128_stream;

/*
 One end of a channel.
 It numbers packets, refuses replays, changes keys, and keeps the probability of a forgery below a budget.
 Both ends are made from one secret and one context.

 A packet is a header of 12 bytes, a message, and a tag.
 Send all three.

 A channel that lives no longer than its process needs no storage.
 For a longer one, store both halves before the first packet (wegman_link_reserve_sealing,
 wegman_link_reserve_opening), and call wegman_link_restore after a restart.
 If the process ends before both are stored, take a new secret.

 A forked child has a copy of its parent's links, which return WEGMAN_OTHER_PROCESS there: both would seal
 under the same numbers.
 Links that the child makes work.

 Thread safety: one thread at a time.
 */
typedef struct wegman_link wegman_link;

/*
 Stores length secret bytes where this end finds them after a restart: write a new file, sync it, rename it,
 and sync its folder.
 Return 0 once that is done, and another number if it failed.
 The function must not use the link, throw an exception or call longjmp.
 */
typedef int32_t (*wegman_store)(void *user, const uint8_t *stored, size_t length);

/*
 How many packets had each outcome so far.
 Anyone can raise these counts by sending packets, except accepted.
 */
typedef struct {
    /*
     Packets accepted.
     */
    uint64_t accepted;
    /*
     Packets whose number was accepted before.
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
     Packets with a wrong tag: attempts at a forgery.
     */
    uint64_t forged;
    /*
     Packets not checked because the budget was spent.
     */
    uint64_t closed;
    /*
     Packets put off until the link is stored.
     */
    uint64_t not_reserved;
} wegman_counts;

/*
 A key of UMAC-128 (RFC 4418) for tags of 16 bytes under nonces of 8 bytes.
 The probability of a forgery is at most v * 2^-120 for v attempts if no nonce is used twice (RFC 4418,
 section 6, proved by Coq; Bernstein, EUROCRYPT 2005).

 Thread safety: any number of threads may use a key at once, but none while or after it is freed.
 */
typedef struct wegman_umac128 wegman_umac128;

/*
 A stream in memory that you own: on the stack, in a structure, anywhere.
 It refers to its key, which must stay until the stream has ended.
 Start the stream before any other call, or fill it with zeroes, because unwritten memory may look like a
 started stream.
 Other functions refuse a stream that was not started, has ended, or was moved or copied to another address.

 Thread safety: one thread at a time.
 */
typedef struct {
    /*
     Private.
     */
    uint64_t words[160];
} wegman_umac128_stream;

/*
 The sum of a segment of a message, from which its tag follows.
 It is as secret as the key: encrypt it before you store or send it.
 Machines that share a key can sum the segments of a message in any order.
 The joined tag is that of the whole message.

 Thread safety: any number of threads may read it at once; only one may change or free it.
 */
typedef struct wegman_pmac_segment wegman_pmac_segment;

/*
 The sum of a message, kept when it was tagged or recovered from its tag.
 With it, an edit costs what it changes, not the message's length.
 It is as secret as the key.
 An edit trusts the old bytes that you pass: edit only what you have verified.

 Thread safety: any number of threads may read it at once; only one may change or free it.
 */
typedef struct wegman_pmac_sum wegman_pmac_sum;

/*
 A key of Carter-128 for tags of 16 bytes under nonces of 12 bytes.
 Experimental: it is our own design, and no outsider has reviewed its proof.
 The probability of a forgery is at most about v n / 2^128 for v attempts with messages of up to n blocks of
 2048 bytes, if no nonce is used twice.

 Thread safety: any number of threads may use a key at once, but none while or after it is freed.
 */
typedef struct wegman_carter128 wegman_carter128;

/*
 A stream in memory that you own: on the stack, in a structure, anywhere.
 It refers to its key, which must stay until the stream has ended.
 Start the stream before any other call, or fill it with zeroes, because unwritten memory may look like a
 started stream.
 Other functions refuse a stream that was not started, has ended, or was moved or copied to another address.

 Thread safety: one thread at a time.
 */
typedef struct {
    /*
     Private.
     */
    uint64_t words[304];
} wegman_carter128_stream;

/*
 An algorithm's name, lengths, and the use that is advised.
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
     Bytes of a nonce unless you ask for another length; 0 if it takes none.
     */
    size_t nonce_length;
    /*
     Bytes of the longest tag, which is the default.
     */
    size_t tag_length;
    /*
     Bytes of the shortest tag.
     */
    size_t shortest_tag_length;
} wegman_algorithm;

/*
 A key of any algorithm.
 It fixes the lengths of its tags and nonces.

 Thread safety: any number of threads may use a key at once, but none while or after it is freed.
 */
typedef struct wegman_key wegman_key;

/*
 A stream of any algorithm.
 It keeps its key.

 Thread safety: one thread at a time.
 */
typedef struct wegman_stream wegman_stream;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Makes a key from 16 uniformly random bytes that have no other use, and stores it at out.
 Making a key costs thousands of cycles: make it once and share it.
 Free it with wegman_umac64_free.

 Errors: WEGMAN_NULL.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_umac64_new(const uint8_t secret[16], wegman_umac64 **out);

/*
 Writes the tag of a message to tag, under a nonce of 8 bytes.
 Never use a nonce for two messages: two tags under one nonce reveal the hash key.
 A counter is the best nonce.
 The tag may overlap the message.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if no message in memory is that long.
 An error writes nothing.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_tag(const wegman_umac64 *key,
                                const uint8_t nonce[8],
                                const void *message,
                                size_t length,
                                uint8_t tag[8]);

/*
 Accepts a message only if the tag is right.
 The time does not depend on the tag's bytes.

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
 Wipes and frees a key.
 NULL does nothing.
 */
void wegman_umac64_free(wegman_umac64 *key);

/*
 Writes the tag of a message in count consecutive parts.
 The tag does not depend on where parts end.

 Errors and thread safety: as for wegman_umac64_tag.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_tag_parts(const wegman_umac64 *key,
                                      const uint8_t nonce[8],
                                      const wegman_bytes *parts,
                                      size_t count,
                                      uint8_t tag[8]);

/*
 Accepts a message in count consecutive parts only if the tag is right.

 Errors and thread safety: as for wegman_umac64_verify.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_verify_parts(const wegman_umac64 *key,
                                         const uint8_t nonce[8],
                                         const wegman_bytes *parts,
                                         size_t count,
                                         const uint8_t tag[8]);

/*
 Writes the tags of count messages to tags, one after another, 8 bytes each.
 Nonces are consecutive big-endian numbers from first_nonce.
 This is faster than one message at a time.
 Tags must not overlap what is read (WEGMAN_OVERLAP).

 Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_NONCES_EXHAUSTED if there are fewer nonces than messages.
 An error writes no tag.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_tag_many(const wegman_umac64 *key,
                                     const uint8_t first_nonce[8],
                                     const wegman_bytes *messages,
                                     size_t count,
                                     uint8_t *tags);

/*
 Verifies count messages, each with its own nonce of 8 bytes and tag of 8 bytes, and writes to valid[i]
 whether message i is authentic.
 valid must not overlap what is read (WEGMAN_OVERLAP).

 Errors: WEGMAN_MISMATCH if a message is not authentic; valid is complete.
 WEGMAN_NULL, WEGMAN_LENGTH: nothing is written.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_verify_many(const wegman_umac64 *key,
                                        const uint8_t *nonces,
                                        const wegman_bytes *messages,
                                        const uint8_t *tags,
                                        size_t count,
                                        bool *valid);

/*
 Starts a stream, whatever the memory holds.
 If the memory has an earlier stream, end that first, or some of its message stays there.
 Nothing is allocated.

 Errors: WEGMAN_NULL; WEGMAN_STREAM if the memory is not aligned to 8 bytes.
 Thread safety: one thread at a time for a stream, any number for its key.
 */
WEGMAN_MUST_USE wegman_status wegman_umac64_stream_start(wegman_umac64_stream *stream, const wegman_umac64 *key);

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

 Errors: WEGMAN_NULL, and the stream stays as it is; WEGMAN_STREAM.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_stream_finish(wegman_umac64_stream *stream,
                                          const uint8_t nonce[8],
                                          uint8_t tag[8]);

/*
 Accepts the message so far only if the tag is right.
 The stream stays as it is.

 Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_STREAM.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac64_stream_verify(wegman_umac64_stream *stream,
                                          const uint8_t nonce[8],
                                          const uint8_t tag[8]);

/*
 Ends and wipes a stream without a tag.
 It does nothing for NULL, and for a stream that was not started or has ended.

 Thread safety: one thread at a time.
 */
void wegman_umac64_stream_clear(wegman_umac64_stream *stream);

/*
 As wegman_umac64_new, with a kernel by name, such as "portable" or "avx2".
 It is for tests: kernels give the same tags, and the default is the fastest.
 wegman_kernel_at lists the names.

 Errors: WEGMAN_NULL; WEGMAN_NAME if this machine has no such kernel.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_umac64_new_with(const char *kernel, const uint8_t secret[16], wegman_umac64 **out);

/*
 Makes a key from 16 uniformly random bytes that have no other use, and stores it at out.
 Making a key costs thousands of cycles: make it once and share it.
 Free it with wegman_pmac_aes128_free.

 Errors: WEGMAN_NULL.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_pmac_aes128_new(const uint8_t secret[16], wegman_pmac_aes128 **out);

/*
 Writes the tag of a message to tag.
 The tag may overlap the message.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if no message in memory is that long.
 An error writes nothing.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_tag(const wegman_pmac_aes128 *key,
                                     const void *message,
                                     size_t length,
                                     uint8_t tag[16]);

/*
 Accepts a message only if the tag is right.
 The time does not depend on the tag's bytes.

 Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_LENGTH as for
 wegman_pmac_aes128_tag.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_verify(const wegman_pmac_aes128 *key,
                                        const void *message,
                                        size_t length,
                                        const uint8_t tag[16]);

/*
 Wipes and frees a key.
 NULL does nothing.
 */
void wegman_pmac_aes128_free(wegman_pmac_aes128 *key);

/*
 Writes the tag of a message in count consecutive parts.
 The tag does not depend on where parts end.

 Errors and thread safety: as for wegman_pmac_aes128_tag.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_tag_parts(const wegman_pmac_aes128 *key,
                                           const wegman_bytes *parts,
                                           size_t count,
                                           uint8_t tag[16]);

/*
 Accepts a message in count consecutive parts only if the tag is right.

 Errors and thread safety: as for wegman_pmac_aes128_verify.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_verify_parts(const wegman_pmac_aes128 *key,
                                              const wegman_bytes *parts,
                                              size_t count,
                                              const uint8_t tag[16]);

/*
 Writes the tags of count messages to tags, one after another, 16 bytes each.
 This is faster than one message at a time.
 Tags must not overlap what is read (WEGMAN_OVERLAP).

 Errors: WEGMAN_NULL, WEGMAN_LENGTH.
 An error writes no tag.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_tag_many(const wegman_pmac_aes128 *key,
                                          const wegman_bytes *messages,
                                          size_t count,
                                          uint8_t *tags);

/*
 Verifies count messages, each with its own tag of 16 bytes, and writes to valid[i] whether message i is
 authentic.
 valid must not overlap what is read (WEGMAN_OVERLAP).

 Errors: WEGMAN_MISMATCH if a message is not authentic; valid is complete.
 WEGMAN_NULL, WEGMAN_LENGTH: nothing is written.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_verify_many(const wegman_pmac_aes128 *key,
                                             const wegman_bytes *messages,
                                             const uint8_t *tags,
                                             size_t count,
                                             bool *valid);

/*
 Starts a stream, whatever the memory holds.
 If the memory has an earlier stream, end that first, or some of its message stays there.
 Nothing is allocated.

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

 Errors: WEGMAN_NULL, and the stream stays as it is; WEGMAN_STREAM.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE wegman_status wegman_pmac_aes128_stream_finish(wegman_pmac_aes128_stream *stream, uint8_t tag[16]);

/*
 Accepts the message so far only if the tag is right.
 The stream stays as it is.

 Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_STREAM.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_stream_verify(wegman_pmac_aes128_stream *stream,
                                               const uint8_t tag[16]);

/*
 Ends and wipes a stream without a tag.
 It does nothing for NULL, and for a stream that was not started or has ended.

 Thread safety: one thread at a time.
 */
void wegman_pmac_aes128_stream_clear(wegman_pmac_aes128_stream *stream);

/*
 As wegman_pmac_aes128_new, with a kernel by name, such as "portable" or "avx2".
 It is for tests: kernels give the same tags, and the default is the fastest.
 wegman_kernel_at lists the names.

 Errors: WEGMAN_NULL; WEGMAN_NAME if this machine has no such kernel.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_aes128_new_with(const char *kernel,
                                          const uint8_t secret[16],
                                          wegman_pmac_aes128 **out);

/*
 Makes one end of a new channel.
 The MAC is "UMAC-64", "UMAC-128", "PMAC-AES128" or "PMAC-AES256".
 secret is 32 random bytes from a key exchange.
 Never make a second channel from the same secret and context.
 context is what else both ends agree on, such as the protocol's name; it may be empty.
 One end is the initiator, the other is not.
 Free the end with wegman_link_free.

 Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_NAME if no link has that MAC.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_new(const char *mac,
                              const uint8_t secret[32],
                              const void *context,
                              size_t context_length,
                              bool initiator,
                              wegman_link **out);

/*
 Continues a channel from what wegman_link_reserve_sealing and wegman_link_reserve_opening stored last.
 Reserve both again before the first packet.
 An older state repeats nonces or accepts packets again.
 Both halves must be of one end of one channel; the library does not notice if they are not.
 The spent budget and the limit of an epoch are stored.
 If you changed the budget or the longest message, set them again.
 Packets up to the reserved numbers are refused (WEGMAN_TOO_OLD), because they may have been accepted before.

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
 Bytes of a tag; 0 for NULL.

 Thread safety: one thread at a time.
 */
size_t wegman_link_tag_length(const wegman_link *link);

/*
 Seals a message in count parts: writes the packet's header of 12 bytes and its tag.
 These two must not overlap.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if tag_length is not wegman_link_tag_length; WEGMAN_TOO_LONG, also if the
 message alone exceeds the limit of an epoch; WEGMAN_NOT_RESERVED; WEGMAN_EXHAUSTED; WEGMAN_OTHER_PROCESS.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_seal(wegman_link *link,
                               const wegman_bytes *parts,
                               size_t count,
                               uint8_t header[12],
                               uint8_t *tag,
                               size_t tag_length);

/*
 Accepts a packet if its tag is right and its number is new.
 Use the message only if it was accepted.

 Errors: WEGMAN_MISMATCH, WEGMAN_REPLAYED, WEGMAN_TOO_OLD, WEGMAN_OUTSIDE, WEGMAN_TOO_LONG: drop the packet.
 WEGMAN_NOT_RESERVED: reserve, and open the packet again, at most twice.
 An authentic packet beyond the reserved numbers causes this error, and so does any packet once the reserved
 attempts are spent.
 WEGMAN_CLOSED: the budget is spent; make a channel from a new secret, or set a larger budget.
 WEGMAN_OTHER_PROCESS; WEGMAN_NULL; WEGMAN_LENGTH if a tag has another length.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_open(wegman_link *link,
                               const uint8_t header[12],
                               const wegman_bytes *parts,
                               size_t count,
                               const uint8_t *tag,
                               size_t tag_length);

/*
 Completes a short header of 4 bytes: it has bytes 3, 9, 10 and 11 of the whole header, which are the last
 byte of the epoch and the last three of the number.
 The result is a guess, made from the oldest epoch whose packets are accepted; wegman_link_open authenticates
 it.

 Errors: WEGMAN_NULL; WEGMAN_OUTSIDE if there is no such packet.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_extend(const wegman_link *link,
                                 const uint8_t short_header[4],
                                 uint8_t header[12]);

/*
 Starts the next epoch: wipes the present key and seals under the next.
 If the present key has sealed nothing, the call changes nothing.

 Errors: WEGMAN_NULL, WEGMAN_EXHAUSTED, WEGMAN_OTHER_PROCESS.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE wegman_status wegman_link_rekey(wegman_link *link);

/*
 Sets the probability of an accepted forgery, over all epochs, at which this end closes: 2^-exponent.
 The default is 2^-40 if the tags are long enough.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if the exponent is above 120.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE wegman_status wegman_link_set_budget(wegman_link *link, uint32_t exponent);

/*
 Sets the longest message in bytes.
 Call it before the first packet, with the same length at both ends.
 A later call applies to later packets.

 Errors: WEGMAN_NULL.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE wegman_status wegman_link_set_longest(wegman_link *link, uint64_t length);

/*
 Sets how much is sealed under one key: messages, or blocks of 16 bytes for PMAC.
 Set it before the first packet, the same at both ends; if set later, it holds from then on.
 A limit above the present one changes nothing.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if the limit is 0.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE wegman_status wegman_link_set_epoch_limit(wegman_link *link, uint64_t limit);

/*
 Stores the half that seals, and reserves more packets: messages is their number, bytes the sum of their
 lengths.
 It reserves at most to the end of the epoch.
 Call it before the first packet, and whenever wegman_link_seal returns WEGMAN_NOT_RESERVED.
 Only PMAC counts the bytes, because its limit is in blocks.
 A restart loses what was reserved and not used.
 A thousand messages are a good start.
 The stored bytes are secret, and fewer than 512.

 Errors: WEGMAN_NULL; WEGMAN_STORE if store failed; WEGMAN_OTHER_PROCESS.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_reserve_sealing(wegman_link *link,
                                          uint64_t messages,
                                          uint64_t bytes,
                                          wegman_store store,
                                          void *user);

/*
 Stores the half that opens, and reserves packet numbers and forgery attempts: numbers is how far above the
 highest number so far, attempts the count of further forged packets, bytes the sum of their lengths.
 Call it before the first packet, and whenever wegman_link_open returns WEGMAN_NOT_RESERVED.
 After a restart, packets up to the reserved numbers are refused: a smaller number loses fewer packets, a
 larger one stores less often.
 The stored bytes are secret, and fewer than 512.

 Errors: WEGMAN_NULL; WEGMAN_STORE if store failed; WEGMAN_OTHER_PROCESS.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_link_reserve_opening(wegman_link *link,
                                          uint64_t numbers,
                                          uint64_t attempts,
                                          uint64_t bytes,
                                          wegman_store store,
                                          void *user);

/*
 How many packets had each outcome.
 size is sizeof(wegman_counts), because a later library may count more.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if size is below the first version's.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE wegman_status wegman_link_counts(const wegman_link *link, wegman_counts *counts, size_t size);

/*
 Wipes and frees one end.
 NULL does nothing.
 */
void wegman_link_free(wegman_link *link);

/*
 The library's version, such as "0.1.0".
 Functions and constants are stable within a major version (0.x: within a minor version).

 Thread safety: any thread at any time.
 */
const char *wegman_version(void);

/*
 Writes length random bytes from the system to secret: a new key.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if length is 0; WEGMAN_RANDOM if the system gives none.
 After an error, the bytes at secret may have changed.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_generate_key(uint8_t *secret, size_t length);

/*
 Returns an English sentence for a status, without a full stop.
 For any other number, the sentence says that it is no status.
 It stays in memory: do not free it.

 Thread safety: any thread at any time.
 */
const char *wegman_strerror(int status);

/*
 Makes a key from 16 uniformly random bytes that have no other use, and stores it at out.
 Making a key costs thousands of cycles: make it once and share it.
 Free it with wegman_umac128_free.

 Errors: WEGMAN_NULL.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_umac128_new(const uint8_t secret[16], wegman_umac128 **out);

/*
 Writes the tag of a message to tag, under a nonce of 8 bytes.
 Never use a nonce for two messages: two tags under one nonce reveal the hash key.
 A counter is the best nonce.
 The tag may overlap the message.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if no message in memory is that long.
 An error writes nothing.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_tag(const wegman_umac128 *key,
                                 const uint8_t nonce[8],
                                 const void *message,
                                 size_t length,
                                 uint8_t tag[16]);

/*
 Accepts a message only if the tag is right.
 The time does not depend on the tag's bytes.

 Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_LENGTH as for
 wegman_umac128_tag.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_verify(const wegman_umac128 *key,
                                    const uint8_t nonce[8],
                                    const void *message,
                                    size_t length,
                                    const uint8_t tag[16]);

/*
 Wipes and frees a key.
 NULL does nothing.
 */
void wegman_umac128_free(wegman_umac128 *key);

/*
 Writes the tag of a message in count consecutive parts.
 The tag does not depend on where parts end.

 Errors and thread safety: as for wegman_umac128_tag.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_tag_parts(const wegman_umac128 *key,
                                       const uint8_t nonce[8],
                                       const wegman_bytes *parts,
                                       size_t count,
                                       uint8_t tag[16]);

/*
 Accepts a message in count consecutive parts only if the tag is right.

 Errors and thread safety: as for wegman_umac128_verify.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_verify_parts(const wegman_umac128 *key,
                                          const uint8_t nonce[8],
                                          const wegman_bytes *parts,
                                          size_t count,
                                          const uint8_t tag[16]);

/*
 Writes the tags of count messages to tags, one after another, 16 bytes each.
 Nonces are consecutive big-endian numbers from first_nonce.
 This is faster than one message at a time.
 Tags must not overlap what is read (WEGMAN_OVERLAP).

 Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_NONCES_EXHAUSTED if there are fewer nonces than messages.
 An error writes no tag.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_tag_many(const wegman_umac128 *key,
                                      const uint8_t first_nonce[8],
                                      const wegman_bytes *messages,
                                      size_t count,
                                      uint8_t *tags);

/*
 Verifies count messages, each with its own nonce of 8 bytes and tag of 16 bytes, and writes to valid[i]
 whether message i is authentic.
 valid must not overlap what is read (WEGMAN_OVERLAP).

 Errors: WEGMAN_MISMATCH if a message is not authentic; valid is complete.
 WEGMAN_NULL, WEGMAN_LENGTH: nothing is written.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_verify_many(const wegman_umac128 *key,
                                         const uint8_t *nonces,
                                         const wegman_bytes *messages,
                                         const uint8_t *tags,
                                         size_t count,
                                         bool *valid);

/*
 Starts a stream, whatever the memory holds.
 If the memory has an earlier stream, end that first, or some of its message stays there.
 Nothing is allocated.

 Errors: WEGMAN_NULL; WEGMAN_STREAM if the memory is not aligned to 8 bytes.
 Thread safety: one thread at a time for a stream, any number for its key.
 */
WEGMAN_MUST_USE wegman_status wegman_umac128_stream_start(wegman_umac128_stream *stream, const wegman_umac128 *key);

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

 Errors: WEGMAN_NULL, and the stream stays as it is; WEGMAN_STREAM.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_stream_finish(wegman_umac128_stream *stream,
                                           const uint8_t nonce[8],
                                           uint8_t tag[16]);

/*
 Accepts the message so far only if the tag is right.
 The stream stays as it is.

 Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_STREAM.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_stream_verify(wegman_umac128_stream *stream,
                                           const uint8_t nonce[8],
                                           const uint8_t tag[16]);

/*
 Ends and wipes a stream without a tag.
 It does nothing for NULL, and for a stream that was not started or has ended.

 Thread safety: one thread at a time.
 */
void wegman_umac128_stream_clear(wegman_umac128_stream *stream);

/*
 As wegman_umac128_new, with a kernel by name, such as "portable" or "avx2".
 It is for tests: kernels give the same tags, and the default is the fastest.
 wegman_kernel_at lists the names.

 Errors: WEGMAN_NULL; WEGMAN_NAME if this machine has no such kernel.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_umac128_new_with(const char *kernel,
                                      const uint8_t secret[16],
                                      wegman_umac128 **out);

/*
 Sums a segment that begins after start_block blocks of 16 bytes.
 A segment consists of whole blocks, except the last of its message.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if the message would exceed 2^61 bytes.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_segment_new(const wegman_pmac_aes128 *key,
                                      uint64_t start_block,
                                      const void *part,
                                      size_t length,
                                      wegman_pmac_segment **out);

/*
 Appends the segment next to segment.
 It must begin where segment ends.

 Errors: WEGMAN_NULL; WEGMAN_SEGMENT if next begins elsewhere or has another key, or if segment does not end
 with a whole block.
 Thread safety: one thread at a time for segment.
 */
WEGMAN_MUST_USE wegman_status wegman_pmac_segment_append(wegman_pmac_segment *segment, const wegman_pmac_segment *next);

/*
 Joins count segments of a message, in any order, to a new one.
 The old ones stay as they are.

 Errors: WEGMAN_NULL; WEGMAN_SEGMENT if there is none, or if they leave a gap, overlap or have different keys.
 Thread safety: any number of threads.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_segment_combine(const wegman_pmac_segment *const *segments,
                                          size_t count,
                                          wegman_pmac_segment **out);

/*
 Writes the tag of the message that the segment covers.
 Compare wegman_pmac_segment_length with the message's length: only you know whether the message is complete.

 Errors: WEGMAN_NULL; WEGMAN_SEGMENT if the segment does not begin at block 0, or is of another key.
 Thread safety: any number of threads.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_segment_tag(const wegman_pmac_segment *segment,
                                      const wegman_pmac_aes128 *key,
                                      uint8_t tag[16]);

/*
 Bytes of the segment; 0 for NULL.

 Thread safety: any number of threads.
 */
uint64_t wegman_pmac_segment_length(const wegman_pmac_segment *segment);

/*
 Writes the segment as 68 bytes, the same on every machine and in every language.
 They are as secret as the key.

 Errors: WEGMAN_NULL.
 Thread safety: any number of threads.
 */
WEGMAN_MUST_USE wegman_status wegman_pmac_segment_encode(const wegman_pmac_segment *segment, uint8_t encoded[68]);

/*
 Makes a segment from what wegman_pmac_segment_encode wrote.

 Errors: WEGMAN_NULL; WEGMAN_SAVED if the bytes are not a segment.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_pmac_segment_decode(const uint8_t encoded[68], wegman_pmac_segment **out);

/*
 Wipes and frees a segment.
 NULL does nothing.
 */
void wegman_pmac_segment_free(wegman_pmac_segment *segment);

/*
 The sum of a message of length bytes, from its tag alone.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if no message is that long.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_sum_from_tag(const wegman_pmac_aes128 *key,
                                       const uint8_t tag[16],
                                       uint64_t length,
                                       wegman_pmac_sum **out);

/*
 The sum of the message that a segment covers.

 Errors: WEGMAN_NULL; WEGMAN_SEGMENT as for wegman_pmac_segment_tag.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_sum_from_segment(const wegman_pmac_aes128 *key,
                                           const wegman_pmac_segment *segment,
                                           wegman_pmac_sum **out);

/*
 Bytes of the message after all edits so far; 0 for NULL.

 Thread safety: any number of threads.
 */
uint64_t wegman_pmac_sum_length(const wegman_pmac_sum *sum);

/*
 Writes the tag of the message after all edits so far.

 Errors: WEGMAN_NULL; WEGMAN_SEGMENT if the sum has another key.
 Thread safety: any number of threads.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_sum_tag(const wegman_pmac_sum *sum,
                                  const wegman_pmac_aes128 *key,
                                  uint8_t tag[16]);

/*
 Gives the window of old bytes that replacing length bytes from offset at on needs: from start up to, but not
 including, end.
 If the replacement goes beyond the message, end is the message's end.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if no message is that long.
 Thread safety: any number of threads.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_sum_replace_window(const wegman_pmac_sum *sum,
                                             uint64_t at,
                                             uint64_t length,
                                             uint64_t *start,
                                             uint64_t *end);

/*
 Overwrites length bytes from offset at on with new_bytes.
 old has the bytes of the window before the edit.

 Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_SEGMENT if the sum has another key; WEGMAN_EDIT if the bytes are
 not all in the message, or if old does not have the window's length.
 The sum then stays as it is.
 Thread safety: one thread at a time for sum.
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
 Which old bytes wegman_pmac_sum_append needs: those from start to before end, the last block.

 Errors: WEGMAN_NULL.
 Thread safety: any number of threads.
 */
WEGMAN_MUST_USE wegman_status wegman_pmac_sum_append_window(const wegman_pmac_sum *sum, uint64_t *start, uint64_t *end);

/*
 Appends bytes to the message.
 old has the bytes of the window.

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
 Gives the window of old bytes that truncating the message to length bytes needs: from start up to, but not
 including, end.
 It begins with the block that will be the last.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if no message is that long.
 Thread safety: any number of threads.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_sum_truncate_window(const wegman_pmac_sum *sum,
                                              uint64_t length,
                                              uint64_t *start,
                                              uint64_t *end);

/*
 Truncates the message to its first length bytes.
 old has the bytes of the window.

 Errors and thread safety: as for wegman_pmac_sum_replace.
 */
WEGMAN_MUST_USE
wegman_status wegman_pmac_sum_truncate(wegman_pmac_sum *sum,
                                       const wegman_pmac_aes128 *key,
                                       uint64_t length,
                                       const void *old,
                                       size_t old_length);

/*
 Wipes and frees a sum.
 NULL does nothing.
 */
void wegman_pmac_sum_free(wegman_pmac_sum *sum);

/*
 Makes a key from 16 uniformly random bytes that have no other use, and stores it at out.
 Making a key costs thousands of cycles: make it once and share it.
 Free it with wegman_carter128_free.

 Errors: WEGMAN_NULL.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_carter128_new(const uint8_t secret[16], wegman_carter128 **out);

/*
 Writes the tag of a message to tag, under a nonce of 12 bytes.
 Never use a nonce for two messages: two tags under one nonce reveal the hash key.
 A counter is the best nonce.
 The tag may overlap the message.

 Errors: WEGMAN_NULL; WEGMAN_LENGTH if no message in memory is that long.
 An error writes nothing.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_tag(const wegman_carter128 *key,
                                   const uint8_t nonce[12],
                                   const void *message,
                                   size_t length,
                                   uint8_t tag[16]);

/*
 Accepts a message only if the tag is right.
 The time does not depend on the tag's bytes.

 Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_LENGTH as for
 wegman_carter128_tag.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_verify(const wegman_carter128 *key,
                                      const uint8_t nonce[12],
                                      const void *message,
                                      size_t length,
                                      const uint8_t tag[16]);

/*
 Wipes and frees a key.
 NULL does nothing.
 */
void wegman_carter128_free(wegman_carter128 *key);

/*
 Writes the tag of a message in count consecutive parts.
 The tag does not depend on where parts end.

 Errors and thread safety: as for wegman_carter128_tag.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_tag_parts(const wegman_carter128 *key,
                                         const uint8_t nonce[12],
                                         const wegman_bytes *parts,
                                         size_t count,
                                         uint8_t tag[16]);

/*
 Accepts a message in count consecutive parts only if the tag is right.

 Errors and thread safety: as for wegman_carter128_verify.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_verify_parts(const wegman_carter128 *key,
                                            const uint8_t nonce[12],
                                            const wegman_bytes *parts,
                                            size_t count,
                                            const uint8_t tag[16]);

/*
 Writes the tags of count messages to tags, one after another, 16 bytes each.
 Nonces are consecutive big-endian numbers from first_nonce.
 This is faster than one message at a time.
 Tags must not overlap what is read (WEGMAN_OVERLAP).

 Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_NONCES_EXHAUSTED if there are fewer nonces than messages.
 An error writes no tag.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_tag_many(const wegman_carter128 *key,
                                        const uint8_t first_nonce[12],
                                        const wegman_bytes *messages,
                                        size_t count,
                                        uint8_t *tags);

/*
 Verifies count messages, each with its own nonce of 12 bytes and tag of 16 bytes, and writes to valid[i]
 whether message i is authentic.
 valid must not overlap what is read (WEGMAN_OVERLAP).

 Errors: WEGMAN_MISMATCH if a message is not authentic; valid is complete.
 WEGMAN_NULL, WEGMAN_LENGTH: nothing is written.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_verify_many(const wegman_carter128 *key,
                                           const uint8_t *nonces,
                                           const wegman_bytes *messages,
                                           const uint8_t *tags,
                                           size_t count,
                                           bool *valid);

/*
 Starts a stream, whatever the memory holds.
 If the memory has an earlier stream, end that first, or some of its message stays there.
 Nothing is allocated.

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

 Errors: WEGMAN_NULL, and the stream stays as it is; WEGMAN_STREAM.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_stream_finish(wegman_carter128_stream *stream,
                                             const uint8_t nonce[12],
                                             uint8_t tag[16]);

/*
 Accepts the message so far only if the tag is right.
 The stream stays as it is.

 Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_STREAM.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_stream_verify(wegman_carter128_stream *stream,
                                             const uint8_t nonce[12],
                                             const uint8_t tag[16]);

/*
 Ends and wipes a stream without a tag.
 It does nothing for NULL, and for a stream that was not started or has ended.

 Thread safety: one thread at a time.
 */
void wegman_carter128_stream_clear(wegman_carter128_stream *stream);

/*
 As wegman_carter128_new, with a kernel by name, such as "portable" or "avx2".
 It is for tests: kernels give the same tags, and the default is the fastest.
 wegman_kernel_at lists the names.

 Errors: WEGMAN_NULL; WEGMAN_NAME if this machine has no such kernel.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_carter128_new_with(const char *kernel,
                                        const uint8_t secret[16],
                                        wegman_carter128 **out);

/*
 Describes the algorithm at an index; indices begin at 0.
 size is sizeof(wegman_algorithm), because a later library may add fields.

 Errors: WEGMAN_NULL; WEGMAN_NAME if the index is past the last algorithm; WEGMAN_LENGTH if size is below the
 first version's.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_algorithm_at(size_t index, wegman_algorithm *info, size_t size);

/*
 Describes the algorithm of a name, such as "UMAC-64", "PMAC-AES256" or "HMAC-SHA256".
 Upper and lower case are the same.
 size is sizeof(wegman_algorithm).

 Errors: WEGMAN_NULL, WEGMAN_NAME, WEGMAN_LENGTH as for wegman_algorithm_at.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_algorithm_find(const char *algorithm, wegman_algorithm *info, size_t size);

/*
 Writes the name, at most 63 characters and a zero byte, of a kernel that this machine can run.
 Indices begin at 0.
 The last kernel is the fastest and the default.

 Errors: WEGMAN_NULL; WEGMAN_NAME if there is no such algorithm, or if the index is past the last kernel.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE wegman_status wegman_kernel_at(const char *algorithm, size_t index, char kernel[64]);

/*
 Makes a key of an algorithm from length secret bytes, with the longest tags and the default nonces.
 Free it with wegman_key_free.

 Errors: WEGMAN_NULL; WEGMAN_NAME if no algorithm has that name; WEGMAN_LENGTH if it takes no key of that
 length.
 Thread safety: any thread at any time.
 */
WEGMAN_MUST_USE
wegman_status wegman_key_new(const char *algorithm,
                             const void *secret,
                             size_t length,
                             wegman_key **out);

/*
 As wegman_key_new, for tags and nonces of the given lengths (0 for the default) and a kernel by name (NULL
 for the fastest).

 Errors: as for wegman_key_new; WEGMAN_NAME if this machine has no such kernel; WEGMAN_LENGTH if the algorithm
 does not have these lengths.
 Thread safety: any thread at any time.
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
 Wipes and frees a key.
 NULL does nothing.
 Streams made from it still work.
 */
void wegman_key_free(wegman_key *key);

/*
 Bytes of a tag; 0 for NULL.

 Thread safety: any number of threads with one key.
 */
size_t wegman_key_tag_length(const wegman_key *key);

/*
 Bytes of a nonce; 0 if the algorithm takes none, and for NULL.

 Thread safety: any number of threads with one key.
 */
size_t wegman_key_nonce_length(const wegman_key *key);

/*
 Writes the tag of a message under a nonce.
 If the algorithm takes none, nonce_length is 0.
 Never use a nonce for two messages.

 Errors: WEGMAN_NULL; WEGMAN_NONCE if a nonce is missing or not taken; WEGMAN_LENGTH if the nonce or the tag
 does not have the key's length.
 Thread safety: any number of threads with one key.
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
 Accepts a message only if the tag is right.
 The time does not depend on the tag's bytes.

 Errors: WEGMAN_MISMATCH if the message is not authentic or the tag has another length; WEGMAN_NULL;
 WEGMAN_NONCE, WEGMAN_LENGTH for a wrong nonce.
 Thread safety: any number of threads with one key.
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
 Writes the tags of count messages, one after another.
 If the algorithm takes nonces, they are consecutive from first_nonce.
 tags_length is the length of all tags together.
 Tags must not overlap what is read (WEGMAN_OVERLAP).

 Errors: WEGMAN_NULL; WEGMAN_NONCE; WEGMAN_NONCES_EXHAUSTED; WEGMAN_LENGTH, also for another tags_length.
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
 Starts a stream.
 You may free its key before it.
 Free the stream with wegman_stream_free.

 Errors: WEGMAN_NULL.
 Thread safety: any number of threads with one key.
 */
WEGMAN_MUST_USE wegman_status wegman_stream_new(const wegman_key *key, wegman_stream **out);

/*
 Appends bytes to the message.

 Errors: WEGMAN_NULL, WEGMAN_LENGTH.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE wegman_status wegman_stream_update(wegman_stream *stream, const void *piece, size_t length);

/*
 Writes the tag of the message under a nonce, and starts an empty message.
 If the algorithm takes no nonce, nonce_length is 0.

 Errors: as for wegman_key_tag; the message then stays as it is.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_stream_finish(wegman_stream *stream,
                                   const void *nonce,
                                   size_t nonce_length,
                                   uint8_t *tag,
                                   size_t tag_length);

/*
 Accepts the message so far only if the tag is right.
 The stream stays as it is.

 Errors: as for wegman_key_verify.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE
wegman_status wegman_stream_verify(const wegman_stream *stream,
                                   const void *nonce,
                                   size_t nonce_length,
                                   const uint8_t *tag,
                                   size_t tag_length);

/*
 Copies a stream with its message so far, for messages with the same beginning.
 Never end both under one nonce.

 Errors: WEGMAN_NULL.
 Thread safety: one thread at a time.
 */
WEGMAN_MUST_USE wegman_status wegman_stream_copy(const wegman_stream *stream, wegman_stream **out);

/*
 Starts an empty message.
 NULL does nothing.

 Thread safety: one thread at a time.
 */
void wegman_stream_reset(wegman_stream *stream);

/*
 Wipes and frees a stream.
 NULL does nothing.
 */
void wegman_stream_free(wegman_stream *stream);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WEGMAN_H */
