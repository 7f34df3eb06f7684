//! A million authenticated datagrams over real sockets, through a relay that loses, delays, repeats and forges, while both
//! ends are killed and change their keys: `cargo run --release --example udp_auth -p wegman-catalogue -- --help`.
//!
//! ```text
//! sender ------> relay ------> receiver         three processes, UDP on 127.0.0.1
//! session::Sealer <- file      session::Opener <- file
//! ```
//!
//! A datagram is a header, a message of 256 bytes and the tag of both (`session::Link`). The relay knows what it did to
//! each datagram, so it knows what the receiver must say to it (`model.rs`). Every 100,000 datagrams the sender changes the
//! key. The relay kills each end three times in the middle of a burst and starts it again: it continues from its file. A
//! second run without the MAC shows what is accepted without it.

mod fate;
mod model;
mod peers;
mod relay;
mod socket;
#[path = "../support/mod.rs"]
mod support;

use fate::Shares;
use model::Outcome;
use peers::Orders;
use relay::Report;
use socket::{Result, Socket};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use support::Random;
use wegman::session::Header;

/// Bytes of a message.
const MESSAGE: usize = 256;

/// How many messages are sealed or opened at a time.
const BATCH: usize = 32;

/// How many datagrams may be in transit on one socket. The default buffers of Linux hold 160 of them.
const BURST: u64 = 64;

/// The prefix of lines for the process that started this one.
const SAY: &str = "udp_auth: ";

/// The environment variable with the role of a process that this program started.
const ROLE: &str = "WEGMAN_UDP_AUTH_ROLE";

const HELP: &str = "\
Sends authenticated datagrams through a relay that loses, delays, repeats and forges, while both ends are killed and
change their keys.

  --count N        how many, up to 2^27 [1000000]
  --algorithm A    UMAC-64 [this] or PMAC-AES128
  --no-mac         only the run without a MAC
  --header FORM    long, 12 bytes, or short, 4 bytes [short]
  --rekey N        a new key every N datagrams [100000]
  --kills N        how often each end is killed [3]
  --reserve N      how many numbers each end reserves at a time [1024]
  --seed N         of the relay and the secret [1]
Of a thousand datagrams, how many
  --loss N         are dropped [20], 500 at most
  --late N         are delayed, by up to 384 places [300]
  --replay N       come twice [20]
  --old N          come again when their number is behind the window [5]
  --forge N        come with a forgery of tag, message, number, epoch or all [20]
  --cut N          come with a copy cut short [5]

Exit code 0 if every datagram had the outcome that it must have, 1 if not, 2 for an error.
";

/// How headers are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Long,
    Short,
}

impl Form {
    const fn head(self) -> usize {
        match self {
            Form::Long => Header::BYTES,
            Form::Short => Header::SHORT_BYTES,
        }
    }

    fn bytes(self, header: Header) -> Vec<u8> {
        match self {
            Form::Long => header.to_bytes().to_vec(),
            Form::Short => header.to_short().to_vec(),
        }
    }
}

/// What happens to the datagrams and to both ends.
#[derive(Clone, Debug)]
struct Plan {
    seed: u64,
    count: u64,
    rekey: u64,
    kills: u64,
    reserve: u64,
    form: Form,
    shares: Shares,
}

impl Default for Plan {
    fn default() -> Self {
        let (seed, count, rekey, kills, reserve) = (1, 1_000_000, 100_000, 3, 1024);
        let (form, shares) = (Form::Short, Shares::default());
        Plan { seed, count, rekey, kills, reserve, form, shares }
    }
}

struct Options {
    algorithm: String,
    only_without: bool,
    plan: Plan,
}

