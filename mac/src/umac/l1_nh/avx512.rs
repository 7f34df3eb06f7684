//! NH (RFC 4418, section 5.2.2) in 512-bit registers. One or two streams: two units side by side, as departure 3 in
//! l1_nh.rs says.
//!
//! ```text
//! load     x0 x1 x2 x3 y0 y1 y2 y3 | the next unit
//! permute  x0 y0 x1 y1 x2 y2 x3 y3 | ...
//! then for each stream: add the key, shift the y down, multiply, add to the stream's sums
//! ```
//!
//! Three or four streams: a stream in each 128-bit lane, the x of a unit in one register, its y in another.
//!
//! ```text
//! load     x0 x1 x2 x3, four times   and   y0 y1 y2 y3, four times
//! then add the keys of all streams, which are neighbours in the key, multiply the even words, multiply the odd words,
//! add both to the sums
//! ```
//!
//! Beyond what l1_nh.rs says:
//!
//! 5. The steps of a chunk are written out, and four streams add to two registers in turn.
//!
//! The instruction mix was chosen by measured time. Storing the sums and loading their upper words back would save one
//! of four vector instructions. But on Golden Cove, the denser multiplications lower the clock by as much, and on Zen 4
//! that code takes half as long again.
#![allow(unsafe_code)]

use super::{CHUNK, InTwo, Key, UNIT, UnitKey};
use crate::simd::{hidden, load128, load512};
use core::arch::x86_64::*;

/// Bytes of two units, which fill a register.
pub(crate) const STEP: usize = 64;

/// Steps one after the other, each with a constant number. With a number in a register, the address of each load would be a
/// sum of registers, and Golden Cove splits an instruction with such an address in two.
macro_rules! unrolled {
    ($i:ident in $($number:literal)+ $step:block) => { $( { const $i: usize = $number; $step } )+ };
}

/// Step `i`.
#[inline(always)]
fn step<'m>((head, rest): InTwo<'m>, i: usize) -> &'m [u8; STEP] {
    if i == 0 { head } else { &rest.as_chunks().0[i - 1] }
}

/// NH of a whole chunk. Each stream's sum is still spread over eight lanes. `meanwhile` is called before each step,
/// with the step's number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn whole_lanes<const STREAMS: usize>(
    key: &Key,
    chunk: InTwo<'_>,
    meanwhile: impl Fn(usize),
) -> [__m512i; STREAMS] {
    let mut sums = [_mm512_setzero_si512(); STREAMS];
    unrolled!(I in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 {
        meanwhile(I);
        add_step(&mut sums, |t| key.pairs(t, I), !0, load512(step(chunk, I)));
    });
    sums
}

/// NH of at most a chunk: the `head`, if there is one, and the bytes after it, at least one. Each stream's sum is still spread
/// over eight lanes. `meanwhile` is called once, after four steps if there are more. `CALLER` is as in packet/flow.rs.
///
/// The last register is loaded under a mask, so that the last 0 to 64 bytes take the same instructions whatever their
/// number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn lanes<const STREAMS: usize, const CALLER: u8>(
    key: &Key,
    head: Option<&[u8; STEP]>,
    message: &[u8],
    mut meanwhile: impl FnMut(),
) -> [__m512i; STREAMS] {
    let before = usize::from(head.is_some());
    assert!(message.len() <= CHUNK - STEP * before);
    let (steps, last) = message.split_at(message.len().saturating_sub(1) / STEP * STEP);
    let (steps, _) = steps.as_chunks::<STEP>();
    let mut sums = [_mm512_setzero_si512(); STREAMS];
    if let Some(head) = head {
        add_step(&mut sums, |t| key.pairs(t, 0), !0, load512(head));
    }
    let (twos, one) = steps.as_chunks::<2>();
    'end: {
        unrolled!(I in 0 1 2 3 4 5 6 {
            if I == 2 {
                meanwhile();
            }
            let Some(two) = twos.get(I) else { break 'end };
            add_step(&mut sums, |t| key.pairs(t, before + 2 * I), !0, load512(&two[0]));
            add_step(&mut sums, |t| key.pairs(t, before + 2 * I + 1), !0, load512(&two[1]));
        });
    }
    if twos.len() < 2 {
        meanwhile();
    }
    if let [step] = one {
        add_step(&mut sums, |t| hidden(key.pairs(t, before + 2 * twos.len())), !0, load512(step));
    }
    // If there is no second unit, its keys must not count.
    let mask = if last.len() > UNIT { 0xff } else { 0x0f };
    add_step(&mut sums, |t| hidden(key.pairs(t, before + steps.len())), mask, load_short(last));
    sums
}

