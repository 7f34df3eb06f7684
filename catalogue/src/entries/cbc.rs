//! ECBC, FCBC, XCBC and CMAC.

use crate::algorithm::{Algorithm, Bound, Parameters, Source};
use crate::bounds::terms::{CALLS, CIPHER, cbc_blocks_meet, forgery as bound, guess, subkeys};
use crate::bounds::{Forgery, ForgeryBound, Term, Unbounded, Usage, theorems};
use crate::entries::comparator::{comparator, interop};
use wegman::cipher::BlockCipher;
use wegman::{Aes128, Aes256};
use wegman_yardstick::cbc::{Cmac, Ecbc, Fcbc, Xcbc};
use wegman_yardstick::{Engine, Rc6};

const AES128: Parameters = &[("cipher", "AES-128")];
const RC6: Parameters = &[("cipher", "RC6-32/20/16")];

pub(crate) const ECBC_AES128: Algorithm = ecbc::<Ecbc<Aes128>>("ECBC-AES128", AES128);
pub(crate) const ECBC_RC6: Algorithm = ecbc::<Ecbc<Rc6>>("ECBC-RC6-128", RC6);
pub(crate) const FCBC_AES128: Algorithm = fcbc::<Fcbc<Aes128>>("FCBC-AES128", AES128);
pub(crate) const FCBC_RC6: Algorithm = fcbc::<Fcbc<Rc6>>("FCBC-RC6-128", RC6);

/// With the key of RFC 3566.
pub(crate) const XCBC_AES128: Algorithm = cbc::<Xcbc<Aes128>>(
    "XCBC-AES128",
    "CBC-MAC with the last block masked, keys as in RFC 3566; to compare with",
    16,
    AES128,
    forgery::<0, 3>,
    Source { paper: "RFC 3566; Black and Rogaway (CRYPTO 2000)", section: "section 4; XCBC" },
);

pub(crate) const XCBC_RC6: Algorithm = cbc::<Xcbc<Rc6>>(
    "XCBC-RC6-128",
    "CBC-MAC with the last block masked, key K1 || k2 || k3; to compare with",
    48,
    RC6,
    forgery::<0, 0>,
    Source { paper: THREE_KEYS, section: "XCBC" },
);

pub(crate) const CMAC_AES128: Algorithm = cmac::<Aes128>("CMAC-AES128", AES128);
pub(crate) const CMAC_AES256: Algorithm = cmac::<Aes256>("CMAC-AES256", &[("cipher", "AES-256")]);

const THREE_KEYS: &str = "Black and Rogaway, CBC MACs for arbitrary-length messages (CRYPTO 2000)";

const fn ecbc<E: Engine>(name: &'static str, parameters: Parameters) -> Algorithm {
    let source = Source { paper: THREE_KEYS, section: "ECBC" };
    let summary = "CBC-MAC encrypted once more, key K1 || K2 || K3; to compare with";
    cbc::<E>(name, summary, 48, parameters, forgery::<1, 0>, source)
}

const fn fcbc<E: Engine>(name: &'static str, parameters: Parameters) -> Algorithm {
    let source = Source { paper: THREE_KEYS, section: "FCBC; UMAC (CRYPTO '99), section 8.4" };
    let summary = "CBC-MAC with the last block under another key, K1 || K2 || K3; to compare with";
    cbc::<E>(name, summary, 48, parameters, forgery::<0, 0>, source)
}

const fn cbc<E: Engine>(
    name: &'static str,
    summary: &'static str,
    key_bytes: usize,
    parameters: Parameters,
    forgery: ForgeryBound,
    source: Source,
) -> Algorithm {
    let bound = Bound {
        statement: "s^2 / 2^128 + v / 2^t for s cipher calls, v forgery attempts, t tag bits",
        assumption: "the cipher is a pseudorandom permutation",
        source: "ours; of the order of Black and Rogaway, CBC MACs for arbitrary-length messages (CRYPTO 2000)",
        forgery,
    };
    comparator::<E, 16>(name, summary, key_bytes, 4..=16, parameters, bound, source)
}

const fn cmac<C: BlockCipher>(name: &'static str, parameters: Parameters) -> Algorithm {
    let bound = Bound {
        statement: "4 s^2 / 2^128 + v / 2^t for s blocks tagged and tried, v forgery attempts, t tag bits",
        assumption: "the cipher is a pseudorandom permutation",
        source: OMAC,
        forgery: forgery_of_cmac,
    };
    let summary = "CBC-MAC with the last block masked, one key; where others require it";
    let source = Source { paper: "NIST SP 800-38B; RFC 4493", section: "section 6; section 2" };
    let key_bytes = C::KEY_BYTES;
    interop(comparator::<Cmac<C>, 16>(name, summary, key_bytes, 4..=16, parameters, bound, source))
}

const OMAC: &str =
    "Iwata and Kurosawa, Stronger security bounds for OMAC, TMAC, and XCBC (INDOCRYPT 2003)";

/// The bound of CMAC: the subkeys are in it.
fn forgery_of_cmac(_: &str, usage: &Usage) -> Result<Forgery, Unbounded> {
    let blocks = usage.seen().saturating_mul(usage.message_bytes.div_ceil(16).max(1));
    let blocks_meet = Term {
        name: "blocks meet",
        formula: "4 s^2 / 2^128",
        source: OMAC,
        probability: theorems::cmac(blocks, 128),
    };
    let s = ("s", "blocks of messages tagged and tried", blocks);
    Ok(bound(CIPHER, &[s], &[blocks_meet, guess(usage)]))
}

/// The bound of CBC-MAC with `EXTRA` more cipher calls for each message, and `SUBKEYS` cipher calls for subkeys.
fn forgery<const EXTRA: u32, const SUBKEYS: u32>(
    _: &str,
    usage: &Usage,
) -> Result<Forgery, Unbounded> {
    let (seen, bytes) = (usage.seen(), usage.message_bytes);
    let each = bytes.div_ceil(16).max(1) + u128::from(EXTRA);
    let calls = seen.saturating_mul(each);
    let s = ("s", CALLS, calls);
    let terms = [cbc_blocks_meet(calls), guess(usage)];
    if SUBKEYS == 0 {
        return Ok(bound("Adv-PRP of the cipher, for each of its keys", &[s], &terms));
    }
    let [blocks_meet, guess] = terms;
    let k = ("k", "cipher calls for the subkeys", SUBKEYS.into());
    Ok(bound(
        "Adv-PRP of the cipher, twice: for the subkeys and for the messages",
        &[s, k],
        &[blocks_meet, guess, subkeys(SUBKEYS)],
    ))
}
