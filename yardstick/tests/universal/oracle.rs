//! The library and the oracle at random shapes.

use super::{Random, below, nh, nht, nht2, of_oracle, reference, words, words_below};
use reference::{linear, products};
use wegman::Bits;
use wegman_reference::pmac::bits::bits_of;
use wegman_yardstick::universal::{
    Bucket, Crc, LfsrToeplitz, Mh, Mmh16, Mmh32, MmhStar, Nhx, Nmh32, NmhStar, Polynomial, Prime,
    Sign, Sqh, Tmmh16,
};

const SIGNS: [Sign; 2] = [Sign::Unsigned, Sign::Signed];

#[test]
fn nh_at_every_word_size() {
    let mut random = Random(1);
    for w in 1..=64 {
        for sign in SIGNS {
            let theirs = of_oracle(sign);
            for _ in 0..6 {
                let n = 2 + 2 * below(&mut random, 12);
                let key = words(&mut random, w, n + 4);
                let l = 2 + 2 * below(&mut random, n / 2);
                let m = words(&mut random, w, l);
                let one = nh(sign, w, &key[..n], &m);
                assert_eq!(one, reference::nh(theirs, w, &key[..n], &m));
                let three = nht::<3>(sign, w, &key, &m);
                assert_eq!(three[..], reference::nht(theirs, w, 3, &key, &m));
                assert_eq!(three[0], one);

                let blocks = 1 + below(&mut random, 5);
                let (k, l) = (words(&mut random, w, n + 2), words(&mut random, w, 2 * blocks + 2));
                let length = 2 + 2 * below(&mut random, n * blocks / 2);
                let m = words(&mut random, w, length);
                assert_eq!(nht2(sign, w, &k, &l, &m), reference::nht2(theirs, w, n, &k, &l, &m));
            }
        }
    }
}

#[test]
fn nhx_at_every_length() {
    let mut random = Random(2);
    for w in [8, 16, 32, 64] {
        for (sign, t, length_bytes) in SIGNS.into_iter().flat_map(|s| [(s, 1, 2), (s, 3, 9)]) {
            let key = words(&mut random, w, 6 + 2 * (t - 1));
            let nhx = Nhx::new(sign, w, t, &key, length_bytes).unwrap();
            let message = random.message(3 * 6 * w as usize / 8 + 3);
            for length in 0..=message.len() {
                let message = &message[..length];
                let mut out = vec![0xa5; nhx.hash_bytes(length)];
                nhx.hash(message, &mut out).unwrap();
                // Theirs can't shift by more than a number has bits.
                let theirs_bytes = length_bytes.min(2);
                let theirs = reference::nhx(of_oracle(sign), w, t, &key, theirs_bytes, message);
                let (hashes, rest) = theirs.split_at(theirs.len() - theirs_bytes);
                let zeroes = vec![0; length_bytes - theirs_bytes];
                assert_eq!(out, [hashes, &zeroes, rest].concat(), "{length} bytes");
            }
        }
    }
}

#[test]
fn sums_of_products() {
    let mut random = Random(3);
    for _ in 0..200 {
        let n = 1 + below(&mut random, 20);
        let l = below(&mut random, n + 1);
        let w = 1 + below(&mut random, 64) as u32;
        let (key, m) = (words(&mut random, w, n), words(&mut random, w, l));
        assert_eq!(Mh::new(w, &key).unwrap().hash(&m), Ok(products::mh(w, &key, &m)));

        for p in [2, 3, 5, 7, 251, 65537, (1 << 32) + 15, (1 << 61) - 1, u64::MAX - 58] {
            let prime = Prime::new(p).unwrap();
            let (key, m) = (words_below(&mut random, p, n), words_below(&mut random, p, l));
            let p = u128::from(p);
            let hash = MmhStar::new(prime, &key).unwrap().hash(&m).unwrap();
            assert_eq!(u128::from(hash), products::mmh_star(p, &key, &m));
            let even = &m[..l / 2 * 2];
            let hash = NmhStar::new(prime, &key).unwrap().hash(even).unwrap();
            assert_eq!(u128::from(hash), products::nmh_star(p, &key, even));
            if p > 2 {
                let hash = Sqh::new(prime, &key).unwrap().hash(&m).unwrap();
                assert_eq!(u128::from(hash), products::sqh(p, &key, &m));
            }
        }

        let (key, m) = (words(&mut random, 32, n), words(&mut random, 32, l));
        let narrow = |words: &[u64]| words.iter().map(|&word| word as u32).collect::<Vec<u32>>();
        let hash = Mmh32::new(&narrow(&key)).hash(&narrow(&m));
        assert_eq!(hash, Ok(products::mmh32(&key, &m)));
        let even = &m[..l / 2 * 2];
        if !even.is_empty() {
            let hash = Nmh32::new(&narrow(&key)).hash(&narrow(even));
            assert_eq!(hash, Ok(products::nmh32(&key, even)));
        }

        let (key, m) = (words(&mut random, 16, n), words(&mut random, 16, l));
        let narrow = |words: &[u64]| words.iter().map(|&word| word as u16).collect::<Vec<u16>>();
        let hash = Mmh16::new(&narrow(&key)).hash(&narrow(&m));
        assert_eq!(hash, Ok(products::mmh16(&key, &m)));

        let (length, t) = (below(&mut random, 40), 1 + below(&mut random, 5));
        let (key, m) = (random.message(40 + 2 * t), random.message(length));
        let mut out = vec![0; 2 * t];
        Tmmh16::new(&key).unwrap().hash(&m, &mut out).unwrap();
        assert_eq!(out, products::tmmh16(&key, &m, t));
    }
}

