//! Rows of Carter (docs/carter.md) on x86: carry-less products and AES in registers of one, two and four lanes. kernel.rs
//! is their loop.
#![allow(unsafe_code)]

use crate::kernel::{self, FAR, Registers, SHORT, end_of};
use crate::key::{BLOCK, GROUP, Key};
use crate::lanes::{Lanes, Pairs, Parts, Single};
use core::arch::x86_64::*;
use core::hint::black_box;
use wegman::cipher::Block;
use wegman::hazmat::buffer::slide;
use wegman::hazmat::pads::{Blocks, four_blocks, two_blocks};
use wegman::hazmat::simd::{load128, load256, load512, operations, store128, store256, store512};

// Only functions with a row's features make its value.
/// Registers of 128 bits.
#[derive(Clone, Copy)]
pub struct Pclmul(());
/// Registers of 256 bits.
#[derive(Clone, Copy)]
pub struct Vpclmul(());
/// Registers of 512 bits.
#[derive(Clone, Copy)]
pub struct Avx512(());

#[inline]
#[target_feature(enable = "avx2")]
fn beside(a: __m128i, b: __m128i) -> __m256i {
    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn lanes(both: __m256i) -> [__m128i; 2] {
    [_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both)]
}

/// How a row is made, and what differs between rows only in the names of instructions.
macro_rules! lanes {
    ($isa:ty, $features:literal, $width:literal, $register:ty: $load:ident, $store:ident, $zero:ident, $words:ident, $xor:ident,
     $clmul:ident, $swap:ident, $low:ident, $high:ident, $shuffle:ident, $aesenc:ident, $aesenclast:ident; $($more:tt)*) => {
        impl $isa {
            const FEATURES: &str = $features;

            /// A value for functions that enable the row's features.
            ///
            /// # Safety
            /// The machine has these features.
            #[target_feature(enable = $features)]
            #[inline]
            #[must_use]
            pub fn new() -> Self {
                Self(())
            }

            operations! { $features:
                fn round(state: $register, key: $register) -> $register { $aesenc(state, key) }
                fn last_round(state: $register, key: $register) -> $register {
                    $aesenclast(state, key)
                }
            }
        }

        impl Lanes for $isa {
            type Register = $register;
            type One = __m128i;
            type Single = Pclmul;
            type Eight = [$register; 8 / $width];
            const WIDTH: usize = $width;

            #[inline(always)]
            fn encrypt<const ROUNDS: usize>(self, rounds: &[Block; 15], states: &mut [$register]) {
                let first = self.spread(&rounds[0]);
                for state in &mut *states {
                    *state = self.xor(*state, first);
                }
                for round in &rounds[1..ROUNDS] {
                    let round = self.spread(round);
                    for state in &mut *states {
                        *state = self.round(*state, round);
                    }
                }
                let last = self.spread(&rounds[ROUNDS]);
                for state in states {
                    *state = self.last_round(*state, last);
                }
            }

            operations! { $features:
                fn single() -> Pclmul { Pclmul::new() } // every row has its features
                fn eight() -> [$register; 8 / $width] { [$zero(); 8 / $width] }
                fn zero() -> $register { $zero() }
                fn load(bytes: &[u8]) -> $register {
                    $load(bytes.first_chunk::<{ 16 * $width }>().expect("a register"))
                }
                fn store(blocks: &mut [Block], register: $register) -> () {
                    $store(blocks.first_chunk_mut::<$width>().expect("a register"), register)
                }
                fn words(word: u64) -> $register { $words(word as i64) }
                fn xor(a: $register, b: $register) -> $register { $xor(a, b) }
                fn lower(a: $register, b: $register) -> $register { $clmul::<0x00>(a, b) }
                fn upper(a: $register, b: $register) -> $register { $clmul::<0x11>(a, b) }
                fn crossed(a: $register, b: $register) -> $register {
                    $xor($clmul::<0x01>(a, b), $clmul::<0x10>(a, b))
                }
                fn of_halves(number: $register) -> $register { $clmul::<0x01>(number, number) }
                fn apart(numbers: [$register; 2]) -> [$register; 2] { numbers }
                fn of_two(numbers: [$register; 2]) -> $register {
                    let [a, b] = numbers;
                    $xor($clmul::<0x01>(a, a), $clmul::<0x01>(b, b))
                }
                fn swapped(number: $register) -> $register { $swap::<0x4e>(number) }
                fn sums_of_halves(a: $register, b: $register) -> $register {
                    $xor($low(a, b), $high(a, b))
                }
                fn shuffle(bytes: $register, order: $register) -> $register {
                    $shuffle(bytes, order)
                }
                fn prefetch(line: &[u8; 64]) -> () {
                    #[allow(unused_unsafe)] // newer compilers call it safe
                    // SAFETY: the instruction has no effect that the program can see, whatever the address. The other
                    // hints were slower from memory, also the one for all caches.
                    unsafe {
                        _mm_prefetch::<_MM_HINT_T2>(line.as_ptr().cast());
                    };
                }
                $($more)*
            }
        }
    };
}

