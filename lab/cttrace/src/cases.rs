//! What is watched: every algorithm of the catalogue on every kernel, and batches that are verified.

use crate::leaks::{LEAKS, Leak};
use std::fmt;
use std::hint::black_box;
use std::sync::Arc;
use wegman::{Aes128, Bits, NonceOf, Tag, pmac, umac};
use wegman_carter::Carter128;
use wegman_catalogue::{ALGORITHMS, Algorithm, AnyKey, AnyTag, Cpu};
use wegman_reference::inputs::{self, Random};
use wegman_reference::umac_rfc4418 as oracle;

/// Around everything that is cut into parts: blocks, registers, chunks, groups of chunks.
const LENGTHS: [usize; 14] = [0, 1, 16, 17, 43, 64, 100, 257, 513, 1024, 1025, 1500, 2049, 4097];
const LONGEST: usize = 4097;
/// Batches: how many messages, and the longest. Eight go side by side.
const BATCHES: [(usize, usize); 6] = [(16, 0), (11, 43), (8, 100), (16, 256), (2, 1500), (9, 1500)];

/// The secrets of one process.
pub struct Secrets {
    /// More than any key has.
    key: Vec<u8>,
    message: Vec<u8>,
}

impl Secrets {
    /// How many there are.
    pub const COUNT: usize = 4;

    /// All are made in every process, so that each asks for the same memory in the same order.
    pub fn new(number: usize) -> Secrets {
        let mut chosen = Secrets { key: vec![0; 256], message: vec![0; LONGEST] };
        for other in 0..Secrets::COUNT {
            let made = Secrets::make(other);
            if other == number {
                chosen.key.copy_from_slice(&made.key);
                chosen.message.copy_from_slice(&made.message);
            }
        }
        chosen
    }

    fn make(number: usize) -> Secrets {
        let filled = |byte| Secrets { key: vec![byte; 256], message: vec![byte; LONGEST] };
        let mut random = Random(number as u64);
        let random = Secrets { key: random.message(256), message: random.message(LONGEST) };
        match number {
            0 => filled(0),
            1 => filled(0xff),
            2 => random.at_the_limit(),
            _ => random,
        }
    }

    /// Every other chunk hashes to the first number that POLY-64 escapes.
    fn at_the_limit(mut self) -> Secrets {
        let l1_key = oracle::l1_key(self.key.first_chunk().expect("256 bytes"), 0);
        let special = inputs::chunk_with_output(&l1_key, !0 << 32);
        let (chunks, _) = self.message.as_chunks_mut::<1024>();
        chunks.iter_mut().step_by(2).for_each(|chunk| chunk.copy_from_slice(&special));
        self
    }
}

/// What runs watched.
#[derive(Clone, Copy)]
enum What {
    Key,
    /// Of so many bytes.
    Tag(usize),
    Stream(usize),
    /// A tag in which these bits of a byte are wrong.
    Verified(usize, u8),
    /// How many messages, and the longest.
    Batch(usize, usize),
    Segment,
    /// Sixteen tags at once, under a typed key.
    VerifiedMany(usize),
    Leak(&'static Leak),
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Key => write!(f, "a key"),
            What::Tag(length) => write!(f, "{length} bytes"),
            What::Stream(length) => write!(f, "a stream of {length} bytes"),
            What::Verified(length, 0) => write!(f, "a right tag of {length} bytes"),
            What::Verified(length, _) => write!(f, "a wrong tag of {length} bytes"),
            What::Batch(count, longest) => {
                write!(f, "a batch of {count} with up to {longest} bytes")
            }
            What::Segment => write!(f, "a segment"),
            What::VerifiedMany(length) => write!(f, "16 tags of {length} bytes in a batch"),
            What::Leak(leak) => write!(f, "{}", leak.name),
        }
    }
}

/// One thing that is watched.
pub struct Case {
    pub kernel: &'static str,
    pub name: String,
    algorithm: &'static Algorithm,
    cpu: Cpu,
    what: What,
}

/// What is prepared, and then runs watched.
type Prepared<'s> = Box<dyn FnOnce() + 's>;

/// Cases of these algorithms on the kernels that are asked for; on all if none is.
fn cases_of(
    algorithms: impl Iterator<Item = &'static Algorithm>,
    kernels: &[&str],
    whats: impl Fn(&Algorithm, Cpu) -> Vec<What>,
) -> Vec<Case> {
    let mut cases = Vec::new();
    for algorithm in algorithms {
        for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
            if kernels.is_empty() || kernels.contains(&kernel) {
                cases.extend(whats(algorithm, cpu).into_iter().map(|what| {
                    let name = format!("{} on {kernel}, {what}", algorithm.name);
                    Case { kernel, name, algorithm, cpu, what }
                }));
            }
        }
    }
    cases
}

/// All cases of these kernels.
pub fn cases(kernels: &[&str]) -> Vec<Case> {
    cases_of(ALGORITHMS.iter(), kernels, |algorithm, cpu| {
        let mut whats = vec![What::Key];
        whats.extend(LENGTHS.map(What::Tag));
        for length in [100, 1500] {
            whats.extend([
                What::Stream(length),
                What::Verified(length, 0),
                What::Verified(length, 1),
            ]);
        }
        whats.extend(BATCHES.map(|(count, longest)| What::Batch(count, longest)));
        if key(algorithm, cpu, &Secrets::new(0)).pmac().is_some() {
            whats.push(What::Segment);
        }
        if ["UMAC-64", "UMAC-128", "Carter-128", "PMAC-AES128"].contains(&&*algorithm.name) {
            whats.extend([16, 100, 1500].map(What::VerifiedMany));
        }
        whats
    })
}

