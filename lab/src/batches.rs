//! `wegman-bench batches`: what a message costs in batches of any number of messages, beside one call each. The keys
//! are typed, as programs have them.
//!
//! A batch should never be slower than the calls that it replaces.

use crate::speeds::{Job, Place};
use crate::timing::messages::{Messages, Mode, Size};
use crate::timing::ours::SECRET;
use crate::timing::rounds::{Cell, Work};
use crate::typed::{self, Typed};
use std::hint::black_box;
use std::rc::Rc;
use wegman::{Cpu, Tag};

/// What to measure.
pub struct Plan<'p> {
    /// Names of algorithms; none: all four.
    pub names: &'p [String],
    /// Rows for those that have them; none: the best, `all`: every one.
    pub rows: &'p [String],
    /// Numbers of messages.
    pub numbers: &'p [usize],
    /// Sizes of messages.
    pub sizes: &'p [Size],
}

/// The length of the message in the middle of a batch of others of [`SHORT`].
const LONG: usize = 4096;
const SHORT: usize = 43;

/// Every batch of the plan, the jobs of a number of messages together.
///
/// # Errors
/// A text that names the batch, if an answer was wrong; or if no algorithm has a name or row of the plan.
pub fn groups<'m>(plan: &Plan<'_>, messages: &'m Messages) -> Result<Vec<Vec<Job<'m>>>, String> {
    let mut groups = Vec::new();
    typed::each!(of(plan, messages, &mut groups)?);
    if groups.is_empty() {
        return Err(
            "none of UMAC-64, UMAC-128, Carter-128 and PMAC-AES128 has this name and row".into()
        );
    }
    Ok(groups)
}

/// Room for the largest batch of the plan.
pub fn messages(plan: &Plan<'_>) -> Messages {
    let most = plan.numbers.iter().max().copied().unwrap_or(1);
    let longest = plan.sizes.iter().map(|size| size.longest()).fold(LONG, usize::max);
    Messages::in_batches_of(most, longest)
}

fn of<'m, K: Typed<N>, const N: usize>(
    plan: &Plan<'_>,
    messages: &'m Messages,
    groups: &mut Vec<Vec<Job<'m>>>,
) -> Result<(), String> {
    let is_named =
        |list: &[String], name: &str| list.iter().any(|other| other.eq_ignore_ascii_case(name));
    if !plan.names.is_empty() && !is_named(plan.names, K::NAME) {
        return Ok(());
    }
    let mut rows = K::rows(Cpu::detect());
    if plan.rows.is_empty() {
        rows.drain(..rows.len() - 1);
    } else if !is_named(plan.rows, "all") {
        rows.retain(|(row, _)| is_named(plan.rows, row));
    }
    for (row, cpu) in rows {
        for &number in plan.numbers {
            let mut group = Vec::new();
            let longest = plan.sizes.iter().map(|size| size.longest()).fold(LONG, usize::max);
            let places = messages.batch(longest);
            for &size in plan.sizes {
                let mix = (size == Size::Imix).then(|| messages.batches(size).0);
                let message = |i: usize| match &mix {
                    Some(mix) => &places[i][..mix[i].len()],
                    None => &places[i][..size.longest()],
                };
                let batch = (0..number).map(message).collect();
                group.extend(jobs::<K, N>(row, cpu, size, &format!("batches of {number}"), batch)?);
            }
            let length = |i| if i == number / 2 { LONG } else { SHORT };
            let batch = (0..number).map(|i| &places[i][..length(i)]).collect();
            let what = &format!("{number}, one of {LONG} B");
            group.extend(jobs::<K, N>(row, cpu, Size::Bytes(SHORT), what, batch)?);
            groups.push(group);
        }
    }
    Ok(())
}

/// A batch in four ways.
fn jobs<'m, K: Typed<N>, const N: usize>(
    row: &str,
    cpu: Cpu,
    size: Size,
    what: &str,
    batch: Vec<&'m [u8]>,
) -> Result<Vec<Job<'m>>, String> {
    let secret = SECRET.first_chunk().expect("32 bytes");
    let (key, portable) = (K::on(cpu, secret), K::on(Cpu::PORTABLE, secret));
    let label = format!("{} ({row}), {what}, {size} bytes", K::NAME);
    let case = Case::new(key, &portable, batch).map_err(|wrong| format!("{label}: {wrong}"))?;
    let job = |(way, beside, cell): (&str, &str, Cell<'m>)| {
        let section = format!("{} ({row})", K::NAME);
        let place = Place::at(section, [what, row, way], Mode::Batch.name(), size).beside(beside);
        (place, Cell { label: format!("{label}, {way}"), ..cell })
    };
    Ok(Rc::new(case).cells().map(job).into())
}

