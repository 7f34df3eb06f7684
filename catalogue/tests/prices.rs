//! Every MAC that a session takes: the laws of its key; and what sessions charge for forgery attempts, compared with the
//! exact bound on random histories, in rational numbers. The formulas of UMAC and Carter are those that Coq has proved;
//! the others are written down again from docs/bounds.md.
//!
//! A session's bound is never below the exact one, and at most twice as high, but for a few units: where 2^-128 counts as
//! one unit of 2^-127.

use num_bigint::BigInt;
use num_rational::BigRational;
use std::fmt::Debug;

use wegman::bound::{
    self, BLOCKS_LIMIT, History, PADS_LIMIT, Probability as _, Traffic, Units, blocks,
};
use wegman::session::{Budget, PacketMac, Receiver, Rejected, Sender, laws};
use wegman::{Aes128, Cpu, Tag, pmac, umac};
use wegman_carter as carter;
use wegman_catalogue::bounds::{Probability, Usage};
use wegman_catalogue::find;
use wegman_historical::umac_2000::Parameters;
use wegman_historical::{Umac16, Umac32};
use wegman_reference::inputs::Random;
use wegman_yardstick::{self as yardstick, DesEde3, hash127, hmac, polyval};

/// Units that rounding may add, however small the bound.
const FEW: u32 = 8;

fn whole(number: impl Into<BigInt>) -> BigRational {
    BigRational::from_integer(number.into())
}

/// 2^-`exponent`.
fn half_to(exponent: u32) -> BigRational {
    BigRational::new(1.into(), BigInt::from(1) << exponent)
}

fn in_units(p: &BigRational) -> BigRational {
    p * whole(BigInt::from(1) << 127)
}

/// Messages of one length.
#[derive(Clone, Copy, Debug)]
struct Group {
    count: u64,
    bytes: u64,
}

/// What a key has seen.
#[derive(Clone, Debug)]
struct Play {
    tagged: Vec<Group>,
    tried: Vec<Group>,
    longest: u64,
}

fn count(groups: &[Group]) -> BigInt {
    groups.iter().map(|group| BigInt::from(group.count)).sum()
}

fn sum(groups: &[Group], of: impl Fn(u128) -> u128) -> BigInt {
    groups.iter().map(|group| BigInt::from(group.count) * of(group.bytes.into())).sum()
}

impl Play {
    /// All messages, tagged and tried.
    fn seen(&self) -> BigInt {
        count(&self.tagged) + count(&self.tried)
    }

    fn blocks(&self, of: impl Fn(u128) -> u128) -> BigInt {
        sum(&self.tagged, &of) + sum(&self.tried, &of)
    }

    fn attempts(&self) -> BigRational {
        whole(count(&self.tried))
    }

    /// As a session counts.
    fn history<K: PacketMac>(&self) -> History {
        let traffic = |groups: &[Group]| {
            groups.iter().fold(Traffic::NONE, |sum, &Group { count, bytes }| {
                let cost = K::cost(1, bytes).saturating_mul(count);
                sum.plus(Traffic { messages: count, cost })
            })
        };
        History {
            tagged: traffic(&self.tagged),
            tried: traffic(&self.tried),
            longest: self.longest,
        }
    }
}

/// Numbers not above and not below an exact bound. They differ where a root is taken.
#[derive(Clone, Debug)]
struct Exact {
    low: BigRational,
    high: BigRational,
}

impl Exact {
    fn times(self, (low, high): &(BigRational, BigRational)) -> Exact {
        Exact { low: self.low * low, high: self.high * high }
    }

    fn plus(self, more: BigRational) -> Exact {
        Exact { low: self.low + &more, high: self.high + more }
    }
}

impl From<BigRational> for Exact {
    fn from(exact: BigRational) -> Exact {
        Exact { low: exact.clone(), high: exact }
    }
}

