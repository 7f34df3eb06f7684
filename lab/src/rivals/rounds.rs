//! MACs made of AES rounds that no crate has: HiAE with one, two and four lanes, and LeMac, each in the instructions of
//! the class that its authors measure it in.
//!
//! HiAE as a MAC is that of draft-pham-cfrg-hiae-06. The draft has one lane; more lanes are those of its authors'
//! zig-hiae. LeMac is that of ToSC 2024 with its corrigendum.
#![allow(unsafe_code, reason = "instructions of the machine")]

use super::crates::hex;
use super::definitions;
use crate::class::Class;
use crate::engine::{Engine, Group, KEY};
use crate::timing::number::number;
use crate::timing::ours::SECRET;
use aes::Aes128Enc;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use std::arch::x86_64::*;

/// The name of the draft, and of LeMac's paper.
const SOURCES: [&str; 2] = ["draft-pham-cfrg-hiae", "ToSC 2024"];

/// Those that this machine has the instructions for.
pub fn all() -> Vec<Engine> {
    with_keys(SECRET, KEY, |count| u128::from(count).to_le_bytes())
}

/// The same under a key of HiAE, one of LeMac, and nonces of LeMac; the nonce of HiAE is that of number 0.
fn with_keys(
    hiae: &[u8; 32],
    other: &[u8; 16],
    nonce: impl Fn(u64) -> [u8; 16] + Copy + 'static,
) -> Vec<Engine> {
    let vaes = is_x86_feature_detected!("vaes");
    let mut all = Vec::new();
    if is_x86_feature_detected!("avx2") {
        all.extend([hiae_1::engine(hiae, &nonce(0)), lemac(other, nonce)]);
        all.extend(vaes.then(|| hiae_2::engine(hiae, &nonce(0))));
        all.extend(
            (vaes && is_x86_feature_detected!("avx512f")).then(|| hiae_4::engine(hiae, &nonce(0))),
        );
    }
    all
}