/// NH of at most 64 bytes, without a branch on their number. One or two streams: products alternate in the lanes of 64
/// bits, and `units` has the keys of their x and of their y. More: a stream a lane of 128 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn short_lanes<const STREAMS: usize, const CALLER: u8>(
    key: &Key,
    units: [__m512i; 2],
    message: &[u8],
) -> __m512i {
    let loaded = load_short(message);
    if STREAMS > 2 {
        return with_second_unit(key, first_unit(key, loaded), loaded, message.len());
    }
    // Two words of a unit in each lane, once for each stream: the x, and the y.
    let x = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 0, 1, 1, 4, 4, 5, 5), loaded);
    let y = _mm512_permutexvar_epi64(_mm512_setr_epi64(2, 2, 3, 3, 6, 6, 7, 7), loaded);
    let (a, b) = (_mm512_add_epi32(x, units[0]), _mm512_add_epi32(y, units[1]));
    let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(a), _mm512_srli_epi64::<32>(b));
    let counted = if message.len() > UNIT { 0xff } else { 0x0f };
    _mm512_maskz_add_epi64(counted, _mm512_mul_epu32(a, b), odd)
}

/// The products of the first of two units and four streams, a stream a lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn first_unit(key: &Key, units: __m512i) -> __m512i {
    let x = _mm512_shuffle_i64x2::<0x00>(units, units);
    let y = _mm512_shuffle_i64x2::<0x55>(units, units);
    add_unit(_mm512_setzero_si512(), key.unit(0), x, y)
}

/// [`first_unit`], plus the same of the second unit if there is one.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn with_second_unit(
    key: &Key,
    first: __m512i,
    units: __m512i,
    length: usize,
) -> __m512i {
    let x = _mm512_shuffle_i64x2::<0xaa>(units, units);
    let y = _mm512_shuffle_i64x2::<0xff>(units, units);
    let second = add_unit(_mm512_setzero_si512(), key.unit(1), x, y);
    let counted = if length > UNIT { 0xff } else { 0 };
    _mm512_mask_add_epi64(first, counted, first, second)
}

/// Adds the products of a step, those in the mask `counted`. `keys` gives a stream's keys of the step.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn add_step<'a, const STREAMS: usize>(
    sums: &mut [__m512i; STREAMS],
    keys: impl Fn(usize) -> &'a [u32; 16],
    counted: __mmask8,
    step: __m512i,
) {
    let units = by_products(step);
    for (t, sum) in sums.iter_mut().enumerate() {
        let words = _mm512_add_epi32(units, load512(keys(t)));
        *sum = _mm512_add_epi64(*sum, products(counted, words));
    }
}

/// The sums of the lanes of one or two streams, side by side in each lane of 128 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn totals<const STREAMS: usize>(lanes: [__m512i; STREAMS]) -> __m512i {
    let of = |t: usize| lanes.get(t).copied().unwrap_or(_mm512_setzero_si512());
    let (a, b) = (of(0), of(1));
    let all = _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    let all = _mm512_add_epi64(all, _mm512_shuffle_i64x2::<0x4e>(all, all));
    _mm512_add_epi64(all, _mm512_shuffle_i64x2::<0xb1>(all, all))
}

