"""Lazy reductions, for all inputs, by z3. One line a claim; exit code 1 if one does not hold.

A product of two words is a number of its own, of which only its bounds are used. Wrapping is explicit: where the
program's operation could wrap, a claim says that it does not. Before each group of claims stand the lines of the source
that it is about. `given` is checked to be possible, and each claim with `wrong` is checked to be refuted when a constant
is off: a prover that says yes to everything would show."""
import sys, time
from source import constants, stands
from z3 import And, BitVec, BitVecs, BitVecVal, Concat, Extract, If, Int, Ints, LShR, Not, Or, SignExt, Solver, Sum, ULE, ULT, ZeroExt

failed = False

def answer(*what):
    solver = Solver()
    solver.set("timeout", 600_000)
    solver.add(*what)
    return str(solver.check())

def claim(name, holds, given=(), wrong=None):
    global failed
    start = time.time()
    verdict = "proved" if answer(Not(holds), *given) == "unsat" else "FAILED"
    if answer(*given) != "sat":
        verdict = "VACUOUS"
    if wrong is not None and answer(Not(wrong), *given) != "sat":
        verdict = "BLUNT"
    failed |= verdict != "proved"
    print(f"{verdict:8} {time.time() - start:5.1f} s  {name}", flush=True)

def below(limit, *numbers):
    return And(*[And(0 <= x, x < limit) for x in numbers])

W32, W36, W52, W64, W127, W128 = 2**32, 2**36, 2**52, 2**64, 2**127, 2**128

numbers = constants()
P19, P32, P36, P64, P127, P128, LIMIT32, LIMIT64, LIMIT128 = (
    numbers[name] for name in "p19 p32 p36 p64 p127 p128 limit32 limit64 limit128".split())

# What selections by masks, sums of digits and POLY's leading one rest on.
stands("mac/src/ct.rs", "mask", """
pub fn mask(choice: bool) -> u64 {
    hidden(u64::from(choice).wrapping_neg())
}
""")
stands("mac/src/ct.rs", "wide_mask", """
pub fn wide_mask(choice: bool) -> u128 {
    let mask = mask(choice);
    u128::from(mask) << 64 | u128::from(mask)
}
""")
stands("mac/src/umac/l2_poly.rs", "State::new", """
    pub(crate) const fn new() -> State {
        let (y64, y128) = ([Lazy(1); MAX_STREAMS], [Lazy(1); MAX_STREAMS]);
        State { count: 0, y64, y128, first: [0; MAX_STREAMS] }
    }
""")
stands("mac/src/umac/l3_inner.rs", "Key::of_digit", """
    pub(crate) fn of_digit(&self, i: usize) -> Mod36<u64> {
        self.k[7 - i]
    }
""")
stands("mac/src/umac/l3_inner.rs", "Key::mask", """
    pub(crate) fn mask(&self) -> u32 {
        self.mask
    }
""")

stands("mac/src/umac/l2_poly.rs", "Key::from_bytes", """
pub fn from_bytes(bytes: &[u8; 24]) -> Key {
    let word = |i: usize| u64::from_be_bytes(bytes.as_chunks().0[i]) & 0x01ff_ffff_01ff_ffff;
    Key::new(Masked(word(0)), Masked(pair(word(1), word(2))))
}
""")
x = BitVec("x", 64)
claim("keys: a masked word is below 2^57", ULT(x & 0x01FFFFFF01FFFFFF, 2**57), wrong=ULT(x & 0x01FFFFFF01FFFFFF, 2**56))
high, low = Ints("high low")
claim("keys: two of them make a number below 2^121", high * W64 + low < 2**121, [below(2**57, high, low)],
      wrong=high * W64 + low < 2**120)

# POLY-64: k y + m mod 2^64 - 59
stands("mac/src/umac/l2_poly.rs", "mul_add64", """
fn mul_add64(k: Lazy<u64>, y: Lazy<u64>, m: u64) -> Lazy<u64> {
    let product = u128::from(k.0) * u128::from(y.0);
    let sum = u128::from(product as u64) + 59 * (product >> 64) + u128::from(m);
    let (sum, carry) = (sum as u64).overflowing_add(59 * (sum >> 64) as u64);
    Lazy(sum.wrapping_add(59 & mask(carry)))
}
""")
lo, hi, m, s_lo, s_hi, f, c, k = Ints("lo hi m s_lo s_hi f c k")
given = [below(W64, lo, hi, m, s_lo, f), lo + W64 * hi <= (W64 - 1) ** 2, s_hi >= 0, c >= 0,
         lo + 59 * hi + m == s_lo + W64 * s_hi,      # the first fold, in 128 bits
         s_lo + 59 * s_hi == f + W64 * c]            # the second, with its carry
claim("poly64: the first sum is below 61 * 2^64", lo + 59 * hi + m < 61 * W64, given)
claim("poly64: 59 times its upper word fits a word, the carry is a bit", And(59 * s_hi < W64, c <= 1), given)
claim("poly64: the last fold does not carry", f + 59 * c < W64, given)
claim("poly64: k y + m mod p", lo + W64 * hi + m == f + 59 * c + P64 * (hi + s_hi + c), given,
      wrong=lo + W64 * hi + m == f + 59 * c + (P64 - 1) * (hi + s_hi + c))

stands("mac/src/umac/l2_poly.rs", "by_limit64", """
fn by_limit64(key: &Key, m: u64) -> (Lazy<u64>, u64) {
    let over = mask(m >= LIMIT64);
    let (Masked(k), Lazy(square)) = (key.k64, key.square64);
    let less = (59 + k) & over;
    (Lazy(k ^ (k ^ square) & over), m.wrapping_sub(less))
}
""")
claim("poly64: m - 59 - k is not negative from the limit on", m - (59 + k) >= 0, [LIMIT64 <= m, m < W64, below(2**57, k)],
      wrong=m - (59 + k) >= 2**64)
y, ky, kky = Ints("y ky kky")  # k y and k^2 y
claim("poly64: one step by k^2 is the two steps of the limit rule",
      kky + m - 59 - k == (kky + P64 * k - k) + m - 59 - P64 * k, [below(W64, m, k), kky >= 0])
key, square, over = BitVec("key", 64), BitVec("square", 64), BitVec("over", 64)
claim("masks select: k or k^2", If(over == 0, (key ^ (key ^ square) & over) == key, (key ^ (key ^ square) & over) == square),
      [Or(over == 0, over == W64 - 1)])

stands("mac/src/umac/l2_poly.rs", "first64", """
pub(crate) fn first64(key: &Key, m: u64) -> Lazy<u64> {
    let (Lazy(k), m) = by_limit64(key, m);
    let (sum, carry) = k.overflowing_add(m);
    Lazy(sum.wrapping_add(59 & mask(carry)))
}
""")
s = Int("s")
usual = [below(2**57, k), below(LIMIT64, m)]
over = [below(W64, k), below(W64 - 59, m)]  # the square is lazy; of the word 59 and more were subtracted
for name, given in [("a usual", usual), ("a large", over)]:
    given = given + [k + m == s + W64 * c, below(W64, s), below(2, c)]
    claim(f"poly64: the first word, {name} one: right, and the fold does not carry",
          And(s + 59 * c < W64, k + m == s + 59 * c + P64 * c), given,
          wrong=k + m == s + 59 * c + (P64 + 1) * c)