/// (1 - (q + 1) / 2^128)^(-(q + 2) / 2) for q below 2^63: between the ends of two series.
fn permuted(q: &BigInt) -> (BigRational, BigRational) {
    let x = whole(q + 1) * half_to(128);
    // -ln(1 - x) is x + x^2 / 2 + ..., and the rest is at most x^3 / 2, since x is below 1/4.
    let start = &x + &x * &x * half_to(1);
    let rest = &x * &x * &x * half_to(1);
    let exponent = whole(q + 2) * half_to(1);
    let [low, high] = [start.clone(), start + rest].map(|log| log * &exponent);
    // e^y is 1 + y + y^2 / 2 + ..., and the rest is at most y^3 / 4, since y is below 1/2.
    let e = |y: &BigRational| whole(1) + y + y * y * half_to(1);
    let rest = &high * &high * &high * half_to(2);
    (e(&low), e(&high) + rest)
}

/// The bounds that Coq has proved. `claims_state_these_bounds` has the lines that state them.
mod proved {
    use super::{BigRational, Exact, half_to, permuted, whole};

    /// `Pads.factor (2 ^ 128) q.+1`, which is Q^c / (Q (Q - 1) ... (Q - c + 1)) for Q = 2^128 and c = q + 1: at least e^y
    /// with y = (0 + 1 + ... + q) / Q, and at most what `Pads.factor_square` says.
    fn pads(q: &BigRational) -> (BigRational, BigRational) {
        let y = q * (q + whole(1)) * half_to(129);
        let low = whole(1) + &y + &y * &y * half_to(1);
        let high = if *q < whole(1) { whole(1) } else { permuted(&(q - whole(1)).to_integer()).1 };
        (low, high)
    }

    fn hash_and_pads(hash: BigRational, q: &BigRational, v: &BigRational) -> Exact {
        Exact::from((whole(1) + half_to(110)) * v * hash).times(&pads(q))
    }

    pub(super) fn umac(words: usize, q: &BigRational, v: &BigRational) -> Exact {
        hash_and_pads(half_to(30 * words as u32), q, v)
    }

    pub(super) fn carter(tag_bits: u32, len: u64, q: &BigRational, v: &BigRational) -> Exact {
        let n = len.saturating_sub(1) / 2048 + 1;
        hash_and_pads(whole(n) * half_to(tag_bits), q, v)
    }

    /// Under a random permutation.
    pub(super) fn pmac(
        tag_bits: u32,
        block_bits: u32,
        sigma: &BigRational,
        v: &BigRational,
    ) -> BigRational {
        v * half_to(tag_bits)
            + sigma * sigma * half_to(block_bits)
            + (sigma + whole(1)) * sigma * half_to(block_bits + 1)
    }
}

#[test]
fn claims_state_these_bounds() {
    const CLAIMS: &str = include_str!("../../proofs/coq/Claims.v");
    // Each sentence that begins like this says that.
    let state = |start: &str, what: &str| {
        let (_, rest) = CLAIMS.split_once(start).unwrap_or_else(|| panic!("no {start}"));
        let (sentence, _) = rest.split_once(".\n").expect("a sentence has an end");
        assert!(sentence.contains(what), "{what} is not in {start}");
    };
    for words in 1..=4 {
        state(
            &format!("Check UmacKeys.umac{}_own_keys ", 32 * words),
            &format!(
                "<= (1 + (2 ^ 110)%:R^-1) * (v%:R * (1%:R / (2 ^ (30 * {words}))%:R) * Pads.factor (2 ^ 128) q.+1\n       \
                 + Games.advantage E "
            ),
        );
    }
    state(
        "Check Theorem4.theorem4 ",
        "<= u * (v%:R * (n%:R / #|G|%:R) * Pads.factor #|F| q.+1\n       + Games.advantage E ",
    );
    state("Check Pads.factor_subkeys ", "-> Pads.factor (2 ^ 128) s <= 1 + (2 ^ 110)%:R^-1");
    state(
        "Check erefl : Carter.blocks_of ",
        "= fun len => (len.-1 %/ Constants.carter_block_bytes).+1",
    );
    let constants = include_str!("../../proofs/coq/Constants.v");
    assert!(constants.contains("\nDefinition carter_block_bytes := 2048.\n"));
    state(
        "PmacForgery.bound F G sigma v\n",
        "= v%:R / #|G|%:R + (sigma ^ 2)%:R / #|F|%:R + (sigma.+1 * sigma)%:R / (2 * #|F|)%:R",
    );
}

