//! UMAC of October 2000: UMAC16, UMAC32 and every UMAC-w/l/n/k/s/e of draft-krovetz-umac-01, the hash
//! alone (UHASH-w/l), and *selective assurance*, which checks a prefix of the tag.
//!
//! ```text
//! message - l1 -> words - l2 -> 128 bits - l3 -> w bytes x streams -+
//! key - kdf -^-----------^----------------^        nonce - pdf - xor -> tag
//! ```
//!
//! Use it to check old tags and to reproduce what the authors measured. New designs use [`umac`](wegman::umac), whose
//! definition is a standard. One implementation handles all parameters, in plain code but for signed words of 16 bits in chunks
//! of up to 1024 bytes, which have kernels. [`Umac16`](super::Umac16) and [`Umac32`](super::Umac32) make the tags of
//! UMAC16 and UMAC32, and of their variants with compile-time tag lengths, and hash for all keys with outputs of up to
//! 16 bytes; they also have batches. Streams always run in that of all parameters.
//!
//! **Bound.** At least one of `v` forgery attempts succeeds with probability at most about `v * 2^-60` for UMAC16
//! and UMAC32 (2^-15, 2^-30, 2^-120 for tags of 2, 4, 16 bytes; draft, section 8.2), plus twice the
//! advantage of telling the cipher from a random permutation and about 2^-115 for subkeys in output feedback, *if no nonce is
//! used twice under one key*. Pads cost the factor that [`umac`](wegman::umac) states.
//! [`Assurance::bound`] gives the bound for every length.
//!
//! ```
//! use wegman_historical::umac_2000::Parameters;
//! use wegman_historical::{Nonce, Umac2000};
//!
//! let key = Umac2000::new(&Parameters::UMAC16, b"sixteen byte key")?;
//! let nonce = Nonce::counter(1); // never twice under one key
//! let tag = key.tag(&nonce, b"a message");
//! assert!(key.verify(&nonce, b"a message", &tag).is_ok());
//!
//! // In a hurry: the first 32 of 64 bits, from half the streams.
//! let reached = key.verify_prefix(&nonce, b"a message", &tag, 2)?;
//! assert_eq!(reached.bits(), 32);
//! assert_eq!(reached.bound(), "2^-30");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod kdf;
mod l1;
pub(crate) mod l2;
pub(crate) mod l3;
mod parameters;
mod pdf;
pub mod quirks;
mod typed;

pub use parameters::{Endian, InvalidParameters, Parameters, Sign};

use wegman::hazmat::ct::{equal, wipe};
use wegman::hazmat::raw::Nonce;
use wegman::hazmat::wiped::overwrite;
use wegman::{AnyTag, Cpu, InvalidLength, TagMismatch};

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::fmt;
use quirks::Quirks;
use typed::Typed;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The largest number of words, and of streams, in an output: 32 bytes in words of two.
const MAX_WORDS: usize = 16;

/// The longest output in bytes.
const MAX_BYTES: usize = AnyTag::MAX;

/// A key of any UMAC of October 2000. Making a key costs an AES call for each 16 bytes of a chunk and a few calls for
/// each word of the output. If the parameters have a typed key ([`Umac16`](super::Umac16), [`Umac32`](super::Umac32)),
/// this key holds it too, and takes twice the time and memory.
#[derive(Clone)]
pub struct Umac2000 {
    hash: Uhash,
    pad: pdf::Key,
}

// Its parts wipe themselves.
impl ZeroizeOnDrop for Umac2000 {}

impl Umac2000 {
    /// Derives the subkeys from a secret of uniformly random bytes.
    ///
    /// # Errors
    /// [`InvalidLength`] if `secret` does not have [`Parameters::key_bytes`].
    pub fn new(parameters: &Parameters, secret: &[u8]) -> Result<Umac2000, InvalidLength> {
        Self::with_cpu(Cpu::detect(), parameters, secret)
    }

