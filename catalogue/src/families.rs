//! What the papers name besides the MACs that [`ALGORITHMS`](crate::ALGORITHMS) has keys for: hash families, the
//! underlying hashes and ciphers, and MACs that need more than a key, a nonce and a message.

use crate::algorithm::{Bound, Source, Status};
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

/// All families.
pub static FAMILIES: &[Family] = &[
    Family {
        name: "UMAC-w/l",
        kind: FamilyKind::MacFamily,
        summary: "UMAC of 2000 with any parameters, wegman_historical::umac_2000; every name is an algorithm",
        status: Status::Historical,
        parameters: &[
            ("word bytes", "w"),
            ("tag bytes", "l"),
            ("then, if not the usual", "/chunk/key/sign/endian"),
        ],
        bound: Bound {
            statement: "v * 2^-(15 x) or v * 2^-(30 x) for v forgery attempts on tags of x words of 2 or 4 \
                        bytes, twice that for each bit cut off; signed words of 4 bytes count 29",
            assumption: "no nonce is used twice under a key, and AES is a pseudorandom permutation",
            source: DRAFT_2000_BOUND,
            forgery: family,
        },
        source: Source { paper: DRAFT_2000, section: "sections 2 to 7" },
    },
    Family {
        name: "UHASH-w/l",
        kind: FamilyKind::UniversalHash,
        summary: "the hash of UMAC-w/l by itself, wegman_historical::umac_2000::Uhash; no MAC",
        status: Status::Historical,
        parameters: &[("word bytes", "w"), ("hash bytes", "l")],
        bound: Bound {
            statement: "2^-(15 x) or 2^-(30 x) for hashes of x words of 2 or 4 bytes, messages of any lengths \
                        and any xor of their hashes, twice that for each bit cut off; signed words \
                        of 4 bytes count 29",
            assumption: KEYS_FROM_AES,
            source: DRAFT_2000_BOUND,
            forgery: no_mac,
        },
        source: Source { paper: DRAFT_2000, section: "sections 5 and 6" },
    },
    Family {
        name: "UMAC Figure 1",
        kind: FamilyKind::Mac,
        summary: "the illustrative UMAC of 1999, umac_1999::figure_1; its two keys are given",
        status: Status::Historical,
        parameters: &[("hash", "NH[1024,32] of blocks of 4096 bytes"), ("prf", "HMAC-SHA1")],
        bound: Bound {
            statement: "v * (2^-32 + 2^-160) for v forgery attempts",
            assumption: "no nonce is used twice under a key, and HMAC-SHA1 is a pseudorandom function",
            source: "UMAC (CRYPTO '99, full version), section 2.1, Theorems 4.2 and 8.2",
            forgery: own_type,
        },
        source: Source { paper: UMAC_99, section: "Figure 1" },
    },
    cbc_mac("CBC-MAC-AES128", &[("cipher", "AES-128")]),
    cbc_mac("CBC-MAC-RC6-128", &[("cipher", "RC6-32/20/16")]),
    Family {
        name: "PartialMac-HMAC-SHA1-96",
        kind: FamilyKind::Mac,
        summary: "a MAC of randomly chosen parts of the message, wegman_yardstick::partial; weak by design",
        status: Status::Comparator,
        parameters: &[
            ("chosen by", "AES-128"),
            ("mac", "HMAC-SHA1-96"),
            ("of each region", "1 part of n"),
        ],
        bound: Bound {
            statement: "none: a change of one part of n is noticed with probability 1/n",
            assumption: "no nonce is used twice under a key, and AES-128 and HMAC-SHA1 are pseudorandom \
                         functions",
            source: "ours",
            forgery: own_type,
        },
        source: Source {
            paper: "US 6,976,168 (Branstad and Carman)",
            section: "the idea; the definition is ours",
        },
    },
    Family {
        name: "PMAC-AES128-CTR",
        kind: FamilyKind::Cipher,
        summary: "a cipher that keeps the length, pmac::hazmat::LengthPreserving; detects no change",
        status: Status::Historical,
        parameters: &[("counter from", "PMAC of the message"), ("cipher", "AES-128, two keys")],
        bound: Bound {
            statement: "about s^2 / 2^128 for s blocks in all, to tell it from a random permutation of each \
                        length",
            assumption: "AES-128 is a strong pseudorandom permutation",
            source: "PMAC (EUROCRYPT 2002), section 2; Bellare and Rogaway (FSE '99)",
            forgery: no_mac,
        },
        source: Source { paper: "PMAC (EUROCRYPT 2002)", section: "section 2" },
    },
    universal(
        "NH",
        "NH of words without signs, wegman_yardstick::universal::Nh",
        WORDS,
        "2^-w, reached; for any difference of the hashes, too",
        "UMAC (CRYPTO '99, full version), Theorem 4.2",
        Source { paper: UMAC_99, section: "section 4" },
    ),
    universal(
        "NHS",
        "NH of words in two's complement, wegman_yardstick::universal::Nh",
        WORDS,
        "2^(1-w), nearly reached",
        "UMAC (CRYPTO '99, full version), Theorems 4.5 and 4.8",
        Source { paper: UMAC_99, section: "section 4" },
    ),
    universal(
        "NHT",
        "t times NH under a key that moves two words, wegman_yardstick::universal::Nht",
        REPEATED,
        "2^-wt, reached",
        "UMAC (CRYPTO '99, full version), Theorem 5.1",
        Source { paper: UMAC_99, section: "section 5" },
    ),
    universal(
        "NHST",
        "t times NHS under a key that moves two words, wegman_yardstick::universal::Nht",
        REPEATED,
        "2^(t(1-w))",
        "UMAC (CRYPTO '99, full version), Theorem 5.2",
        Source { paper: UMAC_99, section: "section 5" },
    ),
    universal(
        "NHT2",
        "two levels of NH, twice, wegman_yardstick::universal::Nht2",
        TWO_LEVELS,
        "2^(2-2w)",
        "UMAC (CRYPTO '99, full version), Theorem 5.3",
        Source { paper: UMAC_99, section: "section 5" },
    ),
    universal(
        "NHST2",
        "two levels of NHS, twice, wegman_yardstick::universal::Nht2",
        TWO_LEVELS,
        "2^(4-2w)",
        "UMAC (CRYPTO '99, full version), Theorem 5.4",
        Source { paper: UMAC_99, section: "section 5" },
    ),
    universal(
        "NHX",
        "NHT or NHST of all blocks of a byte string, and its length, wegman_yardstick::universal::Nhx",
        &[("words of a block", "n"), ("word bits", "w"), ("repetitions", "t")],
        "that of NHT or NHST, for messages of any lengths",
        "UMAC (CRYPTO '99, full version), section 6",
        Source { paper: UMAC_99, section: "section 6" },
    ),
    universal(
        "MH",
        "sum of products modulo 2^2w, wegman_yardstick::universal::Mh",
        &[("word bits", "w"), ("modulus", "2^2w")],
        "2^-w, for any difference of the hashes, too",
        "ours, by UMAC (CRYPTO '99, full version), Lemma 4.4",
        Source { paper: UMAC_99, section: "section 3" },
    ),
    universal(
        "MMH*",
        "sum of products modulo a prime, wegman_yardstick::universal::MmhStar",
        PRIME,
        "1/p, for any difference of the hashes, too",
        MMH,
        Source { paper: MMH, section: "MMH*" },
    ),
    universal(
        "MMH32",
        "sum of products modulo 2^64, 2^32 + 15 and 2^32, wegman_yardstick::universal::Mmh32",
        &[("word bits", "32"), ("hash bits", "32")],
        "6 * 2^-32, for any difference of the hashes, too",
        "ours; see wegman_yardstick::universal::products",
        Source { paper: MMH, section: "recalled" },
    ),
    universal(
        "MMH16",
        "sum of products modulo 2^32, 2^16 + 1 and 2^16, wegman_yardstick::universal::Mmh16",
        &[("word bits", "16"), ("hash bits", "16")],
        "6 * 2^-16, for any difference of the hashes, too",
        "ours; see wegman_yardstick::universal::products",
        Source { paper: MMH, section: "the same with smaller words" },
    ),
    universal(
        "TMMH/16",
        "t times MMH16 of length and message under a key that moves, wegman_yardstick::universal::Tmmh16",
        &[("word bits", "16"), ("hash bits", "16 t")],
        "(9 * 2^-16)^t, for messages of any lengths",
        "ours; see wegman_yardstick::universal::products",
        Source { paper: "McGrew, draft-mcgrew-saag-tmmh-01", section: "TMMH/16" },
    ),
    universal(
        "NMH*",
        "sum of products of sums modulo a prime, from which NH descends, wegman_yardstick::universal::NmhStar",
        PRIME,
        "1/p, for any difference of the hashes, too",
        "Carter and Wegman, in Halevi and Krawczyk, MMH (FSE 1997)",
        Source { paper: MMH, section: "NMH*, of Carter and Wegman" },
    ),
    universal(
        "NMH32",
        "NH of words of 32 bits modulo 2^32 + 15 and 2^32, wegman_yardstick::universal::Nmh32",
        &[("word bits", "32"), ("hash bits", "32")],
        "a small constant times 2^-32, for any difference of the hashes, too",
        "UMAC (CRYPTO '99, full version), section 1.2",
        Source { paper: MMH, section: "NMH, of Carter and Wegman" },
    ),
    universal(
        "SQH",
        "square hash: sum of squares modulo an odd prime, wegman_yardstick::universal::Sqh",
        PRIME,
        "1/p, for any difference of the hashes, too",
        "Etzel, Patel and Ramzan, Square hash (CRYPTO 1999)",
        Source {
            paper: "Etzel, Patel and Ramzan, Square hash (CRYPTO 1999)",
            section: "the base family",
        },
    ),
    universal(
        "BUCKET",
        "bucket hashing B[w,n,N]: each word xored into three of N buckets, wegman_yardstick::universal::Bucket",
        &[("word bits", "w"), ("words", "n at most"), ("buckets", "N")],
        "3312 N^-6 for N of at least 32, for any xor of the hashes, too",
        "Rogaway, Bucket hashing (CRYPTO 1995, J. Cryptology 1999), recalled",
        Source { paper: "Rogaway, Bucket hashing (CRYPTO 1995)", section: "B[w, n, N]" },
    ),
    universal(
        "CRC-HASH",
        "remainder by a secret irreducible polynomial of degree n, wegman_yardstick::universal::Crc",
        &[("hash bits", "n")],
        "m / 2^(n-1) for m bits; (m + n) / 2^(n-1) for any xor of the hashes",
        "ours, after Krawczyk (CRYPTO 1994); see wegman_yardstick::universal::crc",
        Source { paper: KRAWCZYK, section: "the cryptographic CRC" },
    ),
    universal(
        "LFSR-TOEPLITZ",
        "Toeplitz hash of a feedback shift register's output, wegman_yardstick::universal::LfsrToeplitz",
        &[("hash bits", "n")],
        "m / 2^(n-1) for m bits, for any xor of the hashes, too",
        "ours, after Krawczyk (CRYPTO 1994); see wegman_yardstick::universal::lfsr_toeplitz",
        Source {
            paper: KRAWCZYK,
            section: "the LFSR-based Toeplitz hash; the order of bits is ours",
        },
    ),
    universal(
        "hash127",
        "polynomial of signed words modulo 2^127 - 1, wegman_yardstick::hash127::Hash127",
        &[("modulus", "2^127 - 1"), ("word bits", "32")],
        "(L + 1) / 2^126 for messages of any lengths up to L words, for any difference of the hashes, too",
        "ours",
        Source { paper: "Bernstein, The hash127 library interface (2000)", section: "the hash" },
    ),
    Family {
        name: "SHA-1",
        kind: FamilyKind::Hash,
        summary: "broken as such; here beneath HMAC-SHA1 and the UMAC-STD sets, from the crate sha1",
        status: Status::Comparator,
        parameters: &[("hash bits", "160")],
        bound: Bound {
            statement: "that of HMAC-SHA1; of the hash alone none, since collisions are known",
            assumption: "its compression function is a pseudorandom function",
            source: "Bellare, New proofs for NMAC and HMAC (CRYPTO 2006)",
            forgery: no_mac,
        },
        source: Source { paper: "FIPS 180-4", section: "section 6.1" },
    },
    Family {
        name: "RC6-32/20",
        kind: FamilyKind::Cipher,
        summary: "the papers' other cipher, keys of b = 0 to 255 bytes, wegman_historical::Rc6",
        status: Status::Comparator,
        parameters: &[("word bits", "32"), ("rounds", "20"), ("key bytes", "b")],
        bound: Bound {
            statement: "those of the MACs over it; of the cipher alone nothing is proved",
            assumption: "it is a pseudorandom permutation",
            source: "with each MAC",
            forgery: no_mac,
        },
        source: Source {
            paper: "Rivest, Robshaw, Sidney and Yin, The RC6 block cipher (1998)",
            section: "section 2",
        },
    },
];