# POLY-128: mod 2^128 - 159
stands("mac/src/umac/l2_poly.rs", "poly128", """
pub fn poly128(key: &Key, y: Lazy<u128>, m: u128) -> Lazy<u128> {
    let over = wide_mask(m >= LIMIT128);
    let (Masked(k), Lazy(square)) = (key.k128, key.square128);
    let less = (159 + k) & over;
    mul_add128(Lazy(k ^ (k ^ square) & over), y, m.wrapping_sub(less))
}
""")
claim("poly128: m - 159 - k is not negative from the limit on", m - (159 + k) >= 0,
      [LIMIT128 <= m, m < W128, below(2**121, k)], wrong=m - (159 + k) >= W128)
claim("poly128: one step by k^2 is the two steps of the limit rule",
      kky + m - 159 - k == (kky + P128 * k - k) + m - 159 - P128 * k, [below(W128, m, k), kky >= 0])
stands("mac/src/umac/l2_poly.rs", "mul_add128", """
fn mul_add128(k: Lazy<u128>, y: Lazy<u128>, m: u128) -> Lazy<u128> {
    let (high, low) = wide_mul(k.0, y.0);
    let (carry, folded) = wide_mul(high, 159);
    let (sum, c1) = low.overflowing_add(folded);
    let (sum, c2) = sum.overflowing_add(m);
    let carries = carry + u128::from((1 & mask(c1)) + (1 & mask(c2)));
    let (sum, c3) = sum.overflowing_add(159 * carries);
    Lazy(sum.wrapping_add(159 & wide_mask(c3)))
}
""")
lo, hi, m, carry, folded, s1, c1, s2, c2, s3, c3 = Ints("lo hi m carry folded s1 c1 s2 c2 s3 c3")
carries = carry + c1 + c2
given = [below(W128, lo, hi, m, folded, s1, s2, s3), lo + W128 * hi <= (W128 - 1) ** 2, below(2, c1, c2), carry >= 0, c3 >= 0,
         159 * hi == folded + W128 * carry, lo + folded == s1 + W128 * c1, s1 + m == s2 + W128 * c2,
         s2 + 159 * carries == s3 + W128 * c3]
claim("poly128: carry is at most 158, carries at most 160, the last carry a bit",
      And(carry <= 158, carries <= 160, c3 <= 1), given)
claim("poly128: the last fold does not carry", s3 + 159 * c3 < W128, given)
claim("poly128: k y + m mod p", lo + W128 * hi + m == s3 + 159 * c3 + P128 * (hi + carries + c3), given,
      wrong=lo + W128 * hi + m == s3 + 159 * c3 + (P128 + 1) * (hi + carries + c3))

# What only calls these: a step of POLY-64 is the limit rule and one product, a square is a product.
stands("mac/src/umac/l2_poly.rs", "Key::new", """
pub(crate) fn new(k64: Masked<u64>, k128: Masked<u128>) -> Key {
    let square64 = mul_add64(Lazy(k64.0), Lazy(k64.0), 0);
    let square128 = mul_add128(Lazy(k128.0), Lazy(k128.0), 0);
    Key { k64, square64, k128, square128 }
}
""")
stands("mac/src/umac/l2_poly.rs", "poly64", """
pub fn poly64(key: &Key, y: Lazy<u64>, m: u64) -> Lazy<u64> {
    let (k, m) = by_limit64(key, m);
    mul_add64(k, y, m)
}
""")
stands("mac/src/umac/l2_poly.rs", "step64", """
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
""")
stands("mac/src/umac/l2_poly.rs", "State::absorb_words", """
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
""")
stands("mac/src/umac/l2_poly.rs", "State::absorb_128", """
fn absorb_128(&mut self, keys: &[Key; MAX_STREAMS], words: &[u64]) {
    if self.count == WORDS_64 {
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
""")
stands("mac/src/umac/l2_poly.rs", "State::words_64", """
pub(crate) fn words_64(&self) -> [Reduced<u64>; MAX_STREAMS] {
    self.y64.map(reduce64)
}
""")
stands("mac/src/umac/l2_poly.rs", "State::finish", """
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
""")
stands("mac/src/umac/l2_poly.rs", "pair", """
fn pair(first: u64, second: u64) -> u128 {
    u128::from(first) << 64 | u128::from(second)
}
""")
first, second = BitVecs("first second", 64)
claim("poly128: a pair is 2^64 times the first word and the second", ZeroExt(64, first) << 64 | ZeroExt(64, second)
      == ZeroExt(64, first) * BitVecVal(W64, 128) + ZeroExt(64, second),
      wrong=ZeroExt(64, first) << 63 | ZeroExt(64, second) == ZeroExt(64, first) * BitVecVal(W64, 128) + ZeroExt(64, second))

# the 256-bit product by digits
stands("mac/src/umac/l2_poly.rs", "wide_mul", """
fn wide_mul(a: u128, b: u128) -> (u128, u128) {
    let split = |x: u128| (x >> 64, x & u128::from(u64::MAX));
    let ((a1, a0), (b1, b0)) = (split(a), split(b));
    let low = a0 * b0;
    let middle = a1 * b0 + (low >> 64);
    let (m1, m0) = split(middle);
    let middle = a0 * b1 + m0;
    (a1 * b1 + m1 + (middle >> 64), middle << 64 | low & u128::from(u64::MAX))
}
""")
p00, p10, p01, p11, l0, l1, m0, m1, t0, t1 = Ints("p00 p10 p01 p11 l0 l1 m0 m1 t0 t1")
given = [below((W64 - 1) ** 2 + 1, p00, p10, p01, p11), below(W64, l0, l1, m0, m1, t0, t1),
         p00 == l0 + W64 * l1, p10 + l1 == m0 + W64 * m1, p01 + m0 == t0 + W64 * t1]
claim("wide_mul: no sum overflows", And(p10 + l1 < W128, p01 + m0 < W128, p11 + m1 + t1 < W128), given,
      wrong=p01 + m0 < W128 - W64)
claim("wide_mul: the product", p00 + W64 * (p10 + p01) + W128 * p11 == l0 + W64 * t0 + W128 * (p11 + m1 + t1), given,
      wrong=p00 + W64 * (p10 + p01) + W128 * p11 == l0 + W64 * m0 + W128 * (p11 + m1 + t1))

stands("mac/src/umac/l2_poly.rs", "reduce64", """
pub fn reduce64(Lazy(y): Lazy<u64>) -> Reduced<u64> {
    let (less, below) = y.overflowing_sub(P64);
    let reduced = less.wrapping_add(P64 & mask(below));
    Reduced(reduced)
}
""")
stands("mac/src/umac/l2_poly.rs", "reduce128", """
pub fn reduce128(Lazy(y): Lazy<u128>) -> Reduced<u128> {
    let (less, below) = y.overflowing_sub(P128);
    let reduced = less.wrapping_add(P128 & wide_mask(below));
    Reduced(reduced)
}
""")
for bits, p in [(64, P64), (128, P128)]:
    x = BitVec("x", bits)
    reduced = (x - p) + If(ULT(x, p), BitVecVal(p, bits), BitVecVal(0, bits))
    claim(f"reduce{bits}: below p, x or x - p", And(ULT(reduced, p), Or(reduced == x, reduced == x - p)),
          wrong=ULT(reduced, p - 1))