lanes! {
    Pclmul, "sse2,ssse3,aes,pclmulqdq", 1, __m128i:
    load128, store128, _mm_setzero_si128, _mm_set1_epi64x, _mm_xor_si128,
    _mm_clmulepi64_si128, _mm_shuffle_epi32, _mm_unpacklo_epi64, _mm_unpackhi_epi64,
    _mm_shuffle_epi8, _mm_aesenc_si128, _mm_aesenclast_si128;
    fn spread(block: &Block) -> __m128i { load128(block) }
    fn join(numbers: &[__m128i]) -> __m128i { numbers[0] }
    fn alone(number: __m128i) -> __m128i { number }
    fn sum_of_lanes(register: __m128i) -> __m128i { register }
    fn across(registers: &[__m128i]) -> __m128i { registers[0] }
    fn nonces(blocks: &Blocks, from: usize) -> __m128i {
        let (block, _) = blocks.after(from, 16).next(16);
        _mm_set_epi64x((block >> 64) as i64, block as i64)
    }
}

lanes! {
    Vpclmul, "avx2,bmi2,aes,vaes,pclmulqdq,vpclmulqdq", 2, __m256i:
    load256, store256, _mm256_setzero_si256, _mm256_set1_epi64x,
    _mm256_xor_si256, _mm256_clmulepi64_epi128, _mm256_shuffle_epi32, _mm256_unpacklo_epi64,
    _mm256_unpackhi_epi64, _mm256_shuffle_epi8, _mm256_aesenc_epi128, _mm256_aesenclast_epi128;
    fn spread(block: &Block) -> __m256i { _mm256_broadcastsi128_si256(load128(block)) }
    fn join(numbers: &[__m128i]) -> __m256i { beside(numbers[0], numbers[1]) }
    fn alone(number: __m128i) -> __m256i { _mm256_zextsi128_si256(number) }
    fn sum_of_lanes(register: __m256i) -> __m128i {
        let [low, high] = lanes(register);
        _mm_xor_si128(low, high)
    }
    fn across(registers: &[__m256i]) -> __m256i {
        let (one, other) = (registers[0], registers[1]);
        let low = beside(_mm256_castsi256_si128(one), _mm256_castsi256_si128(other));
        _mm256_xor_si256(low, _mm256_permute2x128_si256::<0x31>(one, other))
    }
    fn nonces(blocks: &Blocks, from: usize) -> __m256i { two_blocks(blocks, from as i64) }
}

