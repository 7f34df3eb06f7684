//! `wegman-bench batches`: what a message costs in batches of any number of messages, beside one call each. The keys
//! are typed, as programs have them.
//!
//! A batch should never be slower than the calls that it replaces. `--check 1.05` makes that the exit code.

use crate::progress::progress;
use serde::Serialize;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;
use wegman::cipher::Aes128;
use wegman::hazmat::nonce_mac::HashAndPads;
use wegman::{Cpu, NonceOf, Tag, nonce_mac, pmac, umac};
use wegman_carter::Carter128;
use wegman_timing::measure::{Clock, Summary};
use wegman_timing::messages::Messages;
use wegman_timing::ours::SECRET;
use wegman_timing::report::{self, digits};
use wegman_timing::rounds::{self, Cell};

/// The lengths of a batch's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// All the same.
    Same(usize),
    /// From 40 to 1500 bytes, no two neighbours alike.
    Mixed,
    /// 43 bytes, but for one message of 4096 in the middle.
    OneLong,
}

impl Sizes {
    /// What the tables call it.
    pub fn name(self) -> String {
        match self {
            Sizes::Same(length) => length.to_string(),
            Sizes::Mixed => "40..1500".into(),
            Sizes::OneLong => "43, 4096".into(),
        }
    }

    /// The length of message `i` of `count`.
    fn of(self, i: usize, count: usize) -> usize {
        match self {
            Sizes::Same(length) => length,
            Sizes::Mixed => 40 + 557 * i % 1461,
            Sizes::OneLong if i == count / 2 => 4096,
            Sizes::OneLong => 43,
        }
    }
}

/// What a message costs in each way, in core cycles if they can be known, otherwise in nanoseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Costs {
    /// By `tag`.
    pub tag: f64,
    /// By `tag_many`.
    pub tag_many: f64,
    /// By `verify`.
    pub verify: f64,
    /// By `verify_many`.
    pub verify_many: f64,
}

impl Costs {
    /// How many times as much a message of a batch costs: of `tag_many` and of `verify_many`.
    pub fn ratios(self) -> [f64; 2] {
        [self.tag_many / self.tag, self.verify_many / self.verify]
    }
}

/// One batch.
#[derive(Clone, Debug, Serialize)]
pub struct Batch {
    /// The algorithm.
    pub algorithm: &'static str,
    /// The kernel of the key.
    pub kernel: &'static str,
    /// Messages in a batch.
    pub messages: usize,
    /// Their lengths.
    pub lengths: String,
    /// Costs of a message.
    #[serde(flatten)]
    pub costs: Costs,
    /// The largest interquartile range of the four divided by its median.
    pub spread: f64,
}

/// What was measured.
pub struct Batches {
    clock_ghz: Option<f64>,
    /// Algorithm after algorithm, each row after row, number after number.
    pub batches: Vec<Batch>,
}

/// A typed key: the calls that are compared.
trait Typed<const N: usize> {
    type Nonce: Copy;
    type Packet<'m>: 'm;

    /// The nonces of the first `count` messages.
    fn nonces(count: usize) -> Vec<Self::Nonce>;
    fn packet(nonce: Self::Nonce, message: &[u8], tag: Tag<N>) -> Self::Packet<'_>;
    fn tag(&self, nonce: &Self::Nonce, message: &[u8]) -> Tag<N>;
    fn tag_many(&self, first: &Self::Nonce, messages: &[&[u8]], tags: &mut [Tag<N>]);
    fn verify(&self, packet: &Self::Packet<'_>) -> bool;
    fn verify_many(&self, packets: &[Self::Packet<'_>], valid: &mut [bool]) -> bool;
    /// The tag by other code: a stream fed in two pieces.
    fn stream(&self, nonce: &Self::Nonce, one: &[u8], two: &[u8]) -> Tag<N>;
}

impl<H: HashAndPads<N>, const N: usize, const L: usize> Typed<N> for nonce_mac::Key<H, N, L> {
    /// A counter: typed nonces are used up.
    type Nonce = u64;
    type Packet<'m> = (NonceOf<L>, &'m [u8], Tag<N>);

    fn nonces(count: usize) -> Vec<u64> {
        (0..count as u64).collect()
    }

    fn packet(nonce: u64, message: &[u8], tag: Tag<N>) -> Self::Packet<'_> {
        (NonceOf::counter(nonce), message, tag)
    }

    #[inline(always)] // a call of these would count as the library's
    fn tag(&self, nonce: &u64, message: &[u8]) -> Tag<N> {
        self.tag(NonceOf::counter(*nonce), message)
    }

    #[inline(always)]
    fn tag_many(&self, first: &u64, messages: &[&[u8]], tags: &mut [Tag<N>]) {
        self.tag_many(NonceOf::counter(*first), messages, tags).expect("enough nonces");
    }

    #[inline(always)]
    fn verify(&self, (nonce, message, tag): &Self::Packet<'_>) -> bool {
        self.verify(nonce, message, tag).is_ok()
    }

    #[inline(always)]
    fn verify_many(&self, packets: &[Self::Packet<'_>], valid: &mut [bool]) -> bool {
        self.verify_many(packets, valid).is_ok()
    }

    fn stream(&self, nonce: &u64, one: &[u8], two: &[u8]) -> Tag<N> {
        let mut stream = self.stream();
        stream.update(one);
        stream.update(two);
        stream.finish(NonceOf::counter(*nonce))
    }
}

impl Typed<16> for pmac::Key<Aes128, 16> {
    type Nonce = ();
    type Packet<'m> = (&'m [u8], Tag<16>);

    fn nonces(count: usize) -> Vec<()> {
        vec![(); count]
    }

    fn packet((): (), message: &[u8], tag: Tag<16>) -> Self::Packet<'_> {
        (message, tag)
    }