/// Sixteen steps with constant numbers: a loop would keep the state in memory.
macro_rules! unrolled {
    (|$i:ident| $step:expr) => {
        unrolled!(|$i| $step; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (|$i:ident| $step:expr; $($number:literal)*) => {{
        $(
            let $i = $number;
            $step;
        )*
    }};
}

/// HiAE with so many lanes: the functions of its vectors, which have a block for each lane.
macro_rules! hiae {
    (
        $function:ident, $vector:ty, $lanes:literal, $name:literal, $class:expr, $features:literal,
        $load:ident, $store:ident, $xor:ident, $round:ident
    ) => {
        mod $function {
            use super::*;

            type Blocks = [u8; 16 * $lanes];

            #[target_feature(enable = $features)]
            fn load(blocks: &Blocks) -> $vector {
                // SAFETY: they are as long as the vector.
                unsafe { $load(blocks.as_ptr().cast()) }
            }

            /// The block in the first lanes, and nothing in the others.
            #[target_feature(enable = $features)]
            fn in_lanes(lanes: usize, block: &[u8]) -> $vector {
                let mut blocks: Blocks = [0; 16 * $lanes];
                let lanes = blocks.chunks_exact_mut(16).take(lanes);
                lanes.for_each(|lane| lane[..block.len()].copy_from_slice(block));
                load(&blocks)
            }

            /// Update of HiAE on a state that is turned by `i` blocks.
            #[target_feature(enable = $features)]
            fn update(s: &mut [$vector; 16], i: usize, x: $vector) {
                let at = |j| (i + j) % 16;
                let t = $round($xor(s[at(0)], s[at(1)]), x);
                s[at(0)] = $round(s[at(13)], t);
                s[at(3)] = $xor(s[at(3)], x);
                s[at(13)] = $xor(s[at(13)], x);
            }

            /// 32 updates.
            #[target_feature(enable = $features)]
            fn diffuse(s: &mut [$vector; 16], x: [$vector; 2]) {
                for _ in 0..2 {
                    unrolled!(|i| update(s, i, x[i % 2]));
                }
            }

            /// Init.
            #[target_feature(enable = $features)]
            fn start(key: &[u8; 32], nonce: &[u8; 16]) -> [$vector; 16] {
                let mut context: Blocks = [0; 16 * $lanes];
                for (lane, block) in context.chunks_exact_mut(16).enumerate() {
                    block[..2].copy_from_slice(&[lane as u8, $lanes - 1]);
                }
                let context = load(&context);
                let mut s = [context; 16];
                for (s, block) in s.iter_mut().zip(definitions::hiae_start(key, nonce)) {
                    *s = $xor(*s, in_lanes($lanes, &block));
                }
                diffuse(&mut s, [in_lanes($lanes, &key[..16]), in_lanes($lanes, &key[16..])]);
                s
            }

            /// Diffuses these numbers, and returns the xor of the state's blocks, lane by lane.
            #[target_feature(enable = $features)]
            fn end(s: &mut [$vector; 16], low: u128, high: u128) -> Blocks {
                let t = in_lanes($lanes, &(high << 64 | low).to_le_bytes());
                diffuse(s, [t, t]);
                let mut sum = s[0];
                for block in &s[1..] {
                    sum = $xor(sum, *block);
                }
                let mut lanes: Blocks = [0; 16 * $lanes];
                // SAFETY: they are as long as the vector.
                unsafe { $store(lanes.as_mut_ptr().cast(), sum) };
                lanes
            }

            /// The message and the tag, from the state after Init.
            #[target_feature(enable = $features)]
            fn tag(s: &[$vector; 16], message: &[u8]) -> u128 {
                let (blocks, part) = message.as_chunks::<{ 16 * $lanes }>();
                let (turns, rest) = blocks.as_chunks::<16>();
                // In registers: below, `s` has an address.
                let mut state = *s;
                for turn in turns {
                    unrolled!(|i| update(&mut state, i, load(&turn[i])));
                }
                let mut s = state;
                let mut last: Blocks = [0; 16 * $lanes];
                last[..part.len()].copy_from_slice(part);
                let turned = rest.len() + usize::from(!part.is_empty());
                for i in 0..16 {
                    if i == turned {
                        break;
                    }
                    update(&mut s, i, load(rest.get(i).unwrap_or(&last)));
                }
                // Sixteen bring the state back to where it was.
                s.rotate_left(turned % 16);
                let bits = 8 * message.len() as u128;
                let mut lanes = end(&mut s, bits, if $lanes == 1 { 0 } else { 128 });
                if $lanes > 1 {
                    for (i, lane) in lanes[16..].chunks_exact(16).enumerate() {
                        update(&mut s, i, in_lanes(1, lane));
                    }
                    s.rotate_left($lanes - 1);
                    lanes = end(&mut s, $lanes, 128);
                }
                number(&lanes[..16])
            }

            /// Under one key and one nonce: the keyed state is copied.
            pub(super) fn engine(key: &[u8; 32], nonce: &[u8; 16]) -> Engine {
                let (key, nonce) = (*key, *nonce);
                // SAFETY: `all` makes only those that the machine has the instructions for, here and below.
                let state = unsafe { start(&key, &nonce) };
                Engine::rival(Group::NoNonce, $name, SOURCES[0], move |_, message| {
                    // SAFETY: as above.
                    unsafe { tag(&state, message) }
                })
                .within($class)
                .checked_by(move |_, message| definitions::hiae($lanes, &key, &nonce, message))
            }
        }
    };
}

hiae! {
    hiae_1, __m128i, 1, "HiAE", Class::Avx2, "aes,avx2",
    _mm_loadu_si128, _mm_storeu_si128, _mm_xor_si128, _mm_aesenc_si128
}
hiae! {
    hiae_2, __m256i, 2, "HiAEx2", Class::Vaes256, "aes,avx2,vaes",
    _mm256_loadu_si256, _mm256_storeu_si256, _mm256_xor_si256, _mm256_aesenc_epi128
}
hiae! {
    hiae_4, __m512i, 4, "HiAEx4", Class::Avx512, "aes,avx512f,vaes",
    _mm512_loadu_si512, _mm512_storeu_si512, _mm512_xor_si512, _mm512_aesenc_epi128
}

/// The keys of LeMac: its first state, its last keys, and the two ciphers around them.
struct LeMac {
    start: [__m128i; 9],
    ends: [__m128i; 18],
    nonce: [__m128i; 11],
    tag: [__m128i; 11],
}

/// The key schedule of AES-128.
#[target_feature(enable = "aes,avx2")]
fn round_keys(mut key: __m128i) -> [__m128i; 11] {
    let mut rcon = 1;
    std::array::from_fn(|i| {
        if i > 0 {
            // All columns are the last one, turned by a byte: ShiftRows does nothing to them.
            let turned = _mm_shuffle_epi8(key, _mm_set1_epi32(0x0c0f_0e0d));
            let word = _mm_aesenclast_si128(turned, _mm_set1_epi32(rcon));
            let key_2 = _mm_xor_si128(key, _mm_slli_si128::<4>(key));
            let key_4 = _mm_xor_si128(key_2, _mm_slli_si128::<8>(key_2));
            key = _mm_xor_si128(key_4, word);
            rcon = if rcon == 0x80 { 0x1b } else { 2 * rcon };
        }
        key
    })
}

impl LeMac {
    #[target_feature(enable = "aes,avx2")]
    fn new(key: &[u8; 16]) -> LeMac {
        let aes = Aes128Enc::new(key.into());
        let subkey = |i: u8| {
            let mut block = [i, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0].into();
            aes.encrypt_block(&mut block);
            // SAFETY: it is a block.
            unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
        };
        LeMac {
            start: std::array::from_fn(|i| subkey(i as u8)),
            ends: std::array::from_fn(|i| subkey(9 + i as u8)),
            nonce: round_keys(subkey(27)),
            tag: round_keys(subkey(28)),
        }
    }

    #[target_feature(enable = "aes,avx2")]
    fn encrypt(keys: &[__m128i; 11], block: __m128i) -> __m128i {
        let first = _mm_xor_si128(block, keys[0]);
        let state = keys[1..10].iter().fold(first, |state, &key| _mm_aesenc_si128(state, key));
        _mm_aesenclast_si128(state, keys[10])
    }

    #[target_feature(enable = "aes,avx2")]
    fn tag(&self, nonce: &[u8; 16], message: &[u8]) -> u128 {
        let zero = _mm_setzero_si128();
        let (mut s, mut r) = (self.start, [zero; 4]);
        let mut absorb = |[m0, m1, m2, m3]: [__m128i; 4]| {
            s = [
                _mm_xor_si128(_mm_xor_si128(s[0], s[8]), m2),
                _mm_aesenc_si128(s[0], m3),
                _mm_aesenc_si128(s[1], m3),
                _mm_aesenc_si128(s[2], _mm_xor_si128(r[2], r[3])),
                _mm_aesenc_si128(s[3], m0),
                _mm_aesenc_si128(s[4], m0),
                _mm_aesenc_si128(s[5], m1),
                _mm_aesenc_si128(s[6], m1),
                _mm_aesenc_si128(s[7], m3),
            ];
            r = [m2, _mm_xor_si128(r[0], m1), r[1], r[2]];
        };
        let load = |blocks: *const u8| {
            // SAFETY: there are 64 bytes.
            std::array::from_fn(|i| unsafe { _mm_loadu_si128(blocks.add(16 * i).cast()) })
        };
        let (blocks, rest) = message.as_chunks::<64>();
        for block in blocks {
            absorb(load(block.as_ptr()));
        }
        let mut last = [0; 64];
        last[..rest.len()].copy_from_slice(rest);
        last[rest.len()] = 1;
        absorb(load(last.as_ptr()));
        for _ in 0..4 {
            absorb([zero; 4]);
        }
        // SAFETY: it is a block.
        let nonce = unsafe { _mm_loadu_si128(nonce.as_ptr().cast()) };
        let mut sum = _mm_xor_si128(nonce, LeMac::encrypt(&self.nonce, nonce));
        for (block, keys) in s.iter().zip(self.ends.windows(10)) {
            let first = _mm_xor_si128(*block, keys[0]);
            let end = keys[1..].iter().fold(first, |end, &key| _mm_aesenc_si128(end, key));
            sum = _mm_xor_si128(sum, _mm_aesenc_si128(end, zero));
        }
        let tag = LeMac::encrypt(&self.tag, sum);
        let mut bytes = [0; 16];
        // SAFETY: there are 16 bytes.
        unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), tag) };
        u128::from_le_bytes(bytes)
    }
}

