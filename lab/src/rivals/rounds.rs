//! MACs made of AES rounds that no crate has: HiAE with one, two and four lanes, and LeMac, each in the instructions of
//! the class that its authors measure it in.
//!
//! HiAE as a MAC is that of draft-pham-cfrg-hiae-06. The draft has one lane; more lanes are those of its authors'
//! zig-hiae. LeMac is that of ToSC 2024 with its corrigendum.
#![allow(unsafe_code, reason = "instructions of the machine")]

use super::definitions;
use crate::class::Class;
use crate::engine::{Engine, Group};
use crate::timing::rounds::number;
use std::arch::x86_64::*;
use wegman_reference::aes::Aes;

/// Makes an engine under a key and a nonce.
type Make = fn(&[u8], &[u8; 16]) -> Engine;

/// One of them if this machine has its instructions: HiAE under one nonce, LeMac under this one and those that follow.
pub fn engine(name: &str, key: &[u8], nonce: &[u8; 16]) -> Option<Engine> {
    let (class, make): (_, Make) = match name {
        "LeMac" => (Class::Avx2, lemac),
        "HiAE" => (Class::Avx2, hiae_1::engine),
        "HiAEx2" => (Class::Vaes256, hiae_2::engine),
        "HiAEx4" => (Class::Avx512, hiae_4::engine),
        _ => return None,
    };
    class.is_here().then(|| make(key, nonce).within(class))
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
        $function:ident, $vector:ty, $lanes:literal, $name:literal, $features:literal,
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

            /// A block in each lane.
            #[target_feature(enable = $features)]
            fn in_lanes(block: impl Fn(usize) -> [u8; 16]) -> $vector {
                let blocks: [[u8; 16]; $lanes] = std::array::from_fn(block);
                load(blocks.as_flattened().first_chunk().expect("as many"))
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
                let start = |lane| definitions::hiae_start([lane, $lanes], key, nonce);
                let mut s = std::array::from_fn(|i| in_lanes(|lane| start(lane)[i]));
                let [k0, k1] = [0, 16].map(|at| *key[at..].first_chunk().expect("32 bytes"));
                diffuse(&mut s, [in_lanes(|_| k0), in_lanes(|_| k1)]);
                s
            }

            /// Diffuses these numbers, and returns the xor of the state's blocks, lane by lane.
            #[target_feature(enable = $features)]
            fn end(s: &mut [$vector; 16], low: u128, high: u128) -> Blocks {
                let t = in_lanes(|_| (high << 64 | low).to_le_bytes());
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
                    for (i, sum) in lanes.as_chunks().0[1..].iter().enumerate() {
                        update(&mut s, i, in_lanes(|lane| if lane == 0 { *sum } else { [0; 16] }));
                    }
                    s.rotate_left($lanes - 1);
                    lanes = end(&mut s, $lanes, 128);
                }
                number(&lanes[..16])
            }

            /// Under one key and one nonce: the keyed state is copied.
            pub(super) fn engine(key: &[u8], nonce: &[u8; 16]) -> Engine {
                let (key, nonce) = (*key.first_chunk().expect("32 bytes"), *nonce);
                // SAFETY: the function above makes only those that the machine has the instructions for, here and below.
                let state = unsafe { start(&key, &nonce) };
                Engine::new(
                    Group::NoNonce,
                    [$name, "auto", "draft-pham-cfrg-hiae"],
                    move |_, message| {
                        // SAFETY: as above.
                        unsafe { tag(&state, message) }
                    },
                )
                .checked_by(move |_, message| definitions::hiae($lanes, &key, &nonce, message))
            }
        }
    };
}

hiae! {
    hiae_1, __m128i, 1, "HiAE", "aes,avx2",
    _mm_loadu_si128, _mm_storeu_si128, _mm_xor_si128, _mm_aesenc_si128
}
hiae! {
    hiae_2, __m256i, 2, "HiAEx2", "aes,avx2,vaes",
    _mm256_loadu_si256, _mm256_storeu_si256, _mm256_xor_si256, _mm256_aesenc_epi128
}
hiae! {
    hiae_4, __m512i, 4, "HiAEx4", "aes,avx512f,vaes",
    _mm512_loadu_si512, _mm512_storeu_si512, _mm512_xor_si512, _mm512_aesenc_epi128
}

/// The keys of LeMac: its first state, its last keys, and the two ciphers around them.
struct LeMac {
    start: [__m128i; 9],
    ends: [__m128i; 18],
    nonce: [__m128i; 11],
    tag: [__m128i; 11],
}

impl LeMac {
    #[target_feature(enable = "aes,avx2")]
    fn new(key: &[u8; 16]) -> LeMac {
        // SAFETY: it is a block.
        let load = |block: &[u8; 16]| unsafe { _mm_loadu_si128(block.as_ptr().cast()) };
        let subkeys = definitions::lemac_keys(key);
        let round_keys = |i: usize| {
            let keys = Aes::new(&subkeys[i]).round_keys();
            std::array::from_fn(|round| load(&keys[round]))
        };
        LeMac {
            start: std::array::from_fn(|i| load(&subkeys[i])),
            ends: std::array::from_fn(|i| load(&subkeys[9 + i])),
            nonce: round_keys(27),
            tag: round_keys(28),
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

fn lemac(key: &[u8], nonce: &[u8; 16]) -> Engine {
    let (key, first) = (*key.first_chunk().expect("16 bytes"), u128::from_le_bytes(*nonce));
    let nonce = move |count| (first + u128::from(count)).to_le_bytes();
    // SAFETY: as above.
    let keys = unsafe { LeMac::new(&key) };
    Engine::new(Group::LongNonce, ["LeMac", "auto", "ToSC 2024"], move |count, message| {
        // SAFETY: as above.
        unsafe { keys.tag(&nonce(count), message) }
    })
    .checked_by(move |count, message| definitions::lemac(&key, &nonce(count), message))
}