    /// The same key on a machine with fewer features: the same tags, from another kernel.
    ///
    /// # Errors
    /// [`InvalidLength`], as in [`new`](Self::new).
    pub fn with_cpu(
        cpu: Cpu,
        parameters: &Parameters,
        secret: &[u8],
    ) -> Result<Umac2000, InvalidLength> {
        Self::with_quirks(cpu, parameters, secret, Quirks::default())
    }

    fn with_quirks(
        cpu: Cpu,
        parameters: &Parameters,
        secret: &[u8],
        quirks: Quirks,
    ) -> Result<Umac2000, InvalidLength> {
        let kdf = kdf::Kdf::new(cpu, parameters, secret, quirks.cipher)?;
        let pad = pdf::Key::derive(&kdf, parameters.output_bytes(), quirks.nonce_index);
        Ok(Umac2000 { hash: Uhash::derive(cpu, &kdf, parameters, secret, quirks), pad })
    }

    /// The parameters of this key.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.hash.parameters
    }

    /// The name of the kernel this key uses, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.hash.kernel()
    }

    /// Every kernel of this machine for these parameters: its name, and the `Cpu` that makes a key choose it.
    #[must_use]
    pub fn kernels(cpu: Cpu, parameters: &Parameters) -> Vec<(&'static str, Cpu)> {
        typed::kernels(cpu, parameters).unwrap_or_else(|| l1::kernels(cpu, parameters))
    }

    /// The hash of this key, UHASH of the same secret: it gives tags without their pads. While the key makes tags,
    /// these hashes are as secret as the key.
    #[must_use]
    pub fn uhash(&self) -> &Uhash {
        &self.hash
    }

    /// The tag of a message.
    pub fn tag(&self, nonce: &Nonce, message: &[u8]) -> AnyTag {
        self.tag_prefix(nonce, message, self.parameters().words())
    }

    /// The prefix of a message's tag: its first `words` words, computed from their streams alone.
    ///
    /// # Panics
    /// If `words` is 0 or more than [`Parameters::words`].
    pub fn tag_prefix(&self, nonce: &Nonce, message: &[u8], words: usize) -> AnyTag {
        let bytes = self.prefix_bytes(words);
        // A pad of another length would be another part of its block.
        let whole = self.parameters().output_bytes();
        if let Some(key) = self.hash.typed.as_ref().filter(|key| key.tag_bytes() == whole) {
            return key.prefix(nonce, message, bytes);
        }
        self.add_pad(nonce, bytes, |hash| self.hash.hash(message, hash))
    }

    /// Accepts a message only if the tag is right, in time that does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(
        &self,
        nonce: &Nonce,
        message: &[u8],
        tag: &AnyTag,
    ) -> Result<Assurance, TagMismatch> {
        self.verify_prefix(nonce, message, tag, self.parameters().words())
    }

    /// Accepts a message if the prefix of its tag, the first `words` words, is right, and says what that is worth. It
    /// takes `words / Parameters::words` of the multiplications. Loading the message and making the pad cost the same
    /// as for the whole tag. docs/umac-2000.md has measurements.
    ///
    /// `tag` must have its whole length. The words after the prefix are ignored: **a message that was
    /// accepted this way may still be refused at a higher level**. A forger who can choose low levels can find a tag
    /// word by word: the numbers of attempts at each word then add up instead of multiplying. So let the receiver
    /// choose the level, never the sender, and change the key if attempts at a low level fail often.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and the prefix of the tag do not belong
    /// together, or the tag is not as long as this key's.
    ///
    /// # Panics
    /// If `words` is 0 or more than [`Parameters::words`].
    pub fn verify_prefix(
        &self,
        nonce: &Nonce,
        message: &[u8],
        tag: &AnyTag,
        words: usize,
    ) -> Result<Assurance, TagMismatch> {
        let prefix = self.tag_prefix(nonce, message, words);
        let (prefix, received) = (prefix.to_bytes(), tag.to_bytes());
        TagMismatch::unless(received.len() == self.parameters().output_bytes())?;
        TagMismatch::unless(equal(prefix, &received[..prefix.len()]).into())?;
        Ok(Assurance { parameters: *self.parameters(), words })
    }

    /// A message whose bytes arrive in pieces.
    #[must_use]
    pub fn stream(&self) -> Stream<&Self> {
        Stream::new(self)
    }

    /// The number of bytes in a prefix of `words` words.
    fn prefix_bytes(&self, words: usize) -> usize {
        let parameters = self.parameters();
        assert!(
            (1..=parameters.words()).contains(&words),
            "a tag has 1 to {} words",
            parameters.words()
        );
        (words * parameters.word_bytes()).min(parameters.output_bytes())
    }

    /// The tag, or its prefix, of so many bytes: what `hash` writes, and the pad.
    fn add_pad(&self, nonce: &Nonce, bytes: usize, hash: impl FnOnce(&mut [u8])) -> AnyTag {
        let (mut room, mut pads) = ([0; MAX_BYTES], self.pad.pad(nonce));
        let tag = &mut room[..bytes];
        hash(tag);
        tag.iter_mut().zip(&pads).for_each(|(byte, pad)| *byte ^= pad);
        let tag = AnyTag::new(tag).expect("no output is longer");
        wipe(&mut room);
        wipe(&mut pads); // they may hold the pads of neighbouring nonces
        tag
    }
}