    #[inline(always)]
    fn tag(&self, (): &(), message: &[u8]) -> Tag<16> {
        self.tag(message)
    }

    #[inline(always)]
    fn tag_many(&self, (): &(), messages: &[&[u8]], tags: &mut [Tag<16>]) {
        self.tag_many(messages, tags);
    }

    #[inline(always)]
    fn verify(&self, (message, tag): &Self::Packet<'_>) -> bool {
        self.verify(message, tag).is_ok()
    }

    #[inline(always)]
    fn verify_many(&self, packets: &[Self::Packet<'_>], valid: &mut [bool]) -> bool {
        self.verify_many(packets, valid).is_ok()
    }

    fn stream(&self, (): &(), one: &[u8], two: &[u8]) -> Tag<16> {
        let mut stream = self.stream();
        stream.update(one);
        stream.update(two);
        stream.tag()
    }
}

/// The messages of a batch, with the right tags of two batches in a row: if the number of messages is odd, one of the
/// two begins in the middle of a block of pads.
struct Case<'m, K: Typed<N>, const N: usize> {
    messages: Vec<&'m [u8]>,
    nonces: [Vec<K::Nonce>; 2],
    packets: [Vec<K::Packet<'m>>; 2],
    /// The sums of the tags.
    sums: [u64; 2],
    /// Counts the timed blocks.
    blocks: std::cell::Cell<u32>,
}

/// Does the work a few frames further down the stack. A store and a load some multiple of 4096 bytes apart disturb each
/// other, which may cost a short message half as much again; so no two blocks have their frames at the same place.
fn down<T>(frames: u32, work: &mut dyn FnMut() -> T) -> T {
    if frames == 0 {
        return work();
    }
    let room = black_box([0_u8; 208]);
    let answer = down(frames - 1, work);
    black_box(&room);
    answer
}

impl<'m, K: Typed<N>, const N: usize> Case<'m, K, N> {
    /// Checks every call of `key` against the portable row's streams.
    fn new(key: &K, portable: &K, messages: Vec<&'m [u8]>) -> Result<Self, String> {
        let count = messages.len();
        let all = K::nonces(2 * count);
        let nonces = [all[..count].to_vec(), all[count..].to_vec()];
        let tags = nonces.each_ref().map(|nonces| -> Vec<Tag<N>> {
            let stream = |(nonce, message): (&K::Nonce, &&[u8])| {
                let (one, two) = message.split_at(message.len() / 3);
                portable.stream(nonce, one, two)
            };
            nonces.iter().zip(&messages).map(stream).collect()
        });
        for (nonces, right) in nonces.iter().zip(&tags) {
            let mut tags = vec![Tag::from([0; N]); count];
            key.tag_many(&nonces[0], &messages, &mut tags);
            let singly =
                nonces.iter().zip(&messages).map(|(nonce, message)| key.tag(nonce, message));
            if tags != *right || !singly.eq(right.iter().copied()) {
                return Err("a wrong tag".into());
            }
            for bad in 0..count {
                let packet = |(i, nonce): (usize, &K::Nonce)| {
                    let mut tag = right[i].to_bytes();
                    tag[i % N] ^= u8::from(i == bad);
                    K::packet(*nonce, messages[i], Tag::from(tag))
                };
                let packets: Vec<_> = nonces.iter().enumerate().map(packet).collect();
                let mut valid = vec![true; count];
                let all = key.verify_many(&packets, &mut valid);
                let is_found = valid.iter().enumerate().all(|(i, &valid)| valid == (i != bad));
                if all || !is_found || key.verify(&packets[bad]) {
                    return Err("a forgery accepted, or the other way round".into());
                }
            }
        }
        let sums = tags.each_ref().map(|tags| sum(tags));
        let [zero, one] = [0, 1].map(|i: usize| {
            let packets = nonces[i].iter().zip(&messages).zip(&tags[i]);
            packets.map(|((nonce, message), tag)| K::packet(*nonce, message, *tag)).collect()
        });
        Ok(Case { messages, nonces, packets: [zero, one], sums, blocks: Default::default() })
    }