# the same in registers of 256 and 512 bits
stands("mac/src/umac/packet/avx512.rs", "of_two", """
level_2!(of_two: __m256i, _mm256_setzero_si256 as zero, _mm256_set1_epi64x as all, _mm256_add_epi64 as add,
    _mm256_mask_add_epi64 as add_where, _mm256_srli_epi64 as right, _mm256_slli_epi64 as left,
    _mm256_madd52lo_epu64 as low_52, _mm256_madd52hi_epu64 as high_52, _mm256_cmplt_epu64_mask as less,
    _mm256_cmpge_epu64_mask as at_least, _mm256_mask_blend_epi64 as blend, _mm256_min_epu64 as least);
""")
stands("mac/src/umac/packet/avx512.rs", "of_four", """
level_2!(of_four: __m512i, _mm512_setzero_si512 as zero, _mm512_set1_epi64 as all, _mm512_add_epi64 as add,
    _mm512_mask_add_epi64 as add_where, _mm512_srli_epi64 as right, _mm512_slli_epi64 as left,
    _mm512_madd52lo_epu64 as low_52, _mm512_madd52hi_epu64 as high_52, _mm512_cmplt_epu64_mask as less,
    _mm512_cmpge_epu64_mask as at_least, _mm512_mask_blend_epi64 as blend, _mm512_min_epu64 as least);
""")
stands("mac/src/umac/packet/avx512.rs", "plus", """
fn plus(a: Vector, b: Vector) -> Lazy<Vector> {
    let sum = add(a, b);
    let carried = less(sum, b);
    Lazy(add_where(sum, carried, sum, all(59)))
}
""")
a, b = BitVec("a", 64), BitVec("b", 64)
total = ZeroExt(2, a) + ZeroExt(2, b)
result = ZeroExt(2, a + b + If(ULT(a + b, b), BitVecVal(59, 64), BitVecVal(0, 64)))
claim("avx512 plus: a + b or a + b - p, if a + b is below 2^65 - 59", Or(result == total, result == total - P64),
      [ULT(total, BitVecVal(2 * W64 - 59, 66))], wrong=Or(result == total, result == total - P64 + 1))
claim("avx512 plus: the premise is needed", Not(And(a == W64 - 1, b == W64 - 1, Or(result == total, result == total - P64))))
stands("mac/src/umac/packet/avx512.rs", "reduce64", """
pub(super) fn reduce64(Lazy(y): Lazy<Vector>) -> Reduced<Vector> {
    Reduced(least(y, add(y, all(59))))
}
""")
x = BitVec("x", 64)
least = If(ULT(x, x + 59), x, x + 59)
claim("avx512 reduce64: below p, x or x - p", And(ULT(least, P64), Or(least == x, least == x - P64)), wrong=ULT(least, P64 - 1))
stands("mac/src/umac/packet/avx512.rs", "plus_word", """
pub(super) fn plus_word(
    usual: Lazy<Vector>,
    over: Reduced<Vector>,
    word: Vector,
) -> Lazy<Vector> {
    let is_over = at_least(word, all(LIMIT64 as i64));
    plus(blend(is_over, usual.0, over.0), word)
}
""")
usual, over, word = Ints("usual over word")
claim("avx512 plus_word: what plus takes", If(word >= LIMIT64, over, usual) + word < 2 * W64 - 59,
      [below(W64, usual, word), below(P64, over)], wrong=usual + word < 2 * W64 - 59)
stands("mac/src/umac/l2_poly.rs", "Key::in_limbs", """
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
""")
stands("mac/src/umac/packet/avx512.rs", "limb_products", """
pub(super) fn limb_products(
    [n0, n1, m0, m1, added]: [Vector; 5],
    Lazy(y): Lazy<Vector>,
) -> Lazy<Vector> {
    let high = right::<52>(y); // a multiplication takes the lower 52 bits of y
    let lowest = low_52(low_52(zero(), y, n0), high, m0);
    let second = high_52(low_52(zero(), y, n1), y, n0);
    let more = low_52(high_52(zero(), high, m0), high, m1);
    let third = high_52(zero(), y, n1);
    let folds = all(59 << 40);
    let lowest = low_52(lowest, third, folds);
    let second = add(add(second, more), high_52(zero(), third, folds));
    let above = right::<12>(second);
    let lowest = low_52(lowest, above, all(59));
    plus(plus(lowest, left::<52>(second)).0, added)
}
""")
# n y = n0 l + 2^52 n1 l + m0 h + 2^52 m1 h mod p: four products, A B C D, each in a lower and an upper part.
A0, A1, B0, B1, C0, C1, D, E0, E1, above, below12, q1, r1, q2, r2, added = Ints(
    "A0 A1 B0 B1 C0 C1 D E0 E1 above below12 q1 r1 q2 r2 added")
lowest, second = A0 + B0 + E0, C0 + A1 + B1 + D + E1
given = [below(W52, A0, A1, B0, C0, E0), below(2**12, B1, C1, below12), below(W64, q1, q2), below(2, r1, r2),
         A0 + W52 * A1 <= (W52 - 1) ** 2, B0 + W52 * B1 <= (W52 - 1) * (2**12 - 1), C0 + W52 * C1 <= (W52 - 1) * (2**12 - 1),
         below((2**12 - 1) ** 2 + 1, D), C1 * (59 * 2**40) == E0 + W52 * E1, E1 >= 0,
         second == 2**12 * above + below12, above >= 0, below(P64, added)]
claim("avx512 limb_products: third and the fold's constant are what a multiplication reads, 52 bits",
      And(C1 < W52, 59 * 2**40 < W52), given)
claim("avx512 limb_products: the second limb is below 2^54, and what is above its 12 bits below 2^42",
      And(second < 2**54, above < 2**42), given, wrong=second < 2**53)
claim("avx512 limb_products: 59 times that is its own lower 52 bits, the lowest limb stays below 2^54",
      And(59 * above < W52, lowest + 59 * above < 2**54), given)
given += [lowest + 59 * above + W52 * below12 == q1 + 59 * 0 + W64 * r1, q1 + 59 * r1 + added == q2 + W64 * r2]
claim("avx512 limb_products: both sums are what plus takes",
      And(lowest + 59 * above + W52 * below12 < 2 * W64 - 59, q1 + 59 * r1 < W64, q1 + 59 * r1 + added < 2 * W64 - 59), given)
claim("avx512 limb_products: n y + added mod p",
      A0 + W52 * A1 + B0 + W52 * B1 + W52 * (C0 + W52 * C1) + W52 * D + added
      == q2 + 59 * r2 + P64 * (2**40 * C1 + above + r1 + r2), given,
      wrong=A0 + W52 * A1 + B0 + W52 * B1 + W52 * (C0 + W52 * C1) + W52 * D + added
      == q2 + 59 * r2 + P64 * (2**41 * C1 + above + r1 + r2))