lanes! {
    Avx512, "sse2,avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq", 4, __m512i:
    load512, store512, _mm512_setzero_si512, _mm512_set1_epi64,
    _mm512_xor_si512, _mm512_clmulepi64_epi128, _mm512_shuffle_epi32, _mm512_unpacklo_epi64,
    _mm512_unpackhi_epi64, _mm512_shuffle_epi8, _mm512_aesenc_epi128, _mm512_aesenclast_epi128;
    fn spread(block: &Block) -> __m512i { _mm512_broadcast_i32x4(load128(block)) }
    fn join(numbers: &[__m128i]) -> __m512i {
        let lower = _mm512_castsi256_si512(beside(numbers[0], numbers[1]));
        _mm512_inserti64x4::<1>(lower, beside(numbers[2], numbers[3]))
    }
    fn alone(number: __m128i) -> __m512i { _mm512_zextsi128_si512(number) }
    fn sum_of_lanes(register: __m512i) -> __m128i {
        let upper = _mm512_extracti64x4_epi64::<1>(register);
        let [low, high] = lanes(_mm256_xor_si256(_mm512_castsi512_si256(register), upper));
        _mm_xor_si128(low, high)
    }
    fn across(registers: &[__m512i]) -> __m512i {
        let (a, b, c, d) = (registers[0], registers[1], registers[2], registers[3]);
        let t = _mm512_shuffle_i64x2::<0x44>(a, b);
        let t = _mm512_xor_si512(t, _mm512_shuffle_i64x2::<0xee>(a, b));
        let u = _mm512_shuffle_i64x2::<0x44>(c, d);
        let u = _mm512_xor_si512(u, _mm512_shuffle_i64x2::<0xee>(c, d));
        let even = _mm512_shuffle_i64x2::<0x88>(t, u);
        _mm512_xor_si512(even, _mm512_shuffle_i64x2::<0xdd>(t, u))
    }
    fn nonces(blocks: &Blocks, from: usize) -> __m512i { four_blocks(blocks, from as i64) }
    fn load_some(bytes: &[u8]) -> __m512i {
        debug_assert!(bytes.len() <= 64);
        let mask = _bzhi_u64(!0, bytes.len() as u32);
        // SAFETY: bytes outside the mask are not read, and the mask has at most one bit for each of `bytes`,
        // whatever their length.
        unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
    }
}

impl Single for Pclmul {
    operations! { "sse2":
        fn halves(low: u64, high: u64) -> __m128i { _mm_set_epi64x(high as i64, low as i64) }
        fn number(number: __m128i) -> u128 {
            let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(number, number)) as u64;
            u128::from(high) << 64 | u128::from(_mm_cvtsi128_si64(number) as u64)
        }
    }
}

impl Pairs for Pclmul {
    type Spread = __m128i;
    type Both = [__m128i; 2];

    operations! { "sse2,ssse3,pclmulqdq":
        fn nothing() -> [__m128i; 2] { [_mm_setzero_si128(); 2] }
        fn part(block: &Block) -> __m128i { load128(block) }
        fn part_from(from: usize, block: &Block) -> __m128i {
            _mm_shuffle_epi8(load128(block), load128(slide(from)))
        }
        fn part_of(number: u128) -> __m128i {
            _mm_set_epi64x((number >> 64) as i64, number as i64)
        }
        fn with_two(part: __m128i, keys: &[Block; 2]) -> [__m128i; 2] {
            let (x, z) = (_mm_xor_si128(part, load128(&keys[0])), _mm_xor_si128(part, load128(&keys[1])));
            [_mm_clmulepi64_si128::<0x01>(x, x), _mm_clmulepi64_si128::<0x01>(z, z)]
        }
        fn of_word(word: u64, numbers: &[Block; 2]) -> [__m128i; 2] {
            let word = _mm_cvtsi64_si128(word as i64);
            let (a, b) = (load128(&numbers[0]), load128(&numbers[1]));
            [_mm_clmulepi64_si128::<0x00>(word, a), _mm_clmulepi64_si128::<0x00>(word, b)]
        }
        fn plus(a: [__m128i; 2], b: [__m128i; 2]) -> [__m128i; 2] {
            [_mm_xor_si128(a[0], b[0]), _mm_xor_si128(a[1], b[1])]
        }
        fn both(both: [__m128i; 2]) -> [__m128i; 2] { both }
    }
}

/// One key in each lane: one product makes both numbers.
impl Pairs for Vpclmul {
    type Spread = __m256i;
    type Both = __m256i;

