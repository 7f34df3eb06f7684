//! What may stand on the command line.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use wegman::bounds::Probability;
use wegman_bench::messages::{self, Mode};

const EXIT_CODES: &str = "Exit codes: 0 all good; 1 something failed verification; 2 usage, file or \
                          key error (the other files are still done); 130 interrupted.";

const EDIT: &str = "\
The tag is computed from the old tag, the old bytes in the place and the new ones: the rest of the file is \
not read. So an edit trusts that the file is what its tag says. If it is not, later checks fail as they \
would have before; but who changed the very bytes that are then edited may get a tag for a file he makes. \
Where others can write the file, give --verify: it reads all of it once, and takes the old tag, which must \
be right, and the new one from the same bytes.

A journal beside the manifest (MANIFEST.wegman-edit) holds the new bytes until file and manifest have \
them. If the command is stopped at any moment, `wegman check` says so and `wegman finish` completes the \
edit. Only PMAC keys with their longest tags can do this: a tag of UMAC or Carter needs a new nonce and the \
whole file.

-j is for --verify; --mmap changes nothing here: bytes in a map of a file are not safe from others.

Examples:
  wegman edit -k KEY -m photos.manifest photos/disk.img --at 4096 < page
  printf 'one more line\\n' | wegman append -k KEY -m logs.manifest logs/today
  wegman truncate -k KEY -m logs.manifest logs/today --size 1M

Exit codes: 0 done; 1 the manifest, a journal or, with --verify, the file failed verification; 2 usage, \
file or key error; 130 interrupted.";

const FINISH: &str = "\
Completes the file and its manifest from the journal beside the manifest, MANIFEST.wegman-edit; without one \
there is nothing to do. Run it in the directory in which the manifest's names are right, as `wegman check`. \
It can be stopped and run again. It does not look at the rest of the file: --verify does, afterwards.

Exit codes: 0 done, or nothing to do; 1 the manifest, the journal or, with --verify, the file failed \
verification, or they do not belong together; 2 usage, file or key error; 130 interrupted.";

const SEGMENT: &str = "\
Prints one line that stands for a part of an object. The parts can be read on different machines, in any \
order; `wegman combine` makes the object's tag of their lines, the same that `wegman tag` gives for all of \
it. Each part but the last must have a multiple of the cipher's block, 16 bytes for AES.

A segment is as secret as the key: whoever has one, and the bytes it stands for, may be able to forge. -o \
makes a file only you can read. Send and store segments encrypted, and delete them when they are combined.

Example, an image of 2 TiB whose halves two machines read, both of which have the key:
  one$ wegman segment -k KEY --length 1T disk.img -o one.segment
  two$ wegman segment -k KEY --offset 1T --length 1T disk.img -o two.segment

If a machine has its part alone, --offset says where that lies, without --length:
  two$ wegman segment -k KEY --offset 1T -o two.segment < second-half

Then, again on one machine:
  one$ wegman combine -k KEY --as disk.img one.segment two.segment > manifest

Exit codes: 0 done; 2 usage, file or key error; 130 interrupted.";

const COMBINE: &str = "\
Takes files with one or more lines of `wegman segment` each, in any order, and prints the tag of the object \
they are all of. Gaps and overlaps are refused. Nobody but you knows where the object ends: without \
--length, a missing last part is not noticed.

Examples:
  wegman combine -k KEY --length 2048G one.segment two.segment
  wegman combine -k KEY --as disk.img *.segment > m && wegman check -k KEY m