# segments: a difference of two images, as a number below p
stands("mac/src/umac/l2_poly/segment.rs", "Segment::new", """
pub(crate) fn new(start: u64, fill: impl FnOnce(&mut [State; 2])) -> Segment {
    let mut images = [0, 1].map(|y| State {
        count: start,
        y64: [Lazy(y); MAX_STREAMS],
        y128: [Lazy(y.into()); MAX_STREAMS],
        first: [0; MAX_STREAMS],
    });
    fill(&mut images);
    let of_128 = start >= WORDS_64;
    let [zero, one] = images.each_ref().map(|image| match of_128 {
        true => image.y128.map(reduce128),
        false => image.y64.map(|y| Reduced(reduce64(y).0.into())),
    });
    let p = if of_128 { P128 } else { P64.into() };
    let factor = core::array::from_fn(|t| {
        let (difference, borrow) = one[t].0.overflowing_sub(zero[t].0);
        Lazy(difference.wrapping_add(p & wide_mask(borrow)))
    });
    let count = images[0].count - start;
    Segment { of_128, count, factor, offset: zero.map(|Reduced(y)| Lazy(y)) }
}
""")
a, b = BitVec("a", 128), BitVec("b", 128)
for p in (P64, P128):
    difference = (a - b) + If(ULT(a, b), BitVecVal(p, 128), BitVecVal(0, 128))
    claim(f"segments: below p and equal to the difference mod p, {p.bit_length()} bits",
          And(ULT(difference, p), Or(difference == a - b, difference == a - b + p)), [ULT(a, p), ULT(b, p)],
          wrong=ULT(difference, p - 1))

# Steps are affine in y, so the images of 0 and 1 are the whole map; these apply it, and one behind the other.
stands("mac/src/umac/l2_poly/segment.rs", "Segment::then", """
pub(crate) fn then(&self, next: &Segment) -> Segment {
    Segment {
        of_128: self.of_128,
        count: self.count + next.count,
        factor: core::array::from_fn(|t| next.mul_add(t, self.factor[t], 0)),
        offset: core::array::from_fn(|t| next.mul_add(t, self.offset[t], next.offset[t].0)),
    }
}
""")
stands("mac/src/umac/l2_poly/segment.rs", "Segment::mul_add", """
fn mul_add(&self, t: usize, y: Lazy<u128>, m: u128) -> Lazy<u128> {
    let factor = self.factor[t];
    match self.of_128 {
        true => mul_add128(factor, y, m),
        false => Lazy(mul_add64(Lazy(factor.0 as u64), Lazy(y.0 as u64), m as u64).0.into()),
    }
}
""")
stands("mac/src/umac/l2_poly/segment.rs", "State::join", """
pub(crate) fn join(&mut self, segment: &Segment) {
    for t in 0..MAX_STREAMS {
        if segment.of_128 {
            self.y128[t] = segment.mul_add(t, self.y128[t], segment.offset[t].0);
        } else {
            let y = Lazy(self.y64[t].0.into());
            self.y64[t] = Lazy(segment.mul_add(t, y, segment.offset[t].0).0 as u64);
        }
    }
    self.count += segment.count;
}
""")

# level 3: mod 2^36 - 5
stands("mac/src/umac/l3_inner.rs", "mod36", """
fn mod36(x: u64) -> Mod36<u64> {
    let folded = (x >> 36) * 5 + (x & ((1 << 36) - 1));
    let less = folded.wrapping_sub(P36);
    let borrow = mask(less >> 63 == 1);
    let reduced = (folded & borrow) | (less & !borrow);
    Mod36(reduced)
}
""")
h, l = Ints("h l")
given = [below(W36, l), below(2**28, h)]
out = If(5 * h + l < P36, 5 * h + l, 5 * h + l - P36)
claim("mod36: any word, below p and equal to it mod p",
      And(below(P36, out), Or(*[h * W36 + l == out + P36 * (h + i) for i in (0, 1)])), given,
      wrong=out < P36 - 1)
x = BitVec("x", 64)
low36 = x & (W36 - 1)
folded = LShR(x, 36) * 5 + low36
residue = If(ULT(folded, P36), folded, folded - P36)  # by the claim before, x mod p
claim("mod36: the top bit of the difference is the borrow", (LShR(folded - P36, 63) == 1) == ULT(folded, P36))
stands("mac/src/umac/l3_inner.rs", "Key::l3_hash", """
pub fn l3_hash(&self, word: u128) -> u32 {
    let digit = |i: usize| u64::from((word >> (112 - 16 * i)) as u16);
    let sum: u64 = (0..8).map(|i| digit(i) * self.k[i].0).sum();
    mod36(sum).0 as u32 ^ self.mask
}
""")
stands("mac/src/umac/l3_inner.rs", "Key::from_bytes", """
pub fn from_bytes(bytes: &[u8; 64], mask: &[u8; 4]) -> Key {
    let words = bytes.as_chunks().0;
    Key {
        k: core::array::from_fn(|i| mod36(u64::from_be_bytes(words[i]))),
        mask: u32::from_be_bytes(*mask),
    }
}
""")
products = [Int(f"p{i}") for i in range(8)]
claim("level 3: eight products are below 2^55", Sum(products) < 2**55, [below((2**16 - 1) * (P36 - 1) + 1, *products)],
      wrong=Sum(products) < 2**54)

# the same in vectors
low32 = lambda word: word & (W32 - 1)
stands("mac/src/umac/packet/avx512.rs", "mod36", """
fn mod36(sums: __m512i) -> Mod36<__m512i> {
    let low = _mm512_and_si512(sums, _mm512_set1_epi64((1 << 36) - 1));
    let folded = _mm512_madd52lo_epu64(low, _mm512_srli_epi64::<36>(sums), _mm512_set1_epi64(5));
    let less = _mm512_sub_epi64(folded, _mm512_set1_epi64((1 << 36) - 5));
    Mod36(_mm512_min_epu64(folded, less))
}
""")
claim("avx512 mod36: five times the upper bits is its own lower 52 bits", ULT(LShR(x, 36) * 5, W52))
claim("avx512 mod36: the minimum is the residue", If(ULT(folded, folded - P36), folded, folded - P36) == residue)
stands("mac/src/umac/packet/avx2.rs", "l3_hash", """
let Signed36(less) = folded(sums);
let hashes = _mm256_sub_epi32(less, _mm256_and_si256(_mm256_srli_epi64::<61>(less), five()));
""")
stands("mac/src/umac/packet/avx2.rs", "folded", """
let low = _mm256_or_si256(sums, _mm256_set1_epi64x(!0 << 36));
let low = _mm256_add_epi64(low, five());
Signed36(_mm256_add_epi64(low, _mm256_mul_epu32(_mm256_srli_epi64::<36>(sums), five())))
""")
less = (x | BitVecVal(W64 - W36, 64)) + 5 + LShR(x, 36) * 5
claim("avx2 level 3: the lower 32 bits of the residue", low32(less - (LShR(less, 61) & 5)) == low32(residue), [ULT(x, 2**54)],
      wrong=low32(less - (LShR(less, 61) & 4)) == low32(residue))