impl fmt::Debug for Umac2000 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Umac2000({}, {})", self.parameters(), self.kernel())
    }
}

/// How far a message was checked: how much of its tag was compared, and how many bits a forger had to guess. Look at it
/// before you rely on the message.
#[must_use = "the level that was reached may be lower than the one that is needed"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assurance {
    parameters: Parameters,
    words: usize,
}

impl Assurance {
    /// How many words of the tag were checked.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// How many bits of the tag were checked.
    #[must_use]
    pub fn bits(&self) -> usize {
        8 * (self.words * self.parameters.word_bytes()).min(self.parameters.output_bytes())
    }

    /// Whether the whole tag was checked.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.words == self.parameters.words()
    }

    /// The bound on one forgery attempt, as an exponent: 60 stands for about 2^-60.
    ///
    /// It is 15 for each 16-bit word and 30 for each 32-bit word, as the authors state (draft, section 8.2, for UMAC16
    /// and UMAC32). Two rules are ours. A signed 32-bit word counts 29, because signs cost level 1 a bit (UMAC,
    /// CRYPTO '99, section 4). A word that is cut by `b` bits counts `b` less.
    #[must_use]
    pub fn log2_bound(&self) -> usize {
        exponent(&self.parameters, self.words)
    }

    /// The bound on one forgery attempt as text, for example `2^-60`.
    #[must_use]
    pub fn bound(&self) -> String {
        alloc::format!("2^-{}", self.log2_bound())
    }
}

/// The bound on one forgery attempt against a prefix of `words` words, as an exponent: [`Assurance::log2_bound`].
///
/// # Panics
/// If a tag has fewer words.
pub const fn exponent(parameters: &Parameters, words: usize) -> usize {
    assert!(words <= parameters.words(), "a prefix of the tag");
    let of_word = match (parameters.word_bytes(), parameters.sign()) {
        (2, _) => 15,
        (_, Sign::Unsigned) => 30,
        (_, Sign::Signed) => 29,
    };
    let cut = 8 * (words * parameters.word_bytes()).saturating_sub(parameters.output_bytes());
    words * of_word - cut
}

/// UHASH-w/l/n/k/s/e: the hash alone, for other uses. Take two different messages of any length, chosen without
/// knowledge of the key. Their hashes are equal, or differ (xor) by any value chosen beforehand, with probability at
/// most that of [`Assurance::log2_bound`] for the same number of words. UHASH is not a cryptographic hash: hashes may
/// reveal the key to whoever learns them.
///
/// ```
/// use wegman_historical::umac_2000::{Parameters, Uhash};
///
/// let hash = Uhash::new(&Parameters::of_uhash("UHASH-4/8")?, b"sixteen byte key")?;
/// let (mut long, mut short) = ([0; 8], [0; 4]);
/// hash.hash(b"a message", &mut long);
/// hash.hash(b"a message", &mut short); // from half the streams
/// assert_eq!(short, long[..4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Uhash {
    parameters: Parameters,
    l1: l1::Key,
    l2: Vec<l2::Key>,
    l3: Vec<l3::Key>,
    /// The typed key, if there is one for these parameters. It hashes and tags whole messages.
    typed: Option<Arc<dyn Typed>>,
}

