//! POLYVAL in 512-bit registers: four blocks in each, with one power for each lane.
//!
//! ```text
//! a group      X0 X1 X2 X3   and   W0 W1 W2 W3        times H^n ... H^(n-3) and H^(n-4) ... H^(n-7)
//! for the sums of halves    the lower halves of X and of W, and the upper halves of both
//! ```
//!
//! The four lanes of a chunk are reduced, then added up, and then added to the first block of the next chunk. The
//! products of that block are taken last, so that nothing waits for them.
#![allow(unsafe_code)]

use super::{CHUNK, GROUP, Key, MOST, Powers};
use core::arch::x86_64::*;
use core::hint::black_box;
use wegman::Tag;
use wegman::hazmat::batch::EIGHT;
use wegman::hazmat::buffer::not_last;
use wegman::hazmat::pads::Blocks;
use wegman_carter::hazmat::field::avx512::{
    Wide, fold, fold4, four, from_three, load, load_64, number, product, reduce,
};
use wegman_carter::hazmat::field::pclmul;
use wegman_carter::hazmat::rows::EightTags;
use wegman_carter::hazmat::rows::PacketKernels;
use wegman_carter::hazmat::rows::avx512::{load_short, load_short_16, pads8, prefetch, store8};
use wegman_carter::hazmat::rows::pclmul::{pad, store};

/// Rounds of AES-128.
const ROUNDS: usize = 10;

pub(super) const KERNELS: PacketKernels<Key> =
    PacketKernels { tag, tag8: Some((tag8, 64)), ahead: () };