const DRAFT_2000: &str = "draft-krovetz-umac-01 (October 2000)";
const DRAFT_2000_BOUND: &str = "draft-krovetz-umac-01, section 8.2 (October 2000); of other parameters ours, \
     Assurance::log2_bound";
const KEYS_FROM_AES: &str =
    "the messages were chosen without knowing key or hashes, and AES is a pseudorandom function";

use yardstick::*;

mod yardstick {
    use super::{Bound, Family, FamilyKind, Source, Status, no_mac, own_type};

    pub(super) const UMAC_99: &str = "UMAC (CRYPTO '99, full version)";
    pub(super) const MMH: &str = "Halevi and Krawczyk, MMH (FSE 1997)";
    pub(super) const KRAWCZYK: &str =
        "Krawczyk, LFSR-based hashing and authentication (CRYPTO 1994)";

    type Parameters = &'static [(&'static str, &'static str)];

    pub(super) const WORDS: Parameters = &[("words", "n at most"), ("word bits", "w")];
    pub(super) const REPEATED: Parameters =
        &[("words", "n at most"), ("word bits", "w"), ("repetitions", "t")];
    pub(super) const TWO_LEVELS: Parameters =
        &[("words of a block", "n"), ("blocks", "m at most"), ("word bits", "w")];
    pub(super) const PRIME: Parameters = &[("modulus", "p")];