/// The sums of four streams, a stream a lane, as [`four_whole_lanes`] returns them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn four_in_lanes([a, b, c, d]: [__m512i; 4]) -> __m512i {
    let halved = |a: __m512i, b: __m512i| {
        let (even, odd) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0xdd>(a, b));
        _mm512_add_epi64(even, odd)
    };
    halved(halved(a, b), halved(c, d))
}

/// NH of a whole chunk and four streams, a stream a lane; its sum is still spread over the lane. `meanwhile` is called
/// before each two units, with their number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn four_whole_lanes(key: &Key, chunk: InTwo<'_>, meanwhile: impl Fn(usize)) -> __m512i {
    let mut sums = [_mm512_setzero_si512(); 2];
    unrolled!(I in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 {
        meanwhile(I);
        let (units, _) = step(chunk, I).as_chunks();
        for (j, sum) in sums.iter_mut().enumerate() {
            let (x, y) = four_times(&units[j]);
            *sum = add_unit(*sum, key.unit(2 * I + j), x, y);
        }
    });
    _mm512_add_epi64(sums[0], sums[1])
}

/// NH of at most a chunk and four streams, as [`lanes`] and [`four_whole_lanes`]. The last unit is loaded under a mask,
/// whatever its length. `meanwhile` is called once, after eight units of the message if there are more.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn four_lanes<const CALLER: u8>(
    key: &Key,
    head: Option<&[u8; STEP]>,
    message: &[u8],
    mut meanwhile: impl FnMut(),
) -> __m512i {
    let before = 2 * usize::from(head.is_some());
    assert!(message.len() <= CHUNK - UNIT * before);
    let units = message.len().saturating_sub(1) / UNIT;
    let (units, last) = message.split_at(units * UNIT);
    let (units, _) = units.as_chunks();
    let mut sums = [_mm512_setzero_si512(); 2];
    if let Some(head) = head {
        for (j, unit) in head.as_chunks().0.iter().enumerate() {
            let (x, y) = four_times(unit);
            sums[j] = add_unit(sums[j], key.unit(j), x, y);
        }
    }
    let (rounds, few) = units.as_chunks::<4>();
    'end: {
        unrolled!(I in 0 1 2 3 4 5 6 {
            if I == 2 {
                meanwhile();
            }
            let Some(units) = rounds.get(I) else { break 'end };
            for (j, unit) in units.iter().enumerate() {
                let (x, y) = four_times(unit);
                sums[j % 2] = add_unit(sums[j % 2], key.unit(before + 4 * I + j), x, y);
            }
        });
    }
    if rounds.len() < 2 {
        meanwhile();
    }
    for (j, unit) in few.iter().enumerate() {
        let (x, y) = four_times(unit);
        sums[0] = add_unit(sums[0], hidden(key.unit(before + 4 * rounds.len() + j)), x, y);
    }
    let last = load_short(last);
    let x = _mm512_shuffle_i64x2::<0x00>(last, last);
    let y = _mm512_shuffle_i64x2::<0x55>(last, last);
    sums[1] = add_unit(sums[1], hidden(key.unit(before + units.len())), x, y);
    _mm512_add_epi64(sums[0], sums[1])
}

/// Adds the products of a unit and four streams. All lanes have its x and its y.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn add_unit(sums: __m512i, key: &UnitKey, x: __m512i, y: __m512i) -> __m512i {
    let a = _mm512_add_epi32(x, load512(key.first_chunk::<4>().expect("keys of the x")));
    let b = _mm512_add_epi32(y, load512(key.last_chunk::<4>().expect("keys of the y")));
    // Of two kinds, which different ports execute.
    let (odd_a, odd_b) = (_mm512_srli_epi64::<32>(a), _mm512_shuffle_epi32::<0xf5>(b));
    let (even, odd) = (_mm512_mul_epu32(a, b), _mm512_mul_epu32(odd_a, odd_b));
    _mm512_add_epi64(_mm512_add_epi64(sums, even), odd)
}

