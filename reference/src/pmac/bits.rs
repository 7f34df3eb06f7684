//! PMAC for strings of any number of bits, with tags of any number of bits, over block ciphers of
//! 128 or 64 bits, to be read beside Black and Rogaway (EUROCRYPT 2002) sections 2 and 3.
//!
//! A string is a list of bits here, as in the paper, so nothing needs masking or shifting. Bytes appear only where a
//! block cipher is called, and in the functions at the end that take them. A block has n bits in every function with
//! an argument `n`.

use super::gray;
use crate::aes::Aes;

/// A block cipher under its key, E_K: from n/8 bytes to n/8 bytes.
pub type Cipher<'a> = dyn Fn(&[u8]) -> Vec<u8> + 'a;

// Section 2: strings.

/// The first `count` bits of `bytes`, the most significant bit of a byte first. The remaining bits of the last byte
/// are ignored.
pub fn bits_of(bytes: &[u8], count: usize) -> Vec<bool> {
    assert_eq!(bytes.len(), count.div_ceil(8), "{count} bits are in so many bytes");
    (0..count).map(|i| bytes[i / 8] >> (7 - i % 8) & 1 == 1).collect()
}

/// The bits as bytes; the last byte is filled with zero bits.
pub fn bytes_of(bits: &[bool]) -> Vec<u8> {
    let mut bytes = vec![0; bits.len().div_ceil(8)];
    for i in (0..bits.len()).filter(|&i| bits[i]) {
        bytes[i / 8] |= 1 << (7 - i % 8);
    }
    bytes
}

fn xor(a: &[bool], b: &[bool]) -> Vec<bool> {
    assert_eq!(a.len(), b.len(), "only strings of one length can be added");
    (0..a.len()).map(|i| a[i] ^ b[i]).collect()
}

/// M\[1\] .. M\[m\]: all of n bits but the last, which may be shorter. The empty string is one
/// block.
pub fn partition(n: usize, message: &[bool]) -> Vec<Vec<bool>> {
    let m = message.len().div_ceil(n).max(1);
    (0..m).map(|i| message[n * i..message.len().min(n * (i + 1))].to_vec()).collect()
}

/// A string of n bits as it is; a shorter one with a 1 bit after it and zero bits to the end.
pub fn pad(n: usize, a: &[bool]) -> Vec<bool> {
    let mut padded = a.to_vec();
    if padded.len() < n {
        padded.push(true);
    }
    while padded.len() < n {
        padded.push(false);
    }
    padded
}

fn apply(cipher: &Cipher, block: &[bool]) -> Vec<bool> {
    bits_of(&cipher(&bytes_of(block)), block.len())
}

// Section 2: the field with 2^n points. The first bit is the coefficient of x^(n-1).

/// The powers of x in p(x) - x^n, for p the first of the irreducible polynomials with the fewest
/// terms: what x^n is in the field.
fn x_to_the_n(n: usize) -> [usize; 4] {
    match n {
        128 => [7, 2, 1, 0],
        64 => [4, 3, 1, 0],
        _ => panic!("a block has 128 or 64 bits"),
    }
}

/// The powers of x in x^-1, which is (p(x) - 1) / x.
fn x_to_the_minus_1(n: usize) -> [usize; 4] {
    let [a, b, c, _] = x_to_the_n(n);
    [n - 1, a - 1, b - 1, c - 1]
}

fn sum_of_powers(n: usize, powers: [usize; 4]) -> Vec<bool> {
    (0..n).map(|i| powers.contains(&(n - 1 - i))).collect()
}

/// a * x: shift left; if x^n appeared, replace it.
pub fn double(a: &[bool]) -> Vec<bool> {
    let n = a.len();
    let mut shifted = a[1..].to_vec();
    shifted.push(false);
    if a[0] { xor(&shifted, &sum_of_powers(n, x_to_the_n(n))) } else { shifted }
}

/// a / x: shift right; if x^-1 appeared, replace it.
pub fn halve(a: &[bool]) -> Vec<bool> {
    let n = a.len();
    let mut shifted = vec![false];
    shifted.extend(&a[..n - 1]);
    if a[n - 1] { xor(&shifted, &sum_of_powers(n, x_to_the_minus_1(n))) } else { shifted }
}

/// The i-th word of the Gray code times L: the sum of L * x^j over its bits j.
pub fn gray_times(i: u64, l: &[bool]) -> Vec<bool> {
    let word = gray(i);
    let mut sum = vec![false; l.len()];
    let mut l_times_power = l.to_vec();
    for j in 0..64 {
        if word >> j & 1 == 1 {
            sum = xor(&sum, &l_times_power);
        }
        l_times_power = double(&l_times_power);
    }
    sum
}

// Section 3: PMAC, Figure 1.

/// L = E_K(0^n).
pub fn l(e: &Cipher, n: usize) -> Vec<bool> {
    apply(e, &vec![false; n])
}

/// Y\[i\], for a block that is not the last.
fn y(e: &Cipher, l: &[bool], i: usize, block: &[bool]) -> Vec<bool> {
    apply(e, &xor(block, &gray_times(i as u64, l)))
}

