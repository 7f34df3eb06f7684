//! Level 2: POLY, from the level-1 words to 128 bits (RFC 4418, section 5.3).
//!
//! ```text
//! up to 2^14 words:  y = POLY(p64,  k64,  words)
//! more:              y = POLY(p128, k128, y || later words in pairs || 0x80 0...)
//!
//! POLY: y = 1;  for each word m:  y = k y + m mod p
//!       but a word at or above the limit stands for two steps, k y + (p - 1) and k y + (m - offset)
//! ```
//!
//! The code departs from this:
//!
//! 1. The two steps are one step with another key: k (k y + p - 1) + m - offset = k^2 y + m - offset - k mod p.
//! 2. Words and accumulators are secret, so masks select the key and the word. The number of words is not secret.
//! 3. An accumulator is [`Lazy`]. Two places need it [`Reduced`]: the end of the message, and the switch from POLY-64 to
//!    POLY-128.
//!
//! | function | where | what |
//! |---|---|---|
//! | `poly64`, `reduce64` | all rows, for streams | a step of POLY-64; below p64. In the oracle, `poly` |
//! | `step64`; `first64` | rows with packets | a step of all streams; the first step of one |
//! | `limb_products` and `plus_word`, `reduce64` | avx512 (umac/packet/avx512.rs) | the last step in limbs |
//! | `poly128`, `reduce128` | all rows: here | the same of POLY-128 |

#[cfg(feature = "parallel")]
mod segment;

#[cfg(feature = "parallel")]
pub(crate) use segment::Segment;

use crate::ct::{mask, wide_mask, wipe};
use crate::umac::MAX_STREAMS;
use crate::umac::kdf::{Edition, Index, Kdf};
use zeroize::{DefaultIsZeroes, Zeroize};

/// How many words POLY-64 hashes: those of 2^14 chunks, 2^24 bytes of message. POLY-128 takes over with the next word.
pub(crate) const WORDS_64: u64 = 1 << 14;

/// Words at or above the limit take two steps.
pub(crate) const LIMIT64: u64 = !0 << 32;
const LIMIT128: u128 = !0 << 96;

const P64: u64 = 59u64.wrapping_neg(); // 2^64 - 59
const P128: u128 = 159u128.wrapping_neg(); // 2^128 - 159

/// Any number of its width that is equal to a value mod p.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct Lazy<N>(pub N);

impl<N: DefaultIsZeroes> DefaultIsZeroes for Lazy<N> {}

/// A number below p; in registers, one in each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Reduced<N>(pub N);

/// A key, with the highest seven of every 32 bits zero (RFC 4418, section 5.3): below 2^57 or 2^121.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub(crate) struct Masked<N>(pub(crate) N);

/// The two keys of a stream and their squares.
#[derive(Clone, Copy, Default)]
pub struct Key {
    k64: Masked<u64>,
    square64: Lazy<u64>,
    k128: Masked<u128>,
    square128: Lazy<u128>,
}

impl Key {
    #[inline(never)] // a proof runs it
    pub(crate) fn derive(keys: &mut [Key], kdf: &Kdf<impl Edition>) {
        let mut bytes = [[0; 24]; MAX_STREAMS];
        kdf.fill(Index::L2, bytes[..keys.len()].as_flattened_mut());
        for (key, bytes) in keys.iter_mut().zip(&bytes) {
            *key = Key::from_bytes(bytes);
        }
        wipe(&mut bytes);
    }

    /// The keys of a stream from their bytes.
    pub fn from_bytes(bytes: &[u8; 24]) -> Key {
        let word = |i: usize| u64::from_be_bytes(bytes.as_chunks().0[i]) & 0x01ff_ffff_01ff_ffff;
        Key::new(Masked(word(0)), Masked(pair(word(1), word(2))))
    }

    pub(crate) fn new(k64: Masked<u64>, k128: Masked<u128>) -> Key {
        debug_assert!(k64.0 < 1 << 57 && k128.0 < 1 << 121);
        let square64 = mul_add64(Lazy(k64.0), Lazy(k64.0), 0);
        let square128 = mul_add128(Lazy(k128.0), Lazy(k128.0), 0);
        Key { k64, square64, k128, square128 }
    }
}