    /// In the order of [`Costs`].
    fn cells<'a>(&'a self, key: &'a K, label: &str) -> [Cell<'a>; 4] {
        let tags = |calls: u64| {
            let [even, odd] = self.sums;
            let even = even.wrapping_mul(calls.div_ceil(2));
            even.wrapping_add(odd.wrapping_mul(calls / 2)).into()
        };
        let valid = |calls: u64| u128::from(calls) * self.messages.len() as u128;
        let cell = |what: &str, work: Box<dyn Fn(u64) -> u128 + 'a>, expected| Cell {
            label: format!("{label}, {what}"),
            work,
            expected,
            messages: self.messages.len() as u64,
        };
        let tagged = |calls| {
            self.tagged(calls, |nonces, tags| {
                for ((nonce, message), tag) in nonces.iter().zip(&self.messages).zip(tags) {
                    *tag = key.tag(nonce, message);
                }
            })
        };
        let tagged_many = |calls| {
            self.tagged(calls, |nonces, tags| key.tag_many(&nonces[0], &self.messages, tags))
        };
        let verified = |calls| {
            self.verified(calls, |packets, valid| {
                for (packet, valid) in packets.iter().zip(valid) {
                    *valid = key.verify(packet);
                }
            })
        };
        let verified_many = |calls| {
            self.verified(calls, |packets, valid| {
                key.verify_many(packets, valid);
            })
        };
        [
            cell("tag", Box::new(tagged), Box::new(tags)),
            cell("tag_many", Box::new(tagged_many), Box::new(tags)),
            cell("verify", Box::new(verified), Box::new(valid)),
            cell("verify_many", Box::new(verified_many), Box::new(valid)),
        ]
    }

    #[inline]
    fn tagged(&self, calls: u64, tag: impl Fn(&[K::Nonce], &mut [Tag<N>])) -> u128 {
        let mut tags = vec![Tag::from([0; N]); self.messages.len()];
        self.timed(&mut || {
            let mut total = 0_u64;
            for call in 0..calls {
                tag(black_box(&self.nonces[call as usize % 2]), &mut tags);
                total = total.wrapping_add(sum(&tags));
            }
            total
        })
    }

    #[inline]
    fn verified(&self, calls: u64, verify: impl Fn(&[K::Packet<'m>], &mut [bool])) -> u128 {
        let mut valid = vec![false; self.messages.len()];
        self.timed(&mut || {
            let mut total = 0;
            for call in 0..calls {
                verify(black_box(&self.packets[call as usize % 2]), &mut valid);
                total += valid.iter().map(|&valid| u64::from(valid)).sum::<u64>();
            }
            total
        })
    }

    fn timed(&self, work: &mut dyn FnMut() -> u64) -> u128 {
        self.blocks.set(self.blocks.get() + 1);
        down(self.blocks.get() % 17, work).into()
    }
}

/// The sum of the tags' words, the second ones three times: a wrong tag shows, and a sum of long numbers would cost as
/// much as a part of a tag.
fn sum<const N: usize>(tags: &[Tag<N>]) -> u64 {
    let word = |tag: &Tag<N>, i: usize| {
        let bytes = tag.to_bytes();
        bytes.as_chunks().0.get(i).map_or(0, |word| u64::from_le_bytes(*word))
    };
    let [low, high] =
        [0, 1].map(|i| tags.iter().fold(0_u64, |sum, tag| sum.wrapping_add(word(tag, i))));
    low.wrapping_add(high.wrapping_mul(3))
}

/// What to measure.
pub struct Plan<'p> {
    /// Names of algorithms; none: all four.
    pub names: &'p [String],
    /// A row for those that have it; `None`: the best, `all`: every one.
    pub row: Option<&'p str>,
    /// Numbers of messages.
    pub numbers: &'p [usize],
    /// Sizes of messages.
    pub lengths: &'p [Sizes],
}

