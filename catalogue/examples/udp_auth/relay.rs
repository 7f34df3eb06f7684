//! The relay: it orders bursts from the sender, does to each datagram what the plan says, compares what the receiver says
//! with the model, and kills both.

use crate::fate::{Datagram, Fate};
use crate::model::{Model, Outcome};
use crate::peers::Orders;
use crate::socket::Result;
use crate::support::Random;
use crate::{BURST, MESSAGE, Peer, Plan};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use wegman::session::Header;

/// By how much a restarted sender may skip numbers, at most.
const GAP: u64 = 1 << 20;

/// What a run has shown.
#[derive(Default)]
pub struct Report {
    /// How many datagrams must have each outcome, and how many have, in the order of [`Outcome::ALL`].
    pub expected: [u64; 7],
    pub reported: [u64; 7],
    /// Of genuine datagrams: accepted, dropped by the relay, and passed on but refused, since a restart has moved the
    /// window beyond them.
    pub accepted: u64,
    pub lost: u64,
    pub refused: u64,
    /// Datagrams that the receiver got again, since it was killed in their burst, and how many of them it had reported
    /// as accepted.
    pub again: u64,
    pub accepted_before: u64,
    /// How often each end was killed.
    pub kills: [u64; 2],
    /// Epochs that were begun.
    pub epochs: u64,
}

struct Relay<'a> {
    plan: &'a Plan,
    orders: &'a Orders,
    random: Random,
    sender: Peer,
    receiver: Peer,
    /// When to kill them: indices of datagrams, the next at the end.
    kills: [Vec<u64>; 2],
    /// The last header of the sender.
    last: Option<Header>,
    model: Model,
    /// The indices of genuine datagrams that were accepted.
    accepted: HashSet<u64>,
    report: Report,
}

/// One run.
pub fn relay(plan: &Plan, orders: &Orders) -> Result<Report> {
    let mut random = Random::new(!plan.seed);
    let has_mac = orders.algorithm != "none";
    let kills = if has_mac { plan.kills } else { 0 };
    let mut moments = || {
        let mut moments: Vec<u64> = (0..kills).map(|_| random.below(plan.count)).collect();
        moments.sort_unstable_by(|a, b| b.cmp(a));
        moments
    };
    let kills = [moments(), moments()];
    let mut relay = Relay {
        plan,
        orders,
        random,
        sender: Peer::start("sender", orders)?.0,
        receiver: Peer::start("receiver", orders)?.0,
        kills,
        last: None,
        model: Model::new(plan.form, has_mac),
        accepted: HashSet::new(),
        report: Report::default(),
    };
    relay.run()?;
    Ok(relay.report)
}