/// What the step of a word of POLY-64 adds, k y + m, if y comes before m: the product of k for most words, and for those
/// at or above the limit k^2 y - k - 59, side by side. In limbs, for multiplications of 52 bits.
#[cfg(target_arch = "x86_64")]
pub(crate) struct InLimbs {
    /// The lower 52 bits of k and of k^2, then their upper 12 bits.
    pub(crate) limbs: [[u64; 2]; 2],
    /// The same of 2^52 k and 2^52 k^2.
    pub(crate) shifted: [[u64; 2]; 2],
    /// 0 and -k - 59.
    pub(crate) added: [Reduced<u64>; 2],
    /// For the first word, for which y is 1: k and k^2 - k - 59.
    pub(crate) first: [Reduced<u64>; 2],
}

#[cfg(target_arch = "x86_64")]
impl Key {
    /// # Bounds
    /// The key is below 2^57, so -k - 59 is p64 less a smaller number. The numbers in limbs are lazy.
    pub(crate) fn in_limbs(&self) -> InLimbs {
        let limbs = |Lazy(number): Lazy<u64>| [number & ((1 << 52) - 1), number >> 52];
        let Masked(k) = self.k64;
        let numbers = [Lazy(k), self.square64];
        let [low, high] = numbers.map(limbs);
        let [low_52, high_52] = numbers.map(|n| limbs(mul_add64(n, Lazy(1 << 52), 0)));
        let minus = P64 - 59 - k;
        InLimbs {
            limbs: [[low[0], high[0]], [low[1], high[1]]],
            shifted: [[low_52[0], high_52[0]], [low_52[1], high_52[1]]],
            added: [Reduced(0), Reduced(minus)],
            first: [Reduced(k), reduce64(mul_add64(Lazy(k), Lazy(k), minus))],
        }
    }
}

impl DefaultIsZeroes for Key {}

/// What level 2 has of a message so far: the accumulators of all streams. It wipes itself.
#[derive(Clone)]
pub(crate) struct State {
    /// The number of words so far, the same in each stream.
    count: u64,
    /// POLY-64. Final once `count` reaches [`WORDS_64`].
    y64: [Lazy<u64>; MAX_STREAMS],
    /// POLY-128. Unused until `count` exceeds [`WORDS_64`].
    y128: [Lazy<u128>; MAX_STREAMS],
    /// The first word of a pair whose second word is still to come.
    first: [u64; MAX_STREAMS],
}

impl State {
    #[inline(always)]
    pub(crate) const fn new() -> State {
        let (y64, y128) = ([Lazy(1); MAX_STREAMS], [Lazy(1); MAX_STREAMS]);
        State { count: 0, y64, y128, first: [0; MAX_STREAMS] }
    }

    /// How many words each stream has taken.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Takes a word of each stream.
    ///
    /// # Bounds
    /// In: any words of 64 bits.
    #[inline(always)] // within kernels a call would save and reload the registers of level 1
    pub(crate) fn absorb_words(&mut self, keys: &[Key; MAX_STREAMS], words: &[u64]) {
        if self.count < WORDS_64 {
            for (t, &word) in words.iter().enumerate() {
                self.y64[t] = poly64(&keys[t], self.y64[t], word);
            }
        } else {
            self.absorb_128(keys, words);
        }
        self.count += 1;
    }

    #[inline(always)]
    fn absorb_128(&mut self, keys: &[Key; MAX_STREAMS], words: &[u64]) {
        if self.count == WORDS_64 {
            // The first word of POLY-128 is the hash of POLY-64, which is below p64.
            for ((y128, &y64), key) in self.y128.iter_mut().zip(&self.y64).zip(keys) {
                *y128 = poly128(key, Lazy(1), reduce64(y64).0.into());
            }
        }
        if self.count.is_multiple_of(2) {
            self.first[..words.len()].copy_from_slice(words);
            return;
        }
        for (t, &word) in words.iter().enumerate() {
            self.y128[t] = poly128(&keys[t], self.y128[t], pair(self.first[t], word));
        }
    }

    /// Whether POLY-64 has hashed all words so far.
    pub(crate) fn is_of_64(&self) -> bool {
        self.count <= WORDS_64
    }

    /// The hashes of POLY-64.
    #[inline]
    pub(crate) fn words_64(&self) -> [Reduced<u64>; MAX_STREAMS] {
        self.y64.map(reduce64)
    }