/// Results, and how long to measure each four cells.
struct Run<'r> {
    clock: &'r Clock,
    plan: &'r Plan<'r>,
    time: Duration,
    /// Cells so far, and of all.
    done: f64,
    all: f64,
    clocks: Vec<f64>,
    batches: Vec<Batch>,
}

/// An algorithm: its name, its rows, and a run on one of them.
type Subject = (
    &'static str,
    fn(Cpu) -> Vec<(&'static str, Cpu)>,
    fn(&mut Run<'_>, &'static str, Cpu) -> Result<(), String>,
);

const SUBJECTS: [Subject; 4] = [
    (
        "UMAC-64",
        |cpu| umac::Key::<8>::kernels(cpu).collect(),
        |run, name, cpu| {
            let new =
                |cpu| umac::Key::<8>::from_slice_with_cpu(cpu, &SECRET[..16]).expect("its length");
            run.measure(name, new(cpu).kernel(), &new(cpu), &new(Cpu::PORTABLE))
        },
    ),
    (
        "UMAC-128",
        |cpu| umac::Key::<16>::kernels(cpu).collect(),
        |run, name, cpu| {
            let new =
                |cpu| umac::Key::<16>::from_slice_with_cpu(cpu, &SECRET[..16]).expect("its length");
            run.measure(name, new(cpu).kernel(), &new(cpu), &new(Cpu::PORTABLE))
        },
    ),
    (
        "PMAC-AES128",
        |cpu| pmac::Key::<Aes128, 16>::kernels(cpu).collect(),
        |run, name, cpu| {
            let new = |cpu| {
                pmac::Key::<Aes128, 16>::from_slice_with_cpu(cpu, &SECRET[..16])
                    .expect("its length")
            };
            run.measure(name, new(cpu).kernel(), &new(cpu), &new(Cpu::PORTABLE))
        },
    ),
    (
        "Carter-128",
        |cpu| Carter128::<Aes128, 12>::kernels(cpu).collect(),
        |run, name, cpu| {
            let new = |cpu| {
                Carter128::<Aes128, 12>::from_slice_with_cpu(cpu, &SECRET[..16])
                    .expect("its length")
            };
            run.measure(name, new(cpu).kernel(), &new(cpu), &new(Cpu::PORTABLE))
        },
    ),
];

/// The names of what can be measured.
pub fn names() -> impl Iterator<Item = &'static str> {
    SUBJECTS.iter().map(|(name, ..)| *name)
}

impl Run<'_> {
    /// Measures every batch of one key.
    fn measure<K: Typed<N>, const N: usize>(
        &mut self,
        algorithm: &'static str,
        kernel: &'static str,
        key: &K,
        portable: &K,
    ) -> Result<(), String> {
        // As many as the largest batch needs, each at the place it has in every batch.
        let most = *self.plan.numbers.iter().max().expect("there are some");
        let longest = self.plan.lengths.iter().map(|lengths| match lengths {
            Sizes::Same(length) => *length,
            Sizes::Mixed => 1500,
            Sizes::OneLong => 4096,
        });
        let longest = longest.max().expect("there are some").max(1);
        let messages = Messages::in_batches_of(most, longest);
        let places = messages.batch(longest);
        for &count in self.plan.numbers {
            // All lengths of a number in turn: a slow moment touches them alike.
            let cases = self.plan.lengths.iter().map(|lengths| {
                let message = |i: usize| &places[i][..lengths.of(i, count)];
                Case::new(key, portable, (0..count).map(message).collect()).map_err(|what| {
                    format!("{algorithm} ({kernel}), {count} of {}: {what}", lengths.name())
                })
            });
            let cases: Vec<Case<'_, K, N>> = cases.collect::<Result<_, String>>()?;
            let label = |lengths: &Sizes| {
                format!("{algorithm} ({kernel}), {count} of {} bytes", lengths.name())
            };
            let cells: Vec<Cell<'_>> = self
                .plan
                .lengths
                .iter()
                .zip(&cases)
                .flat_map(|(lengths, case)| case.cells(black_box(key), &label(lengths)))
                .collect();
            let (done, all) = (self.done, self.all);
            let time = self.time * cells.len() as u32;
            let run = rounds::run(self.clock, &cells, time, |part| {
                progress((done + part * cells.len() as f64) / all);
            })?;
            self.done += cells.len() as f64;
            self.clocks.extend(run.clock_ghz);
            for (lengths, timings) in self.plan.lengths.iter().zip(run.timings.as_chunks::<4>().0) {
                let costs = timings.map(|timing| timing.cycles.unwrap_or(timing.ns));
                let [tag, tag_many, verify, verify_many] = costs.map(|cost| cost.median);
                self.batches.push(Batch {
                    algorithm,
                    kernel,
                    messages: count,
                    lengths: lengths.name(),
                    costs: Costs { tag, tag_many, verify, verify_many },
                    spread: costs.iter().map(|cost| cost.spread).fold(0.0, f64::max),
                });
            }
        }
        Ok(())
    }
}