Exit codes: 0 combined; 1 a line is damaged or forged; 2 segments do not fit together, or a usage, file or \
key error (also if a line's key id is another, damaged or not); 130 interrupted.";

const BENCH: &str = "\
Each row has the median over many short blocks of messages, and their spread: the interquartile range \
divided by the median. Cycles are those of the core, whatever its clock: each block stands between \
two chains of additions that take one cycle each. Every tag of a timed block goes into a sum that must \
be that of the portable code.

Modes: single, one message a call, and no call waits for another; latency, the address of each message \
depends on the tag before; batch, 32 messages a call (16 where 32 would not fit into the cache), the \
figures being of one of them. Messages begin at multiples of 64 bytes, keys are prepared, each message \
has its own nonce.

Exit codes: 0 measured; 1 a timed tag was wrong; 2 usage error; 130 interrupted.";

const BOUNDS: &str = "\
The probability that any of the attempts to forge succeeds is at most the sum of the terms, and the advantages \
of attacks on the cipher or hash inside, which are named and not known as numbers. All numbers are upper \
bounds: rounded up; what is allowed is rounded down. docs/bounds.md explains the terms.

With several names, or none for all algorithms: a table of the sums.

Numbers are decimal, with K, M, G or T for powers of 1024, or powers of two: 1500, 64K, 2^40.

Examples:
  wegman bounds UMAC-64 --messages 2^40 --attempts 2^20
  wegman bounds PMAC-AES128 --messages 1000000 --message-bytes 1M --until 2^-32

Exit codes: 0 answered, also where there is no bound; 2 usage error; 130 interrupted.";

const VECTORS: &str = "\
What is of an algorithm that this build does not have is skipped, counted and named. A file of which nothing \
can be run is a failure.

Exit codes: 0 all good; 1 something failed verification; 2 usage, file or key error (the other files \
are still done); 130 interrupted.";

const ALGORITHMS: &str = "\
First the MACs, whose names `wegman keygen`, `mac`, `bounds` and `bench` take, then the families and building blocks, \
which the library has under the names given.

Status: recommended, for new designs; interop, sound, here because others speak it; experimental, ours and not \
reviewed; historical, to reproduce a paper; comparator, what the papers measure against.

Bounds are on the probability that any of v forgery attempts succeeds, to which the advantages of attacks on the \
cipher or hash inside are added. `wegman bounds NAME` puts in numbers.

Exit codes: 0 all good; 2 usage error; 130 interrupted.";

/// Tags files with a secret key and checks that they are unchanged, fast and with a proof.
#[derive(Parser)]
#[command(name = "wegman", version, after_help = EXIT_CODES, propagate_version = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Make a key file
    #[command(after_help = EXIT_CODES)]
    Keygen(Keygen),
    /// Tag files; prints a sealed manifest
    #[command(after_help = EXIT_CODES)]
    Tag(Tag),
    /// Check the files a manifest names
    #[command(after_help = EXIT_CODES)]
    Check(Check),
    /// Compare a directory with its manifest: new, missing, changed, moved files
    #[command(after_help = EXIT_CODES)]
    Audit(Audit),
    /// Write bytes into a file and update its manifest, without reading the rest of the file
    #[command(after_help = EDIT)]
    Edit(Edit),
    /// Write bytes after a file's end and update its manifest
    #[command(after_help = EDIT)]
    Append(Append),
    /// Cut a file to its first bytes and update its manifest
    #[command(after_help = EDIT)]
    Truncate(Truncate),
    /// Complete an edit that was interrupted
    #[command(after_help = FINISH)]
    Finish(Finish),
    /// Sum a part of an object, to be combined with its other parts
    #[command(after_help = SEGMENT)]
    Segment(Segment),
    /// Make an object's tag of the segments of its parts
    #[command(after_help = COMBINE)]
    Combine(Combine),
    /// Compute one raw MAC under a key given in hexadecimal
    #[command(after_help = EXIT_CODES)]
    Mac(Mac),
    /// Run known-answer files on every kernel of this machine
    #[command(after_help = VECTORS)]
    Vectors(Vectors),
    /// List the algorithms, their bounds and sources
    #[command(after_help = ALGORITHMS)]
    Algorithms(Algorithms),
    /// Compute how likely a forgery is at most, and when to change the key
    #[command(after_help = BOUNDS)]
    Bounds(Bounds),
    /// Measure the algorithms on this machine
    #[command(after_help = BENCH)]
    Bench(Bench),
    /// Print a completion script for a shell
    Completions {
        /// The shell to complete for
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a directory
    Man {
        /// Where the pages go
        directory: PathBuf,
    },
}

#[derive(ClapArgs)]
pub struct Keygen {
    /// The key file to make; never overwritten
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The algorithm the key is for, as `wegman algorithms` lists them
    #[arg(short, long, value_name = "NAME", default_value = "PMAC-AES128")]
    pub algorithm: String,
    /// Tag length in bits; the algorithm's longest if not given
    #[arg(long, value_name = "N")]
    pub tag_bits: Option<usize>,
}

/// Which key to use.
#[derive(ClapArgs)]
pub struct KeyArgs {
    /// The key file made by `wegman keygen`
    #[arg(short, long, value_name = "KEY")]
    pub key: PathBuf,
    #[command(flatten)]
    pub permissions: Permissions,
}

#[derive(ClapArgs)]
pub struct Permissions {
    /// Use the key file even if others than its owner may access it
    #[arg(long)]
    pub insecure_permissions: bool,
}

/// How to read files.
#[derive(ClapArgs)]
pub struct ReadArgs {
    /// Follow symbolic links
    #[arg(short = 'L', long)]
    pub follow_symlinks: bool,
    #[command(flatten)]
    pub speed: Speed,
    /// Print JSON lines for programs
    #[arg(long)]
    pub json: bool,
    /// Show no progress bar
    #[arg(long)]
    pub no_progress: bool,
}

/// How many threads read, and in which way.
#[derive(ClapArgs)]
pub struct Speed {
    /// How many threads to use, on several files or on parts of a big one; one for each core if not given
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Map files of 4 MiB and more into memory instead of reading them. Only for files nobody changes
    /// meanwhile: one that is cut short ends the program (SIGBUS)
    #[arg(long)]
    pub mmap: bool,
}

/// All there is to know for reading a file.
#[derive(Clone, Copy)]
pub struct How {
    pub threads: Option<u16>,
    pub mmap: bool,
    pub follow_symlinks: bool,
}

impl Speed {
    pub fn how(&self, follow_symlinks: bool) -> How {
        How { threads: self.threads, mmap: self.mmap, follow_symlinks }
    }
}

impl ReadArgs {
    pub fn how(&self) -> How {
        self.speed.how(self.follow_symlinks)
    }
}

#[derive(ClapArgs)]
pub struct Tag {
    #[command(flatten)]
    pub key: KeyArgs,
    /// Tag directories with all they hold
    #[arg(short, long)]
    pub recursive: bool,
    /// Write the manifest here instead of to standard output. A manifest that is there is replaced when this one is
    /// complete; any other file is not
    #[arg(short, long, value_name = "MANIFEST")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub read: ReadArgs,
    /// No summary on standard error
    #[arg(long)]
    pub quiet: bool,
    /// Files and directories; `-` or nothing is standard input
    #[arg(value_name = "FILE|DIR|-")]
    pub paths: Vec<OsString>,
}

#[derive(ClapArgs)]
pub struct Check {
    #[command(flatten)]
    pub key: KeyArgs,
    /// The manifest `wegman tag` made; `-` is standard input
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// Print no line for files that are good
    #[arg(long)]
    pub quiet: bool,
    /// Print nothing; the exit code tells
    #[arg(long)]
    pub status: bool,
    /// Pass over files that are missing
    #[arg(long)]
    pub ignore_missing: bool,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(ClapArgs)]
pub struct Audit {
    #[command(flatten)]
    pub key: KeyArgs,
    /// The directory to compare, named as it was for `wegman tag`
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// The manifest `wegman tag` made
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    #[command(flatten)]
    pub read: ReadArgs,
}

/// What to edit.
#[derive(ClapArgs)]
pub struct EditArgs {
    #[command(flatten)]
    pub key: KeyArgs,
    /// The manifest that has the file; it gets the new tag
    #[arg(short, long, value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// Read the whole file, and leave it as it is if it is not what its tag says
    #[arg(long)]
    pub verify: bool,
    #[command(flatten)]
    pub read: ReadArgs,
    /// Say nothing of an edit that is done
    #[arg(long)]
    pub quiet: bool,
    /// The file, named as it is in the manifest
    #[arg(value_name = "FILE")]
    pub file: OsString,
}

#[derive(ClapArgs)]
pub struct Edit {
    #[command(flatten)]
    pub edit: EditArgs,
    /// Where the bytes from standard input go, counted from 0; K, M, G and T stand for powers of 1024. They may
    /// run over the file's end, but not begin after it
    #[arg(long, value_name = "OFFSET", value_parser = bytes)]
    pub at: u64,
}

#[derive(ClapArgs)]
pub struct Append {
    #[command(flatten)]
    pub edit: EditArgs,
}

#[derive(ClapArgs)]
pub struct Truncate {
    #[command(flatten)]
    pub edit: EditArgs,
    /// How many bytes stay; K, M, G and T stand for powers of 1024. What is cut off is read once
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub size: u64,
}

#[derive(ClapArgs)]
pub struct Finish {
    #[command(flatten)]
    pub key: KeyArgs,
    /// The manifest whose edit was interrupted
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// Then read the whole file: exit code 1 if it is not what its new tag says
    #[arg(long)]
    pub verify: bool,
    /// Say nothing of an edit that is completed
    #[arg(long)]
    pub quiet: bool,
    /// Follow symbolic links
    #[arg(short = 'L', long)]
    pub follow_symlinks: bool,
    /// Print JSON lines for programs
    #[arg(long)]
    pub json: bool,
    /// Show no progress bar
    #[arg(long)]
    pub no_progress: bool,
}

#[derive(ClapArgs)]
pub struct Segment {
    #[command(flatten)]
    pub key: KeyArgs,
    /// How many of the cipher's blocks, 16 bytes for AES, come before this part of the object; 0 if neither this nor --offset is
    /// given
    #[arg(long, value_name = "BLOCK", conflicts_with = "offset")]
    pub start: Option<u64>,
    /// How many bytes come before this part of the object, a multiple of the block; K, M, G and T stand for powers of
    /// 1024
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub offset: Option<u64>,
    /// FILE is the whole object: read so many bytes of it, from --offset or --start on. Without this, FILE is the part
    /// itself and read from its beginning; K, M, G and T stand for powers of 1024
    #[arg(long, value_name = "BYTES", value_parser = bytes, requires = "file")]
    pub length: Option<u64>,
    /// Write the segment to this new file, which only you can read, instead of to standard output
    #[arg(short, long, value_name = "SEGMENT")]
    pub output: Option<PathBuf>,
    /// Follow symbolic links
    #[arg(short = 'L', long)]
    pub follow_symlinks: bool,
    #[command(flatten)]
    pub speed: Speed,
    /// Show no progress bar
    #[arg(long)]
    pub no_progress: bool,
    /// The part or, with --length, the object; `-` or nothing is standard input
    #[arg(value_name = "FILE")]
    pub file: Option<OsString>,
}

#[derive(ClapArgs)]
pub struct Combine {
    #[command(flatten)]
    pub key: KeyArgs,
    /// Insist that the object has so many bytes; K, M, G and T stand for powers of 1024
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub length: Option<u64>,
    /// Print a sealed manifest that has the object under this name, instead of its tag
    #[arg(long = "as", value_name = "NAME")]
    pub name: Option<OsString>,
    /// Print a line of JSON instead: tag, bytes and number of segments
    #[arg(long, conflicts_with = "name")]
    pub json: bool,
    /// Files with segments; `-` is standard input
    #[arg(value_name = "SEGMENT", required = true)]
    pub segments: Vec<PathBuf>,
}

/// A number of bytes, or a place.
fn bytes(text: &str) -> Result<u64, String> {
    let (digits, unit) = unit(text);
    let number = decimal(digits).and_then(|number: u64| number.checked_mul(unit));
    number.ok_or_else(|| "it should be a number of bytes, as 1500 or 64K".to_owned())
}

/// What stands before the letter for a power of 1024, and that power.
fn unit(text: &str) -> (&str, u64) {
    match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 1 << 20),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 1 << 30),
        Some(b'T' | b't') => (&text[..text.len() - 1], 1 << 40),
        _ => (text, 1),
    }
}