    /// The level-2 hash of stream `t`.
    ///
    /// # Bounds
    /// Out: below p64 up to [`WORDS_64`] words, by [`reduce64`]; otherwise below p128, by [`reduce128`].
    pub(crate) fn finish(&self, key: &Key, t: usize) -> Reduced<u128> {
        const END: u64 = 0x80 << 56;
        if self.is_of_64() {
            Reduced(reduce64(self.y64[t]).0.into())
        } else if self.count.is_multiple_of(2) {
            reduce128(poly128(key, self.y128[t], pair(END, 0)))
        } else {
            reduce128(poly128(key, self.y128[t], pair(self.first[t], END)))
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let State { count, y64, y128, first } = self;
        // Without a word they are constants, which to wipe would take as long as a short message.
        if *count > 0 {
            count.zeroize();
            y64.zeroize();
            y128.zeroize();
            first.zeroize();
        }
    }
}

/// A word of POLY-128.
fn pair(first: u64, second: u64) -> u128 {
    u128::from(first) << 64 | u128::from(second)
}

/// One word of POLY-64, including the limit rule.
///
/// # Bounds
/// In: any word `m`. A word at or above the limit is at least 2^64 - 2^32, and `k64` is below 2^57, so m - 59 - k is
/// not negative.
#[inline]
pub fn poly64(key: &Key, y: Lazy<u64>, m: u64) -> Lazy<u64> {
    let (k, m) = by_limit64(key, m);
    mul_add64(k, y, m)
}

/// The key and the word by which a step becomes one product: see the limit rule above.
///
/// # Bounds
/// In: any word `m`; `k64` is below 2^57. Out: any 64 bits; at or above the limit, `m` is not below what is subtracted.
#[inline]
fn by_limit64(key: &Key, m: u64) -> (Lazy<u64>, u64) {
    let over = mask(m >= LIMIT64);
    let (Masked(k), Lazy(square)) = (key.k64, key.square64);
    let less = (59 + k) & over;
    debug_assert!(less <= m);
    (Lazy(k ^ (k ^ square) & over), m.wrapping_sub(less))
}

/// The first word of POLY-64: `y` is 1, so that there is nothing to multiply.
///
/// # Bounds
/// In: any word `m`. If the sum carries, less than 2^64 - 59 is left, so that 59 more cannot
/// carry again: either the key is below 2^57, or 59 and more were subtracted from the word.
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "what packets alone use")
)]
#[inline]
pub(crate) fn first64(key: &Key, m: u64) -> Lazy<u64> {
    let (Lazy(k), m) = by_limit64(key, m);
    let (sum, carry) = k.overflowing_add(m);
    debug_assert!(!carry || sum < P64);
    Lazy(sum.wrapping_add(59 & mask(carry)))
}

/// POLY-64 takes a word of each stream, the first if there are no accumulators yet.
///
/// # Bounds
/// Out: 0 for streams that are not there.
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
))]
#[inline(always)] // a call would save and reload the registers of level 1
pub(crate) fn step64<const STREAMS: usize>(
    keys: &[Key; MAX_STREAMS],
    y: Option<[Lazy<u64>; MAX_STREAMS]>,
    words: [u64; MAX_STREAMS],
) -> [Lazy<u64>; MAX_STREAMS] {
    let mut next = [Lazy(0); MAX_STREAMS];
    for t in 0..STREAMS {
        next[t] = match y {
            Some(y) => poly64(&keys[t], y[t], words[t]),
            None => first64(&keys[t], words[t]),
        };
    }
    next
}

/// One pair of words of POLY-128, including the limit rule.
///
/// # Bounds
/// In: any pair `m`. A pair at or above the limit is at least 2^128 - 2^96, and `k128` is below 2^121, so m - 159 - k
/// is not negative.
#[inline]
pub fn poly128(key: &Key, y: Lazy<u128>, m: u128) -> Lazy<u128> {
    let over = wide_mask(m >= LIMIT128);
    let (Masked(k), Lazy(square)) = (key.k128, key.square128);
    let less = (159 + k) & over;
    debug_assert!(less <= m);
    mul_add128(Lazy(k ^ (k ^ square) & over), y, m.wrapping_sub(less))
}