/// Measures what the plan says, for about `time` in all.
///
/// # Errors
/// A text that names the batch, if an answer was wrong; or if no algorithm has the row that the plan names.
pub fn run(clock: &Clock, plan: &Plan<'_>, time: Duration) -> Result<Batches, String> {
    let mut subjects = Vec::new();
    let mut here = Vec::new();
    for &(name, kernels, measure) in &SUBJECTS {
        if !plan.names.is_empty()
            && !plan.names.iter().any(|other| other.eq_ignore_ascii_case(name))
        {
            continue;
        }
        let rows = kernels(Cpu::detect());
        let names: Vec<&str> = rows.iter().map(|(name, _)| *name).collect();
        here.push(format!("{name} can run {}", names.join(", ")));
        match plan.row {
            None => subjects.push((name, Cpu::detect(), measure)),
            Some("all") => subjects.extend(rows.iter().map(|&(_, cpu)| (name, cpu, measure))),
            Some(row) => {
                let has = rows.iter().filter(|(other, _)| other.eq_ignore_ascii_case(row));
                subjects.extend(has.map(|&(_, cpu)| (name, cpu, measure)));
            }
        }
    }
    if subjects.is_empty() {
        let row = plan.row.unwrap_or_default();
        return Err(format!("this machine has no row {row:?}; {}", here.join("; ")));
    }
    let cells = (4 * subjects.len() * plan.numbers.len() * plan.lengths.len()) as u32;
    let (done, all, time) = (0.0, f64::from(cells), time / cells);
    let mut run = Run { clock, plan, time, done, all, clocks: Vec::new(), batches: Vec::new() };
    for (name, cpu, measure) in subjects {
        measure(&mut run, name, cpu)?;
    }
    let Run { clocks, batches, .. } = run;
    let clock_ghz = (!clocks.is_empty()).then(|| Summary::of(clocks).median);
    Ok(Batches { clock_ghz, batches })
}

/// The batches that cost more than `limit` times the single calls, as a text; `None` if there are none.
pub fn above(batches: &Batches, limit: f64) -> Option<String> {
    let is_above = |batch: &&Batch| batch.costs.ratios().iter().any(|&ratio| ratio > limit);
    let lines = batches.batches.iter().filter(is_above).map(|batch| {
        let [tag, verify] = batch.costs.ratios();
        let Batch { algorithm, kernel, messages, lengths, .. } = batch;
        format!(
            "{algorithm} ({kernel}), {messages} of {lengths}: tag {tag:.3}, verify {verify:.3}\n"
        )
    });
    let lines: Vec<String> = lines.collect();
    let text = || {
        let (few, all) = (lines.len(), batches.batches.len());
        format!(
            "{few} of {all} batches cost more than {limit} times the single calls:\n{}",
            lines.concat()
        )
    };
    (!lines.is_empty()).then(text)
}

/// For programs.
pub fn record(batches: &Batches) -> impl Serialize {
    let unit = if batches.clock_ghz.is_some() { "cycles" } else { "ns" };
    serde_json::json!({
        "cpu": report::cpu_model(), "clock": batches.clock_ghz, "unit": unit, "results": batches.batches,
    })
}

