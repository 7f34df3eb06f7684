//! What the papers name besides the MACs that [`ALGORITHMS`](crate::ALGORITHMS) has keys for: hash families, the
//! underlying hashes and ciphers, and MACs that need more than a key, a nonce and a message.

use crate::algorithm::{Bound, Parameters, Source, Status};
use crate::bounds::{Forgery, Unbounded, Usage};
use core::fmt;

/// A family, or an algorithm, that is listed here for reference. Use it through its own types.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Family {
    /// Its name in the papers. The name of a member adds parameters: `NHT[16,32,4]` or `RC6-32/20/16`.
    pub name: &'static str,
    /// What it is.
    pub kind: FamilyKind,
    /// One line for people.
    pub summary: &'static str,
    /// When to use it.
    pub status: Status,
    /// Its parameters, as names and values.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Its bound.
    pub bound: Bound,
    /// Where it is defined.
    pub source: Source,
}

/// The kind of a [`Family`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FamilyKind {
    /// Universal hash functions, which are not MACs by themselves.
    UniversalHash,
    /// An unkeyed hash.
    Hash,
    /// A cipher.
    Cipher,
    /// A family of MACs. [`find`](crate::find) finds each member by its name.
    MacFamily,
    /// A MAC that needs more than the catalogue's keys take. It has only types of its own.
    Mac,
}

impl fmt::Display for FamilyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            FamilyKind::UniversalHash => "universal hash",
            FamilyKind::Hash => "hash",
            FamilyKind::Cipher => "cipher",
            FamilyKind::MacFamily => "MAC family",
            FamilyKind::Mac => "typed MAC",
        })
    }
}

fn no_mac(_: &str, _: &Usage) -> Result<Forgery, Unbounded> {
    Err(Unbounded::NoProof("it is no MAC: its bound is the statement in `wegman algorithms NAME`"))
}

fn own_type(_: &str, _: &Usage) -> Result<Forgery, Unbounded> {
    Err(Unbounded::NoProof(
        "it has types of its own: its bound is the statement in `wegman algorithms NAME`",
    ))
}

fn family(_: &str, _: &Usage) -> Result<Forgery, Unbounded> {
    Err(Unbounded::NoProof("it is a family: ask for a member, as UMAC-2/4"))
}

/// A row a family: its kind, its status, what its bound answers, and its name; then summary, parameters, the bound's
/// statement, assumption and source, and the paper and its section.
macro_rules! families {
    ($($kind:ident $status:ident $forgery:ident, $name:literal:
        $summary:literal; $parameters:expr; $statement:literal; $assumption:expr; $proof:expr;
        $paper:expr, $section:literal;
    )*) => {
        /// All families.
        pub static FAMILIES: &[Family] = &[$(Family {
            name: $name,
            kind: FamilyKind::$kind,
            summary: $summary,
            status: Status::$status,
            parameters: $parameters,
            bound: Bound {
                statement: $statement,
                assumption: $assumption,
                source: $proof,
                forgery: $forgery,
            },
            source: Source { paper: $paper, section: $section },
        }),*];
    };
}

