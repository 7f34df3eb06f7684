//! The arguments of `wegman-bench`.

use crate::papers;
use crate::timing::messages::{self, Mode, Size};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use std::time::Duration;

/// Measures the speed of wegman and its rivals, and checks every tag
#[derive(Parser)]
#[command(version, about)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Our algorithms on any row: cycles per byte or per message
    ///
    /// Each figure is the median over many short blocks of messages; --json has their spread, too: the interquartile
    /// range divided by the median. Cycles are those of the core, whatever its clock: each block stands between two
    /// chains of additions that take one cycle each. Every tag of a timed block goes into a sum that must equal the
    /// portable code's.
    ///
    /// Modes: single, one message per call, and no call waits for another; latency, the address of each message depends
    /// on the tag before; batch, 32 messages per call (16 where 32 would not fit into the cache), with figures for one
    /// of them. Messages begin at multiples of 64 bytes or, with --unaligned, anywhere; keys are prepared, each message
    /// has its own nonce.
    ///
    /// Mixes of lengths come in thousands of messages without a pattern, so that mispredicted branches count: uniform
    /// has each length from 1 to 64 bytes equally often; imix is the simple IMIX, packets of 40, 576 and 1500 bytes at
    /// 7 to 4 to 1. Cycles per byte are then of all bytes together.
    Bench(SpeedsArguments),
    /// The same for every parameter set that the papers define or measure, and for the bare hashes
    Family(SpeedsArguments),
    /// Our algorithms and every rival of this build, in one interleaved run
    Rivals {
        #[command(flatten)]
        messages: MessagesArguments,

        /// Only instructions of these classes: sse, avx2, vaes256, avx512, or all that this machine has, a table for each.
        /// Each is measured in a process of its own; rivals that can't be held to a class are named and left out
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = CLASSES)]
        class: Vec<String>,
    },
    /// A tag's first bytes verified instead of the whole tag: half the bits in half the time?
    Assurance(RunArguments),
    /// What a key of each algorithm costs
    Keys(RunArguments),
    /// One buffer of 64 KiB to 1 GiB, beside a plain read of it; the longest also on two threads
    Memory(RunArguments),
    /// What a message costs in batches of any number of messages, beside one call each
    Batches(RunArguments),
    /// What a tag costs by name, under a boxed key of the catalogue, and through C, beside a typed key
    Names(RunArguments),
    /// What a session costs beside the bare tag, and what one counter costs many threads
    Sessions(RunArguments),
    /// The papers' tables and figures, with our algorithms and today's rivals
    #[command(subcommand)]
    Lab(papers::Lab),
    /// What a MAC costs in a packet path: CPU time of UDP and TCP packets with and without it (Linux)
    Path {
        /// Measure for about N seconds [default: 300; 45 with --quick]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=86_400))]
        seconds: Option<u64>,

        /// Stay on loopback, even if namespaces are allowed
        #[arg(long)]
        loopback: bool,

        #[command(flatten)]
        run: RunArguments,
    },
}

/// The classes by name, and all of them.
const CLASSES: [&str; 5] = ["sse", "avx2", "vaes256", "avx512", "all"];

#[derive(Args)]
pub struct SpeedsArguments {
    /// Only these: names of `wegman algorithms`, UHASH-w/l, CBC-MAC-AES128 or others of `family`; by default, the
    /// recommended ones, or the whole family
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    #[command(flatten)]
    pub messages: MessagesArguments,

    /// The rows of kernels to use, separated by commas, or `all`; by default, each algorithm's best. Any other name
    /// prints this machine's rows
    #[arg(long, value_name = "ROW", value_delimiter = ',')]
    pub cpu: Vec<String>,
}

#[derive(Args)]
pub struct MessagesArguments {
    /// Message lengths in bytes, 1 to 1G (in mode batch to 16M), separated by commas; K, M and G stand for powers of
    /// 1024. Mixes: uniform (1 to 64 bytes at random), imix (of packets). By default, from 16 or 43 bytes to 256K
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = messages::size)]
    pub lengths: Vec<Size>,

    /// How messages follow each other, separated by commas; `bench --help` explains the modes. The default is single;
    /// `family` and `rivals` add batch for algorithms that tag many messages at once
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub mode: Vec<Mode>,

    /// Messages begin at any byte, not at multiples of 64
    #[arg(long)]
    pub unaligned: bool,

    #[command(flatten)]
    pub run: RunArguments,
}

/// Of what cycles are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Per {
    Byte,
    Message,
}

#[derive(Args, Clone, Copy)]
pub struct RunArguments {
    /// Measure for a tenth of the time
    #[arg(long)]
    pub quick: bool,

    /// Print one JSON object instead of tables: cpu, clock (GHz) and results
    #[arg(long)]
    pub json: bool,

    /// The tables' unit: cycles per byte or per message; by default per message for `keys`, `batches`, `names` and
    /// `sessions`, otherwise per byte
    #[arg(long, value_name = "UNIT")]
    pub per: Option<Per>,

    /// Print tables in Markdown
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
}

impl RunArguments {
    /// Per message if nothing else is asked for.
    pub fn per_message(self) -> RunArguments {
        RunArguments { per: self.per.or(Some(Per::Message)), ..self }
    }

    /// How long to measure.
    pub fn time(&self) -> Duration {
        self.part(Duration::from_secs(30))
    }

    /// That time, or the part of it that a quick run takes.
    pub fn part(&self, time: Duration) -> Duration {
        if self.quick { time / 10 } else { time }
    }
}

/// Ends the program in the way it ends on any bad argument.
pub fn refuse(why: &str) -> ! {
    Arguments::command().error(ErrorKind::ValueValidation, why).exit()
}