/// A hash with pads of AES, each of so many blocks under keys of their own, and subkeys made in output feedback or not.
fn hash_and_pad(play: &Play, hash: BigRational, pad_blocks: usize, fed_back: u32) -> Exact {
    let factor = permuted(&count(&play.tagged));
    let padded = (0..pad_blocks).fold(Exact::from(hash), |bound, _| bound.times(&factor));
    match fed_back {
        0 => {
            let subkeys = whole(1) + half_to(110);
            padded.times(&(subkeys.clone(), subkeys))
        }
        k => padded.plus(whole(u64::from(k) * u64::from(k - 1)) * half_to(128)),
    }
}

/// A pseudorandom function with this advantage.
fn guess(play: &Play, advantage: BigRational, tag_bits: u32) -> Exact {
    Exact::from(advantage + play.attempts() * half_to(tag_bits))
}

fn pmac(play: &Play, block_bytes: u128, tag_bits: u32) -> Exact {
    // The number is a block before the message.
    let blocks = play.blocks(|bytes| 1 + bytes.div_ceil(block_bytes));
    let (s, block_bits) = (&blocks + 1, 8 * block_bytes as u32);
    let price = guess(play, whole(&s * &s) * half_to(block_bits - 1), tag_bits);
    assert!(proved::pmac(tag_bits, block_bits, &whole(blocks), &play.attempts()) <= price.low);
    price
}

/// For each pair of messages, their blocks and one more.
fn hmac_pairs(play: &Play, blocks: BigInt, hash_bits: u32) -> BigRational {
    let p = play.seen();
    let others = if p > BigInt::ZERO { &p - 1 } else { BigInt::ZERO };
    (whole(2 * &others * blocks) + whole(others * p)) * half_to(hash_bits + 1)
}

fn hmac_of(play: &Play, hash_bits: u32, tag_bits: u32) -> Exact {
    // 8 bytes of number, a bit 1 and 64 bits of length.
    let blocks = play.blocks(|bytes| (8 + bytes + 9).div_ceil(64));
    guess(play, hmac_pairs(play, blocks, hash_bits), tag_bits)
}

/// The blocks of UMAC's subkeys in 2000.
fn subkeys_of_2000(parameters: &Parameters) -> u32 {
    let (words, w) = (parameters.words(), parameters.word_bytes());
    let level_2 = if w == 4 { 24 } else { 28 };
    let blocks = [
        parameters.l1_key_bytes() / 16 + words - 1,
        (words * level_2).div_ceil(16),
        words * w,
        (words * w).div_ceil(16),
        parameters.key_bytes() / 16 * parameters.output_bytes().div_ceil(16),
    ];
    blocks.iter().sum::<usize>() as u32
}

fn log_uniform(random: &mut Random, most: u64) -> u64 {
    let bits = random.upto(most.ilog2() as usize);
    ((1 << bits) + random.word() % (1 << bits)).min(most)
}

/// A length that may be at an edge.
fn length(random: &mut Random, longest: u64) -> u64 {
    let longest = longest.min(1 << 30);
    match random.upto(3) {
        0 => [0, 1, 15, 16, 17, 47, 48, 2047, 2048, 2049, longest][random.upto(10)],
        1 => random.word() % 130,
        _ => log_uniform(random, longest.max(1)),
    }
    .min(longest)
}

fn groups<K: PacketMac>(random: &mut Random, longest: u64, limit: u64) -> Vec<Group> {
    let mut left = limit;
    let mut groups = Vec::new();
    for _ in 0..random.upto(3) {
        let bytes = length(random, longest);
        let most = left / K::cost(1, bytes).max(1);
        if most > 0 {
            let count = log_uniform(random, most);
            left -= count * K::cost(1, bytes);
            groups.push(Group { count, bytes });
        }
    }
    groups
}

/// How many histories each MAC has.
const HISTORIES: usize = 1000;

/// A MAC in a session.
struct Case<'a, K: PacketMac> {
    name: &'a str,
    key: K,
    /// The entry of the catalogue, the length of its tags in bits, and what a session puts before the message.
    entry: Option<(&'a str, u32, u64)>,
    exact: &'a dyn Fn(&Play) -> Exact,
    wrong: K::Tag,
}

