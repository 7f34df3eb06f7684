//! The path of the packets: two network namespaces with a veth pair between them, or loopback; and the processes at
//! both ends.

use super::Orders;
use super::ends::Report;
use nix::errno::Errno;
use nix::sched::{CloneFlags, CpuSet, sched_getaffinity, sched_setaffinity, unshare};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getgid, getuid};
use serde::de::DeserializeOwned;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Addresses for documentation (RFC 5737): nothing else is in these namespaces.
const SENDER: &str = "192.0.2.1/30";
const RECEIVER: &str = "192.0.2.2/30";
const HOST: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 2);

/// What the namespaces are called in the output.
pub const VETH: &str = "veth pair between two network namespaces";

/// Both ends and the path between them.
pub struct Link {
    sender: Peer,
    receiver: Peer,
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
    /// Starts both ends. The namespaces end with the processes that are in them, this one among them.
    pub fn start(loopback: bool) -> Result<Link, String> {
        // Read before entering a namespace, which may hide them.
        let softirq = softirq_threads();
        let own = if loopback { Err("it was asked for".to_owned()) } else { own_namespace() };
        let (cpus, text) = cpus()?;
        let mut sender = Peer::start("sender", cpus[0], false)?;
        let (mut receiver, veth) = match own {
            Err(why) => (Peer::start("receiver", cpus[1], false)?, Err(why)),
            Ok(()) => {
                let receiver = Peer::start("receiver", cpus[1], true)?;
                let veth = veth(&receiver);
                (receiver, veth)
            }
        };
        let (host, name) = match veth {
            Ok(()) => (HOST, VETH.to_owned()),
            Err(why) => {
                if !loopback {
                    // By now this process may be in a namespace whose loopback is down.
                    let _ = ip(&["link", "set", "lo", "up"]);
                    receiver = Peer::start("receiver", cpus[1], false)?;
                }
                (Ipv4Addr::LOCALHOST, format!("loopback: {why}"))
            }
        };
        sender.ready()?;
        receiver.ready()?;
        Ok(Link { sender, receiver, host, name, cpus: text, softirq })
    }

    /// Moves packets for a slice of time.
    pub fn run(&mut self, orders: &Orders) -> Result<Slice, String> {
        let before = softirq_time(&self.softirq);
        let orders = Orders { host: self.host, ..*orders };
        self.receiver.tell(&orders)?;
        let port = self.receiver.answer()?;
        self.sender.tell(&Orders { port, ..orders })?;
        // The receiver first: it knows of a wrong tag; the sender only knows that nobody listens.
        let received: Report = self.receiver.answer()?;
        let sent = self.sender.answer()?;
        let softirq = softirq_time(&self.softirq).saturating_sub(before);
        Ok(Slice { sent, received, softirq })
    }
}

/// Moves this process into its own network namespace, and without privileges also into a user namespace.
fn own_namespace() -> Result<(), String> {
    // Before anything is changed: the tools that create the pair must be there.
    run(Command::new("ip").arg("-Version"))?;
    run(Command::new("nsenter").arg("--version"))?;
    let ids = (getuid(), getgid());
    match unshare(CloneFlags::CLONE_NEWNET) {
        Err(Errno::EPERM) => {}
        outcome => return outcome.map_err(|error| format!("no network namespace: {error}")),
    }
    let why = |error: &dyn std::fmt::Display| format!("no namespace of users: {error}");
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET).map_err(|error| why(&error))?;
    let maps = [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("0 {} 1", ids.0)),
        ("gid_map", format!("0 {} 1", ids.1)),
    ];
    for (file, map) in maps {
        fs::write(format!("/proc/self/{file}"), map).map_err(|error| why(&error))?;
    }
    Ok(())
}

/// Creates the pair between this process's namespace, which the sender shares, and the receiver's.
fn veth(receiver: &Peer) -> Result<(), String> {
    let pid = receiver.child.id().to_string();
    let enter = |args: &[&str]| {
        let mut command = Command::new("nsenter");
        run(command.args(["-t", &pid, "-n", "ip"]).args(args))
    };
    receiver_is_there(&pid)?;
    let pair = ["link", "add", "wegman0", "type", "veth", "peer", "name", "wegman1", "netns", &pid];
    ip(&pair)?;
    ip(&["address", "add", SENDER, "dev", "wegman0"])?;
    ip(&["link", "set", "wegman0", "up"])?;
    enter(&["address", "add", RECEIVER, "dev", "wegman1"])?;
    enter(&["link", "set", "wegman1", "up"])
}