/// The four ways, and how many times as much batches cost.
type Column = (&'static str, fn(&Costs) -> String);
const COLUMNS: [Column; 6] = [
    ("tag, one call each", |costs| digits(costs.tag)),
    ("tag_many", |costs| digits(costs.tag_many)),
    ("tag_many / tag", |costs| format!("{:.2}", costs.ratios()[0])),
    ("verify, one call each", |costs| digits(costs.verify)),
    ("verify_many", |costs| digits(costs.verify_many)),
    ("verify_many / verify", |costs| format!("{:.2}", costs.ratios()[1])),
];

/// For people.
pub fn table(batches: &Batches) -> String {
    let unit = if batches.clock_ghz.is_some() { "cycles" } else { "ns" };
    let mut text =
        format!("\n{unit} a message, by the number of messages and their lengths in bytes\n");
    let mut worst =
        format!("\n{:<30}{:>28}{:>28}\n", "the worst", "tag_many / tag", "verify_many / verify");
    for of_key in
        batches.batches.chunk_by(|a, b| (a.algorithm, a.kernel) == (b.algorithm, b.kernel))
    {
        let key = format!("{} ({})", of_key[0].algorithm, of_key[0].kernel);
        let _ = write!(worst, "{key:<30}");
        for i in 0..2 {
            let largest =
                |a: &&Batch, b: &&Batch| a.costs.ratios()[i].total_cmp(&b.costs.ratios()[i]);
            let batch = of_key.iter().max_by(largest).expect("a chunk has some");
            let what =
                format!("{:.2}, {} of {}", batch.costs.ratios()[i], batch.messages, batch.lengths);
            let _ = write!(worst, "{what:>28}");
        }
        worst.push('\n');
        for (what, digits) in COLUMNS {
            let _ = write!(text, "\n{key}: {what}\n   n");
            let lines: Vec<_> = of_key.chunk_by(|a, b| a.messages == b.messages).collect();
            for batch in lines[0] {
                let _ = write!(text, "{:>8}", batch.lengths.replace("40..1500", "40-1500"));
            }
            for line in lines {
                let _ = write!(text, "\n{:>4}", line[0].messages);
                for batch in line {
                    let _ = write!(text, "{:>8}", digits(&batch.costs));
                }
            }
            text.push('\n');
        }
    }
    text += &worst;
    if let Some(ghz) = batches.clock_ghz {
        let _ = writeln!(text, "\ncore clock while measuring: {ghz:.2} GHz (median)");
    }
    if batches.batches.iter().any(|batch| batch.spread > report::UNQUIET) {
        let _ = writeln!(text, "{}", report::UNQUIET_NOTE);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan<'p>(names: &'p [String], row: Option<&'p str>) -> Plan<'p> {
        let lengths = &[Sizes::Same(0), Sizes::Same(43), Sizes::Mixed, Sizes::OneLong];
        Plan { names, row, numbers: &[1, 3, 17], lengths }
    }

    #[test]
    fn a_run_has_every_batch_of_every_row() {
        let batches = run(&Clock::start(), &plan(&[], Some("all")), Duration::ZERO).unwrap();
        let rows: usize = SUBJECTS.iter().map(|(_, kernels, _)| kernels(Cpu::detect()).len()).sum();
        assert_eq!(batches.batches.len(), rows * 3 * 4);
        assert!(batches.batches.iter().all(|batch| batch.costs.tag_many > 0.0));
        let text = table(&batches);
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
        assert!(above(&batches, 0.0).unwrap().lines().count() == 1 + batches.batches.len());
        assert!(above(&batches, 1e9).is_none());
    }

    #[test]
    fn names_and_rows_are_chosen() {
        let names = ["carter-128".to_owned()];
        let batches =
            run(&Clock::start(), &plan(&names, Some("portable")), Duration::ZERO).unwrap();
        let is_it = |batch: &Batch| (batch.algorithm, batch.kernel) == ("Carter-128", "portable");
        assert!(batches.batches.len() == 12 && batches.batches.iter().all(is_it));
        assert!(run(&Clock::start(), &plan(&names, Some("abacus")), Duration::ZERO).is_err());
    }

    #[test]
    fn a_wrong_key_shows() {
        let new = |secret: &[u8; 16]| umac::Key::<8>::new(secret);
        let messages: Vec<&[u8]> = vec![b"a", b"b", b"c"];
        let (key, other) = (new(b"sixteen byte key"), new(b"another 16 bytes"));
        assert!(Case::new(&key, &key, messages.clone()).is_ok());
        assert!(Case::new(&key, &other, messages).is_err());
    }
}