impl<K: PacketMac + Clone> Case<'_, K> {
    fn run(self, longests: &[u64])
    where
        K::Tag: Debug,
    {
        laws::check(&self.key);
        let random = &mut Random(self.name.bytes().map(u64::from).sum());
        for &longest in longests {
            self.histories(random, longest);
            self.receivers(random, longest);
            if let Some((entry, tag_bits, before)) = self.entry {
                self.as_in_the_catalogue(random, entry, tag_bits, before, longest);
            }
        }
        costs::<K>(random, self.name);
    }

    /// Fails unless the price of what was played is right.
    fn compare(&self, play: &Play) {
        let Units(units) = self.key.forgery::<Units>(&play.history::<K>());
        let exact = (self.exact)(play);
        let above = in_units(&exact.high);
        if above >= whole(BigInt::from(1) << 127) {
            // No bound: certain, or what a sum of that can't hold.
            assert!(units >= Units::ONE.0, "{} {play:?}", self.name);
            return;
        }
        let units = whole(units);
        assert!(units >= above, "{} is too cheap: {play:?}: {units} for {above}", self.name);
        let most = whole(2) * in_units(&exact.low) + whole(FEW);
        assert!(units <= most, "{} is too dear: {play:?}: {units} for {above}", self.name);
    }

    fn histories(&self, random: &mut Random, longest: u64) {
        for _ in 0..HISTORIES / 4 {
            let tagged = groups::<K>(random, longest, K::LIMIT);
            let tried = groups::<K>(random, longest, 1 << 60);
            let [none, few] = [vec![], groups::<K>(random, longest, 1 << 12)];
            for (tagged, tried) in
                [(&tagged, &tried), (&tagged, &none), (&none, &tried), (&tagged, &few)]
            {
                let (tagged, tried) = (tagged.clone(), tried.clone());
                self.compare(&Play { tagged, tried, longest });
            }
        }
    }

    /// Forged packets until a receiver closes: not after its budget, and not long before.
    fn receivers(&self, random: &mut Random, longest: u64) {
        let message = vec![7; longest.min(1 << 17) as usize];
        for closed_after in [1, 2, 3, 40, 300] {
            let limit = log_uniform(random, K::LIMIT);
            // A budget that so many attempts of the longest messages fit in.
            let tried = Group { count: closed_after, bytes: message.len() as u64 };
            let history = |groups: &[Group]| {
                let play = Play { tagged: vec![], tried: groups.to_vec(), longest };
                let tagged = Traffic { messages: limit, cost: limit };
                History { tagged, ..play.history::<K>() }
            };
            let Units(budget) = self.key.forgery::<Units>(&history(&[tried]));
            let exponent = (127 - budget.ilog2()).saturating_sub(1).min(120);
            let receiver: Receiver<K> =
                Receiver::new(self.key.clone(), 0, Budget::close_at(exponent));
            let mut receiver = receiver.with_limit(limit).with_longest(longest);
            let mut groups = Vec::new();
            for _ in 0..2000 {
                let bytes = length(random, message.len() as u64);
                let next = Group { count: 1, bytes };
                match receiver.open(1, &message[..bytes as usize], &self.wrong) {
                    Err(Rejected::Forged) => groups.push(next),
                    Err(Rejected::Closed) => {
                        let with = [&groups[..], &[next]].concat();
                        let exact = self.exact_of_limit(limit, &with, longest);
                        let exact = in_units(&exact.high) + whole(FEW);
                        let half = whole(Units::ONE.0 >> (exponent + 1));
                        assert!(exact > half, "{} closed early, 2^-{exponent}", self.name);
                        break;
                    }
                    other => panic!("{}: {other:?}", self.name),
                }
            }
            assert!(!groups.is_empty(), "{} has room for an attempt", self.name);
            let exact = self.exact_of_limit(limit, &groups, longest);
            assert!(exact.high <= half_to(exponent), "{} closed late", self.name);
            assert_eq!(receiver.spent(), self.key.forgery::<Units>(&history(&groups)));
        }
    }

    /// The exact bound if the sender has tagged messages of cost 1 up to the limit, or the fewest bytes for the most cost.
    fn exact_of_limit(&self, limit: u64, tried: &[Group], longest: u64) -> Exact {
        // Empty messages: as many of them as the limit allows.
        let count = limit / K::cost(1, 0);
        let tagged = vec![Group { count, bytes: 0 }];
        (self.exact)(&Play { tagged, tried: tried.to_vec(), longest })
    }

    /// The same function with the catalogue's digits is what `wegman bounds` prints.
    fn as_in_the_catalogue(
        &self,
        random: &mut Random,
        entry: &str,
        tag_bits: u32,
        before: u64,
        longest: u64,
    ) {
        let algorithm = find(entry).expect("it is listed");
        for _ in 0..300 {
            // Whole words, so that rounding up in bytes and in words of a hash is the same.
            let bytes = length(random, longest) / 4 * 4;
            let most = K::LIMIT / K::cost(1, bytes);
            let group = |count| vec![Group { count, bytes }];
            let tagged = group(log_uniform(random, most.max(1)));
            let tried = group(log_uniform(random, 1 << 40));
            let usage = Usage {
                messages: tagged[0].count.into(),
                message_bytes: u128::from(bytes) + u128::from(before),
                attempts: tried[0].count.into(),
                tag_bits,
            };
            let total = algorithm.forgery(&usage).expect("it has a bound").total();
            let play = Play { tagged, tried, longest: bytes };
            let found = self.key.forgery::<Probability>(&play.history::<K>());
            // The last of 512 digits may be rounded in another place.
            let slack = Probability::half_to(500);
            let is_same = found <= total.plus(slack) && total <= found.plus(slack);
            assert!(is_same, "{} {usage:?}: {found} for {total}", self.name);
        }
    }
}