/// `k y + m`, folded but not reduced.
///
/// # Bounds
/// In: any number `m`. Out: equal to `k y + m` mod p64. 2^64 = 59 mod p64, and the product is at most (2^64 - 1)^2, so
/// its high half is at most 2^64 - 2. The first fold leaves at most (2^64 - 1) + 59 (2^64 - 2) + (2^64 - 1), which is
/// below 61 * 2^64: what is above its low half is at most 60. The second fold adds at most 59 * 60. If that carries, less
/// than 59 * 60 is left, and 59 more cannot carry again.
#[inline]
fn mul_add64(k: Lazy<u64>, y: Lazy<u64>, m: u64) -> Lazy<u64> {
    let product = u128::from(k.0) * u128::from(y.0);
    let sum = u128::from(product as u64) + 59 * (product >> 64) + u128::from(m);
    debug_assert!(sum >> 64 <= 60);
    let (sum, carry) = (sum as u64).overflowing_add(59 * (sum >> 64) as u64);
    debug_assert!(!carry || sum < 59 * 60);
    Lazy(sum.wrapping_add(59 & mask(carry)))
}

/// `k y + m`, folded but not reduced.
///
/// # Bounds
/// In: any number `m`. Out: equal to `k y + m` mod p128. 2^128 = 159 mod p128, and the high half
/// of the product is at most 2^128 - 2, so the fold of that half carries at most 158. Two additions carry at most 1
/// each: 160 carries in all. Their fold adds at most 159 * 160. If that carries, less than 159 * 160 is left, and 159
/// more cannot carry again.
#[inline]
fn mul_add128(k: Lazy<u128>, y: Lazy<u128>, m: u128) -> Lazy<u128> {
    let (high, low) = wide_mul(k.0, y.0);
    let (carry, folded) = wide_mul(high, 159);
    debug_assert!(carry <= 158);
    let (sum, c1) = low.overflowing_add(folded);
    let (sum, c2) = sum.overflowing_add(m);
    let carries = carry + u128::from((1 & mask(c1)) + (1 & mask(c2)));
    debug_assert!(carries <= 160);
    let (sum, c3) = sum.overflowing_add(159 * carries);
    debug_assert!(!c3 || sum < 159 * 160);
    Lazy(sum.wrapping_add(159 & wide_mask(c3)))
}

/// The number below p64 that is equal to y mod p64.
///
/// # Bounds
/// Out: below p64, because 2^64 = p64 + 59 is below 2 p64.
pub fn reduce64(Lazy(y): Lazy<u64>) -> Reduced<u64> {
    let (less, below) = y.overflowing_sub(P64);
    let reduced = less.wrapping_add(P64 & mask(below));
    debug_assert!(reduced < P64);
    Reduced(reduced)
}

/// The number below p128 that is equal to y mod p128.
///
/// # Bounds
/// Out: below p128, because 2^128 = p128 + 159 is below 2 p128.
pub fn reduce128(Lazy(y): Lazy<u128>) -> Reduced<u128> {
    let (less, below) = y.overflowing_sub(P128);
    let reduced = less.wrapping_add(P128 & wide_mask(below));
    debug_assert!(reduced < P128);
    Reduced(reduced)
}

/// The 256-bit product as (high, low) halves, by schoolbook multiplication in 64-bit digits.
///
/// # Bounds
/// In: any numbers of 128 bits. Out: any low half, and a high half of at most 2^128 - 2, because the product is at most
/// (2^128 - 1)^2 = 2^256 - 2^129 + 1. No sum overflows: a product of digits is at most (2^64 - 1)^2 = 2^128 - 2^65 + 1,
/// so there is room to add two digits of at most 2^64 - 1 to it.
#[inline]
fn wide_mul(a: u128, b: u128) -> (u128, u128) {
    let split = |x: u128| (x >> 64, x & u128::from(u64::MAX));
    let ((a1, a0), (b1, b0)) = (split(a), split(b));
    let low = a0 * b0;
    let middle = a1 * b0 + (low >> 64);
    let (m1, m0) = split(middle);
    let middle = a0 * b1 + m0;
    (a1 * b1 + m1 + (middle >> 64), middle << 64 | low & u128::from(u64::MAX))
}