    operations! { "avx2,vpclmulqdq":
        fn nothing() -> __m256i { _mm256_setzero_si256() }
        fn part(block: &Block) -> __m256i { _mm256_broadcastsi128_si256(load128(block)) }
        fn part_from(from: usize, block: &Block) -> __m256i {
            let order = _mm256_broadcastsi128_si256(load128(slide(from)));
            _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(load128(block)), order)
        }
        fn part_of(number: u128) -> __m256i {
            let part = _mm_set_epi64x((number >> 64) as i64, number as i64);
            _mm256_broadcastsi128_si256(part)
        }
        fn with_two(part: __m256i, keys: &[Block; 2]) -> __m256i {
            let keys = load256(keys);
            let sums = _mm256_xor_si256(part, keys);
            _mm256_clmulepi64_epi128::<0x01>(sums, sums)
        }
        fn of_word(word: u64, numbers: &[Block; 2]) -> __m256i {
            let numbers = load256(numbers);
            _mm256_clmulepi64_epi128::<0x00>(_mm256_set1_epi64x(word as i64), numbers)
        }
        fn plus(a: __m256i, b: __m256i) -> __m256i { _mm256_xor_si256(a, b) }
        fn both(both: __m256i) -> [__m128i; 2] { lanes(both) }
    }
}

impl Registers for Pclmul {
    type Pairs = Self;
    // Messages side by side take as long as one by one: products limit both.
    const EIGHT: bool = false;

    #[inline(always)]
    fn pairs(self) -> Self {
        self
    }
}

impl Registers for Vpclmul {
    type Pairs = Self;
    const PREFETCH: usize = 6;
    const TWICE: bool = false;

    #[inline(always)]
    fn pairs(self) -> Self {
        self
    }
}

impl Registers for Avx512 {
    type Pairs = Vpclmul;
    const ALIKE: bool = true;

    /// From memory the kernel in 256-bit registers has more reads under way at a time, and reads a quarter more in a
    /// second.
    #[inline(always)]
    fn absorb(self, key: &Key, y: __m512i, blocks: &[[u8; BLOCK]]) -> __m512i {
        if blocks.len() > FAR {
            return self.absorb_far(key, y, blocks);
        }
        kernel::absorb_blocks(self, key, y, blocks)
    }

    operations! { "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq":
        fn pairs() -> Vpclmul { Vpclmul::new() }
        /// The x of all four pairs are multiplied, two in a register of 256 bits: beside 512 bits a third of the vector
        /// units would rest. No branch: the lengths of packets can't be predicted.
        fn short(key: &Key, last: &[u8], length: u64) -> Parts<__m128i> {
            let isa = Vpclmul::new();
            let (keys, _) = key.k.as_chunks();
            let two = |bytes: __m256i, i: usize| {
                let x = _mm256_xor_si256(bytes, load256::<[u8; 32]>(&keys[i]));
                let z = _mm256_xor_si256(x, load256(&keys[2 + i]));
                (isa.of_halves(x), isa.of_halves(z))
            };
            let [first, second] = [load_short_32(last, 0), load_short_32(last, 32)];
            let ((a, c), (d, f)) = (two(first, 0), two(second, 1));
            let (a, c) = (_mm256_xor_si256(a, d), _mm256_xor_si256(c, f));
            // A in the lower lane, C in the upper one.
            let straight = _mm256_blend_epi32::<0xf0>(a, c);
            let crossed = _mm256_permute2x128_si256::<0x21>(a, c);
            let a_and_c = _mm256_xor_si256(straight, crossed);
            let [low_all, middle_all] =
                lanes(_mm256_xor_si256(a_and_c, isa.of_word(length, &key.halves_of_length)));
            let pairs = last.len().div_ceil(16).min(4);
            let [low, middle] = &key.of_missing[pairs];
            let a_and_middle = _mm_xor_si128(_mm256_castsi256_si128(a_and_c), load128(middle));
            Parts {
                low: _mm_xor_si128(low_all, load128(low)),
                middle: _mm_xor_si128(middle_all, a_and_middle),
                high: load128(&key.of_zero[pairs]),
            }
        }
        /// Under masks: pairs that are missing count nothing.
        fn rest(sums: [__m512i; 3], keys: &[u8; GROUP], x: &[u8], bytes: &[u8], at: usize) -> [__m512i; 3] {
            let y = &bytes[at.min(bytes.len())..];
            let pairs = _bzhi_u32(0xff, 2 * x.len().div_ceil(16) as u32) as __mmask8;
            let isa = Avx512(());
            let (of_x, of_y) = keys.split_at(SHORT);
            let x = _mm512_maskz_xor_epi64(pairs, isa.load_some(x), isa.load(of_x));
            let y = _mm512_maskz_xor_epi64(pairs, isa.load_some(y), isa.load(of_y));
            kernel::plus_pair(isa, sums, x, y)
        }
    }