stands("mac/src/umac/packet/sse.rs", "folded", """
let above = _mm_srli_epi64::<36>(sums);
let low = _mm_or_si128(sums, _mm_set1_epi64x(!0 << 36));
Signed36(_mm_add_epi64(_mm_add_epi64(low, above), _mm_slli_epi64::<2>(above)))
""")
stands("mac/src/umac/packet/sse.rs", "hash_of_two", """
let less = _mm_and_si128(_mm_srli_epi64::<61>(lanes), _mm_set1_epi64x(5));
let order = _mm_setr_epi8(3, 2, 1, 0, 11, 10, 9, 8, -1, -1, -1, -1, -1, -1, -1, -1);
_mm_shuffle_epi8(_mm_sub_epi32(lanes, less), order)
""")
stands("mac/src/umac/packet/sse.rs", "hash_of_four", "let less = _mm_and_si128(_mm_srli_epi32::<29>(upper), _mm_set1_epi32(5));")
five = x + 5  # the sums begin with 5
lanes = (five | BitVecVal(W64 - W36, 64)) + LShR(five, 36) + (LShR(five, 36) << 2)
claim("sse level 3: the lower 32 bits of the residue", low32(lanes - (LShR(lanes, 61) & 5)) == low32(residue), [ULT(x, 2**54)],
      wrong=low32(lanes - (LShR(lanes, 61) & 7)) == low32(residue))
claim("sse level 3: four streams look at the same bits", LShR(LShR(lanes, 32), 29) & 5 == LShR(lanes, 61) & 5, [ULT(x, 2**54)])
stands("mac/src/umac/packet/armv8.rs", "folded", """
let above = pair(&keys.above);
let upper = vandq_u64(sums, above);
Signed36(vsraq_n_u64::<34>(vsraq_n_u64::<36>(vorrq_u64(sums, above), upper), upper))
""")
stands("mac/src/umac/packet/armv8.rs", "hash_of_two", """
let less = vandq_u64(vcltzq_s64(vreinterpretq_s64_u64(lanes)), pair(&keys.five));
shuffle(as_block(vsubq_u64(lanes, less)), &keys.order)
""")
stands("mac/src/umac/packet/armv8.rs", "hash_of_four", "let less = vandq_u32(vcltzq_s32(vreinterpretq_s32_u32(upper)), vdupq_n_u32(5));")
upper = five & BitVecVal(W64 - W36, 64)
lanes = (five | BitVecVal(W64 - W36, 64)) + LShR(upper, 36) + LShR(upper, 34)
less = If(lanes < 0, BitVecVal(5, 64), BitVecVal(0, 64))
claim("armv8 level 3: the lower 32 bits of the residue", low32(lanes - less) == low32(residue), [ULT(x, 2**54)],
      wrong=low32(lanes - less + 1) == low32(residue))

# the products of level 3 in parts: a key is k + 2^32 h, below 2^36, a digit d
stands("mac/src/umac/packet/sse.rs", "Keys::new", """
begin: Aligned([a, b].map(|key| 5 + (all(key) << (15 + 32)))),
""")
stands("mac/src/umac/packet/sse.rs", "sums_of_digits", """
let even = _mm_and_si128(words, _mm_set1_epi32(0xffff));
let odd = _mm_srli_epi32::<16>(words);
let half = |lanes| _mm_shuffle_epi32::<0xf5>(lanes);
let signed = _mm_xor_si128(words, _mm_set1_epi16(i16::MIN));
let upper = _mm_madd_epi16(signed, aligned(upper));
let sums = [
    _mm_mul_epu32(even, aligned(&lower[0])),
    _mm_mul_epu32(odd, aligned(&lower[2])),
    _mm_mul_epu32(half(even), aligned(&lower[1])),
    _mm_mul_epu32(half(odd), aligned(&lower[3])),
];
let upper =
    _mm_add_epi64(_mm_slli_epi64::<32>(upper), _mm_and_si128(upper, _mm_set1_epi64x(!0 << 32)));
let upper = _mm_add_epi64(upper, aligned(begin));
let lower = _mm_add_epi64(_mm_add_epi64(sums[0], sums[1]), _mm_add_epi64(sums[2], sums[3]));
Sum54(_mm_add_epi64(lower, upper))
""")
heads, products = [Int(f"h{i}") for i in range(4)], [Int(f"dh{i}") for i in range(4)]
given = [below(2**4, *heads), *[And(0 <= q, q <= (2**16 - 1) * h) for q, h in zip(products, heads)]]
signed = [q - 2**15 * h for q, h in zip(products, heads)]  # (d - 2^15) h
claim("sse level 3: a sum of two signed products of digits and the keys' upper bits fits 32 bits",
      And(signed[0] + signed[1] < 2**20, signed[0] + signed[1] >= -(2**20)), given, wrong=signed[0] + signed[1] < 2**19)
claim("sse level 3: with what they lack the signed products are the products",
      2**32 * Sum(signed) + 5 + 2 ** (15 + 32) * Sum(heads) == 5 + 2**32 * Sum(products), given,
      wrong=2**32 * Sum(signed) + 5 + 2 ** (14 + 32) * Sum(heads) == 5 + 2**32 * Sum(products))
stands("mac/src/umac/packet/avx2.rs", "arrange", """
table[quad] = keys.map(|Mod36(key)| key & 0xffff_ffff);
table[quad + 1] = keys.map(|Mod36(key)| (key >> 32 | key >> 32 << 24) << 32);
""")
stands("mac/src/umac/packet/avx2.rs", "spread", """
(order[8 * lane], order[8 * lane + 1]) = (digit, digit + 1);
(order[8 * lane + 4], order[8 * lane + 6]) = (digit, digit + 1);
""")
stands("mac/src/umac/packet/avx2.rs", "times", """
_mm256_add_epi64(_mm256_mul_epu32(digits, lower), _mm256_madd_epi16(digits, upper))
""")
d, h, row = BitVec("d", 64), BitVec("h", 64), BitVec("row", 64)
claim("avx2 level 3: bytes times the upper bits, once for each byte",
      And((d & 255) * (LShR(row, 32) & 0xFFFF) + LShR(d, 8) * LShR(row, 48) == d * h, ULT(LShR(row, 48), 2**15)),
      [ULT(d, 2**16), ULT(h, 2**4), row == (h | h << 24) << 32])
stands("mac/src/umac/packet/armv8.rs", "sums_of_digits", """
let first = vmlal_u32(pair(&keys.five), vget_low_u32(a), vget_low_u32(of_a));
let first = vmlal_high_u32(first, a, of_a);
let last = vmull_u32(vget_low_u32(b), vget_low_u32(of_b));
let last = vmlal_high_u32(last, b, of_b);
""")
stands("mac/src/umac/packet/armv8.rs", "Keys::new", """
core::array::from_fn(|i| (of[i % 2].of_digit(2 * half + i / 2).0 >> 8) as u32)
}),
lower: core::array::from_fn(|i| of[i / 4].of_digit(i % 4).0 as u16 & 0xff),
""")
digit, upper, lower = Ints("digit upper lower")
claim("armv8 level 3: 2^8 d times the upper bits of a key, d times the lower eight",
      2**8 * digit * upper + digit * lower == digit * (2**8 * upper + lower), [below(2**16, digit)],
      wrong=2**7 * digit * upper + digit * lower == digit * (2**8 * upper + lower))