#[test]
fn buckets() {
    let mut random = Random(4);
    for _ in 0..100 {
        let buckets = 3 + below(&mut random, 40);
        let mut sets: Vec<[usize; 3]> = Vec::new();
        for _ in 0..30 {
            let set = [(); 3].map(|()| below(&mut random, buckets));
            sets.push(set);
            if !linear::is_bucket_key(buckets, &sets) {
                let key: Vec<_> = sets.iter().map(|set| set.map(|b| b as u16)).collect();
                assert!(Bucket::new(buckets as u16, &key).is_err());
                sets.pop();
            }
        }
        let key: Vec<_> = sets.iter().map(|set| set.map(|b| b as u16)).collect();
        let length = below(&mut random, key.len() + 1);
        let message = words(&mut random, 64, length);
        let mut out = vec![1; buckets];
        Bucket::new(buckets as u16, &key).unwrap().hash(&message, &mut out).unwrap();
        assert_eq!(out, linear::bucket(buckets, &sets, &message));
    }
}

/// As the oracle has it.
fn polynomial(degree: u32, low: u128) -> Vec<bool> {
    let bits = (0..degree).map(|k| low >> k & 1 == 1);
    bits.chain([true]).collect()
}

/// Every polynomial of a small degree.
#[test]
fn irreducible_polynomials_are_those_of_the_oracle() {
    for degree in 1..=10 {
        for low in 0..1 << degree {
            let irreducible = linear::is_irreducible(&polynomial(degree, low));
            assert_eq!(Polynomial::new(degree, low).is_ok(), irreducible, "{degree} {low:#x}");
        }
    }
}

/// Degrees with one, two and three prime factors, and the products of two factors of half the degree.
#[test]
fn irreducible_polynomials_of_high_degree() {
    let mut random = Random(5);
    for degree in [30, 64, 105, 127, 128] {
        let mut found = 0;
        for _ in 0..60 {
            let low = u128::from(random.word()) << 64 | u128::from(random.word());
            let low = low >> (128 - degree) | 1;
            let irreducible = linear::is_irreducible(&polynomial(degree, low));
            assert_eq!(Polynomial::new(degree, low).is_ok(), irreducible, "{degree} {low:#x}");
            found += u32::from(irreducible);
        }
        assert!(found < 20);
    }
    // (x^64 + a) (x^64 + b) for two irreducible factors: it divides x^(2^128) - x, unless it is a square.
    let mut factors = (1..4096).step_by(2).filter(|&low| Polynomial::new(64, low).is_ok());
    let (a, b) = (factors.next().unwrap(), factors.next().unwrap());
    for b in [a, b] {
        let product = (0..12).filter(|k| b >> k & 1 == 1).fold(0, |sum, k| sum ^ a << k);
        assert!(Polynomial::new(128, product ^ (a ^ b) << 64).is_err());
    }
}

#[test]
fn crc_and_lfsr() {
    let mut random = Random(6);
    let polynomials = [(1, 0), (1, 1), (2, 3), (3, 3), (8, 0x1b), (32, 0xaf), (64, 0x1b)];
    for (n, low) in polynomials.into_iter().chain([(127, 3), (128, 0x87)]) {
        let p = || Polynomial::new(n, low).unwrap();
        let theirs = polynomial(n, low);
        let number = |bits: &[bool]| bits.iter().fold(0, |sum, &bit| sum << 1 | u128::from(bit));
        for length in (0_usize..150).step_by(7) {
            let bytes = random.message(length.div_ceil(8));
            let bits = bits_of(&bytes, length);
            let message = Bits::new(&bytes, length as u64).unwrap();
            assert_eq!(Crc::new(p()).hash(message), number(&linear::crc(&theirs, &bits)));

            let state = u128::from(random.word()) << 64 | u128::from(random.word());
            let state = (state >> (128 - n)).max(1);
            let s: Vec<bool> = (0..n).rev().map(|k| state >> k & 1 == 1).collect();
            let hash = LfsrToeplitz::new(p(), state).unwrap().hash(message);
            assert_eq!(hash, number(&linear::lfsr_toeplitz(&theirs, &s, &bits)));
        }
    }
}