impl ZeroizeOnDrop for Uhash {}

impl Drop for Uhash {
    fn drop(&mut self) {
        let Uhash { parameters: _, l1: _, l2, l3, typed: _ } = self; // `l1` and `typed` wipe themselves
        clear(l2);
        clear(l3);
    }
}

/// Wipes keys, and what lies between their fields: a move takes that along from the stack.
fn clear<K>(keys: &mut Vec<K>) {
    keys.clear();
    keys.spare_capacity_mut().iter_mut().for_each(overwrite);
}

impl Uhash {
    /// Derives the subkeys from a secret of uniformly random bytes. Never use the secret of a [`Umac2000`] for this.
    ///
    /// # Errors
    /// [`InvalidLength`] if `secret` does not have [`Parameters::key_bytes`].
    pub fn new(parameters: &Parameters, secret: &[u8]) -> Result<Uhash, InvalidLength> {
        let (cpu, quirks) = (Cpu::detect(), Quirks::default());
        let kdf = kdf::Kdf::new(cpu, parameters, secret, quirks.cipher)?;
        Ok(Self::derive(cpu, &kdf, parameters, secret, quirks))
    }

    fn derive(
        cpu: Cpu,
        kdf: &kdf::Kdf,
        parameters: &Parameters,
        secret: &[u8],
        quirks: Quirks,
    ) -> Uhash {
        let typed =
            if quirks == Quirks::default() { typed::key(cpu, parameters, secret) } else { None };
        Uhash {
            typed,
            parameters: *parameters,
            l1: l1::Key::derive(cpu, kdf, parameters),
            l2: l2::Key::derive(kdf, parameters),
            l3: l3::Key::derive(kdf, parameters, quirks.l3_keys),
        }
    }

    /// The name of the kernel that hashes whole messages, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.typed.as_ref().map_or(self.l1.kernel(), |typed| typed.kernel())
    }

    /// Fills `out` with the first bytes of the hash of a message. Only the streams that these bytes need are computed.
    ///
    /// # Panics
    /// If `out` is empty or longer than [`Parameters::output_bytes`].
    pub fn hash(&self, message: &[u8], out: &mut [u8]) {
        let words = self.words_of(out.len());
        if let Some(key) = &self.typed {
            let bytes = words * self.parameters.word_bytes();
            out.copy_from_slice(&key.hash(message, bytes).to_le_bytes()[..out.len()]);
            return;
        }
        let n = self.parameters.l1_key_bytes();
        if message.len() <= n {
            return self.hash_chunk(message, out);
        }
        let whole = n * ((message.len() - 1) / n);
        let mut state = self.state();
        for chunk in message[..whole].chunks_exact(n) {
            self.absorb(&mut state, words, chunk);
        }
        self.finish(state, &message[whole..], out);
    }

    fn state(&self) -> l2::State {
        l2::State::new(l2::Shape::of(&self.parameters))
    }

    /// Takes a chunk of a message that may have several.
    fn absorb(&self, state: &mut l2::State, words: usize, chunk: &[u8]) {
        let mut sums = [0; MAX_WORDS];
        self.l1.hash(chunk, &mut sums[..words]);
        state.absorb_words(&self.l2, &sums[..words]);
        wipe(&mut sums);
    }

    /// Takes the last chunk.
    fn finish(&self, mut state: l2::State, last: &[u8], out: &mut [u8]) {
        if state.count() == 0 {
            return self.hash_chunk(last, out);
        }
        self.absorb(&mut state, self.words_of(out.len()), last);
        self.level3(|t| state.finish(&self.l2[t], t).0, out);
    }

    /// The hash of a message of one chunk, which skips level 2.
    fn hash_chunk(&self, chunk: &[u8], out: &mut [u8]) {
        let mut sums = [0; MAX_WORDS];
        self.l1.hash(chunk, &mut sums[..self.words_of(out.len())]);
        self.level3(|t| sums[t].into(), out);
        wipe(&mut sums);
    }

    /// Level 3 of the streams' level-2 hashes.
    fn level3(&self, b: impl Fn(usize) -> u128, out: &mut [u8]) {
        let w = self.parameters.word_bytes();
        for (t, out) in out.chunks_mut(w).enumerate() {
            let mut word = [0; 4];
            self.l3[t].hash(b(t), &mut word[..w]);
            out.copy_from_slice(&word[..out.len()]); // the last one may be cut off
            wipe(&mut word);
        }
    }

    /// The number of words in `bytes` bytes of the hash.
    fn words_of(&self, bytes: usize) -> usize {
        let most = self.parameters.output_bytes();
        assert!((1..=most).contains(&bytes), "a hash has 1 to {most} bytes");
        bytes.div_ceil(self.parameters.word_bytes())
    }
}