/// Messages together cost at least as much as one by one.
fn costs<K: PacketMac>(random: &mut Random, name: &str) {
    for _ in 0..2000 {
        let messages = random.upto(20) as u64;
        let lengths: Vec<u64> = (0..messages).map(|_| length(random, K::LONGEST)).collect();
        let one_by_one: u64 = lengths.iter().map(|&bytes| K::cost(1, bytes)).sum();
        let together = K::cost(messages, lengths.iter().sum());
        assert!(one_by_one <= together, "{name} {lengths:?}: {one_by_one} but {together}");
        if let [bytes] = lengths[..] {
            assert_eq!(K::cost(1, bytes), one_by_one);
        }
    }
    assert!(K::cost(u64::MAX, u64::MAX) >= K::cost(1, u64::MAX), "{name} overflows");
}

const SECRET: &[u8; 16] = b"abcdefghijklmnop";

#[test]
fn umac() {
    fn of<const N: usize>(name: &str) {
        Case {
            name,
            key: &umac::Key::<N>::new(SECRET),
            entry: Some((name, 8 * N as u32, 0)),
            exact: &|play| proved::umac(N / 4, &whole(count(&play.tagged)), &play.attempts()),
            wrong: Tag::from([1; N]),
        }
        .run(&[u64::MAX]);
    }
    of::<4>("UMAC-32");
    of::<8>("UMAC-64");
    of::<12>("UMAC-96");
    of::<16>("UMAC-128");
}

/// All binary digits of a probability below 1.
fn digits(p: Probability) -> BigRational {
    let mut sum = (Probability::ZERO, whole(0));
    for exponent in 1..=512 {
        let more = sum.0.plus(Probability::half_to(exponent));
        if more <= p {
            sum = (more, sum.1 + half_to(exponent));
        }
    }
    sum.1
}

