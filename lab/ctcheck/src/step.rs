//! One process that runs under one secret, and the step that it does next.

use anyhow::{Context, Result, bail, ensure};
use iced_x86::{
    Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, Register,
    UsedMemory,
};
use nix::libc::user_regs_struct;
use nix::sys::ptrace;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::process::{Child, Command};

/// The longest instruction of x86.
const LONGEST: usize = 15;

/// What a process raises before and after what is watched.
pub const MARK: Signal = Signal::SIGUSR1;

/// A process between two instructions.
pub struct Process {
    pid: Pid,
    child: Child,
    memory: Option<File>,
}

/// What the next instruction shows of its operands.
#[derive(PartialEq, Eq, Debug)]
pub struct Shown {
    pub at: u64,
    stack: u64,
    addresses: Vec<u64>,
    /// What a division divides, and by what.
    divided: [u64; 3],
}

impl Shown {
    /// How two processes differ before the same instruction.
    pub fn difference(&self, other: &Shown) -> &'static str {
        let divides = self.divided != other.divided;
        if divides { "it divides a secret" } else { "an address depends on a secret" }
    }
}

impl Process {
    /// Starts this program with other arguments. It runs to its first mark.
    pub fn start(arguments: &[&str]) -> Result<Process> {
        let program = std::env::current_exe()?;
        let child = Command::new(program).args(arguments).spawn()?;
        let pid = Pid::from_raw(i32::try_from(child.id())?);
        let mut process = Process { pid, child, memory: None };
        process.wait_for_mark()?;
        // Not before: the process exchanges its program once.
        process.memory = Some(File::open(format!("/proc/{pid}/mem"))?);
        Ok(process)
    }

    /// Waits for the next mark, after [`go`](Self::go).
    pub fn wait_for_mark(&self) -> Result<()> {
        match self.wait(Self::go)? {
            WaitStatus::Stopped(_, MARK) => Ok(()),
            status => bail!("a watched process did not go on: {status:?}"),
        }
    }

    /// Waits. If somebody stops the whole check and lets it go on, the process does `again` what it did.
    fn wait(&self, again: fn(&Self) -> Result<()>) -> Result<WaitStatus> {
        loop {
            match waitpid(self.pid, None)? {
                WaitStatus::Stopped(_, Signal::SIGSTOP | Signal::SIGTSTP | Signal::SIGCONT) => {
                    again(self)?;
                }
                status => return Ok(status),
            }
        }
    }

    /// Lets it run up to the next mark.
    pub fn go(&self) -> Result<()> {
        Ok(ptrace::cont(self.pid, None)?)
    }

    /// Lets it execute one instruction.
    pub fn step(&self) -> Result<()> {
        Ok(ptrace::step(self.pid, None)?)
    }

    /// What it is about to execute after [`step`](Self::step); `None` at the mark.
    pub fn next(&self, code: &mut Code) -> Result<Option<Shown>> {
        match self.wait(Self::step)? {
            WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
            WaitStatus::Stopped(_, MARK) => return Ok(None),
            status => bail!("a watched process ended: {status:?}"),
        }
        let registers = ptrace::getregs(self.pid)?;
        let memory = self.memory.as_ref().expect("it has started");
        code.shown(&registers, memory).map(Some)
    }

    /// Where its program begins in memory.
    pub fn base(&self) -> Result<u64> {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.pid))?;
        let first = maps.split('-').next().context("a program in memory")?;
        Ok(u64::from_str_radix(first, 16)?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        _ = kill(self.pid, Signal::SIGKILL);
        _ = self.child.wait();
    }
}

/// The instructions met so far, which are the same in all processes.
#[derive(Default)]
pub struct Code {
    known: HashMap<u64, Known>,
    /// Where those were met that may not occur.
    pub refused: Vec<(u64, String)>,
}

struct Known {
    instruction: Instruction,
    /// What it reads and writes in memory; nothing if it may not occur.
    memory: Vec<UsedMemory>,
    prefetches: bool,
    divides: bool,
}

impl Code {
    fn shown(&mut self, registers: &user_regs_struct, memory: &File) -> Result<Shown> {
        let at = registers.rip;
        let known = match self.known.entry(at) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(room) => {
                let instruction = decoded(at, memory)?;
                let mut info = InstructionInfoFactory::new();
                let info = info.info(&instruction);
                let memory = match info.used_memory() {
                    _ if instruction.is_vsib() => Vec::new(),
                    memory => memory.to_vec(),
                };
                // A prefetch reads nothing, but its address shows.
                let prefetches = info.op0_access() == OpAccess::NoMemAccess;
                let divides = matches!(instruction.mnemonic(), Mnemonic::Div | Mnemonic::Idiv);
                room.insert(Known { instruction, memory, prefetches, divides })
            }
        };
        // The addresses of gathers and scatters can't be seen, and the time of the others depends on their operands.
        let mnemonic = known.instruction.mnemonic();
        if known.instruction.is_vsib() || matches!(mnemonic, Mnemonic::Pdep | Mnemonic::Pext) {
            self.refused.push((at, format!("{mnemonic:?} may not occur")));
        }
        let value = |register, _, _| value_of(register, registers);
        let prefetched = known.prefetches.then(|| known.instruction.virtual_address(0, 0, value));
        let addresses = known.memory.iter().map(|memory| memory.virtual_address(0, value));
        let addresses = addresses.chain(prefetched);
        let addresses: Vec<u64> = addresses
            .collect::<Option<_>>()
            .with_context(|| format!("an address of {}", known.instruction.code() as u32))?;
        let mut divided = [0; 3];
        if known.divides {
            let divisor = if known.memory.is_empty() {
                value_of(known.instruction.op0_register(), registers)
            } else {
                let mut bytes = [0; 8];
                let size = known.instruction.memory_size().size();
                memory.read_exact_at(&mut bytes[..size], addresses[0])?;
                Some(u64::from_le_bytes(bytes))
            };
            divided = [registers.rax, registers.rdx, divisor.context("a divisor")?];
        }
        Ok(Shown { at, stack: registers.rsp, addresses, divided })
    }
}

fn decoded(at: u64, memory: &File) -> Result<Instruction> {
    let mut bytes = [0; LONGEST];
    let length = memory.read_at(&mut bytes, at).context("the code of a process")?;
    let instruction = Decoder::with_ip(64, &bytes[..length], at, DecoderOptions::NONE).decode();
    ensure!(!instruction.is_invalid(), "an unknown instruction at {at:x}: {bytes:x?}");
    Ok(instruction)
}

fn value_of(register: Register, r: &user_regs_struct) -> Option<u64> {
    let whole = match register.full_register() {
        Register::FS => return Some(r.fs_base),
        Register::GS => return Some(r.gs_base),
        // The bases of the other segments.
        Register::CS | Register::DS | Register::ES | Register::SS => return Some(0),
        whole => whole,
    };
    let all = [
        r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi, r.r8, r.r9, r.r10, r.r11, r.r12,
        r.r13, r.r14, r.r15,
    ];
    let value = whole.is_gpr64().then(|| all[whole.number()])?;
    Some(value & u64::MAX >> (64 - 8 * register.size()))
}