/// The x and the y of a unit, in all lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn four_times(unit: &[u8; UNIT]) -> (__m512i, __m512i) {
    let half = |i: usize| {
        let half: &[u8; 16] = &unit.as_chunks().0[i];
        _mm512_broadcast_i32x4(load128(half))
    };
    (half(0), half(1))
}

/// Brings the two words of each product together.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn by_products(units: __m512i) -> __m512i {
    let order = _mm512_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    _mm512_permutexvar_epi32(order, units)
}

/// The products of the lanes in the mask `counted`, and 0 in the others.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn products(counted: __mmask8, words: __m512i) -> __m512i {
    let upper = _mm512_srli_epi64::<32>(words);
    _mm512_maskz_mul_epu32(counted, words, upper)
}

/// Level 1 of eight units in four registers, the first and the second of each, without lengths. For each stream, the
/// lanes are the sums of the first units of registers 0 and 1, of their second units, then the same of registers 2 and 3.
/// `keys` gives a stream's keys of the x and the y, even and odd.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn lanes_of_eight(
    m: [__m512i; 4],
    keys: impl Fn(usize, usize) -> __m512i,
) -> [__m512i; 2] {
    // `even`: words 0 and 1 of each half unit of two registers. `odd`: words 2 and 3.
    let (even01, odd01) = (_mm512_unpacklo_epi64(m[0], m[1]), _mm512_unpackhi_epi64(m[0], m[1]));
    let (even23, odd23) = (_mm512_unpacklo_epi64(m[2], m[3]), _mm512_unpackhi_epi64(m[2], m[3]));
    // The even x of all units, the y that multiply them; then the same for odd.
    let halves = [
        _mm512_shuffle_i64x2::<0x88>(even01, even23),
        _mm512_shuffle_i64x2::<0xdd>(even01, even23),
        _mm512_shuffle_i64x2::<0x88>(odd01, odd23),
        _mm512_shuffle_i64x2::<0xdd>(odd01, odd23),
    ];
    let sum = |t: usize, i: usize| _mm512_add_epi32(halves[i], keys(t, i));
    let stream = |t: usize| {
        _mm512_add_epi64(
            products_of_pairs(sum(t, 0), sum(t, 1)),
            products_of_pairs(sum(t, 2), sum(t, 3)),
        )
    };
    [stream(0), stream(1)]
}

/// The products of the lower words of lanes, plus those of the upper words, mod 2^64.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn products_of_pairs(x: __m512i, y: __m512i) -> __m512i {
    let upper = _mm512_mul_epu32(_mm512_srli_epi64::<32>(x), _mm512_srli_epi64::<32>(y));
    _mm512_add_epi64(_mm512_mul_epu32(x, y), upper)
}

/// Two messages of at most a unit each, side by side.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
pub(crate) fn load_units(a: &[u8], b: &[u8]) -> __m512i {
    let (a, b) = (load_unit(a), load_unit(b));
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(a), b)
}

/// Loads at most 64 bytes, followed by zeroes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn load_short(bytes: &[u8]) -> __m512i {
    debug_assert!(bytes.len() <= STEP);
    let mask = _bzhi_u64(u64::MAX, bytes.len() as u32);
    // SAFETY: the mask lets at most the first `bytes.len()` bytes be read, for any length. (The instruction that makes
    // the mask uses the lowest eight bits of the length.)
    unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
}

/// Loads at most a unit, followed by zeroes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn load_unit(bytes: &[u8]) -> __m256i {
    debug_assert!(bytes.len() <= UNIT);
    let mask = _bzhi_u32(u32::MAX, bytes.len() as u32);
    // SAFETY: as in [`load_short`].
    unsafe { _mm256_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
}