key = BitVec("key", 64)
claim("armv8 level 3: both are what a multiplication reads, and two of the second fit 32 bits",
      And(ULT(d << 8, W32), ULT(LShR(key, 8), W32), ULT(2 * d * (key & 255), W32)), [ULT(d, 2**16), ULT(key, W36)])

# hash127: mod 2^127 - 1
stands("yardstick/src/hash127/field.rs", "mul", """
pub(super) fn mul(UpToP(a): UpToP, UpToP(b): UpToP) -> UpToP {
    let (a1, a0) = (a >> 64, u128::from(a as u64));
    let (b1, b0) = (b >> 64, u128::from(b as u64));
    let middle = a0 * b1 + a1 * b0;
    let (low, carry) = (a0 * b0).overflowing_add(middle << 64);
    let high = a1 * b1 + (middle >> 64) + u128::from(carry);
    fold((low & P) + (low >> 127) + 2 * high)
}
""")
P = P127
p00, p01, p10, p11, m_lo, m_hi, low, carry, l_lo, l_hi = Ints("p00 p01 p10 p11 m_lo m_hi low carry l_lo l_hi")
big, small = W64 - 1, 2**63 - 1
middle, high = p01 + p10, p11 + m_hi + carry
given = [below(big * big + 1, p00), below(big * small + 1, p01, p10), below(small * small + 1, p11),
         middle == m_lo + W64 * m_hi, below(W64, m_lo), m_hi >= 0,
         p00 + W64 * m_lo == low + W128 * carry, below(W128, low), carry >= 0,
         low == l_lo + W127 * l_hi, below(W127, l_lo), l_hi >= 0]
last = l_lo + l_hi + 2 * high
claim("hash127 mul: the middle is at most 2^128 - 3 2^64 + 2", middle <= W128 - 3 * W64 + 2, given,
      wrong=middle <= W128 - 3 * W64 + 1)
claim("hash127 mul: the carry is a bit, high at most 2^126 - 1", And(carry <= 1, high <= 2**126 - 1), given)
claim("hash127 mul: what is folded last is at most 2^128 - 2", last <= W128 - 2, given)
claim("hash127 mul: a b mod p", p00 + W64 * middle + W128 * p11 == last + P * (l_hi + 2 * high), given,
      wrong=p00 + W64 * middle + W128 * p11 == last + P * (l_hi + high))
stands("yardstick/src/hash127/field.rs", "fold", """
pub(super) fn fold(x: u128) -> UpToP {
UpToP::new((x & P) + (x >> 127))
}
""")
x = BitVec("x", 128)
p = BitVecVal(P, 128)
fold = (x & p) + LShR(x, 127)
claim("hash127 fold: at most p, x or x - p", And(ULE(fold, p), Or(fold == x, fold == x - p)), [ULT(x, W128 - 1)],
      wrong=ULT(fold, p))
stands("yardstick/src/hash127/field.rs", "add", """
pub(super) fn add(UpToP(a): UpToP, UpToP(b): UpToP) -> UpToP {
    fold(a + b)
}
""")
stands("yardstick/src/hash127/field.rs", "fold_signed", """
pub(super) fn fold_signed(x: i128) -> UpToP {
// The top bit is the sign.
UpToP::new((x as u128 & P) - (x as u128 >> 127))
}
""")
fold = (x & p) - LShR(x, 127)
claim("hash127 fold_signed: at most p, x or x + p", And(ULE(fold, p), Or(fold == x, fold == x + p)), [x > BitVecVal(W127, 128)],
      wrong=ULT(fold, p))
stands("yardstick/src/hash127/field.rs", "canonical", """
pub(super) fn canonical(UpToP(x): UpToP) -> u128 {
(x + ((x + 1) >> 127)) & P
}
""")
canonical = (x + LShR(x + 1, 127)) & p
claim("hash127 canonical: below p", And(ULT(canonical, p), Or(canonical == x, And(x == p, canonical == 0))), [ULE(x, p)])
stands("yardstick/src/hash127/sum/avx512.rs", "Sums::total", """
let (low, middle) = two(low0, _mm512_add_epi64(high0, low1));
let (high, _) = two(_mm512_add_epi64(high1, last), _mm512_setzero_si512());
// Over 128 words: low < 2^(52 + 7), middle < 2^59 + 2^(32 + 7), high < 2^39 + 2^(55 + 7).
let below = u128::from(low) + u128::from(high >> 23) + (u128::from(middle) << BITS);
let above = u128::from(high & ((1 << 23) - 1)) << (2 * BITS);
add(UpToP::new(below), UpToP::new(above))
""")
low0, high0, low1, high1, top, part, over = (Int(name) for name in ("low0", "high0", "low1", "high1", "top", "part", "over"))
given = [below(128 * (W52 - 1) + 1, low0, low1), below(128 * (W32 - 1) + 1, high0, high1),
         below(128 * (W32 - 1) * (2**23 - 1) + 1, top), high1 + top == part + 2**23 * over, below(2**23, part)]
claim("hash127 avx512: the sums of 128 words are below 2^59, 2^60, 2^63",
      And(low0 < 2**59, high0 + low1 < 2**60, high1 + top < 2**63), given, wrong=low0 < 2**58)
claim("hash127 avx512 total: what add takes", And(low0 + over + W52 * (high0 + low1) <= P, 2**104 * part <= P), given)
claim("hash127 avx512 total: the sum of the limbs mod p",
      low0 + W52 * (high0 + low1) + 2**104 * (high1 + top)
      == low0 + over + W52 * (high0 + low1) + 2**104 * part + P * over, given,
      wrong=low0 + W52 * (high0 + low1) + 2**104 * (high1 + top)
      == low0 + W52 * (high0 + low1) + 2**104 * part + P * over)
stands("yardstick/src/hash127/sum/portable.rs", "prepare", """
let power = power.wrapping_sub(P & (power >> 126).wrapping_neg()) as i128;
let low = power as i64;
*limbs = [low as u64, ((power - i128::from(low)) >> 64) as u64];
""")
power = x - (p & -LShR(x, 126))
limb = SignExt(64, Extract(63, 0, power))
upper = (power - limb) >> 64
claim("hash127 portable: the power or the power less p, in two limbs",
      And(Or(power == x, power == x - p), limb + (upper << 64) == power, upper >= -(2**62), upper <= 2**62), [ULE(x, p)],
      wrong=upper < 2**62)
stands("yardstick/src/hash127/sum/portable.rs", "sum", """
let above = high as u128 & ((1 << 63) - 1);
add(fold_signed(low + (high >> 63)), UpToP::new(above << 64))
""")
low, high, above, top = Ints("low high above top")
given = [And(-(2**101) <= low, low <= 2**101), And(-(2**100) <= high, high <= 2**100), high == above + 2**63 * top, below(2**63, above)]
claim("hash127 portable total: what fold_signed and add take, and the sum mod p",
      And(-P <= low + top, low + top <= P, 2**64 * above <= P, low + 2**64 * high == low + top + 2**64 * above + P * top), given,
      wrong=low + 2**64 * high == low + 2**64 * above + P * top)