/// A number of digits and nothing else.
fn decimal<N: FromStr>(digits: &str) -> Option<N> {
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

#[derive(ClapArgs)]
pub struct Mac {
    /// The algorithm, as `wegman algorithms` lists them
    #[arg(value_name = "NAME")]
    pub name: String,
    /// A file with the key in hexadecimal; `-` is standard input
    #[arg(long, value_name = "F")]
    pub key_hex_file: PathBuf,
    #[command(flatten)]
    pub permissions: Permissions,
    /// The nonce in hexadecimal, for algorithms that take one; `wegman algorithms` says how many bytes it has
    #[arg(long, value_name = "HEX")]
    pub nonce: Option<String>,
    /// Tag length in bits; the algorithm's longest if not given
    #[arg(long, value_name = "N")]
    pub tag_bits: Option<usize>,
    #[command(flatten)]
    pub speed: Speed,
    /// The message; `-` or nothing is standard input
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
}

#[derive(ClapArgs)]
pub struct Vectors {
    /// Print one JSON object instead: files, each with its kernels and failures, and total
    #[arg(long)]
    pub json: bool,
    /// Known-answer files
    #[arg(value_name = "FILE.json", required = true)]
    pub files: Vec<PathBuf>,
}

#[derive(ClapArgs)]
pub struct Algorithms {
    /// Print one JSON array; the MACs that other commands take are those of kind MAC
    #[arg(long)]
    pub json: bool,
    /// Only these: algorithms, families and building blocks [all of them, if none is named]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
}

#[derive(ClapArgs)]
pub struct Bounds {
    /// The algorithm, as `wegman algorithms` lists them; of several, or of all if none is given, a table
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// How many messages are tagged with one key
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count, default_value = "2^32")]
    pub messages: u128,
    /// How many bytes each message has at most; 1 KiB if no length is given
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = length)]
    #[arg(conflicts_with_all = ["bytes", "blocks"])]
    pub message_bytes: Option<u128>,
    /// Instead, how many bytes all messages have together, each about as many
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, conflicts_with = "blocks")]
    pub bytes: Option<u128>,
    /// The same in blocks of 16 bytes
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub blocks: Option<u128>,
    /// How many forgeries somebody may try before the key is changed
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count, default_value = "1")]
    pub attempts: u128,
    /// Tag length in bits; the algorithm's longest if not given
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "names")]
    pub tag_bits: Option<usize>,
    /// How likely a forgery may become before the key is changed, as 2^-40
    #[arg(long, value_name = "2^-N", value_parser = limit, default_value = "2^-40")]
    pub until: Probability,
    /// Print JSON: an object for one name, else an array of them. Numbers of messages, bytes and attempts are strings
    #[arg(long)]
    pub json: bool,
}

