//! The path of the packets: two network namespaces with a veth pair between them, or loopback; and a thread at each
//! end, on a processor of its own.

use super::Orders;
use super::ends::{Report, in_words, receive, send};
use anyhow::{Context, Result, anyhow, ensure};
use nix::errno::Errno;
use nix::sched::{CloneFlags, CpuSet, sched_getaffinity, sched_setaffinity, setns, unshare};
use nix::unistd::{Pid, getgid, getuid};
use std::fs::{self, File};
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc;
use std::thread;

/// Addresses for documentation (RFC 5737): nothing else is in these namespaces.
const SENDER: &str = "192.0.2.1/30";
const RECEIVER: &str = "192.0.2.2/30";
const HOST: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 2);

/// What the namespaces are called in the output.
pub const VETH: &str = "veth pair between two network namespaces";

/// The path between both ends. The thread that starts it sends.
pub struct Link {
    receivers_cpu: usize,
    receivers_namespace: Option<File>,
    host: Ipv4Addr,
    /// In words.
    pub name: String,
    /// Where the ends run, in words.
    pub cpus: String,
    softirq: Vec<PathBuf>,
}

/// The reports of both ends on a slice, and the nanoseconds of `ksoftirqd` meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    pub sent: Report,
    pub received: Report,
    pub softirq: u64,
}

impl Link {
    /// Makes the path. The namespaces end with this process, which must have one thread: others may not enter one of users.
    pub fn start(loopback: bool) -> Result<Link> {
        // Read before entering a namespace, which may hide them.
        let softirq = softirq_threads();
        let pair = match loopback {
            true => Err(anyhow!("it was asked for")),
            false => own_namespace().and_then(|()| veth()),
        };
        let (cpus, text) = cpus()?;
        let (namespace, host, name) = match pair {
            Ok(namespace) => (Some(namespace), HOST, VETH.to_owned()),
            Err(why) => {
                if !loopback {
                    // By now this process may be in a namespace whose loopback is down.
                    let _ = ip(&["link", "set", "lo", "up"]);
                }
                (None, Ipv4Addr::LOCALHOST, format!("loopback: {why:#}"))
            }
        };
        stay_on(cpus[0])?;
        let (receivers_cpu, receivers_namespace) = (cpus[1], namespace);
        Ok(Link { receivers_cpu, receivers_namespace, host, name, cpus: text, softirq })
    }

    /// Moves packets for a slice of time.
    pub fn run(&self, orders: &Orders) -> Result<Slice> {
        let before = softirq_time(&self.softirq);
        let orders = Orders { host: self.host, ..*orders };
        let (tell, told) = mpsc::channel();
        let (received, sent) = thread::scope(|scope| {
            let receiver = scope.spawn(move || {
                stay_on(self.receivers_cpu)?;
                self.receivers_namespace.as_ref().map_or(Ok(()), enter)?;
                receive(&orders, &tell)
            });
            let port = told.recv().context("the receiver has ended");
            let sent = port.and_then(|port| send(&Orders { port, ..orders }));
            (receiver.join().expect("it does not panic"), sent)
        });
        // The receiver first: it knows of a wrong tag; the sender only knows that nobody listens.
        let (received, sent) = (received.map_err(in_words)?, sent.map_err(in_words)?);
        let softirq = softirq_time(&self.softirq).saturating_sub(before);
        Ok(Slice { sent, received, softirq })
    }
}

/// Moves this process into its own network namespace, and without privileges also into a user namespace.
fn own_namespace() -> Result<()> {
    // Before anything is changed: the tool that creates the pair must be there.
    ip(&["-Version"])?;
    let ids = (getuid(), getgid());
    match unshare(CloneFlags::CLONE_NEWNET) {
        Err(Errno::EPERM) => {}
        outcome => return outcome.context("no network namespace"),
    }
    let why = "no namespace of users";
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET).context(why)?;
    let maps = [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("0 {} 1", ids.0)),
        ("gid_map", format!("0 {} 1", ids.1)),
    ];
    let mut maps = maps.iter();
    maps.try_for_each(|(file, map)| fs::write(format!("/proc/self/{file}"), map)).context(why)
}

/// Creates the receiver's namespace, and the pair between it and this thread's.
fn veth() -> Result<File> {
    let ours = namespace()?;
    unshare(CloneFlags::CLONE_NEWNET).context("no network namespace")?;
    let receivers = namespace()?;
    enter(&ours)?;
    let path = format!("/proc/{}/fd/{}", std::process::id(), receivers.as_raw_fd());
    ip(&["link", "add", "wegman0", "type", "veth", "peer", "name", "wegman1", "netns", &path])?;
    ip(&["address", "add", SENDER, "dev", "wegman0"])?;
    ip(&["link", "set", "wegman0", "up"])?;
    enter(&receivers)?;
    let address = ip(&["address", "add", RECEIVER, "dev", "wegman1"]);
    let done = address.and_then(|()| ip(&["link", "set", "wegman1", "up"]));
    enter(&ours)?;
    done.map(|()| receivers)
}

/// The network namespace of this thread.
fn namespace() -> Result<File> {
    File::open("/proc/thread-self/ns/net").context("/proc")
}

/// Moves this thread into a network namespace.
fn enter(namespace: &File) -> Result<()> {
    setns(namespace, CloneFlags::CLONE_NEWNET).context("a namespace")
}

fn ip(args: &[&str]) -> Result<()> {
    let output = Command::new("ip").args(args).output().context("ip")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "ip: {}", said.trim());
    Ok(())
}

/// A processor for each end, on two cores if possible, and a description.
fn cpus() -> Result<([usize; 2], String)> {
    let may = sched_getaffinity(Pid::from_raw(0))?;
    let cpus: Vec<usize> =
        (0..CpuSet::count()).filter(|&cpu| may.is_set(cpu) == Ok(true)).collect();
    let core = |cpu: &usize| {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        fs::read_to_string(path).unwrap_or(cpu.to_string())
    };
    let first = cpus.first().context("there is no processor")?;
    let elsewhere = cpus.iter().find(|cpu| core(cpu) != core(first));
    let (second, but) = match (elsewhere, cpus.get(1)) {
        (Some(second), _) => (second, ""),
        (None, Some(second)) => (second, ": two threads of one core, which slow each other"),
        (None, None) => (first, ": there is no other"),
    };
    Ok(([*first, *second], format!("sender on CPU {first}, receiver on CPU {second}{but}")))
}

/// The files in which the kernel's threads for interrupts report their run time.
fn softirq_threads() -> Vec<PathBuf> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let is_one = |path: &PathBuf| {
        fs::read_to_string(path.join("comm")).is_ok_and(|name| name.starts_with("ksoftirqd/"))
    };
    let paths = processes.filter_map(|process| Some(process.ok()?.path()));
    paths.filter(is_one).map(|path| path.join("schedstat")).collect()
}

/// Their run time in nanoseconds: work on packets that the system charges to no program.
fn softirq_time(threads: &[PathBuf]) -> u64 {
    let time = |path| fs::read_to_string(path).ok()?.split(' ').next()?.parse::<u64>().ok();
    threads.iter().filter_map(time).sum()
}

fn stay_on(cpu: usize) -> Result<()> {
    let mut set = CpuSet::new();
    let set = set.set(cpu).and_then(|()| sched_setaffinity(Pid::from_raw(0), &set));
    set.with_context(|| format!("CPU {cpu}"))
}