# POLY-32 and level 3 of two bytes: the sets of 2000
stands("historical/src/umac16/poly32.rs", "Key::from_bytes", """
pub(crate) fn from_bytes(bytes: [u8; 4]) -> Key {
    let k = u32::from_be_bytes(bytes) & 0x1fff_ffff;
    Key { k: Masked(k), square: mul_add32(Lazy(k), Lazy(k), 0) }
}
""")
stands("historical/src/umac16/poly32.rs", "poly32", """
pub(crate) fn poly32(key: &Key, y: Lazy<u32>, m: u32) -> Lazy<u32> {
    let over = mask(m >= LIMIT32) as u32;
    let (Masked(k), Lazy(square)) = (key.k, key.square);
    let less = (5 + k) & over;
    mul_add32(Lazy(k ^ (k ^ square) & over), y, m.wrapping_sub(less))
}
""")
x = BitVec("x", 32)
claim("poly32 keys: below 2^29", ULT(x & 0x1FFFFFFF, 2**29), wrong=ULT(x & 0x1FFFFFFF, 2**28))
k, y, m, square, c, a = Ints("k y m square c a")
given = [below(2**29, k), m >= W32 - 6, m < W32]
claim("poly32 large words: what is taken off is not more than the word", 5 + k <= m, given, wrong=5 + k <= 2**29)
# The two steps, p - 1 and m - 5, in one: a stands for k y and square for k^2 + c p.
claim("poly32 large words: two steps in one, mod p", k * a + k * (P32 - 1) + (m - 5) == k * a + (m - 5 - k) + P32 * k,
      wrong=k * a + k * (P32 - 1) + (m - 5) == k * a + (m - 5) + P32 * k)
stands("historical/src/umac16/poly32.rs", "mul_add32", """
fn mul_add32(k: Lazy<u32>, y: Lazy<u32>, m: u32) -> Lazy<u32> {
    let sum = u64::from(k.0) * u64::from(y.0) + u64::from(m);
    let sum = 5 * (sum >> 32) + u64::from(sum as u32);
    let (sum, carry) = (sum as u32).overflowing_add(5 * (sum >> 32) as u32);
    Lazy(sum.wrapping_add(5 & mask(carry) as u32))
}
""")
product, m, lo, hi, s_lo, s_hi, f, c = Ints("product m lo hi s_lo s_hi f c")
given = [0 <= product, product <= (W32 - 1) ** 2, below(W32, m, lo, s_lo, f), hi >= 0, s_hi >= 0, c >= 0,
         product + m == lo + W32 * hi, 5 * hi + lo == s_lo + W32 * s_hi, s_lo + 5 * s_hi == f + W32 * c]
claim("poly32: the sum fits 64 bits, so does the first fold", And(product + m < W64, 5 * hi + lo < W64), given)
claim("poly32: the carry is a bit, and the last fold does not carry", And(c <= 1, f + 5 * c < W32), given)
claim("poly32: k y + m mod p", product + m == f + 5 * c + P32 * (hi + s_hi + c), given,
      wrong=product + m == f + 5 * c + (P32 - 1) * (hi + s_hi + c))
stands("historical/src/umac16/poly32.rs", "reduce32", """
pub(crate) fn reduce32(Lazy(y): Lazy<u32>) -> Reduced<u32> {
    let (less, below) = y.overflowing_sub(P32);
    let reduced = less.wrapping_add(P32 & mask(below) as u32);
    Reduced(reduced)
}
""")
reduced = (x - P32) + If(ULT(x, P32), BitVecVal(P32, 32), BitVecVal(0, 32))
claim("reduce32: below p, x or x - p", And(ULT(reduced, P32), Or(reduced == x, reduced == x - P32)), wrong=ULT(reduced, P32 - 1))
stands("historical/src/umac16/packet/avx2.rs", "poly", """
fn poly(keys: &[[u64; 4]; 3], y: __m256i, m: __m256i) -> __m256i {
    let over = _mm256_cmpgt_epi64(m, _mm256_set1_epi64x(i64::from(LIMIT32) - 1));
    let k = _mm256_blendv_epi8(load256(&keys[0]), load256(&keys[1]), over);
    let m = _mm256_sub_epi64(m, _mm256_and_si256(load256(&keys[2]), over));
    fold(fold(fold(_mm256_add_epi64(_mm256_mul_epu32(k, y), m))))
}
""")
stands("historical/src/umac16/packet/avx2.rs", "fold", """
fn fold(y: __m256i) -> __m256i {
    let low = _mm256_and_si256(y, _mm256_set1_epi64x(u32::MAX.into()));
    _mm256_add_epi64(low, _mm256_mul_epu32(_mm256_srli_epi64::<32>(y), _mm256_set1_epi64x(5)))
}
""")
product, m, lo1, hi1, lo2, hi2, lo3, hi3 = Ints("product m lo1 hi1 lo2 hi2 lo3 hi3")
given = [0 <= product, product <= (W32 - 1) ** 2, below(W32, m, lo1, lo2, lo3), hi1 >= 0, hi2 >= 0, hi3 >= 0,
         product + m == lo1 + W32 * hi1, lo1 + 5 * hi1 == lo2 + W32 * hi2, lo2 + 5 * hi2 == lo3 + W32 * hi3]
claim("poly32 avx2: the sum fits 64 bits, a fold leaves at most 6 (2^32 - 1), two less than 2^32 + 25",
      And(product + m < W64, lo1 + 5 * hi1 <= 6 * (W32 - 1), lo2 + 5 * hi2 < W32 + 25), given, wrong=lo2 + 5 * hi2 < W32 + 19)
claim("poly32 avx2: three folds leave less than 2^32, and mod p",
      And(lo3 + 5 * hi3 < W32, product + m == lo3 + 5 * hi3 + P32 * (hi1 + hi2 + hi3)), given,
      wrong=product + m == lo3 + 5 * hi3 + P32 * (hi1 + hi2))
stands("historical/src/umac16/packet/avx2.rs", "reduce32", """
fn reduce32(y: __m256i) -> __m256i {
    _mm256_min_epu32(y, _mm256_add_epi64(y, _mm256_set1_epi64x(5)))
}
""")
y = BitVec("y", 64)
halves = [(Extract(top, top - 31, y), Extract(top, top - 31, y + 5)) for top in (63, 31)]
reduced = Concat(*[If(ULT(a, b), a, b) for a, b in halves])
claim("poly32 avx2 reduce32: below p, x or x - p", And(ULT(reduced, P32), Or(reduced == y, reduced == y - P32)), [ULT(y, W32)],
      wrong=ULT(reduced, P32 - 1))