/// What `wegman bounds` prints of UMAC and Carter is what Coq has proved, but for what the pads' factor is rounded up by:
/// less than (q + 2)^2 / 2^128 of the bound.
#[test]
fn bounds_are_the_proved_ones() {
    let random = &mut Random(5);
    for name in
        ["UMAC-32", "UMAC-64", "UMAC-96", "UMAC-128", "Carter-64", "Carter-96", "Carter-128"]
    {
        let algorithm = find(name).expect("it is listed");
        let tag_bits = 8 * *algorithm.tag_bytes.end() as u32;
        for messages in [0, 1, 2, 1 << 20, PADS_LIMIT].map(u128::from) {
            let attempts = u128::from(log_uniform(random, 1 << 20));
            let message_bytes = length(random, 1 << 30);
            let usage = Usage { messages, message_bytes: message_bytes.into(), attempts, tag_bits };
            let total = algorithm.forgery(&usage).expect("it has a bound").total();
            let [q, v] = [messages, attempts].map(whole);
            let exact = match name.starts_with("UMAC") {
                true => proved::umac(tag_bits as usize / 32, &q, &v),
                false => proved::carter(tag_bits, message_bytes, &q, &v),
            };
            if exact.high >= whole(1) {
                continue;
            }
            let found = digits(total);
            assert!(found >= exact.high, "{name} {usage:?}: less than Coq has proved");
            let slack = (&q + whole(2)) * (&q + whole(2)) * half_to(128);
            let most = &exact.low * (whole(1) + slack) + half_to(500);
            assert!(found <= most, "{name} {usage:?}: more than Coq has proved");
        }
    }
}

fn exact_of_2000(play: &Play, parameters: &Parameters, e: u32) -> Exact {
    let subkeys = subkeys_of_2000(parameters);
    let pad_blocks = parameters.output_bytes().div_ceil(16);
    hash_and_pad(play, play.attempts() * half_to(e), pad_blocks, subkeys)
}

#[test]
fn umac_of_2000() {
    fn of<K: PacketMac>(name: &str, key: &K, e: u32, wrong: K::Tag)
    where
        K::Tag: Debug,
    {
        let parameters: Parameters = name.parse().unwrap();
        let bits = 8 * parameters.output_bytes() as u32;
        let exact = |play: &Play| exact_of_2000(play, &parameters, e);
        Case { name, key, entry: Some((name, bits, 0)), exact: &exact, wrong }.run(&[u64::MAX]);
    }
    of("UMAC-2/4/1024/16/SIGNED", &Umac16::<4>::new(SECRET), 30, Tag::from([1; 4]));
    of("UMAC-2/8/1024/16/SIGNED", &Umac16::<8>::new(SECRET), 60, Tag::from([1; 8]));
    of("UMAC-2/16/1024/16/SIGNED", &Umac16::<16>::new(SECRET), 120, Tag::from([1; 16]));
    of("UMAC-4/4", &Umac32::<4>::new(SECRET), 30, Tag::from([1; 4]));
    of("UMAC32", &Umac32::<8>::new(SECRET), 60, Tag::from([1; 8]));
    of("UMAC-4/16", &Umac32::<16>::new(SECRET), 120, Tag::from([1; 16]));
}

#[test]
fn pmac_keys() {
    fn of<C: wegman::cipher::BlockCipher, const N: usize>(
        name: &str,
        key: &pmac::Key<C, N>,
        block_bytes: u64,
        tag_bits: u32,
        entry: Option<&str>,
    ) {
        let exact = |play: &Play| pmac(play, block_bytes.into(), tag_bits);
        let entry = entry.map(|entry| (entry, tag_bits, block_bytes));
        Case { name, key, entry, exact: &exact, wrong: Tag::from([0xff; N]) }.run(&[u64::MAX]);
    }
    let aes = Some("PMAC-AES128");
    of("PMAC", &pmac::Key::<Aes128, 16>::new(SECRET), 16, 128, aes);
    of("PMAC of 96 bits", &pmac::Key::<Aes128, 12>::new(SECRET), 16, 96, aes);
    let des = pmac::Key::<DesEde3, 8>::from_slice(&[7; 24]).unwrap();
    of("PMAC of triple DES", &des, 8, 64, Some("PMAC-DES-EDE3"));
    let bits = pmac::hazmat::key_with_tag_bits::<Aes128, 2>(Cpu::detect(), SECRET, 9).unwrap();
    of("PMAC of 9 bits", &bits, 16, 9, None);
}