/// How many chunks ahead the kernel prefetches, for messages too long for the caches.
const AHEAD: usize = 4;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
pub(super) fn absorb(key: &Key, y: &mut u128, chunks: &[[u8; CHUNK]]) {
    *y = number(absorb_chunks(key, load(&y.to_le_bytes()), chunks));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
pub(super) fn finish(key: &Key, y: &u128, last: &[u8], bits: u64) -> u128 {
    let y = _mm512_zextsi128_si512(load(&y.to_le_bytes()));
    number(fold(finish_lanes(key, y, last, bits)))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag(key: &Key, block: u128, message: &[u8], tag: &mut Tag<16>) {
    // Each arm is a jump to a function that calls no other: across calls, vectors would go through memory.
    match message.len() {
        ..=16 => tag_of_16(key, block, message, tag),
        17..=64 => tag_of_64(key, block, message, tag),
        65..=CHUNK => tag_of_chunk(key, block, message, tag),
        _ => tag_of_chunks(key, block, message, tag),
    }
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_16(key: &Key, block: u128, message: &[u8], tag: &mut Tag<16>) {
    store(tag, _mm_xor_si128(pad::<ROUNDS>(key, block), hash_of_16(key, message)));
    // The compiler does this only after using wider registers. Upper halves that other code left in use make
    // everything that follows slow: 115 cycles for a tag instead of 25.
    _mm256_zeroupper();
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_64(key: &Key, block: u128, message: &[u8], tag: &mut Tag<16>) {
    store(tag, _mm_xor_si128(pad::<ROUNDS>(key, block), fold(reduce(short(key, message)))));
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_chunk(key: &Key, block: u128, message: &[u8], tag: &mut Tag<16>) {
    let bits = 8 * message.len() as u64;
    let hash = fold(finish_lanes(key, _mm512_setzero_si512(), message, bits));
    store(tag, _mm_xor_si128(pad::<ROUNDS>(key, block), hash));
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_chunks(key: &Key, block: u128, message: &[u8], tag: &mut Tag<16>) {
    let hash = fold(hash_in_lanes(key, message));
    store(tag, _mm_xor_si128(pad::<ROUNDS>(key, block), hash));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    longest: usize,
    blocks: &Blocks,
    tags: &mut EightTags,
) {
    // As in `tag`. If the lengths were read here, the compiler would gather them, which is slow.
    match longest {
        1..=16 => tag8_of_16(key, messages, blocks, tags),
        _ => tag8_of_64(key, messages, blocks, tags),
    }
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8_of_16(key: &Key, messages: &[&[u8]; EIGHT], blocks: &Blocks, tags: &mut EightTags) {
    let pads = pads8::<ROUNDS>(key, blocks);
    let (messages, _) = messages.as_chunks();
    let hashes = [hash_of_4_in_lanes(key, &messages[0]), hash_of_4_in_lanes(key, &messages[1])];
    store8(tags, hashes, pads);
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8_of_64(key: &Key, messages: &[&[u8]; EIGHT], blocks: &Blocks, tags: &mut EightTags) {
    let pads = pads8::<ROUNDS>(key, blocks);
    let (messages, _) = messages.as_chunks();
    let hashes = [hash_of_4_short(key, &messages[0]), hash_of_4_short(key, &messages[1])];
    store8(tags, hashes, pads);
}

/// The hash of at most 16 bytes. It is 0 for no bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn hash_of_16(key: &Key, message: &[u8]) -> __m128i {
    let (x, power) = (load_short_16(message), load(key.power(2)));
    let length = _mm_cvtsi64_si128(8 * message.len() as i64);
    let h = load(key.h());
    let low = _mm_clmulepi64_si128::<0x00>(x, power);
    let crossed = _mm_xor_si128(
        _mm_clmulepi64_si128::<0x01>(x, power),
        _mm_clmulepi64_si128::<0x10>(x, power),
    );
    let middle = _mm_xor_si128(crossed, _mm_clmulepi64_si128::<0x00>(length, h));
    let high = _mm_xor_si128(
        _mm_clmulepi64_si128::<0x11>(x, power),
        _mm_clmulepi64_si128::<0x10>(length, h),
    );
    pclmul::reduce(pclmul::Wide { low, middle, high })
}

/// The hash of 1 to 64 bytes, unreduced.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn short(key: &Key, message: &[u8]) -> Wide {
    plus_length(key, products(key, message), 8 * message.len() as u64)
}

/// The products of at most 64 bytes with their powers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn products(key: &Key, message: &[u8]) -> Wide {
    let (x, powers) = (load_short(message), four_powers(key, message.len().div_ceil(16) + 1));
    product(x, powers)
}

/// The hash of a message as four partial sums, one in each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn hash_in_lanes(key: &Key, message: &[u8]) -> __m512i {
    let bits = 8 * message.len() as u64;
    if message.len() <= CHUNK {
        return finish_lanes(key, _mm512_setzero_si512(), message, bits);
    }
    let (chunks, last) = not_last(message);
    let y = absorb_chunks(key, _mm_setzero_si128(), chunks);
    finish_lanes(key, _mm512_zextsi128_si512(y), last, bits)
}

/// Y after chunks, none of which is the message's last.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn absorb_chunks(key: &Key, mut y: __m128i, chunks: &[[u8; CHUNK]]) -> __m128i {
    for (i, chunk) in chunks.iter().enumerate() {
        // Hidden from the compiler, which would load the whole key before the loop and spill it.
        let key = black_box(key);
        let y_lanes = _mm512_zextsi128_si512(y);
        let sums = match chunks.get(i + AHEAD) {
            Some(ahead) if chunks.len() > 1024 => {
                whole(key, y_lanes, chunk, |at| prefetch(&ahead.as_chunks().0[at]))
            }
            _ => whole(key, y_lanes, chunk, |_| ()),
        };
        y = fold(reduce(from_three(sums)));
    }
    y
}

/// The products of a whole chunk. `meanwhile` is called with the index of each 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn whole(key: &Key, y: __m512i, chunk: &[u8; CHUNK], meanwhile: impl Fn(usize)) -> Sums {
    let mut sums = [_mm512_setzero_si512(); 3];
    let mut groups = chunk.as_chunks().0.iter().zip(key.powers_from(MOST)).enumerate();
    let first = groups.next();
    for (i, (group, powers)) in groups {
        meanwhile(2 * i);
        meanwhile(2 * i + 1);
        let (x, w) = both(group);
        sums = plus(sums, x, w, &powers);
    }
    if let Some((_, (group, powers))) = first {
        meanwhile(0);
        meanwhile(1);
        let (x, w) = both(group);
        sums = plus(sums, _mm512_xor_si512(x, y), w, &powers);
    }
    sums
}

/// The hash of a message, given its last chunk, as four partial sums, one in each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn finish_lanes(key: &Key, mut y: __m512i, last: &[u8], bits: u64) -> __m512i {
    let mut sums = [_mm512_setzero_si512(); 3];
    let mut powers = key.powers_from(last.len().div_ceil(16) + 1);
    let (groups, rest) = last.as_chunks();
    for (group, powers) in groups.iter().zip(&mut powers) {
        let (x, w) = both(group);
        sums = plus(sums, _mm512_xor_si512(x, y), w, &powers);
        y = _mm512_setzero_si512();
    }
    if !rest.is_empty()
        && let Some(powers) = powers.next()
    {
        let (x, w) = rest.split_at(rest.len().min(GROUP / 2));
        let x = _mm512_xor_si512(load_short(x), y);
        sums = plus(sums, x, load_short(w), &powers);
    }
    reduce(plus_length(key, from_three(sums), bits))
}

/// The three sums of products of Karatsuba's method, in four lanes.
type Sums = [__m512i; 3];

/// Adds the products of a group.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
fn plus([low, high, crossed]: Sums, x: __m512i, w: __m512i, powers: &Powers) -> Sums {
    let (of_blocks, _) = powers.powers.as_chunks();
    let (of_x, of_w) = (load_64(&of_blocks[0]), load_64(&of_blocks[1]));
    let halves = _mm512_xor_si512(_mm512_unpacklo_epi64(x, w), _mm512_unpackhi_epi64(x, w));
    let of_halves = load_64(powers.sums);
    let plus = |sum, a, b| _mm512_xor_si512(_mm512_xor_si512(a, b), sum);
    [
        plus(
            low,
            _mm512_clmulepi64_epi128::<0x00>(x, of_x),
            _mm512_clmulepi64_epi128::<0x00>(w, of_w),
        ),
        plus(
            high,
            _mm512_clmulepi64_epi128::<0x11>(x, of_x),
            _mm512_clmulepi64_epi128::<0x11>(w, of_w),
        ),
        plus(
            crossed,
            _mm512_clmulepi64_epi128::<0x00>(halves, of_halves),
            _mm512_clmulepi64_epi128::<0x11>(halves, of_halves),
        ),
    ]
}

/// The two registers of a group.
#[inline]
#[target_feature(enable = "avx512f")]
fn both(group: &[u8; GROUP]) -> (__m512i, __m512i) {
    let (parts, _) = group.as_chunks();
    (load_64(&parts[0]), load_64(&parts[1]))
}

/// Adds the length block times H to the lowest lane. The lower half of that block is zero.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,pclmulqdq,vpclmulqdq")]
fn plus_length(key: &Key, wide: Wide, bits: u64) -> Wide {
    let (length, h) = (_mm_cvtsi64_si128(bits as i64), load(key.h()));
    let middle = _mm512_zextsi128_si512(_mm_clmulepi64_si128::<0x00>(length, h));
    let high = _mm512_zextsi128_si512(_mm_clmulepi64_si128::<0x10>(length, h));
    Wide {
        low: wide.low,
        middle: _mm512_xor_si512(wide.middle, middle),
        high: _mm512_xor_si512(wide.high, high),
    }
}

/// The hashes of four messages of at most 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn hash_of_4_short(key: &Key, messages: &[&[u8]; 4]) -> __m512i {
    let zero = _mm512_setzero_si512();
    let (mut low, mut middle, mut high) = ([zero; 4], [zero; 4], [zero; 4]);
    for i in 0..4 {
        Wide { low: low[i], middle: middle[i], high: high[i] } = products(key, messages[i]);
    }
    let wide = Wide { low: fold4(low), middle: fold4(middle), high: fold4(high) };
    reduce(plus_lengths(key, wide, messages))
}