    #[inline(always)]
    fn short4(self, key: &Key, messages: &[&[u8]]) -> __m512i {
        // Hidden from the compiler, which would gather the lengths: that takes as long as two messages.
        let [m, n, o, p] = *messages.first_chunk().expect("four messages");
        let messages = [black_box(m), black_box(n), black_box(o), black_box(p)];
        let (of_x, of_y) = (self.load(&key.k), self.load(&key.k[SHORT..]));
        let (mut a, mut c) = ([self.zero(); 4], [self.zero(); 4]);
        let mut b = [self.single().zero(); 4];
        for i in 0..4 {
            assert!(messages[i].len() <= SHORT, "at most 64 bytes each");
            let [x, z] = self.keyed(messages[i], of_x, of_y);
            (a[i], c[i]) = (self.of_halves(x), self.of_halves(z));
            b[i] = self.single().spread(&key.of_zero[messages[i].len().div_ceil(16).min(4)]);
        }
        let sums = [self.across(&a), self.join(&b), self.across(&c)];
        self.finish4(key, self.lengths(&messages), sums)
    }

    /// Block after block of all four, one in each lane.
    #[inline(always)]
    fn alike4(self, key: &Key, messages: &[&[u8]], (shortest, longest): (usize, usize)) -> __m512i {
        let messages: &[&[u8]; 4] = messages.first_chunk().expect("four messages");
        let before = (longest.div_ceil(16) - 1).min(3);
        let (keys, [last, ..]) = key.of_pairs.split_at(before) else {
            unreachable!("1 to 4 pairs")
        };
        let mut sums = [self.zero(); 2];
        for (j, keys) in keys.iter().enumerate() {
            sums = self.plus_two(sums, self.blocks(messages, 16 * j), keys);
        }
        let [m, n, o, p] = *messages;
        // Messages of one length share the order that moves their ends, and the length.
        let behind = 16 * (before + 1);
        let (order, lengths) = if shortest == longest {
            let order = slide(behind.saturating_sub(longest));
            (self.spread(order), self.words(longest as u64))
        } else {
            let (m, n) = (behind.saturating_sub(m.len()), behind.saturating_sub(n.len()));
            let (o, p) = (behind.saturating_sub(o.len()), behind.saturating_sub(p.len()));
            (self.four([slide(m), slide(n), slide(o), slide(p)]), self.lengths(messages))
        };
        let ends = if shortest < 16 {
            self.join(&messages.map(|message| self.load_short_16(message)))
        } else {
            self.shuffle(self.four([end_of(m), end_of(n), end_of(o), end_of(p)]), order)
        };
        let [a, c] = self.plus_two(sums, ends, last);
        self.finish4(key, lengths, [a, self.spread(&key.of_zero[before + 1]), c])
    }
}