/// Reads the options; `None` if help was requested.
fn options(mut args: impl Iterator<Item = String>) -> Result<Option<Options>> {
    let mut options =
        Options { algorithm: "UMAC-64".into(), only_without: false, plan: Plan::default() };
    while let Some(name) = args.next() {
        let mut value = || args.next().ok_or(format!("{name} needs a value"));
        let Plan { seed, count, rekey, kills, reserve, form, shares } = &mut options.plan;
        let number = match name.as_str() {
            "--help" | "-h" => return Ok(None),
            "--algorithm" => {
                options.algorithm = value()?;
                if !peers::ALGORITHMS.contains(&options.algorithm.as_str()) {
                    let here = peers::ALGORITHMS.join(" or ");
                    return Err(format!("--algorithm is {here}").into());
                }
                continue;
            }
            "--no-mac" => {
                options.only_without = true;
                continue;
            }
            "--header" => {
                *form = match value()?.as_str() {
                    "long" => Form::Long,
                    "short" => Form::Short,
                    _ => return Err("--header is long or short".into()),
                };
                continue;
            }
            "--seed" => seed,
            "--count" => count,
            "--rekey" => rekey,
            "--kills" => kills,
            "--reserve" => reserve,
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
    let Plan { count, rekey, kills, reserve, shares, .. } = &options.plan;
    let extras = [shares.replayed, shares.old, shares.forged, shares.malformed];
    if !(1..=1 << 27).contains(count) {
        return Err("--count is 1 to 2^27".into());
    }
    if !(1..=1 << 20).contains(rekey) || !(64..=1 << 16).contains(reserve) || *kills > 10_000 {
        return Err("--rekey is 1 to 2^20, --reserve 64 to 65536, --kills at most 10000".into());
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
    let Plan { count, rekey, form, .. } = plan;
    println!(
        "{count} datagrams with {MESSAGE} bytes of message each, headers of {} bytes, a new key every {rekey}.",
        form.head()
    );
    let mut is_good = true;
    for algorithm in [algorithm.as_str(), "none"] {
        if algorithm == "none" || !only_without {
            let start = Instant::now();
            let report = run(plan, algorithm)?;
            print_counts(plan, algorithm, &report, start.elapsed());
            is_good &= report.is_as_expected(plan, algorithm);
        }
    }
    println!("\n{}", if is_good { "Every count is as expected." } else { "COUNTS DIFFER." });
    Ok(is_good)
}

impl Report {
    /// Whether the receiver said what it must. With a MAC, each datagram of the sender had one fate.
    fn is_as_expected(&self, plan: &Plan, algorithm: &str) -> bool {
        self.expected == self.reported
            && (algorithm == "none"
                || self.accepted + self.lost + self.refused == plan.count
                    && self.accepted == self.reported[Outcome::Accepted as usize])
    }
}

fn print_counts(plan: &Plan, algorithm: &str, report: &Report, time: Duration) {
    let has_mac = algorithm != "none";
    let Report { expected, reported, accepted, lost, refused, .. } = report;
    let title =
        if has_mac { algorithm } else { "Without a MAC: what has the right length is believed" };
    println!("\n{title}, {:.1} s", time.as_secs_f64());
    println!("                expected    reported");
    for outcome in Outcome::ALL {
        let [expected, reported] = [expected, reported].map(|counts| counts[outcome as usize]);
        if expected + reported > 0 || has_mac {
            println!("  {:10}{expected:12}{reported:12}", format!("{outcome:?}"));
        }
    }
    if has_mac {
        let Report { again, accepted_before, kills: [sender, receiver], epochs, .. } = report;
        println!(
            "  Of {} genuine ones, {accepted} were accepted once, the relay dropped {lost},",
            plan.count
        );
        println!("  and {refused} were refused after a restart.");
        println!(
            "  Epochs: {epochs}. The sender was killed {sender} times, the receiver {receiver} times: it got"
        );
        println!("  {again} datagrams again, among them {accepted_before} that it had accepted.");
    } else {
        let wrong = reported[Outcome::Accepted as usize] - (plan.count - lost);
        println!("  Copies and forgeries among the accepted: {wrong}.");
    }
}

/// One run of three processes.
fn run(plan: &Plan, algorithm: &str) -> Result<Report> {
    let mut random = Random::new(plan.seed);
    // From the seed, so that a run can be repeated. A real secret comes from a key exchange.
    let secret = (0..4).map(|_| format!("{:016x}", random.next())).collect();
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let name = format!("udp_auth-{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir(&folder)?;
    let Plan { form, reserve, .. } = *plan;
    let orders =
        Orders { algorithm: algorithm.into(), secret, form, reserve, folder: folder.clone() };
    let report = relay::relay(plan, &orders);
    std::fs::remove_dir_all(folder)?;
    report
}

/// A process that plays a role, running this program again. It ends when this value is dropped or this process ends.
struct Peer {
    role: &'static str,
    child: Child,
    /// The child ends when it is closed.
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    socket: Socket,
}

impl Peer {
    /// Starts a process. Returns with it what it says of its state.
    fn start(role: &'static str, orders: &Orders) -> Result<(Peer, Vec<u64>)> {
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
        let mut peer = Peer { role, child, input, output, socket: Socket::new()? };
        let line = orders.to_line(peer.socket.port()?);
        peer.order(&line)?;
        let words = peer.says()?;
        let words = words.split(' ').map(|word| Ok(word.parse()?)).collect::<Result<Vec<u64>>>()?;
        let (port, state) = words.split_first().ok_or("it has no port")?;
        peer.socket.connect(u16::try_from(*port)?)?;
        Ok((peer, state.to_vec()))
    }

    fn order(&mut self, line: &str) -> Result<()> {
        Ok(self.input.write_all(line.as_bytes())?)
    }

    /// The line that the process begins with.
    fn says(&mut self) -> Result<String> {
        let mut line = String::new();
        while self.output.read_line(&mut line)? > 0 {
            if let Some((_, said)) = line.split_once(SAY) {
                return Ok(said.trim().into());
            }
            line.clear();
        }
        Err(self.ended())
    }

    /// The next datagram. If the process has ended, that says more than a silent socket.
    fn take(&mut self) -> Result<Vec<u8>> {
        self.socket.take().map_err(|error| match self.child.try_wait() {
            Ok(Some(_)) => self.ended(),
            _ => error,
        })
    }

    /// The next outcomes.
    fn letters(&mut self, count: usize) -> Result<Vec<u8>> {
        let mut letters = vec![0; count];
        self.output.read_exact(&mut letters).map_err(|_| self.ended())?;
        Ok(letters)
    }

    fn kill(&mut self) -> Result<()> {
        self.child.kill()?; // SIGKILL
        self.child.wait()?;
        Ok(())
    }

    /// What it said before it was killed.
    fn rest(&mut self) -> Result<Vec<u8>> {
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest)?;
        Ok(rest)
    }

    fn ended(&mut self) -> Box<dyn std::error::Error> {
        match self.child.wait() {
            Ok(status) => format!("the {} ended: {status}", self.role).into(),
            Err(error) => error.into(),
        }
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

    /// Short epochs, few numbers reserved, many kills.
    fn plan(count: u64, form: Form, seed: u64) -> Plan {
        Plan { seed, count, form, rekey: 3000, kills: 8, reserve: 100, ..Plan::default() }
    }

    fn count(report: &Report, outcome: Outcome) -> u64 {
        report.reported[outcome as usize]
    }

    /// Each datagram is compared with the model in `run`.
    fn processes(algorithm: &str) {
        for (form, seed) in [(Form::Short, 1), (Form::Long, 2), (Form::Short, 3), (Form::Long, 4)] {
            let plan = plan(10_000, form, seed);
            let report = run(&plan, algorithm).unwrap();
            assert!(report.is_as_expected(&plan, algorithm), "{form:?} {seed}");
            assert_eq!((report.kills, report.epochs), ([8, 8], 4));
            assert!(report.accepted > 8000 && (100..400).contains(&report.lost), "{seed}");
            for outcome in Outcome::ALL {
                let is_here = count(&report, outcome) > 0;
                assert_eq!(is_here, outcome != Outcome::Closed, "{form:?} {seed} {outcome:?}");
            }
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

    /// Restarts of which every one is in the middle of a new epoch's first packets.
    #[test]
    fn processes_that_change_keys_all_the_time() {
        let plan = Plan { rekey: 40, kills: 20, ..plan(2000, Form::Long, 6) };
        let report = run(&plan, "UMAC-64").unwrap();
        assert!(report.is_as_expected(&plan, "UMAC-64"));
        assert_eq!((report.kills, report.epochs), ([20, 20], 50));
        assert!(report.accepted_before > 0 && report.again > report.accepted_before);
    }

    /// Why the MAC is needed: without it, every forgery and every replay is accepted.
    #[test]
    fn processes_without_a_mac() {
        let plan = Plan { kills: 0, ..plan(5000, Form::Short, 3) };
        let [with, without] = ["UMAC-64", "none"].map(|algorithm| run(&plan, algorithm).unwrap());
        assert!(without.is_as_expected(&plan, "none"));
        let malformed = count(&with, Outcome::Malformed);
        assert_eq!(count(&without, Outcome::Malformed), malformed);
        let all = with.reported.iter().sum::<u64>() - malformed;
        assert_eq!(count(&without, Outcome::Accepted), all);
        // Nothing is refused without a restart.
        assert_eq!((with.refused, with.accepted), (0, plan.count - with.lost));
    }

    /// Fewer datagrams than a burst, and an incomplete batch.
    #[test]
    fn processes_with_few_datagrams() {
        for count in [1, 2, 31, 32, 33, 65] {
            let plan = Plan { kills: 1, ..plan(count, Form::Short, count) };
            assert!(run(&plan, "UMAC-64").unwrap().is_as_expected(&plan, "UMAC-64"), "{count}");
        }
    }

    #[test]
    fn processes_with_every_other_one_lost() {
        let shares =
            Shares { lost: 500, late: 1000, replayed: 250, old: 250, forged: 250, malformed: 250 };
        for form in [Form::Long, Form::Short] {
            let plan = Plan { shares, ..plan(4000, form, 4) };
            assert!(run(&plan, "UMAC-64").unwrap().is_as_expected(&plan, "UMAC-64"), "{form:?}");
        }
    }

    #[test]
    fn processes_that_fail_are_no_hang() {
        let error = run(&plan(10, Form::Long, 1), "no-such-MAC").err().expect("there is none");
        assert!(error.to_string().contains("sender ended"), "{error}");
    }

    #[test]
    fn options_are_checked() {
        let parse = |line: &str| options(line.split_whitespace().map(String::from));
        assert!(parse("--help").unwrap().is_none());
        let options =
            parse("--count 10 --algorithm PMAC-AES128 --header long --loss 7").unwrap().unwrap();
        let Plan { count, form, shares, .. } = options.plan;
        assert_eq!((count, form, shares.lost), (10, Form::Long, 7));
        assert_eq!((options.algorithm.as_str(), options.only_without), ("PMAC-AES128", false));
        for line in [
            "--count",
            "--count 0",
            "--count x",
            "--header 16",
            "--rekey 0",
            "--loss 501",
            "--old 990",
            "--fast",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