#[test]
fn carter_polyval_hash127() {
    const LONGEST: [u64; 6] = [0, 1, 2048, 2049, 1 << 16, 1 << 30];
    fn of<const N: usize>(name: &str) {
        Case {
            name,
            key: &carter::Key::<Aes128, N, 12>::new(SECRET),
            entry: Some((name, 8 * N as u32, 0)),
            exact: &|play| {
                let tagged = whole(count(&play.tagged));
                proved::carter(8 * N as u32, play.longest, &tagged, &play.attempts())
            },
            wrong: Tag::from([1; N]),
        }
        .run(&LONGEST);
    }
    of::<8>("Carter-64");
    of::<12>("Carter-96");
    of::<16>("Carter-128");
    Case {
        name: "Polyval-AES",
        key: &polyval::Key::<12>::new(SECRET),
        entry: Some(("Polyval-AES", 128, 0)),
        exact: &|play| {
            let n = u128::from(play.longest).div_ceil(16) + 1;
            hash_and_pad(play, play.attempts() * whole(n) * half_to(128), 1, 0)
        },
        wrong: Tag::from([1; 16]),
    }
    .run(&LONGEST);
    Case {
        name: "hash127-RC6",
        key: &hash127::Key::<8>::new(&[7; 32]),
        entry: Some(("hash127-RC6", 128, 0)),
        exact: &|play| {
            // The words with the padding.
            let l = play.longest / 4 + 1;
            let hash = play.attempts() * whole(l + 1) * half_to(126);
            let p = play.seen();
            Exact::from(hash + whole(&p * &p) * half_to(126))
        },
        wrong: Tag::from([1; 16]),
    }
    .run(&LONGEST);
}

#[test]
fn hmac_keys() {
    let key = &yardstick::Key::<hmac::HmacSha1, 12>::new(&[7; 20]);
    let (entry, wrong) = (Some(("HMAC-SHA1-96", 96, 8)), Tag::from([1; 12]));
    let exact = &|play: &Play| hmac_of(play, 160, 96);
    Case { name: "HMAC-SHA1-96", key, entry, exact, wrong }.run(&[u64::MAX]);
    let key = &yardstick::Key::<hmac::HmacMd5, 12>::new(&[7; 16]);
    let entry = Some(("HMAC-MD5-96", 96, 8));
    let exact = &|play: &Play| hmac_of(play, 128, 96);
    Case { name: "HMAC-MD5-96", key, entry, exact, wrong }.run(&[u64::MAX]);
    let key = &yardstick::Key::<hmac::HmacSha256, 32>::new(&[7; 32]);
    let (entry, wrong) = (Some(("HMAC-SHA256", 256, 8)), Tag::from([1; 32]));
    let exact = &|play: &Play| hmac_of(play, 256, 256);
    Case { name: "HMAC-SHA256", key, entry, exact, wrong }.run(&[u64::MAX]);
}

/// Blocks of 64 bits leave no room in a budget of 2^-40: after the 2^16 blocks that a sender may tag, the bound is 2^-31.
/// Both ends can lower the limit.
#[test]
fn triple_des_does_not_allow_millions_of_attempts() {
    let key = pmac::Key::<DesEde3, 8>::from_slice(&[7; 24]).unwrap();
    let ten_blocks = [7; 80];
    let wrong = Tag::from([1; 8]);
    let receiver = || -> Receiver<_> { Receiver::new(&key, 0, Budget::close_at(40)) };
    let mut closed = receiver();
    assert!(closed.is_closed());
    assert_eq!(closed.open(1, &ten_blocks, &wrong), Err(Rejected::Closed));

    let mut sender = Sender::new(&key, 1).with_limit(1000);
    let mut receiver = receiver().with_limit(1000);
    let (number, tag) = sender.seal(&ten_blocks).unwrap();
    let mut attempts = 0_u64;
    while receiver.open(number, &ten_blocks, &wrong) == Err(Rejected::Forged) {
        attempts += 1;
    }
    // (1000 + 11 v + 1)^2 / 2^63 + v / 2^64 is at most 2^-40 for v up to 172: (1001 + 1892)^2 is below 2^23 = 8388608, but
    // (1001 + 1903)^2 is not.
    assert_eq!(attempts, 172);
    // A shorter attempt may have room for some time.
    assert_eq!(receiver.open(number, &ten_blocks, &tag), Err(Rejected::Closed));
}