/// A number of messages, attempts, or bytes of all messages.
fn count(text: &str) -> Result<u128, String> {
    number(text)
        .filter(|&number| number > 0)
        .ok_or_else(|| "it should be a number from 1 to 2^128 - 1, as 1500, 64K or 2^40".to_owned())
}

/// The bytes of one message, which may be empty.
fn length(text: &str) -> Result<u128, String> {
    number(text)
        .ok_or_else(|| "it should be a number from 0 to 2^128 - 1, as 1500, 64K or 2^20".to_owned())
}

fn number(text: &str) -> Option<u128> {
    match text.strip_prefix("2^") {
        Some(exponent) => decimal(exponent).and_then(|exponent| 1_u128.checked_shl(exponent)),
        None => {
            let (digits, unit) = unit(text);
            decimal(digits).and_then(|number: u128| number.checked_mul(unit.into()))
        }
    }
}

/// A probability.
fn limit(text: &str) -> Result<Probability, String> {
    let exponent = text.strip_prefix("2^-").and_then(decimal).filter(|&exponent| exponent <= 512);
    exponent
        .map(Probability::half_to)
        .ok_or_else(|| "it should be a power of two from 2^-0 to 2^-512, as 2^-40".to_owned())
}

#[derive(ClapArgs)]
pub struct Bench {
    /// The algorithms, as `wegman algorithms` lists them; the recommended ones if none is given
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Message lengths in bytes, 1 to 1G (in mode batch to 16M), separated by commas; K, M and G stand
    /// for powers of 1024
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = messages::length)]
    #[arg(default_value = "16,43,64,256,576,1500,4096,65536,262144")]
    pub lengths: Vec<usize>,
    /// How messages follow each other; several separated by commas
    #[arg(long, value_name = "MODE", value_delimiter = ',', value_parser = modes())]
    #[arg(default_value = "single")]
    pub mode: Vec<Mode>,
    /// The row of kernels to use, as portable, sse2, avx2, avx512 or neon; the best one if not given
    #[arg(long, value_name = "ROW")]
    pub cpu: Option<String>,
    /// Print one JSON object: cpu, clock (GHz) and results
    #[arg(long)]
    pub json: bool,
    /// Measure for a tenth of the time
    #[arg(long)]
    pub quick: bool,
}

/// The modes by name, listed in the help.
fn modes() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(Mode::ALL.map(Mode::name)).try_map(|name| name.parse::<Mode>())
}