impl Relay<'_> {
    fn run(&mut self) -> Result<()> {
        let Plan { seed, count, rekey, form, shares, .. } = *self.plan;
        // What is due, and when.
        let mut due: BTreeMap<u64, Vec<Datagram>> = BTreeMap::new();
        let mut step = 0;
        while step < count {
            let end = count.min(step + BURST).min((step / rekey + 1) * rekey);
            for genuine in self.burst(step..end)? {
                let index = genuine.index;
                let Fate { delay, extra } = shares.fate(seed, index);
                if let Some((delay, extra)) = extra {
                    let made = extra.of(&genuine, seed, form);
                    due.entry(index + delay).or_default().push(made);
                }
                match delay {
                    Some(delay) => due.entry(index + delay).or_default().push(genuine),
                    None => self.report.lost += 1,
                }
            }
            step = end;
            let later = due.split_off(&step);
            self.deliver(&due.into_values().flatten().collect::<Vec<_>>(), step)?;
            due = later;
        }
        self.deliver(&due.into_values().flatten().collect::<Vec<_>>(), step)?;
        let passed = count - self.report.lost;
        self.report.accepted = self.accepted.len() as u64;
        self.report.epochs = (count - 1) / rekey + 1;
        self.report.refused = passed.saturating_sub(self.report.accepted);
        Ok(())
    }

    /// Orders datagrams from the sender. If it is killed meanwhile, the next process seals those that did not come.
    fn burst(&mut self, burst: Range<u64>) -> Result<Vec<Datagram>> {
        let epoch = burst.start / self.plan.rekey;
        let mut datagrams = Vec::new();
        let mut next = burst.start;
        while next < burst.end {
            self.sender.order(&format!("{epoch} {next} {}\n", burst.end))?;
            let left = burst.end - next;
            let is_last = self.kills[0].pop_if(|moment| *moment < burst.end).is_some();
            let sure = if is_last { self.random.below(left + 1) } else { left };
            let mut taken = Vec::new();
            for _ in 0..sure {
                taken.push(self.sender.take()?);
            }
            if is_last {
                self.pause(sure);
                self.sender.kill()?;
                taken.extend(self.sender.socket.take_rest()?);
                self.sender = Peer::start("sender", self.orders)?.0;
                self.report.kills[0] += 1;
            }
            for bytes in taken {
                datagrams.push(self.check(bytes, next, epoch as u32)?);
                next += 1;
            }
        }
        Ok(datagrams)
    }

    /// Reads a datagram of the sender: it has the right index and epoch, and its number was not used before.
    fn check(&mut self, bytes: Vec<u8>, index: u64, epoch: u32) -> Result<Datagram> {
        let (head, message) = bytes.split_at(self.plan.form.head());
        if message.len() < MESSAGE || message[..8] != index.to_be_bytes() {
            return Err(format!("the sender sends something else than datagram {index}").into());
        }
        let last = self.last.filter(|last| last.epoch == epoch);
        let lowest = last.map_or(0, |last| last.number + 1);
        let header = match head.try_into() {
            Ok(long) => Header::from_bytes(long),
            Err(_) => {
                let [low, a, b, c] = *head.first_chunk().expect("it has 4 bytes");
                let number = u64::from(u32::from_be_bytes([0, a, b, c]));
                let ahead = number.wrapping_sub(lowest) & 0xff_ffff;
                // Another epoch is an error below.
                let epoch = epoch.wrapping_add(low.wrapping_sub(epoch as u8).into());
                Header { epoch, number: lowest + ahead }
            }
        };
        if header.epoch != epoch || !(lowest..lowest + GAP).contains(&header.number) {
            return Err(format!("{header:?} after {:?} in epoch {epoch}", self.last).into());
        }
        self.last = Some(header);
        Ok(Datagram { bytes, header: Some(header), is_genuine: true, index })
    }

    /// Passes datagrams on and takes the receiver's word. If it is killed meanwhile, the next process gets the burst again:
    /// what was not reported is in doubt, and what was reported must not be accepted again.
    fn deliver(&mut self, datagrams: &[Datagram], step: u64) -> Result<()> {
        for burst in datagrams.chunks(BURST as usize) {
            while self.kills[1].pop_if(|moment| *moment < step).is_some() {
                self.pass_on(burst)?;
                let sure = self.random.below(burst.len() as u64 + 1);
                let mut letters = self.receiver.letters(sure as usize)?;
                self.pause(sure);
                self.receiver.kill()?;
                letters.extend(self.receiver.rest()?);
                let accepted = letters.iter().filter(|letter| **letter == b'A').count() as u64;
                self.judge(&burst[..letters.len()], &letters)?;
                let (receiver, words) = Peer::start("receiver", self.orders)?;
                let [epoch, number] = words[..] else { return Err("it has no state".into()) };
                self.receiver = receiver;
                let first = Header { epoch: epoch as u32, number };
                if !self.model.restart(first) {
                    return Err(format!("after a restart at {first:?}, packets repeat").into());
                }
                self.report.again += burst.len() as u64;
                self.report.accepted_before += accepted;
                self.report.kills[1] += 1;
            }
            self.pass_on(burst)?;
            let letters = self.receiver.letters(burst.len())?;
            self.judge(burst, &letters)?;
        }
        Ok(())
    }

    fn pass_on(&mut self, burst: &[Datagram]) -> Result<()> {
        burst.iter().try_for_each(|datagram| self.receiver.socket.send(&datagram.bytes))
    }

    /// Compares what the receiver says with the model.
    fn judge(&mut self, datagrams: &[Datagram], letters: &[u8]) -> Result<()> {
        for (datagram, letter) in datagrams.iter().zip(letters) {
            let reported =
                Outcome::of_letter(*letter).ok_or_else(|| format!("the receiver says {letter}"))?;
            let expected = self.model.judge(datagram);
            self.report.expected[expected as usize] += 1;
            self.report.reported[reported as usize] += 1;
            if expected != reported {
                let (Datagram { header, index, .. }, after) = (datagram, self.model.top());
                return Err(format!(
                    "datagram {index}, {header:?}, is {reported:?} and not {expected:?} after {after:?}"
                )
                .into());
            }
            let is_first = reported != Outcome::Accepted || self.accepted.insert(datagram.index);
            if self.orders.algorithm != "none" && !is_first {
                return Err(format!("datagram {} is accepted twice", datagram.index).into());
            }
        }
        Ok(())
    }

    /// Up to a millisecond, so that a process is killed in the middle of anything.
    fn pause(&mut self, sure: u64) {
        let most = if sure == 0 { 1000 } else { 100 };
        std::thread::sleep(std::time::Duration::from_micros(self.random.below(most)));
    }
}
