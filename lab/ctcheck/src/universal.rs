//! The families of universal hash functions.
//!
//! Not watched: primes without a name, which need a division; and the refusal of a word, a set, a polynomial or a
//! state, which is public.

use crate::cases::{Case, Cases, MESSAGE, PORTABLE};
use crate::valgrind::{has_hidden, revealed, unreported};
use wegman::Bits;
use wegman_yardstick::universal::{
    Bucket, Crc, LfsrToeplitz, Mh, Mmh16, Mmh32, MmhStar, Nh, Nht, Nht2, Nhx, Nmh32, NmhStar,
    Polynomial, Prime, Sign, Sqh, Tmmh16,
};

/// All of them.
pub fn add(cases: &mut Cases) {
    add_nh_and_mh(cases);
    add_products(cases);
    add_linear(cases);
}

/// Words of `w` bits. The bits above are zero, which valgrind knows.
fn words(bytes: &[u8], w: u32) -> Vec<u64> {
    bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word) >> (64 - w)).collect()
}

fn key(bytes: &[u8], w: u32) -> Vec<u64> {
    words(&bytes[..8 * 34], w)
}

fn message(bytes: &[u8], w: u32) -> Vec<u64> {
    words(&bytes[1000..][..8 * 16], w)
}

/// A hash of the message.
fn add_hash(cases: &mut Cases, name: &str, hash: impl Fn(&[u8]) -> Vec<u8> + 'static) {
    let run = Box::new(move |_, _: &[u8], message: &[u8]| vec![hash(message)]);
    let (name, rows) = (name.to_owned(), PORTABLE.to_vec());
    cases.all.push(Case { name, rows, is_secret: has_hidden, run });
}

fn bytes_of(numbers: impl IntoIterator<Item = u128>) -> Vec<u8> {
    numbers.into_iter().flat_map(u128::to_le_bytes).collect()
}

/// NH, what is made of it, and MH, in words of many sizes.
fn add_nh_and_mh(cases: &mut Cases) {
    for w in [1, 7, 8, 16, 31, 32, 63, 64] {
        let mut add = |name, hash: fn(Sign, u32, &[u64], &[u64]) -> Vec<u128>| {
            for sign in [Sign::Unsigned, Sign::Signed] {
                add_hash(cases, name, move |bytes| {
                    bytes_of(hash(sign, w, &key(bytes, w), &message(bytes, w)))
                });
            }
        };
        add("NH", |sign, w, k, m| vec![Nh::new(sign, w, k).unwrap().hash(m).unwrap()]);
        add("NHT", |sign, w, k, m| {
            let mut out = [0; 3];
            Nht::new(sign, w, 3, k).unwrap().hash(m, &mut out).unwrap();
            out.into()
        });
        add("NHT2", |sign, w, k, m| {
            let (k, l) = k.split_at(10);
            Nht2::new(sign, w, k, l).unwrap().hash(m).unwrap().into()
        });
        add("MH", |_, w, k, m| vec![Mh::new(w, k).unwrap().hash(m).unwrap()]);
        for sign in [Sign::Unsigned, Sign::Signed].into_iter().filter(|_| w % 8 == 0) {
            add_hash(cases, "NHX", move |bytes| {
                let key = key(bytes, w);
                let nhx = Nhx::new(sign, w, 2, &key, 2).unwrap();
                let mut out = vec![0; nhx.hash_bytes(777)];
                nhx.hash(&bytes[..777], &mut out).unwrap();
                out
            });
        }
    }
}

/// A key and a message in words of one type.
fn parts<W, const N: usize>(bytes: &[u8], word: fn([u8; N]) -> W) -> [Vec<W>; 2] {
    [&bytes[..400], &bytes[1000..1400]]
        .map(|part| part.as_chunks().0.iter().copied().map(word).collect())
}

/// Products and squares modulo a prime, products with the reductions of their paper, and bucket hashing.
fn add_products(cases: &mut Cases) {
    // The message is public: a word of p or more is refused, and that is a branch.
    for (prime, w) in [(Prime::P16, 16), (Prime::P32, 32), (Prime::P61, 60)] {
        add_hash(cases, "MMH*, NMH*, SQH", move |bytes| {
            let (key, message) = (key(bytes, w), message(&MESSAGE, w));
            // Whether the key is one is public, too, and the compiler may choose its address by that.
            let (mmh, nmh, sqh) = revealed(unreported(|| {
                let (mmh, nmh) = (MmhStar::new(prime, &key), NmhStar::new(prime, &key));
                (mmh.unwrap(), nmh.unwrap(), Sqh::new(prime, &key).unwrap())
            }));
            let hashes = [mmh.hash(&message), nmh.hash(&message), sqh.hash(&message)];
            hashes.into_iter().flat_map(|hash| hash.unwrap().to_le_bytes()).collect()
        });
    }
    add_hash(cases, "MMH32, NMH32", move |bytes| {
        let [key, message] = parts(bytes, u32::from_le_bytes);
        let hashes = [Mmh32::new(&key).hash(&message), Nmh32::new(&key).hash(&message)];
        hashes.into_iter().flat_map(|hash| hash.unwrap().to_le_bytes()).collect()
    });
    add_hash(cases, "MMH16", move |bytes| {
        let [key, message] = parts(bytes, u16::from_le_bytes);
        Mmh16::new(&key).hash(&message).unwrap().to_le_bytes().into()
    });
    add_hash(cases, "TMMH/16", move |bytes| {
        let mut out = vec![0; 8];
        Tmmh16::new(&bytes[..400]).unwrap().hash(&bytes[500..777], &mut out).unwrap();
        out
    });
    add_hash(cases, "bucket hashing", move |bytes| {
        // Different sets of three, some from the secret: what stands there is 0 to 31.
        let key: Vec<[u16; 3]> = bytes[..16]
            .iter()
            .zip(0..)
            .map(|(byte, i)| [i, 16 + i, 32 + u16::from(byte & 31)])
            .collect();
        let bucket = unreported(|| Bucket::new(64, &key).unwrap());
        let mut out = [0; 64];
        bucket.hash(&message(bytes, 64), &mut out).unwrap();
        out.into_iter().flat_map(u64::to_le_bytes).collect()
    });
}

/// Hashes that are linear in the bits of the message.
fn add_linear(cases: &mut Cases) {
    for (degree, low) in [(8_u32, 0x1b), (61, 0x27), (64, 0x1b), (128, 0x87)] {
        let low = u128::to_le_bytes(low);
        for bits in [1, 127, 1001] {
            let what = format!("CRC, LFSR-Toeplitz of degree {degree}, {bits} bits");
            add_hash(cases, &what, move |bytes| {
                // The bits above the degree are known.
                let mut low = low;
                for i in 0..degree.div_ceil(8) as usize {
                    low[i] ^= bytes[i] ^ MESSAGE[i];
                }
                let low = u128::from_le_bytes(low);
                let polynomial = || unreported(|| Polynomial::new(degree, low).unwrap());
                let message = Bits::new(&bytes[..u64::div_ceil(bits, 8) as usize], bits).unwrap();
                let state = bytes.first_chunk().map(|bytes| u128::from_le_bytes(*bytes)).unwrap();
                let state = state >> (128 - degree);
                let lfsr = unreported(|| LfsrToeplitz::new(polynomial(), state).unwrap());
                bytes_of([Crc::new(polynomial()).hash(message), lfsr.hash(message)])
            });
        }
    }
}