/// PMAC: the first tau bits of the tag, 1 to n of them.
pub fn pmac(e: &Cipher, n: usize, message: &[bool], tau: usize) -> Vec<bool> {
    assert!((1..=n).contains(&tau), "a tag has 1 to {n} bits");
    let l = l(e, n);
    let blocks = partition(n, message);
    let m = blocks.len();
    let last_block = &blocks[m - 1];

    let mut sigma = pad(n, last_block);
    for i in 1..m {
        sigma = xor(&sigma, &y(e, &l, i, &blocks[i - 1]));
    }
    let x_m = if last_block.len() == n { xor(&sigma, &halve(&l)) } else { sigma };
    apply(e, &x_m)[..tau].to_vec()
}

// The same for bytes: a message is its bytes and the number of its bits, and a tag has its unused
// bits zero.

/// The first `tag_bits` bits of the tag of the first `bits` bits of `message`.
pub fn pmac_bytes(e: &Cipher, n: usize, message: &[u8], bits: usize, tag_bits: usize) -> Vec<u8> {
    bytes_of(&pmac(e, n, &bits_of(message, bits), tag_bits))
}

/// [`pmac_bytes`] with AES; the key has 16, 24 or 32 bytes.
pub fn pmac_aes(key: &[u8], message: &[u8], bits: usize, tag_bits: usize) -> Vec<u8> {
    let aes = Aes::new(key);
    let e = |block: &[u8]| aes.encrypt(block.try_into().expect("16 bytes")).to_vec();
    pmac_bytes(&e, 128, message, bits, tag_bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pmac as bytewise;
    use crate::rc6::Rc6;

    const KEY: [u8; 16] = [0x5a; 16];

    fn some_bytes(length: usize) -> Vec<u8> {
        (0..length).map(|i| (i * i / 3 + 5 * i + 1) as u8).collect()
    }

    fn some_bits(count: usize) -> Vec<bool> {
        bits_of(&some_bytes(count.div_ceil(8)), count)
    }

    #[test]
    fn the_constants_of_both_fields() {
        for (n, out_left, out_right) in
            [(128, 0x87, (1 << 127) | 0x43), (64, 0x1b << 64, (1 << 127) | (0x0d << 64))]
        {
            let mut one = vec![false; n];
            one[n - 1] = true;
            let mut top = vec![false; n];
            top[0] = true;
            // A string of 64 bits is the upper half of the number.
            assert_eq!(double(&top), bits_of(&u128::to_be_bytes(out_left)[..n / 8], n));
            assert_eq!(halve(&one), bits_of(&u128::to_be_bytes(out_right)[..n / 8], n));
            assert_eq!(double(&halve(&one)), one);
            assert_eq!(halve(&double(&top)), top);
        }
    }

    #[test]
    fn bits_stand_in_bytes_from_the_left() {
        assert_eq!(bits_of(&[0xa0], 3), [true, false, true]);
        assert_eq!(bits_of(&[0xbf], 3), [true, false, true]);
        assert_eq!(bytes_of(&[true, false, true]), [0xa0]);
        assert_eq!(bytes_of(&bits_of(&some_bytes(9), 67))[..8], some_bytes(8));
        assert!(bits_of(&[], 0).is_empty());
    }

    #[test]
    fn only_a_block_of_exactly_n_bits_is_full() {
        for n in [64, 128] {
            for bits in 0..4 * n {
                let message = some_bits(bits);
                let blocks = partition(n, &message);
                assert_eq!(blocks.concat(), message);
                assert!(blocks[..blocks.len() - 1].iter().all(|block| block.len() == n));
                let last = &blocks[blocks.len() - 1];
                let padded = pad(n, last);
                assert_eq!(padded.len(), n);
                if last.len() == n {
                    assert_eq!(&padded, last);
                } else {
                    let end = padded.iter().rposition(|&bit| bit);
                    assert_eq!(end, Some(last.len()), "{bits} bits");
                }
            }
        }
    }

    #[test]
    fn whole_bytes_have_the_tags_of_the_bytewise_definition() {
        for key_len in [16, 24, 32] {
            let key = some_bytes(key_len);
            for length in 0..=200 {
                let message = some_bytes(length);
                let tag = bytewise::pmac_aes(&key, &message, 16);
                assert_eq!(pmac_aes(&key, &message, 8 * length, 128), tag, "{length} bytes");
            }
        }
        let rc6 = Rc6::new(&KEY);
        let e = |block: &[u8]| rc6.encrypt(block.try_into().expect("16 bytes")).to_vec();
        for length in 0..=200 {
            let message = some_bytes(length);
            let tag = bytewise::pmac_rc6(&KEY, &message, 16);
            assert_eq!(pmac_bytes(&e, 128, &message, 8 * length, 128), tag, "{length} bytes");
        }
    }

    #[test]
    fn the_bits_after_the_message_are_ignored() {
        for bits in 1..300 {
            let mut message = some_bytes(usize::div_ceil(bits, 8));
            let tag = pmac_aes(&KEY, &message, bits, 128);
            let unused = 0xff_u8.checked_shr((bits as u32 - 1) % 8 + 1).unwrap_or(0);
            *message.last_mut().expect("a byte") ^= unused;
            assert_eq!(pmac_aes(&KEY, &message, bits, 128), tag, "{bits} bits");
            // The last bit of the message does count.
            *message.last_mut().expect("a byte") ^= 0x80 >> ((bits - 1) % 8);
            assert_ne!(pmac_aes(&KEY, &message, bits, 128), tag, "{bits} bits");
        }
    }
}