stands("historical/src/umac16/packet/avx512.rs", "poly", """
let over = _mm256_cmpge_epu64_mask(m, _mm256_set1_epi64x(LIMIT32.into()));
let k = _mm256_mask_mov_epi64(k, over, square);
let m = _mm256_mask_sub_epi64(m, over, m, less);
let low = _mm256_madd52lo_epu64(m, k, y);
let high = _mm256_madd52hi_epu64(_mm256_setzero_si256(), k, y);
fold(_mm256_madd52lo_epu64(low, high, _mm256_set1_epi64x(5 << 20)))
""")
stands("historical/src/umac16/packet/avx512.rs", "fold", """
fn fold(y: __m256i) -> __m256i {
    let low = _mm256_and_si256(y, _mm256_set1_epi64x(u32::MAX.into()));
    _mm256_madd52lo_epu64(low, _mm256_srli_epi64::<32>(y), _mm256_set1_epi64x(5))
}
""")
low, high, m, total, t_lo, t_hi = Ints("low high m total t_lo t_hi")
given = [below(W52, low), high >= 0, low + W52 * high <= (W32 - 1) * (2**33 - 1), below(W32, m, t_lo), t_hi >= 0,
         total == m + low + 5 * 2**20 * high, total == t_lo + W32 * t_hi]
claim("poly32 avx512: what is multiplied fits 52 bits, the sum is below 2^53",
      And(5 * 2**20 * high < W52, total < 2**53, 5 * t_hi < W52), given, wrong=total < W52)
claim("poly32 avx512: below 2^33, and mod p",
      And(t_lo + 5 * t_hi < 2**33, low + W52 * high + m == t_lo + 5 * t_hi + P32 * (2**20 * high + t_hi)), given,
      wrong=low + W52 * high + m == t_lo + 5 * t_hi + P32 * (2**19 * high + t_hi))
stands("historical/src/umac16/packet/avx512.rs", "last_of_poly", """
let (once, twice) = (times(k), _mm256_sub_epi64(times(square), less));
let over = _mm256_cmpge_epu64_mask(m, _mm256_set1_epi64x(LIMIT32.into()));
_mm256_add_epi64(m, _mm256_mask_mov_epi64(once, over, twice))
""")
once, less = BitVecs("once less", 64)
word = BitVec("word", 64)
claim("poly32 avx512, the last word: the difference wraps, the sum does not",
      And(ULT(word + (once - less), 2**34), word + (once - less) == once + (word - less), ULE(less, word)),
      [ULT(once, 2**33), ULT(less, 2**29 + 5), ULT(word, W32), ULE(BitVecVal(W32 - 6, 64), word)],
      wrong=ULT(word + (once - less), W32))
stands("historical/src/umac16/packet/avx512.rs", "reduce32", """
fn reduce32(y: __m256i) -> __m256i {
    let y = fold(y);
    _mm256_min_epu64(y, _mm256_sub_epi64(y, _mm256_set1_epi64x(P32.into())))
}
""")
y = BitVec("y", 64)
folded = (y & (W32 - 1)) + LShR(y, 32) * 5
reduced = If(ULT(folded, folded - P32), folded, folded - P32)
claim("poly32 avx512 reduce32: below p, the fold or the fold less p",
      And(ULT(reduced, P32), Or(reduced == folded, reduced == folded - P32)), [ULT(y, 2**53)], wrong=ULT(reduced, P32 - 1))
stands("historical/src/umac16/l3.rs", "Key::hash", """
pub(crate) fn hash(&self, b: u128) -> u16 {
    let digit = |i: usize| u64::from((b >> (112 - 16 * i)) as u16);
    let sum = (0..8).map(|i| digit(i) * u64::from(self.k[i].0)).sum();
    mod19(sum).0 as u16 ^ self.mask
}
""")
stands("historical/src/umac16/l3.rs", "mod19", """
fn mod19(x: u64) -> Mod19 {
    let fold = |x: u64| (x >> 19) + (x & P19);
    let folded = fold(fold(x));
    let less = folded.wrapping_sub(P19);
    let borrow = mask(less >> 63 == 1);
    let reduced = (folded & borrow) | (less & !borrow);
    Mod19(reduced as u32)
}
""")
stands("historical/src/umac16/l3.rs", "Key::from_bytes", """
pub(crate) fn from_bytes(bytes: &[u8; 32], mask: [u8; 2]) -> Key {
    let words = bytes.as_chunks().0;
    Key {
        k: core::array::from_fn(|i| mod19(u32::from_be_bytes(words[i]).into())),
        mask: u16::from_be_bytes(mask),
    }
}
""")
products = [Int(f"product{i}") for i in range(8)]
claim("level 3, two bytes: eight products are below 2^38", Sum(products) < 2**38, [below((2**16 - 1) * P19, *products)],
      wrong=Sum(products) < 2**37)
lo, hi, l2, h2 = Ints("lo hi l2 h2")
given = [below(2**19, lo, hi, l2), h2 >= 0, lo + hi == l2 + 2**19 * h2]
claim("level 3, two bytes: two folds of a number below 2^38 leave at most p, the same mod p",
      And(l2 + h2 <= P19, lo + 2**19 * hi == l2 + h2 + P19 * (hi + h2)), given, wrong=l2 + h2 < P19)
x = BitVec("x", 64)
less = x - P19
reduced = If(LShR(less, 63) == 1, x, less)
claim("level 3, two bytes: what is left is below p, x or x - p", And(ULT(reduced, P19), Or(reduced == x, reduced == x - P19)),
      [ULE(x, P19)], wrong=ULT(reduced, P19 - 1))
stands("historical/src/umac16/packet/avx512.rs", "hash_of_all", """
let low = _mm512_and_si512(words, _mm512_set1_epi64(0xffff));
let high = _mm512_srli_epi32::<16>(words);
let sum = _mm512_add_epi64(
    _mm512_mul_epu32(low, load512(&key.digits[0])),
    _mm512_mul_epu32(high, load512(&key.digits[1])),
);
let p = _mm512_set1_epi64(P19 as i64);
let folded = _mm512_add_epi64(_mm512_srli_epi64::<19>(sum), _mm512_and_si512(sum, p));
let hash = _mm512_min_epu32(folded, _mm512_sub_epi32(folded, p));
""")
stands("historical/src/umac16/packet/avx2.rs", "products", """
let low = _mm256_and_si256(words, _mm256_set1_epi64x(0xffff));
let high = _mm256_srli_epi32::<16>(words);
let sum = _mm256_add_epi64(
    _mm256_mul_epu32(low, load256(keys[0])),
    _mm256_mul_epu32(high, load256(keys[1])),
);
let p = _mm256_set1_epi64x(P19 as i64);
let folded = _mm256_add_epi64(_mm256_srli_epi64::<19>(sum), _mm256_and_si256(sum, p));
let hash = _mm256_min_epu32(folded, _mm256_sub_epi32(folded, p));
""")
claim("level 3, two bytes, avx2 and avx512: two products are below 2^36", Sum(products[:2]) < W36,
      [below((2**16 - 1) * (P19 - 1) + 1, *products[:2])], wrong=Sum(products[:2]) < 2**35)
folded = LShR(x, 19) + (x & P19)
word = Extract(31, 0, folded)
reduced = If(ULT(word, word - P19), word, word - P19)
claim("level 3, two bytes, avx2 and avx512: below p, the fold or the fold less p",
      And(ULT(folded, W32), ULT(reduced, P19), Or(reduced == word, reduced == word - P19)), [ULT(x, W36)], wrong=ULT(reduced, P19 - 1))

sys.exit(failed)