families! {
    MacFamily Historical family, "UMAC-w/l":
        "UMAC of 2000 with any parameters, wegman_historical::umac_2000; every name is an algorithm";
        &[("word bytes", "w"), ("tag bytes", "l"), ("then, if not the usual", "/chunk/key/sign/endian")];
        "v * 2^-(15 x) or v * 2^-(30 x) for v forgery attempts on tags of x words of 2 or 4 bytes, twice that \
            for each bit cut off; signed words of 4 bytes count 29";
        "no nonce is used twice under a key, and AES is a pseudorandom permutation"; DRAFT_2000_BOUND;
        DRAFT_2000, "sections 2 to 7";
    UniversalHash Historical no_mac, "UHASH-w/l":
        "the hash of UMAC-w/l by itself, wegman_historical::umac_2000::Uhash; no MAC";
        &[("word bytes", "w"), ("hash bytes", "l")];
        "2^-(15 x) or 2^-(30 x) for hashes of x words of 2 or 4 bytes, messages of any lengths and any xor of \
            their hashes, twice that for each bit cut off; signed words of 4 bytes count 29"; KEYS_FROM_AES;
        DRAFT_2000_BOUND; DRAFT_2000, "sections 5 and 6";
    Mac Historical own_type, "UMAC Figure 1":
        "the illustrative UMAC of 1999, umac_1999::figure_1; its two keys are given";
        &[("hash", "NH[1024,32] of blocks of 4096 bytes"), ("prf", "HMAC-SHA1")];
        "v * (2^-32 + 2^-160) for v forgery attempts";
        "no nonce is used twice under a key, and HMAC-SHA1 is a pseudorandom function";
        "UMAC (CRYPTO '99, full version), section 2.1, Theorems 4.2 and 8.2"; UMAC_99, "Figure 1";
    Mac Comparator own_type, "CBC-MAC-AES128":
        "CBC-MAC for messages of one length, wegman_yardstick::cbc::FixedLength; to compare with";
        &[("cipher", "AES-128")];
        "of the order of (m q)^2 / 2^128 + v / 2^t for q messages of m blocks, v forgery attempts, t tag bits";
        "all messages under a key have one length, and the cipher is a pseudorandom permutation";
        "Bellare, Kilian and Rogaway (CRYPTO '94), recalled"; "FIPS 113; UMAC (CRYPTO '99)",
        "CBC-MAC without padding";
    Mac Comparator own_type, "CBC-MAC-RC6-128":
        "CBC-MAC for messages of one length, wegman_yardstick::cbc::FixedLength; to compare with";
        &[("cipher", "RC6-32/20/16")];
        "of the order of (m q)^2 / 2^128 + v / 2^t for q messages of m blocks, v forgery attempts, t tag bits";
        "all messages under a key have one length, and the cipher is a pseudorandom permutation";
        "Bellare, Kilian and Rogaway (CRYPTO '94), recalled"; "FIPS 113; UMAC (CRYPTO '99)",
        "CBC-MAC without padding";
    Mac Comparator own_type, "PartialMac-HMAC-SHA1-96":
        "a MAC of randomly chosen parts of the message, wegman_yardstick::partial; weak by design";
        &[("chosen by", "AES-128"), ("mac", "HMAC-SHA1-96"), ("of each region", "1 part of n")];
        "none: a change of one part of n is noticed with probability 1/n";
        "no nonce is used twice under a key, and AES-128 and HMAC-SHA1 are pseudorandom functions"; "ours";
        "US 6,976,168 (Branstad and Carman)", "the idea; the definition is ours";
    Cipher Historical no_mac, "PMAC-AES128-CTR":
        "a cipher that keeps the length, pmac::hazmat::LengthPreserving; detects no change";
        &[("counter from", "PMAC of the message"), ("cipher", "AES-128, two keys")];
        "about s^2 / 2^128 for s blocks in all, to tell it from a random permutation of each length";
        "AES-128 is a strong pseudorandom permutation";
        "PMAC (EUROCRYPT 2002), section 4; Bellare and Rogaway (FSE '99)"; "PMAC (EUROCRYPT 2002)", "section 4";
    UniversalHash Comparator no_mac, "NH":
        "NH of words without signs, wegman_yardstick::universal::Nh"; WORDS;
        "2^-w, reached; for any difference of the hashes, too"; UNIFORM;
        "UMAC (CRYPTO '99, full version), Theorem 4.2"; UMAC_99, "section 4";
    UniversalHash Comparator no_mac, "NHS":
        "NH of words in two's complement, wegman_yardstick::universal::Nh"; WORDS; "2^(1-w), nearly reached";
        UNIFORM; "UMAC (CRYPTO '99, full version), Theorems 4.5 and 4.8"; UMAC_99, "section 4";
    UniversalHash Comparator no_mac, "NHT":
        "t times NH under a key that moves two words, wegman_yardstick::universal::Nht"; REPEATED;
        "2^-wt, reached"; UNIFORM; "UMAC (CRYPTO '99, full version), Theorem 5.1"; UMAC_99, "section 5";
    UniversalHash Comparator no_mac, "NHST":
        "t times NHS under a key that moves two words, wegman_yardstick::universal::Nht"; REPEATED;
        "2^(t(1-w))"; UNIFORM; "UMAC (CRYPTO '99, full version), Theorem 5.2"; UMAC_99, "section 5";
    UniversalHash Comparator no_mac, "NHT2":
        "two levels of NH, twice, wegman_yardstick::universal::Nht2"; TWO_LEVELS; "2^(2-2w)"; UNIFORM;
        "UMAC (CRYPTO '99, full version), Theorem 5.3"; UMAC_99, "section 5";
    UniversalHash Comparator no_mac, "NHST2":
        "two levels of NHS, twice, wegman_yardstick::universal::Nht2"; TWO_LEVELS; "2^(4-2w)"; UNIFORM;
        "UMAC (CRYPTO '99, full version), Theorem 5.4"; UMAC_99, "section 5";
    UniversalHash Comparator no_mac, "NHX":
        "NHT or NHST of all blocks of a byte string, and its length, wegman_yardstick::universal::Nhx";
        &[("words of a block", "n"), ("word bits", "w"), ("repetitions", "t")];
        "that of NHT or NHST, for messages of any lengths"; UNIFORM;
        "UMAC (CRYPTO '99, full version), section 6"; UMAC_99, "section 6";
    UniversalHash Comparator no_mac, "MH":
        "sum of products modulo 2^2w, wegman_yardstick::universal::Mh";
        &[("word bits", "w"), ("modulus", "2^2w")]; "2^-w, for any difference of the hashes, too"; UNIFORM;
        "ours, by UMAC (CRYPTO '99, full version), Lemma 4.4"; UMAC_99, "section 3";
    UniversalHash Comparator no_mac, "MMH*":
        "sum of products modulo a prime, wegman_yardstick::universal::MmhStar"; PRIME;
        "1/p, for any difference of the hashes, too"; UNIFORM; MMH; MMH, "MMH*";
    UniversalHash Comparator no_mac, "MMH32":
        "sum of products modulo 2^64, 2^32 + 15 and 2^32, wegman_yardstick::universal::Mmh32";
        &[("word bits", "32"), ("hash bits", "32")]; "6 * 2^-32, for any difference of the hashes, too";
        UNIFORM; "ours; see wegman_yardstick::universal::products"; MMH, "recalled";
    UniversalHash Comparator no_mac, "MMH16":
        "sum of products modulo 2^32, 2^16 + 1 and 2^16, wegman_yardstick::universal::Mmh16";
        &[("word bits", "16"), ("hash bits", "16")]; "6 * 2^-16, for any difference of the hashes, too";
        UNIFORM; "ours; see wegman_yardstick::universal::products"; MMH, "the same with smaller words";
    UniversalHash Comparator no_mac, "TMMH/16":
        "t times MMH16 of length and message under a key that moves, wegman_yardstick::universal::Tmmh16";
        &[("word bits", "16"), ("hash bits", "16 t")]; "(9 * 2^-16)^t, for messages of any lengths"; UNIFORM;
        "ours; see wegman_yardstick::universal::products"; "McGrew, draft-mcgrew-saag-tmmh-01", "TMMH/16";
    UniversalHash Comparator no_mac, "NMH*":
        "sum of products of sums modulo a prime, from which NH descends, wegman_yardstick::universal::NmhStar";
        PRIME; "1/p, for any difference of the hashes, too"; UNIFORM;
        "Carter and Wegman, in Halevi and Krawczyk, MMH (FSE 1997)"; MMH, "NMH*, of Carter and Wegman";
    UniversalHash Comparator no_mac, "NMH32":
        "NH of words of 32 bits modulo 2^32 + 15 and 2^32, wegman_yardstick::universal::Nmh32";
        &[("word bits", "32"), ("hash bits", "32")];
        "a small constant times 2^-32, for any difference of the hashes, too"; UNIFORM;
        "UMAC (CRYPTO '99, full version), section 1.2"; MMH, "NMH, of Carter and Wegman";
    UniversalHash Comparator no_mac, "SQH":
        "square hash: sum of squares modulo an odd prime, wegman_yardstick::universal::Sqh"; PRIME;
        "1/p, for any difference of the hashes, too"; UNIFORM;
        "Etzel, Patel and Ramzan, Square hash (CRYPTO 1999)";
        "Etzel, Patel and Ramzan, Square hash (CRYPTO 1999)", "the base family";
    UniversalHash Comparator no_mac, "BUCKET":
        "bucket hashing B[w,n,N]: each word xored into three of N buckets, wegman_yardstick::universal::Bucket";
        &[("word bits", "w"), ("words", "n at most"), ("buckets", "N")];
        "3312 N^-6 for N of at least 32, for any xor of the hashes, too"; UNIFORM;
        "Rogaway, Bucket hashing (CRYPTO 1995, J. Cryptology 1999), recalled";
        "Rogaway, Bucket hashing (CRYPTO 1995)", "B[w, n, N]";
    UniversalHash Comparator no_mac, "CRC-HASH":
        "remainder by a secret irreducible polynomial of degree n, wegman_yardstick::universal::Crc";
        &[("hash bits", "n")]; "m / 2^(n-1) for m bits; (m + n) / 2^(n-1) for any xor of the hashes"; UNIFORM;
        "ours, after Krawczyk (CRYPTO 1994); see wegman_yardstick::universal::crc"; KRAWCZYK,
        "the cryptographic CRC";
    UniversalHash Comparator no_mac, "LFSR-TOEPLITZ":
        "Toeplitz hash of a feedback shift register's output, wegman_yardstick::universal::LfsrToeplitz";
        &[("hash bits", "n")]; "m / 2^(n-1) for m bits, for any xor of the hashes, too"; UNIFORM;
        "ours, after Krawczyk (CRYPTO 1994); see wegman_yardstick::universal::lfsr_toeplitz"; KRAWCZYK,
        "the LFSR-based Toeplitz hash; the order of bits is ours";
    UniversalHash Comparator no_mac, "hash127":
        "polynomial of signed words modulo 2^127 - 1, wegman_yardstick::hash127::Hash127";
        &[("modulus", "2^127 - 1"), ("word bits", "32")];
        "(L + 1) / 2^126 for messages of any lengths up to L words, for any difference of the hashes, too";
        UNIFORM; "ours"; "Bernstein, The hash127 library interface (2000)", "the hash";
    Hash Comparator no_mac, "SHA-1":
        "broken as such; here beneath HMAC-SHA1 and the UMAC-STD sets, from the crate sha1";
        &[("hash bits", "160")]; "that of HMAC-SHA1; of the hash alone none, since collisions are known";
        "its compression function is a pseudorandom function";
        "Bellare, New proofs for NMAC and HMAC (CRYPTO 2006)"; "FIPS 180-4", "section 6.1";
    Cipher Comparator no_mac, "RC6-32/20":
        "the papers' other cipher, keys of b = 0 to 255 bytes, wegman_historical::Rc6";
        &[("word bits", "32"), ("rounds", "20"), ("key bytes", "b")];
        "those of the MACs over it; of the cipher alone nothing is proved"; "it is a pseudorandom permutation";
        "with each MAC"; "Rivest, Robshaw, Sidney and Yin, The RC6 block cipher (1998)", "section 2";
}

const DRAFT_2000: &str = "draft-krovetz-umac-01 (October 2000)";
const DRAFT_2000_BOUND: &str = "draft-krovetz-umac-01, section 8.2 (October 2000); of other parameters ours, \
     Assurance::log2_bound";
const UMAC_99: &str = "UMAC (CRYPTO '99, full version)";
const MMH: &str = "Halevi and Krawczyk, MMH (FSE 1997)";
const KRAWCZYK: &str = "Krawczyk, LFSR-based hashing and authentication (CRYPTO 1994)";

const KEYS_FROM_AES: &str =
    "the messages were chosen without knowing key or hashes, and AES is a pseudorandom function";
/// What families of universal hash functions assume: their statements are about collisions.
const UNIFORM: &str = "the key is uniformly random and the two messages, of one length if nothing else is said, were \
     chosen without knowing key or hashes";

const WORDS: Parameters = &[("words", "n at most"), ("word bits", "w")];
const REPEATED: Parameters = &[("words", "n at most"), ("word bits", "w"), ("repetitions", "t")];
const TWO_LEVELS: Parameters =
    &[("words of a block", "n"), ("blocks", "m at most"), ("word bits", "w")];
const PRIME: Parameters = &[("modulus", "p")];