/// A key, and the messages of a batch with the right tags of two batches in a row: if the number of messages is odd, one
/// of the two begins in the middle of a block of pads.
struct Case<'m, K: Typed<N>, const N: usize> {
    key: K,
    messages: Vec<&'m [u8]>,
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
    fn new(key: K, portable: &K, messages: Vec<&'m [u8]>) -> Result<Self, String> {
        let count = messages.len();
        let mut packets = [Vec::new(), Vec::new()];
        let mut sums = [0; 2];
        for (at, first) in [0, count as u64].into_iter().enumerate() {
            let numbered = || (first..).zip(&messages);
            let stream = |(number, message): (u64, &&[u8])| {
                let (one, two) = message.split_at(message.len() / 3);
                portable.stream(number, one, two)
            };
            let right: Vec<Tag<N>> = numbered().map(stream).collect();
            let mut tags = vec![Tag::from([0; N]); count];
            key.tag_many(first, &messages, &mut tags);
            let singly = numbered().map(|(number, message)| key.tag(number, message));
            if tags != right || !singly.eq(right.iter().copied()) {
                return Err("a wrong tag".into());
            }
            let forged = |bad: usize| -> Vec<K::Packet<'m>> {
                let packet = |(i, (number, message)): (usize, (u64, &&'m [u8]))| {
                    let mut tag = right[i].to_bytes();
                    tag[i % N] ^= u8::from(i == bad);
                    K::packet(number, message, Tag::from(tag))
                };
                numbered().enumerate().map(packet).collect()
            };
            for bad in 0..count {
                let mut valid = vec![true; count];
                let packets = forged(bad);
                let all = key.verify_many(&packets, &mut valid);
                let is_found = valid.iter().enumerate().all(|(i, &valid)| valid == (i != bad));
                if all || !is_found || key.verify(&packets[bad]) {
                    return Err("a forgery accepted, or the other way round".into());
                }
            }
            packets[at] = forged(count);
            sums[at] = sum(&right);
        }
        Ok(Case { key, messages, packets, sums, blocks: Default::default() })
    }

    /// Each way, and the one it is compared with.
    fn cells(self: Rc<Self>) -> [(&'static str, &'static str, Cell<'m>); 4] {
        let [even, odd] = self.sums;
        let count = self.messages.len() as u64;
        let tags = move |calls: u64| {
            even.wrapping_mul(calls.div_ceil(2)).wrapping_add(odd.wrapping_mul(calls / 2)).into()
        };
        let valid = move |calls: u64| u128::from(calls) * u128::from(count);
        let cell = |work: Work<'m>, expected: Work<'m>| Cell {
            label: String::new(),
            work,
            expected,
            messages: count,
        };
        let [a, b, c, d] = [(); 4].map(|()| Rc::clone(&self));
        let tagged = move |calls| {
            a.tagged(calls, |first, tags| {
                for ((number, message), tag) in (first..).zip(&a.messages).zip(tags) {
                    *tag = a.key.tag(number, message);
                }
            })
        };
        let tagged_many =
            move |calls| b.tagged(calls, |first, tags| b.key.tag_many(first, &b.messages, tags));
        let verified = move |calls| {
            c.verified(calls, |packets, valid| {
                for (packet, valid) in packets.iter().zip(valid) {
                    *valid = c.key.verify(packet);
                }
            })
        };
        let verified_many = move |calls| {
            d.verified(calls, |packets, valid| {
                d.key.verify_many(packets, valid);
            })
        };
        [
            ("tag", "tag", cell(Box::new(tagged), Box::new(tags))),
            ("tag_many", "tag", cell(Box::new(tagged_many), Box::new(tags))),
            ("verify", "verify", cell(Box::new(verified), Box::new(valid))),
            ("verify_many", "verify", cell(Box::new(verified_many), Box::new(valid))),
        ]
    }

    #[inline]
    fn tagged(&self, calls: u64, tag: impl Fn(u64, &mut [Tag<N>])) -> u128 {
        let mut tags = vec![Tag::from([0; N]); self.messages.len()];
        self.timed(&mut || {
            let mut total = 0_u64;
            for call in 0..calls {
                tag(black_box(call % 2 * self.messages.len() as u64), &mut tags);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speeds;
    use crate::timing::measure::Clock;
    use std::time::Duration;
    use wegman::cipher::Aes128;
    use wegman::{pmac, umac};
    use wegman_carter::Carter128;

    const SIZES: [Size; 3] = [Size::Bytes(0), Size::Bytes(43), Size::Imix];

    #[test]
    fn a_run_has_every_batch_of_every_row() {
        let all = ["all".to_owned()];
        let plan = Plan { names: &[], rows: &all, numbers: &[1, 3, 17], sizes: &SIZES };
        let messages = messages(&plan);
        let groups = groups(&plan, &messages).unwrap();
        let rows =
            umac::Key::<8>::rows(Cpu::detect()).len() + umac::Key::<16>::rows(Cpu::detect()).len();
        let rows = rows
            + Carter128::<Aes128, 12>::rows(Cpu::detect()).len()
            + pmac::Key::<Aes128, 16>::rows(Cpu::detect()).len();
        assert_eq!(groups.len(), rows * 3);
        assert!(groups.iter().all(|group| group.len() == 4 * 4));
        let speeds = speeds::run(&Clock::start(), groups, Duration::ZERO).unwrap();
        let compared = speeds.results.iter().filter(|speed| speed.times.is_some());
        assert_eq!(compared.count(), speeds.results.len() / 2);
    }

    #[test]
    fn names_and_rows_are_chosen() {
        let (names, rows, wrong) = (["carter-128".into()], ["Portable".into()], ["abacus".into()]);
        let plan = Plan { names: &names, rows: &rows, numbers: &[2], sizes: &SIZES };
        let messages = messages(&plan);
        assert_eq!(groups(&plan, &messages).unwrap()[0][0].0.section, "Carter-128 (portable)");
        assert!(groups(&Plan { rows: &wrong, ..plan }, &messages).is_err());
    }

    #[test]
    fn a_wrong_key_shows() {
        let new = |secret: &[u8; 16]| umac::Key::<8>::new(secret);
        let messages: Vec<&[u8]> = vec![b"a", b"b", b"c"];
        let (key, other) = (new(b"sixteen byte key"), new(b"another 16 bytes"));
        assert!(Case::new(new(b"sixteen byte key"), &key, messages.clone()).is_ok());
        assert!(Case::new(key, &other, messages).is_err());
    }
}