impl Avx512 {
    operations! { "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq":
        fn absorb_far(key: &Key, y: __m512i, blocks: &[[u8; BLOCK]]) -> __m512i {
            #[inline(never)]
            #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
            fn absorb_far(key: &Key, y: __m512i, blocks: &[[u8; BLOCK]]) -> __m512i {
                let upper = _mm512_extracti64x4_epi64::<1>(y);
                let two = _mm256_xor_si256(_mm512_castsi512_si256(y), upper);
                _mm512_zextsi256_si512(kernel::absorb_blocks(Vpclmul(()), key, two, blocks))
            }
            absorb_far(key, y, blocks)
        }
        /// At most 16 bytes, with zeroes after them.
        pub fn load_short_16(bytes: &[u8]) -> __m128i {
            debug_assert!(bytes.len() <= 16);
            _mm256_castsi256_si128(load_short_32(bytes, 0))
        }
        /// The x of at most 64 bytes, and their sums with y, with keys and under masks: pairs that are missing count
        /// nothing.
        fn keyed(message: &[u8], of_x: __m512i, of_y: __m512i) -> [__m512i; 2] {
            let pairs = _bzhi_u32(0xff, 2 * message.len().div_ceil(16) as u32) as __mmask8;
            let x = _mm512_maskz_xor_epi64(pairs, Avx512(()).load_some(message), of_x);
            [x, _mm512_maskz_xor_epi64(pairs, x, of_y)]
        }
        /// The products of lengths with the halves of their key.
        fn of_lengths(lengths: __m512i, key: __m512i) -> [__m512i; 2] {
            [
                _mm512_clmulepi64_epi128::<0x00>(lengths, key),
                _mm512_clmulepi64_epi128::<0x10>(lengths, key),
            ]
        }
        /// The lengths of four messages, in the lower halves of the lanes.
        fn lengths(messages: &[&[u8]; 4]) -> __m512i {
            let [s, t, u, v] = [0, 1, 2, 3].map(|i| messages[i].len() as i64);
            _mm512_setr_epi64(s, 0, t, 0, u, 0, v, 0)
        }
        fn four(blocks: [&Block; 4]) -> __m512i {
            let [a, b, c, d] = blocks;
            Avx512(()).join(&[load128(a), load128(b), load128(c), load128(d)])
        }
        /// The block at `at` of each message.
        fn blocks(messages: &[&[u8]; 4], at: usize) -> __m512i {
            let shortest =
                messages.iter().fold(usize::MAX, |shortest, message| shortest.min(message.len()));
            assert!(at + 16 <= shortest, "a whole block of each");
            let block = |i: usize| {
                // SAFETY: 16 bytes are read at `at`, by the line above.
                unsafe { _mm_loadu_si128(messages[i].as_ptr().add(at).cast()) }
            };
            Avx512(()).join(&[block(0), block(1), block(2), block(3)])
        }
    }

    /// Adds the products of a block of each message with two keys.
    #[inline(always)]
    fn plus_two(self, [a, c]: [__m512i; 2], bytes: __m512i, [x, z]: &[Block; 2]) -> [__m512i; 2] {
        let (x, z) = (self.xor(bytes, self.spread(x)), self.xor(bytes, self.spread(z)));
        [self.xor(a, self.of_halves(x)), self.xor(c, self.of_halves(z))]
    }

    /// The hashes of four messages of at most 64 bytes from their sums of products. Their lengths are in the lower
    /// halves of the lanes.
    #[inline(always)]
    fn finish4(self, key: &Key, lengths: __m512i, sums: [__m512i; 3]) -> __m512i {
        let Parts { low, middle, high } = self.of_three(sums);
        let [of_low, of_high] = self.of_lengths(lengths, self.spread(&key.length));
        self.reduce(Parts { low: self.xor(low, of_low), middle: self.xor(middle, of_high), high })
    }
}

/// Of at most 64 bytes, those from number `from` on that fit, with zeroes after them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn load_short_32(bytes: &[u8], from: usize) -> __m256i {
    debug_assert!(bytes.len() <= 64);
    let mask = (_bzhi_u64(!0, bytes.len() as u32) >> from) as u32;
    // SAFETY: as in `load_some`, of which this is a part.
    unsafe { _mm256_maskz_loadu_epi8(mask, bytes.as_ptr().wrapping_add(from).cast()) }
}