/// The hashes of four messages of at most 16 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn hash_of_4_in_lanes(key: &Key, messages: &[&[u8]; 4]) -> __m512i {
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| load_short_16(messages[i]));
    let x = four(a, b, c, d);
    let power = _mm512_broadcast_i32x4(load(key.power(2)));
    reduce(plus_lengths(key, product(x, power), messages))
}

/// Adds the length blocks of four messages times H, one in each lane.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
fn plus_lengths(key: &Key, wide: Wide, messages: &[&[u8]; 4]) -> Wide {
    let [s, t, u, v] = [0, 1, 2, 3].map(|i| 8 * messages[i].len() as i64);
    let lengths = _mm512_setr_epi64(s, 0, t, 0, u, 0, v, 0);
    let h = _mm512_broadcast_i32x4(load(key.h()));
    let (middle, high) = (
        _mm512_clmulepi64_epi128::<0x00>(lengths, h),
        _mm512_clmulepi64_epi128::<0x10>(lengths, h),
    );
    Wide {
        low: wide.low,
        middle: _mm512_xor_si512(wide.middle, middle),
        high: _mm512_xor_si512(wide.high, high),
    }
}

/// H^n and the three powers below it.
#[inline]
#[target_feature(enable = "avx512f")]
fn four_powers(key: &Key, n: usize) -> __m512i {
    debug_assert!(n <= 5);
    let (last, _) = key.powers[super::FIRST + MOST - 5..].as_flattened().split_at(16 * 9);
    load_64(last[16 * (5 - n.min(5))..].first_chunk().expect("nine powers and zeroes"))
}
