//! A million authenticated datagrams over real sockets, through a relay that loses, delays, repeats and forges:
//! `cargo run --release --example udp_auth -p wegman-catalogue -- --help`.
//!
//! ```text
//! sender ------> relay ------> receiver         three processes, UDP on 127.0.0.1
//! session::Sender              session::Receiver
//! ```
//!
//! A datagram is a sequence number, a message of 256 bytes and the tag of both. It carries only the low 32 bits of the
//! number, as in IPsec, and the numbers go beyond 2^32 in the middle of the run; `--numbers 64` sends the whole number.
//! What the relay does is planned (`fate.rs`), so the right report of the receiver is known to the last datagram. A
//! second run without the MAC shows the time that the MAC takes, and what is accepted without it.

mod fate;
mod link;
mod peers;
mod relay;
#[path = "../support/mod.rs"]
mod support;

use fate::{Plan, Shares, Tally};
use link::{Link, Result, cpu_time};
use peers::Orders;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use support::Random;

/// Bytes of a message.
const MESSAGE: usize = 256;

/// How many messages are sealed or opened at a time.
const BATCH: usize = 32;

/// How many datagrams may be in transit on one link. The default buffers of Linux hold 160 of them.
const CREDIT: u64 = 64;

/// The prefix of lines for the process that started this one.
const SAY: &str = "udp_auth: ";

/// The environment variable with the role of a process that this program started.
const ROLE: &str = "WEGMAN_UDP_AUTH_ROLE";

const HELP: &str = "\
Sends authenticated datagrams through a relay that loses, delays, repeats and forges.

  --count N        how many, up to 2^27 [1000000]
  --algorithm A    UMAC-64 [this], PMAC-AES128 or HMAC-SHA1-96
  --no-mac         only the run without a MAC
  --numbers BITS   of the sequence numbers on the wire: 32 [this] or 64
  --seed N         of the relay and the key [1]
Of a thousand datagrams, how many
  --loss N         are dropped [20], 500 at most
  --late N         are delayed, by up to 384 places [300]
  --replay N       come twice [20]
  --old N          come again when their number is behind the window [5]
  --forge N        come with a forgery of tag, message, number or all [20]
  --cut N          come with a copy cut short [5]

Exit code 0 if every datagram was counted as it must be, 1 if not, 2 for an error.
";

struct Options {
    algorithm: String,
    only_without: bool,
    plan: Plan,
}

/// Reads the options; `None` if help was requested.
fn options(mut args: impl Iterator<Item = String>) -> Result<Option<Options>> {
    let plan = Plan { seed: 1, count: 1_000_000, first: 0, head: 4, shares: Shares::default() };
    let mut options = Options { algorithm: "UMAC-64".into(), only_without: false, plan };
    while let Some(name) = args.next() {
        let mut value = || args.next().ok_or(format!("{name} needs a value"));
        let Plan { seed, count, head, shares, .. } = &mut options.plan;
        let number = match name.as_str() {
            "--help" | "-h" => return Ok(None),
            "--algorithm" => {
                options.algorithm = value()?;
                if !peers::ALGORITHMS.contains(&options.algorithm.as_str()) {
                    let here = peers::ALGORITHMS.join(", ");
                    return Err(
                        format!("--algorithm is one of {here} in this build; see --help").into()
                    );
                }
                continue;
            }
            "--no-mac" => {
                options.only_without = true;
                continue;
            }
            "--numbers" => {
                *head = match value()?.as_str() {
                    "32" => 4,
                    "64" => 8,
                    _ => return Err("--numbers is 32 or 64".into()),
                };
                continue;
            }
            "--seed" => seed,
            "--count" => count,
            "--loss" => &mut shares.lost,
            "--late" => &mut shares.late,
            "--replay" => &mut shares.replayed,
            "--old" => &mut shares.old,
            "--forge" => &mut shares.forged,
            "--cut" => &mut shares.malformed,
            _ => return Err(format!("there is no {name}; see --help").into()),
        };
        *number = value()?.parse().map_err(|_| format!("{name} needs a whole number"))?;
    }
    let Plan { count, first, shares, .. } = &mut options.plan;
    let extras = [shares.replayed, shares.old, shares.forged, shares.malformed];
    if !(1..=1 << 27).contains(count) {
        return Err("--count is 1 to 2^27".into());
    }
    if shares.lost > 500
        || shares.late > 1000
        || extras.iter().any(|n| *n > 1000)
        || extras.iter().sum::<u64>() > 1000
    {
        return Err("shares are of a thousand: --loss is at most 500, --late at most 1000, and --replay, --old, \
            --forge and --cut at most 1000 together"
            .into());
    }
    *first = (1 << 32) - *count / 2;
    Ok(Some(options))
}