impl fmt::Debug for Uhash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "umac_2000::Uhash({}, {})", self.parameters, self.kernel())
    }
}

/// A message under way: any split of a message into pieces gives the same tag.
///
/// `K` is the key or anything that lends it: `&Key`, `Arc<Key>`, or the key itself.
pub struct Stream<K: Borrow<Umac2000>> {
    key: K,
    state: l2::State,
    /// The end of the message, 1 to n bytes; empty only while the message is. The buffer never moves in memory, so that
    /// it leaves no part of the message behind.
    buffer: Vec<u8>,
}

impl<K: Borrow<Umac2000>> Stream<K> {
    /// Starts a stream that keeps `key`.
    #[must_use]
    pub fn new(key: K) -> Self {
        let hash = &key.borrow().hash;
        let buffer = Vec::with_capacity(hash.parameters.l1_key_bytes());
        Stream { state: hash.state(), buffer, key }
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, mut piece: &[u8]) {
        let hash = &self.key.borrow().hash;
        let words = hash.parameters.words();
        let n = hash.parameters.l1_key_bytes();
        while !piece.is_empty() {
            if self.buffer.len() == n {
                hash.absorb(&mut self.state, words, &self.buffer);
                self.buffer.clear();
            }
            // Whole chunks that are not the last bypass the buffer.
            while self.buffer.is_empty() && piece.len() > n {
                let (chunk, rest) = piece.split_at(n);
                hash.absorb(&mut self.state, words, chunk);
                piece = rest;
            }
            let (fits, rest) = piece.split_at(piece.len().min(n - self.buffer.len()));
            self.buffer.extend_from_slice(fits);
            piece = rest;
        }
    }

    /// The tag of the message.
    pub fn finish(self, nonce: &Nonce) -> AnyTag {
        self.tag(nonce)
    }

    /// [`finish`](Self::finish), after which the stream starts again with an empty message.
    pub fn finish_reset(&mut self, nonce: &Nonce) -> AnyTag {
        let tag = self.tag(nonce);
        self.reset();
        tag
    }

    fn tag(&self, nonce: &Nonce) -> AnyTag {
        let key = self.key.borrow();
        key.add_pad(nonce, key.parameters().output_bytes(), |hash| {
            key.hash.finish(self.state.clone(), &self.buffer, hash);
        })
    }

    /// Accepts the message so far only if the tag is right.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(&self, nonce: &Nonce, tag: &AnyTag) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(nonce) == *tag)
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        self.state = self.key.borrow().hash.state();
        self.buffer.zeroize();
    }
}

impl<K: Borrow<Umac2000> + Clone> Clone for Stream<K> {
    fn clone(&self) -> Self {
        let Stream { key, state, buffer } = self;
        let mut copy = Stream::new(key.clone());
        copy.state = state.clone();
        copy.buffer.extend_from_slice(buffer);
        copy
    }
}

impl<K: Borrow<Umac2000>> Drop for Stream<K> {
    fn drop(&mut self) {
        let Stream { key: _, state: _, buffer } = self; // `state` wipes itself
        buffer.zeroize();
    }
}

impl<K: Borrow<Umac2000>> fmt::Debug for Stream<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "umac_2000::Stream({})", self.key.borrow().parameters())
    }
}