/// Waits until the receiver is in another namespace than this process.
fn receiver_is_there(pid: &str) -> Result<(), String> {
    let namespace = |pid: &str| fs::read_link(format!("/proc/{pid}/ns/net"));
    for _ in 0..1000 {
        let both = (namespace("self"), namespace(pid));
        if let (Ok(ours), Ok(its)) = both
            && ours != its
        {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    Err("the receiver has no network namespace".into())
}

fn ip(args: &[&str]) -> Result<(), String> {
    run(Command::new("ip").args(args))
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(format!("{name}: {}", said.trim())) }
}

/// A processor for each end, on two cores if possible, and a description.
fn cpus() -> Result<([usize; 2], String), String> {
    let may = sched_getaffinity(Pid::from_raw(0)).map_err(|error| error.to_string())?;
    let cpus: Vec<usize> =
        (0..CpuSet::count()).filter(|&cpu| may.is_set(cpu) == Ok(true)).collect();
    let [first, ..] = cpus[..] else { return Err("there is no processor".into()) };
    let core = |cpu: usize| {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        fs::read_to_string(path).unwrap_or(cpu.to_string())
    };
    let elsewhere = cpus.iter().find(|&&cpu| core(cpu) != core(first));
    Ok(match (elsewhere, cpus.get(1)) {
        (Some(&second), _) => {
            ([first, second], format!("sender on CPU {first}, receiver on CPU {second}"))
        }
        (None, Some(&second)) => {
            let text = format!(
                "sender on CPU {first}, receiver on CPU {second}: two threads of one core, which \
                 slow each other"
            );
            ([first, second], text)
        }
        (None, None) => ([first, first], format!("both on CPU {first}: there is no other")),
    })
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

/// The entry of a process that plays a role: this program again.
pub fn be_peer(role: &str, cpu: usize, own_net: bool) -> Result<(), String> {
    // However the run ends, even killed: its peers end with it, and the namespaces end with the peers.
    set_pdeathsig(Signal::SIGKILL).map_err(|error| error.to_string())?;
    if own_net {
        unshare(CloneFlags::CLONE_NEWNET).map_err(|error| error.to_string())?;
    }
    let mut set = CpuSet::new();
    set.set(cpu)
        .and_then(|()| sched_setaffinity(Pid::from_raw(0), &set))
        .map_err(|e| e.to_string())?;
    println!("ready");
    super::ends::play(role)
}

/// A process that plays a role. It ends with this value.
struct Peer {
    role: &'static str,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    fn start(role: &'static str, cpu: usize, own_net: bool) -> Result<Peer, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let net = if own_net { "own-net" } else { "same-net" };
        let mut child = Command::new(program)
            .args(["path-peer", role, &cpu.to_string(), net])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the {role}: {error}"))?;
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let input = child.stdin.take().expect("it is piped");
        Ok(Peer { role, child, input, output })
    }

    fn ready(&mut self) -> Result<(), String> {
        let said = self.says()?;
        if said == "ready" { Ok(()) } else { Err(format!("the {} says {said:?}", self.role)) }
    }

    fn tell(&mut self, orders: &Orders) -> Result<(), String> {
        let line = serde_json::to_string(orders).expect("numbers and names") + "\n";
        let told = self.input.write_all(line.as_bytes());
        told.map_err(|error| format!("the {}: {error}", self.role))
    }

    /// Its next line. It always prints one or ends, because its sockets have a time limit.
    fn says(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(1..) => Ok(line.trim().to_owned()),
            // It has reported the error to the user itself.
            _ => Err(format!("the {} has ended", self.role)),
        }
    }

    fn answer<T: DeserializeOwned>(&mut self) -> Result<T, String> {
        let said = self.says()?;
        serde_json::from_str(&said)
            .map_err(|error| format!("the {} says {said:?}: {error}", self.role))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It has ended already, or has nothing left to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