/// A tag that leaks in each way, after each kernel.
pub fn leaking(kernels: &[&str]) -> Vec<Case> {
    let is_one = |algorithm: &&Algorithm| {
        ["UMAC-64", "PMAC-AES128", "Carter-128"].contains(&&*algorithm.name)
    };
    let here = || LEAKS.iter().filter(|leak| (leak.runs)()).map(What::Leak).collect();
    cases_of(ALGORITHMS.iter().filter(is_one), kernels, |_, _| here())
}

fn key(algorithm: &Algorithm, cpu: Cpu, secrets: &Secrets) -> Arc<dyn AnyKey> {
    let secret = &secrets.key[..algorithm.key_bytes];
    algorithm.key(cpu, secret, *algorithm.tag_bytes.end()).expect("the lengths it asks for")
}

impl Case {
    pub fn prepare<'s>(&self, secrets: &'s Secrets) -> Prepared<'s> {
        let Case { algorithm, cpu, what, .. } = *self;
        if let What::VerifiedMany(length) = what {
            return self.verified_many(secrets, &secrets.message[..length]);
        }
        let made = move || key(algorithm, cpu, secrets);
        if let What::Key = what {
            return Box::new(move || drop(black_box(made())));
        }
        let (key, nonce) = (made(), algorithm.counter(7));
        let front = |length| &secrets.message[..length];
        let tag = move |key: &dyn AnyKey, message: &[u8]| {
            let tag = key.tag(algorithm.counter(7).as_ref(), message);
            tag.expect("the right kind of nonce")
        };
        match what {
            What::Key | What::VerifiedMany(_) => unreachable!("they have their own keys"),
            What::Tag(length) => {
                let message = front(length);
                Box::new(move || _ = black_box(key.tag(nonce.as_ref(), message)))
            }
            What::Stream(length) => {
                let message = front(length);
                Box::new(move || {
                    let mut stream = key.stream();
                    message.chunks(600).for_each(|piece| stream.update(piece));
                    _ = black_box(stream.finish(nonce.as_ref()));
                })
            }
            What::Verified(length, flipped) => {
                let message = front(length);
                let mut right = tag(&*key, message).to_bytes().to_vec();
                // Elsewhere under each secret.
                let place = usize::from(secrets.key[77]) % right.len();
                right[place] ^= flipped;
                let tag = AnyTag::try_from(&*right).expect("its length");
                Box::new(move || {
                    let outcome = key.verify(nonce.as_ref(), message, &tag);
                    assert_eq!(outcome.is_ok(), flipped == 0);
                })
            }
            What::Batch(count, longest) => {
                let message = |i| &secrets.message[i..][..longest - 7 * i % (longest.min(16) + 1)];
                let messages: Vec<&[u8]> = (0..count).map(message).collect();
                let mut tags = vec![0; count * algorithm.tag_bytes.end()];
                Box::new(move || {
                    let done = key.tags(nonce.as_ref(), &messages, &mut tags);
                    done.expect("enough nonces");
                    black_box(&tags);
                })
            }
            What::Segment => Box::new(move || {
                let pmac = key.pmac().expect("PMAC");
                let part = pmac.segment(0, Bits::from(front(3000))).expect("short");
                _ = black_box(pmac.tag_of_segment(&part)).expect("the beginning");
            }),
            What::Leak(Leak { leak, .. }) => {
                Box::new(move || leak(tag(&*key, front(100)).to_bytes()[3]))
            }
        }
    }

    /// What [`AnyKey`] does not have.
    fn verified_many<'s>(&self, secrets: &'s Secrets, message: &'s [u8]) -> Prepared<'s> {
        let (cpu, secret) = (self.cpu, secrets.key.first_chunk().expect("256 bytes"));
        macro_rules! under_nonces {
            ($key:ty, $nonce:ty) => {
                many(
                    <$key>::with_cpu(cpu, secret),
                    |key, i| {
                        let nonce = || <$nonce>::counter(i);
                        (nonce(), message, received(key.tag(nonce(), message), i))
                    },
                    |key, packets, valid| _ = key.verify_many(packets, valid),
                )
            };
        }
        match &*self.algorithm.name {
            "UMAC-64" => under_nonces!(umac::Key<8>, NonceOf<8>),
            "UMAC-128" => under_nonces!(umac::Key<16>, NonceOf<8>),
            "Carter-128" => under_nonces!(Carter128<Aes128, 12>, NonceOf<12>),
            _ => many(
                pmac::Key::<Aes128, 16>::with_cpu(cpu, secret),
                |key, i| (message, received(key.tag(message), i)),
                |key, packets, valid| _ = key.verify_many(packets, valid),
            ),
        }
    }
}

/// Packets under a key, verified at once; the sixth is wrong.
fn many<'s, K: 's, P: 's>(
    key: K,
    packet: impl Fn(&K, u64) -> P,
    verify: fn(&K, &[P], &mut [bool]),
) -> Prepared<'s> {
    let packets: Vec<P> = (0..16).map(|i| packet(&key, i)).collect();
    let mut valid = [false; 16];
    Box::new(move || {
        verify(&key, &packets, &mut valid);
        assert_eq!(valid, std::array::from_fn(|i| i != 5));
    })
}

/// A wrong tag, if it is the sixth.
fn received<const N: usize>(tag: Tag<N>, i: u64) -> Tag<N> {
    let mut bytes = tag.to_bytes();
    bytes[N - 1] ^= u8::from(i == 5);
    Tag::from(bytes)
}