fn main() -> ExitCode {
    let done = match std::env::var(ROLE) {
        Ok(role) => {
            peers::play(&role).map(|()| true).map_err(|error| format!("{role}: {error}").into())
        }
        Err(_) => options(std::env::args().skip(1)).and_then(|options| match options {
            None => {
                print!("{HELP}");
                Ok(true)
            }
            Some(options) => compare(&options),
        }),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("udp_auth: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs with and without the MAC and prints both results. Returns whether all was as expected.
fn compare(options: &Options) -> Result<bool> {
    let Options { algorithm, only_without, plan } = options;
    println!(
        "{} datagrams with {MESSAGE} bytes of message each; sequence numbers from {}, {} bits of them on the wire.",
        plan.count,
        plan.first,
        8 * plan.head
    );
    let mut runs = Vec::new();
    for algorithm in [algorithm.as_str(), "none"] {
        if algorithm == "none" || !only_without {
            let run = run(plan, algorithm)?;
            print_counts(plan, algorithm, &run);
            runs.push((algorithm, run));
        }
    }
    println!(
        "\n                                         ns per datagram            CPU time, ns per datagram"
    );
    println!(
        "              datagrams/s  MB of message/s    seal   open       sender  relay  receiver"
    );
    for (algorithm, run) in &runs {
        let rate = plan.count as f64 / run.time.as_secs_f64();
        let [seal, open, sender, relay, receiver] = run.nanoseconds.map(|time| time / plan.count);
        println!(
            "{algorithm:12}  {rate:11.0}  {:15.1}  {seal:6}  {open:5}  {sender:11}  {relay:5}  {receiver:8}",
            rate * MESSAGE as f64 / 1e6
        );
    }
    let is_good = runs.iter().all(|(_, run)| run.is_as_expected());
    println!("\n{}", if is_good { "Every count is as expected." } else { "COUNTS DIFFER." });
    Ok(is_good)
}

/// The result of one run.
struct Run {
    sent: u64,
    expected: Tally,
    reported: Tally,
    time: Duration,
    /// Time for sealing and for opening, and CPU time including the system's of sender, relay and receiver.
    nanoseconds: [u64; 5],
}

impl Run {
    fn is_as_expected(&self) -> bool {
        self.expected == self.reported
    }
}

fn print_counts(plan: &Plan, algorithm: &str, run: &Run) {
    let (expected, reported) = (&run.expected, &run.reported);
    let has_mac = algorithm != "none";
    println!(
        "\n{}",
        if has_mac {
            algorithm
        } else {
            "Without a MAC: whatever has the right length is believed"
        }
    );
    println!("                expected    reported");
    let row = |name: &str, expected: u64, reported: u64| {
        let mark = if expected == reported { "" } else { "   DIFFERS" };
        println!("  {name:10}{expected:12}{reported:12}{mark}");
    };
    row("sent", plan.count, run.sent);
    row("accepted", expected.accepted, reported.accepted);
    if has_mac {
        row("replayed", expected.replayed, reported.replayed);
        row("too old", expected.too_old, reported.too_old);
        row("forged", expected.forged, reported.forged);
        row("closed", expected.closed, reported.closed);
    }
    row("malformed", expected.malformed, reported.malformed);
    if has_mac {
        row("lost", plan.count - expected.accepted, run.sent.saturating_sub(reported.accepted));
        let same = if expected.sum == reported.sum { "the same" } else { "DIFFERS" };
        println!("  The sum of the numbers accepted, with all their 64 bits: {same}.");
        if plan.head == 4 {
            println!(
                "  Half a number that is too old looks like one to come: these are among the forged."
            );
        }
    } else {
        println!(
            "  Replays and forgeries among them: {}.",
            reported.accepted.saturating_sub(plan.accepted())
        );
    }
}

/// One run of three processes.
fn run(plan: &Plan, algorithm: &str) -> Result<Run> {
    let mut random = Random::new(plan.seed);
    // From the seed, so that a run can be repeated. A real key comes from the operating system.
    let key: String = (0..4).map(|_| format!("{:016x}", random.next())).collect();
    let (source, mut target) = (Link::new()?, Link::new()?);
    let orders = |link: &Link| -> Result<String> {
        let (algorithm, key, relay) = (algorithm.into(), key.clone(), link.port()?);
        let Plan { count, first, head, .. } = *plan;
        Ok(Orders { algorithm, key, relay, count, first, head }.to_line())
    };
    let mut receiver = Peer::start("receiver", &orders(&target)?)?;
    let mut sender = Peer::start("sender", &orders(&source)?)?;
    target.connect(receiver.says()?.parse()?)?;
    source.connect(sender.says()?.parse()?)?;

    let (start, cpu) = (Instant::now(), cpu_time());
    let relayed = relay::relay(plan, &source, &mut target);
    // If one of them has failed, its own message says more than a silent link.
    relayed.map_err(|error| {
        match [&mut sender, &mut receiver].into_iter().find_map(Peer::failed) {
            Some(failed) => failed.into(),
            None => error,
        }
    })?;
    let cpu = cpu_time() - cpu;
    let received = receiver.numbers()?;
    let time = start.elapsed();
    let sent = sender.numbers()?;
    let (Some((tally, [receiver_cpu, opening])), [sent, sender_cpu, sealing]) =
        (received.split_first_chunk(), &sent[..])
    else {
        return Err("a report has the wrong number of fields".into());
    };
    Ok(Run {
        sent: *sent,
        expected: plan.expected(algorithm != "none"),
        reported: Tally::from_array(*tally),
        time,
        nanoseconds: [*sealing, *opening, *sender_cpu, cpu, *receiver_cpu],
    })
}

/// A process that plays a role, running this program again. It ends when this value is dropped or this process ends.
struct Peer {
    role: &'static str,
    child: Child,
    /// Nothing is written here after the orders. The child ends when it is closed.
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    fn start(role: &'static str, orders: &str) -> Result<Peer> {
        // The program of the tests has another `main`.
        let args: &[&str] =
            if cfg!(test) { &["--exact", "tests::role", "--ignored", "--nocapture"] } else { &[] };
        let mut child = Command::new(std::env::current_exe()?)
            .args(args)
            .env(ROLE, role)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let input = child.stdin.take().expect("it is piped");
        let mut peer = Peer { role, child, input, output };
        peer.input.write_all(orders.as_bytes())?;
        Ok(peer)
    }

    /// The next line of the process. It writes one or ends, since its links have a time limit.
    fn says(&mut self) -> Result<String> {
        let mut line = String::new();
        while self.output.read_line(&mut line)? > 0 {
            if let Some((_, said)) = line.split_once(SAY) {
                return Ok(said.trim().into());
            }
            line.clear();
        }
        Err(format!("the {} ended without a word: {}", self.role, self.child.wait()?).into())
    }

    fn numbers(&mut self) -> Result<Vec<u64>> {
        let said = self.says()?;
        said.split(' ').map(|number| Ok(number.parse()?)).collect()
    }

    /// The error with which it has ended, if any.
    fn failed(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok()??;
        (!status.success()).then(|| format!("the {} ended: {status}", self.role))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It has ended already, or has nothing more to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not a test: this is what the child processes run.
    #[test]
    #[ignore = "started by the tests, as another process"]
    fn role() {
        if let Ok(role) = std::env::var(ROLE)
            && let Err(error) = peers::play(&role)
        {
            eprintln!("{role}: {error}");
            std::process::exit(2);
        }
    }

    fn plan(count: u64, head: usize, seed: u64) -> Plan {
        Plan { seed, count, first: (1 << 32) - count / 2, head, shares: Shares::default() }
    }

    fn processes(algorithm: &str) {
        for (head, seed) in [(4, 1), (8, 2)] {
            let run = run(&plan(10_000, head, seed), algorithm).unwrap();
            assert_eq!(run.sent, 10_000);
            assert_eq!(run.reported, run.expected);
            assert_ne!(run.reported, plan(10_000, head, seed + 10).expected(true));
            let Tally { accepted, replayed, too_old, forged, malformed, .. } = run.reported;
            assert!(accepted > 9000 && replayed > 0 && forged > 0 && malformed > 0);
            assert_eq!(too_old > 0, head == 8);
        }
    }

    #[test]
    fn processes_with_umac() {
        processes("UMAC-64");
    }

    #[test]
    fn processes_with_pmac() {
        processes("PMAC-AES128");
    }

    #[test]
    fn processes_with_hmac() {
        processes("HMAC-SHA1-96");
    }

    /// Why the MAC is needed: without it, every forgery and every replay is accepted.
    #[test]
    fn processes_without_a_mac() {
        let plan = plan(5000, 4, 3);
        let run = run(&plan, "none").unwrap();
        assert_eq!(run.reported, run.expected);
        let with = plan.expected(true);
        assert_eq!(
            run.reported.accepted,
            with.accepted + with.replayed + with.too_old + with.forged
        );
    }

    /// Fewer datagrams than the credit, and an incomplete batch.
    #[test]
    fn processes_with_few_datagrams() {
        for count in [1, 2, 31, 32, 33, 65] {
            let run = run(&plan(count, 4, count), "UMAC-64").unwrap();
            assert_eq!(run.reported, run.expected, "{count}");
        }
    }

    #[test]
    fn processes_with_every_other_one_lost() {
        let mut plan = plan(6000, 8, 4);
        plan.shares =
            Shares { lost: 500, late: 1000, replayed: 250, old: 250, forged: 250, malformed: 250 };
        let run = run(&plan, "UMAC-64").unwrap();
        assert_eq!(run.reported, run.expected);
    }

    #[test]
    fn processes_that_fail_are_no_hang() {
        for algorithm in ["no-such-MAC", "orders of too many words"] {
            let error = run(&plan(10, 4, 1), algorithm).err().expect("there is no such MAC");
            assert!(error.to_string().contains("receiver ended"), "{error}");
        }
    }

    #[test]
    fn what_is_expected_adds_up() {
        let plan = plan(100_000, 8, 5);
        let tally = plan.expected(true);
        let near = |count: u64, thousandth: u64| count.abs_diff(thousandth * 100) < thousandth * 20;
        assert!(near(100_000 - tally.accepted, 20) && near(tally.forged, 20), "{tally:?}");
        assert!(near(tally.replayed, 20) && near(tally.malformed, 5), "{tally:?}");
        assert!(tally.too_old > 400, "{tally:?}");
        assert_eq!(plan.accepted(), tally.accepted);
    }

    #[test]
    fn options_are_checked() {
        let parse = |line: &str| options(line.split_whitespace().map(String::from));
        assert!(parse("--help").unwrap().is_none());
        let options =
            parse("--count 10 --algorithm PMAC-AES128 --numbers 64 --loss 7").unwrap().unwrap();
        assert_eq!((options.plan.count, options.plan.head, options.plan.shares.lost), (10, 8, 7));
        assert_eq!((options.algorithm.as_str(), options.only_without), ("PMAC-AES128", false));
        for line in [
            "--count",
            "--count 0",
            "--count x",
            "--numbers 16",
            "--loss 501",
            "--old 990",
            "--fast",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