/// Carter's price is that of the longest message agreed, however short those in attempts are.
#[test]
fn carter_is_priced_for_the_longest_message() {
    let key = carter::Key::<Aes128, 8, 12>::new(SECRET);
    let wrong = Tag::from([1; 8]);
    for (longest, blocks) in [(None, 32), (Some(0), 1), (Some(2048), 1), (Some(2049), 2)] {
        let receiver: Receiver<_> = Receiver::new(&key, 0, Budget::close_at(53));
        let mut receiver = match longest {
            Some(longest) => receiver.with_longest(longest),
            None => receiver,
        };
        let mut attempts = 0;
        while receiver.open(1, b"", &wrong) == Err(Rejected::Forged) {
            attempts += 1;
        }
        // 2^11 units of 2^-64, and the pads take a little.
        assert_eq!(attempts, 2048 / blocks - 1, "{longest:?}");
        let too_long = vec![7; longest.unwrap_or(1 << 16) as usize + 1];
        assert_eq!(receiver.open(1, &too_long, &wrong), Err(Rejected::TooLong));
    }
}

/// All shifts that a share can have, with numbers at their edges, beside big integers.
#[test]
fn shares_are_rounded_up_exactly() {
    let random = &mut Random(3);
    let edges =
        |bits: u32| (0..bits).flat_map(|i| [1_u128 << i, (1 << i) - 1, !0 >> i, !(!0 >> i)]);
    let mut units: Vec<u128> = edges(128).chain([0, u128::MAX]).collect();
    let mut numerators: Vec<u64> = edges(64).map(|edge| edge as u64).collect();
    numerators.extend([0, u64::MAX]);
    let compare = |units: u128, numerator: u64, exponent: u32| {
        let product = BigInt::from(units) * numerator;
        let up: BigInt = (product + (BigInt::from(1) << exponent) - 1_u32) >> exponent;
        let expected = u128::try_from(up).unwrap_or(u128::MAX);
        let found = Units(units).share(numerator, exponent);
        assert_eq!(found, Units(expected), "{units:#x} {numerator:#x} >> {exponent}");
    };
    units.sort_unstable();
    units.dedup();
    numerators.sort_unstable();
    numerators.dedup();
    for exponent in 0..=128 {
        for _ in 0..3000 {
            let some = units[random.upto(units.len() - 1)];
            let numerator = numerators[random.upto(numerators.len() - 1)];
            compare(some, numerator, exponent);
            let wide = u128::from(random.word()) << 64 | u128::from(random.word());
            compare(wide >> random.upto(127), random.word() >> random.upto(63), exponent);
        }
        for (some, numerator) in [(u128::MAX, u64::MAX), (1, 1), (1, 0), (0, 1), (1 << 127, 1)] {
            compare(some, numerator, exponent);
        }
    }
}

/// Products that end far below a unit, and those that begin there.
#[test]
fn products_are_rounded_up_by_less_than_two_units() {
    let random = &mut Random(4);
    for exponent in 120..=600 {
        for _ in 0..100 {
            let [a, b] = [(); 2].map(|()| random.word() >> random.upto(63));
            let exact = in_units(&(whole(a) * whole(b) * half_to(exponent)));
            let Units(found) = bound::product_over(a.into(), b.into(), exponent);
            // What has no place in 128 bits is more than certain.
            let exact = exact.min(whole(u128::MAX));
            let found = whole(found);
            assert!(exact <= found && found < exact + whole(2), "{a} {b} {exponent}");
        }
    }
}

/// For every number of messages and bytes, the most blocks that they can have.
#[test]
fn blocks_of_several_messages() {
    for (block, before) in [(16, 16), (8, 8), (64, 17), (5, 3)] {
        for bytes in 0..200_u64 {
            let one = |bytes: u64| (bytes + before).div_ceil(block).max(1);
            assert_eq!(blocks(1, bytes, before, block), one(bytes));
            for first in 0..=bytes {
                assert!(one(first) + one(bytes - first) <= blocks(2, bytes, before, block));
            }
        }
    }
    assert_eq!(blocks(u64::MAX, u64::MAX, 16, 16), u64::MAX);
    assert!(BLOCKS_LIMIT.is_power_of_two());
}