/// With these nonces.
fn lemac(key: &[u8; 16], nonce: impl Fn(u64) -> [u8; 16] + Copy + 'static) -> Engine {
    let key = *key;
    // SAFETY: `all` makes it only where the machine has the instructions.
    let keys = unsafe { LeMac::new(&key) };
    Engine::rival(Group::LongNonce, "LeMac", SOURCES[1], move |count, message| {
        // SAFETY: as above.
        unsafe { keys.tag(&nonce(count), message) }
    })
    .within(Class::Avx2)
    .checked_by(move |count, message| definitions::lemac(&key, &nonce(count), message))
}

/// Checks them against their authors' tags: the draft's vectors 1 and 3, what zig-hiae prints, and test_vectors.py of
/// LeMac.
pub fn check_published() -> Result<(), String> {
    if !is_x86_feature_detected!("avx2") {
        return Ok(());
    }
    let key = hex("4b7a9c3ef8d2165a0b3e5f8c9d4a7b1e2c5f8a9d3b6e4c7f0a1d2e5b8c9f4a7d");
    let empty = hiae_1::engine(&key, &hex("a5b8c2d9e3f4a7b1c8d5e9f2a3b6c7d8"));
    empty.has_published(0, &[], "a25049aa37deea054de461d10ce7840b", SOURCES[0])?;
    let key = hex("9f3e7d5c4b8a2f1e9d8c7b6a5f4e3d2c1b0a9f8e7d6c5b4a3f2e1d0c9b8a7f6e");
    let two = hiae_1::engine(&key, &hex("3d8c7f2a5b9e4c1f8a6d3b7e5c2f9a4d"));
    let message = hex::<32>("394a5b6c7d8e9fb0c1d2e3f405162738495a6b7c8d9eafc0d1e2f30415263748");
    two.has_published(0, &message, "7e19c04f68f5af633bf67529cfb5e5f4", SOURCES[0])?;

    fn upwards<const N: usize>() -> [u8; N] {
        std::array::from_fn(|i| i as u8)
    }
    let tags = [
        ("HiAEx2", "307fdd44988baf0f193aa7405935c833"),
        ("HiAEx4", "070efa009856406a5a81e584c0d38f4e"),
        ("LeMac", "d58dfdbe8b0224e1d5106ac4d775beef"),
    ];
    let engines = with_keys(&upwards(), &upwards(), |_| upwards());
    engines.iter().try_for_each(|engine| {
        let tag = tags.iter().find(|(name, _)| *name == engine.name);
        tag.map_or(Ok(()), |(_, tag)| {
            engine.has_published(0, &upwards::<65>(), tag, "its authors' code")
        })
    })
}
