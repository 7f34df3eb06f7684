//! The bounds that Coq has proved, evaluated as they stand in proofs/coq/Claims.v, with the numbers of Constants.v.

use super::{Exact, half_to, permuted, whole};
use num_bigint::BigInt;
use num_rational::BigRational;

const CLAIMS: &str = include_str!("../../../proofs/coq/Claims.v");
const CONSTANTS: &str = include_str!("../../../proofs/coq/Constants.v");

/// What stands behind the last `sign` of the sentence that begins with `start`.
fn right_side(start: &str, sign: &str) -> &'static str {
    let (_, rest) = CLAIMS.split_once(start).unwrap_or_else(|| panic!("no {start} in Claims.v"));
    let (sentence, _) = rest.split_once(".\n").expect("a sentence has an end");
    sentence.rsplit_once(sign).unwrap_or_else(|| panic!("no {sign} in {start}")).1
}

/// An expression, with what its letters stand for.
struct Reader<'a> {
    rest: &'a str,
    letters: &'a [(&'a str, &'a BigRational)],
}

impl Reader<'_> {
    /// The next of Coq's words, if it is `word`.
    fn takes(&mut self, word: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Exact {
        let mut sum = self.product();
        while self.takes("+") {
            let more = self.product();
            sum = Exact { low: sum.low + more.low, high: sum.high + more.high };
        }
        sum
    }

    fn product(&mut self) -> Exact {
        let mut product = self.power();
        loop {
            if self.takes("*") {
                let Exact { low, high } = self.power();
                product = product.times(&(low, high));
            } else if self.takes("%/") {
                let quotient = exactly(product) / exactly(self.power());
                product = quotient.floor().into();
            } else if self.takes("/") {
                let Exact { low, high } = self.power();
                product = product.times(&(high.recip(), low.recip()));
            } else {
                return product;
            }
        }
    }

    fn power(&mut self) -> Exact {
        let base = self.marked();
        if !self.takes("^") {
            return base;
        }
        let exponent = exactly(self.marked()).to_integer().try_into().expect("a small exponent");
        exactly(base).pow(exponent).into()
    }

    /// With what Coq puts behind: `x.+1`, `x.-1`, `x^-1`, `x%:R`.
    fn marked(&mut self) -> Exact {
        let mut value = self.atom();
        loop {
            value = if self.takes(".+1") {
                value.plus(whole(1))
            } else if self.takes(".-1") {
                (exactly(value) - whole(1)).max(whole(0)).into()
            } else if self.takes("^-1") {
                Exact { low: value.high.recip(), high: value.low.recip() }
            } else if self.takes("%:R") {
                value
            } else {
                return value;
            };
        }
    }

    fn atom(&mut self) -> Exact {
        if self.takes("(") {
            let value = self.sum();
            assert!(self.takes(")"), "no end before {}", self.rest);
            return value;
        }
        if self.takes("Pads.factor") {
            let all = exactly(self.marked());
            let values = exactly(self.marked());
            return factor(&all, &values);
        }
        if self.takes("Games.advantage E") {
            // The cipher's, which nobody has a number for.
            let mut depth = 0;
            let mut is_end = |c| {
                depth += i32::from(c == '(') - i32::from(c == ')');
                c == ')' && depth == 0
            };
            let end = self.rest.find(&mut is_end).expect("a program in brackets");
            self.rest = &self.rest[end + 1..];
            return whole(0).into();
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || "#|_".contains(c);
        let mut end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let is_constant = self.rest.starts_with("Constants.");
        if is_constant {
            let name = &self.rest["Constants.".len()..];
            end = self.rest.len() - name.len() + name.find(|c| !is_part(c)).unwrap_or(name.len());
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word.parse::<u64>() {
            Ok(number) => whole(number).into(),
            Err(_) if is_constant => constant(&word["Constants.".len()..]).into(),
            Err(_) => {
                let letter = self.letters.iter().find(|(name, _)| *name == word);
                letter.unwrap_or_else(|| panic!("{word:?} before {rest}")).1.clone().into()
            }
        }
    }
}

/// A number that no root or series was in.
fn exactly(value: Exact) -> BigRational {
    assert_eq!(value.low, value.high);
    value.low
}

fn evaluate(expression: &str, letters: &[(&str, &BigRational)]) -> Exact {
    let mut reader = Reader { rest: expression, letters };
    let value = reader.sum();
    assert_eq!(reader.rest.trim(), "", "in {expression}");
    value
}

/// A number of Constants.v.
fn constant(name: &str) -> BigRational {
    let start = format!("Definition {name} := ");
    let (_, rest) = CONSTANTS.split_once(&start).unwrap_or_else(|| panic!("no {name}"));
    exactly(evaluate(rest.split_once(".\n").expect("a sentence has an end").0, &[]))
}

/// Q^c / (Q (Q - 1) ... (Q - c + 1)) for Q = 2^128: at least e^y with y = (0 + 1 + ... + (c - 1)) / Q, and at most what
/// `Pads.factor_square` says.
fn factor(all: &BigRational, values: &BigRational) -> Exact {
    assert_eq!(*all, half_to(128).recip());
    let y = values * (values - whole(1)) * half_to(129);
    let low = whole(1) + &y + &y * &y * half_to(1);
    let high = match values.to_integer() - 2 {
        q if q < BigInt::ZERO => whole(1),
        q => permuted(&q).1,
    };
    Exact { low, high }
}

/// UMAC with tags of so many words. For more than three, `Rfc4418.rfc4418` has the hypothesis that UHASH's differences have
/// 2^-30 for each word.
pub(crate) fn umac(words: usize, tagged: &BigRational, attempts: &BigRational) -> Exact {
    let theorem = match words {
        1 => "Check UmacKeys.umac32_own_keys ",
        2 => "Check UmacKeys.umac64_own_keys ",
        3 => "Check UmacKeys.umac96_own_keys ",
        _ => "Check Rfc4418.rfc4418 ",
    };
    let words = whole(words);
    evaluate(right_side(theorem, "<="), &[("T", &words), ("q", tagged), ("v", attempts)])
}

/// `Theorem4.theorem4`: Carter, with the factor of its subkeys, for messages of up to `longest` bytes.
pub(crate) fn carter(
    tag_bits: u32,
    longest: u64,
    tagged: &BigRational,
    attempts: &BigRational,
) -> Exact {
    let blocks = right_side("Check erefl : Carter.blocks_of ", "=>");
    let blocks = exactly(evaluate(blocks, &[("len", &whole(longest))]));
    let subkeys = exactly(evaluate(right_side("Check Pads.factor_subkeys ", "<="), &[]));
    let (all, tags) = (half_to(128).recip(), half_to(tag_bits).recip());
    let letters = [
        ("u", &subkeys),
        ("v", attempts),
        ("n", &blocks),
        ("q", tagged),
        ("#|G|", &tags),
        ("#|F|", &all),
    ];
    evaluate(right_side("Check Theorem4.theorem4 ", "<="), &letters)
}

/// `PmacForgery.bound`: PMAC under a random permutation, for so many blocks tagged and tried.
pub(crate) fn pmac(
    tag_bits: u32,
    block_bits: u32,
    blocks: &BigRational,
    attempts: &BigRational,
) -> BigRational {
    let (all, tags) = (half_to(block_bits).recip(), half_to(tag_bits).recip());
    let letters = [("sigma", blocks), ("v", attempts), ("#|G|", &tags), ("#|F|", &all)];
    exactly(evaluate(right_side("PmacForgery.bound F G sigma v\n", "="), &letters))
}