    /// A family of universal hash functions. The statement is about collisions.
    pub(super) const fn universal(
        name: &'static str,
        summary: &'static str,
        parameters: Parameters,
        statement: &'static str,
        proof: &'static str,
        source: Source,
    ) -> Family {
        Family {
            name,
            kind: FamilyKind::UniversalHash,
            summary,
            status: Status::Comparator,
            parameters,
            bound: Bound {
                statement,
                assumption: "the key is uniformly random and the two messages, of one length if nothing \
                             else is said, were chosen without knowing key or hashes",
                source: proof,
                forgery: no_mac,
            },
            source,
        }
    }

    /// CBC-MAC by itself.
    pub(super) const fn cbc_mac(name: &'static str, parameters: Parameters) -> Family {
        Family {
            name,
            kind: FamilyKind::Mac,
            summary: "CBC-MAC for messages of one length, wegman_yardstick::cbc::FixedLength; to compare with",
            status: Status::Comparator,
            parameters,
            bound: Bound {
                statement: "of the order of (m q)^2 / 2^128 + v / 2^t for q messages of m blocks, v forgery \
                            attempts, t tag bits",
                assumption: "all messages under a key have one length, and the cipher is a pseudorandom \
                             permutation",
                source: "Bellare, Kilian and Rogaway (CRYPTO '94), recalled",
                forgery: own_type,
            },
            source: Source {
                paper: "FIPS 113; UMAC (CRYPTO '99)",
                section: "CBC-MAC without padding",
            },
        }
    }
}
