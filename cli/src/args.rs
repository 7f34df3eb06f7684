//! What may stand on the command line.

mod help;
mod numbers;

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use wegman_catalogue::Status;
use wegman_catalogue::bounds::Probability;
use wegman_files::stored::keyfile;
use wegman_formats::keyfile::KeyFile;
use wegman_formats::names::shown;
use wegman_timing::messages::{self, Mode, Size};

/// Tags files with a secret key and checks that they are unchanged, fast and with bounds on forgeries.
#[derive(Parser)]
#[command(name = "wegman", version, after_help = help::EXIT_CODES, propagate_version = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
    /// Go to this directory first: all other names are relative to it
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true)]
    pub go_to: Option<PathBuf>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Make a key file
    #[command(after_help = help::EXIT_CODES)]
    Keygen(Keygen),
    /// Tag files; prints a sealed manifest
    #[command(after_help = help::EXIT_CODES)]
    Tag(Tag),
    /// Check the files a manifest names
    #[command(after_help = help::EXIT_CODES)]
    Check(Check),
    /// Compare a directory with its manifest: new, missing, changed, moved files
    #[command(after_help = help::EXIT_CODES)]
    Audit(Audit),
    /// Write bytes into a file and update its manifest, without reading the rest of the file
    #[command(after_help = help::EDIT)]
    Edit(Edit),
    /// Write bytes after a file's end and update its manifest
    #[command(after_help = help::EDIT)]
    Append(Append),
    /// Cut off the end of a file and update its manifest
    #[command(after_help = help::EDIT)]
    Truncate(Truncate),
    /// Complete an edit that was interrupted
    #[command(after_help = help::FINISH)]
    Finish(Finish),
    /// Sum a part of an object, to combine with its other parts
    #[command(after_help = help::SEGMENT)]
    Segment(Segment),
    /// Compute an object's tag from the segments of its parts
    #[command(after_help = help::COMBINE)]
    Combine(Combine),
    /// Compute one raw MAC under a key given in hexadecimal
    #[command(after_help = help::EXIT_CODES)]
    Mac(Mac),
    /// Run known-answer files on every kernel of this machine
    #[command(after_help = help::VECTORS)]
    Vectors(Vectors),
    /// List the algorithms, their bounds and sources
    #[command(after_help = help::ALGORITHMS)]
    Algorithms(Algorithms),
    /// Compute how likely a forgery is at most, and when to change the key
    #[command(after_help = help::BOUNDS)]
    Bounds(Bounds),
    /// Measure the algorithms on this machine
    #[command(after_help = help::BENCH)]
    Bench(Bench),
    /// Tag and check the objects of a store, on this machine or on many: the Python package's `wegman-cluster`
    #[command(after_help = help::CLUSTER, disable_help_flag = true)]
    Cluster {
        /// What `wegman-cluster --help` says
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<OsString>,
    },
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
    #[arg(value_name = "KEY", required_unless_present = "output", conflicts_with = "output")]
    pub key: Option<PathBuf>,
    /// The same as KEY
    #[arg(short, long, value_name = "KEY")]
    pub output: Option<PathBuf>,
    /// The algorithm the key is for, as `wegman algorithms` lists them
    #[arg(short, long, value_name = "NAME", default_value = "PMAC-AES128")]
    pub algorithm: String,
    /// Tag length in bits; by default, the algorithm's longest
    #[arg(long, value_name = "N")]
    pub tag_bits: Option<usize>,
}

impl Keygen {
    /// The key file to make.
    pub fn place(&self) -> &Path {
        let place = self.key.as_ref().or(self.output.as_ref());
        place.expect("one of both is required")
    }
}

/// Which key to use.
#[derive(ClapArgs)]
pub struct KeyArgs {
    /// The key file made by `wegman keygen`. Without this option, the variable WEGMAN_KEY names the file
    #[arg(short, long, value_name = "KEY", env = "WEGMAN_KEY", hide_env_values = true)]
    pub key: PathBuf,
    #[command(flatten)]
    pub permissions: Permissions,
}

impl KeyArgs {
    /// Reads the key file.
    pub fn load(&self) -> Result<KeyFile> {
        keyfile::open(&self.key, self.permissions.insecure_permissions)
    }

    /// The command that completes an edit, for a shell.
    pub fn how_to_finish(&self, follow_symlinks: bool, manifest: &Path) -> String {
        let insecure = self.permissions.insecure_permissions;
        format!(
            "`wegman finish -k {}{}{} {}`",
            quoted(&self.key),
            if insecure { " --insecure-permissions" } else { "" },
            if follow_symlinks { " -L" } else { "" },
            quoted(manifest)
        )
    }
}

/// A path as one word of a shell, and not as an option.
fn quoted(path: &Path) -> String {
    let word = shown(path.as_os_str());
    let word = if word.starts_with('-') { format!("./{word}") } else { word };
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,@%".contains(c);
    if word.chars().all(is_plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[derive(ClapArgs)]
pub struct Permissions {
    /// Use the key file even if other users may access it
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
    /// How many threads to use, on several files or on parts of a big one; by default, one per core. No more than eight
    /// per core are started
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Map files of 4 MiB and more into memory instead of reading them. Only for files that nobody changes
    /// meanwhile: if one is cut short, the program ends (SIGBUS)
    #[arg(long)]
    pub mmap: bool,
}

/// Everything a reader needs to know.
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
    /// Whether somebody sees a progress bar.
    pub fn shows_progress(&self) -> bool {
        !self.no_progress && std::io::stderr().is_terminal()
    }

    pub fn how(&self) -> How {
        self.speed.how(self.follow_symlinks)
    }
}

#[derive(ClapArgs)]
pub struct Tag {
    #[command(flatten)]
    pub key: KeyArgs,
    /// Bring this manifest up to date instead: refresh what was changed, add what is new, remove what is gone, below the
    /// paths given or in all that it names; says what it changed
    #[arg(long, value_name = "MANIFEST", conflicts_with = "output")]
    pub update: Option<PathBuf>,
    /// Replace the manifest at -o even if files that it names have changed or are missing, or this key can't read it
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Record permissions, owners and targets of links, too, for `audit --mode`
    #[arg(long)]
    pub mode: bool,
    #[command(flatten)]
    pub choice: Choice,
    /// Tag directories with everything in them
    #[arg(short, long)]
    pub recursive: bool,
    /// Write the manifest here instead of to standard output. An existing manifest is replaced once this one is
    /// complete; any other file is not
    #[arg(short, long, value_name = "MANIFEST")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub read: ReadArgs,
    /// Say nothing if all is good
    #[arg(short, long)]
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
    /// Only these files, and what is in these directories, named as in the manifest; or further manifests
    #[arg(value_name = "FILE|DIR|MANIFEST")]
    pub others: Vec<PathBuf>,
    #[command(flatten)]
    pub voice: VoiceArgs,
    #[command(flatten)]
    pub version: VersionArgs,
    /// Ignore files that are missing
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
    /// Compare permissions, owners and targets of links, too; needs a manifest made with `tag --mode`
    #[arg(long)]
    pub mode: bool,
    /// After the report, bring the manifest up to date with the directory as it is
    #[arg(long)]
    pub accept: bool,
    /// Leave out what matches, as in a `.gitignore` at the top of the tree; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    #[command(flatten)]
    pub voice: VoiceArgs,
    #[command(flatten)]
    pub version: VersionArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

/// Which files, besides those on the command line.
#[derive(ClapArgs)]
pub struct Choice {
    /// Read the names of files and directories from here, one a line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// The names in --files-from end with zero bytes instead of newlines
    #[arg(short = '0', long = "null", requires = "files_from")]
    pub null: bool,
    /// Leave out what matches, as in a `.gitignore` in each DIR; may be given several times. `.wegmanignore` files in
    /// the directories add patterns. Files that are named are not left out
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
}

/// How much a command says.
#[derive(ClapArgs)]
pub struct VoiceArgs {
    /// Say nothing if all is good, and otherwise only what is not
    #[arg(short, long)]
    pub quiet: bool,
    /// Print nothing; the exit code tells
    #[arg(long)]
    pub status: bool,
}

/// Which version of a manifest.
#[derive(ClapArgs)]
pub struct VersionArgs {
    /// Refuse a manifest with a smaller serial number: somebody put an old one back
    #[arg(long, value_name = "SERIAL")]
    pub at_least: Option<u64>,
}

/// What to edit.
#[derive(ClapArgs)]
pub struct EditArgs {
    #[command(flatten)]
    pub key: KeyArgs,
    /// The manifest that has the file; it gets the new tag
    #[arg(short, long, value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// Read the whole file, and leave it as it is if it does not match its tag
    #[arg(long)]
    pub verify: bool,
    #[command(flatten)]
    pub read: ReadArgs,
    /// Say nothing when the edit is done
    #[arg(short, long)]
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
    /// extend beyond the file's end, but not begin after it
    #[arg(long, value_name = "OFFSET", value_parser = numbers::bytes)]
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
    /// How many bytes stay; K, M, G and T stand for powers of 1024. What is cut off is read once,
    /// unless nothing stays
    #[arg(long, value_name = "BYTES", value_parser = numbers::bytes)]
    pub size: u64,
}

#[derive(ClapArgs)]
pub struct Finish {
    #[command(flatten)]
    pub key: KeyArgs,
    /// The manifest whose edit was interrupted
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// Afterwards, read the whole file: exit code 1 if it does not match its new tag
    #[arg(long)]
    pub verify: bool,
    /// Say nothing when the edit is complete
    #[arg(short, long)]
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
    /// How many of the cipher's blocks, 16 bytes for AES, come before this part of the object; by default 0
    #[arg(long, value_name = "BLOCK", conflicts_with = "offset")]
    pub start: Option<u64>,
    /// How many bytes come before this part of the object, a multiple of the block; K, M, G and T stand for powers of
    /// 1024
    #[arg(long, value_name = "BYTES", value_parser = numbers::bytes)]
    pub offset: Option<u64>,
    /// FILE is the whole object: read this many bytes of it, starting at --offset or --start. Without this, FILE is the
    /// part itself and is read from its beginning; K, M, G and T stand for powers of 1024
    #[arg(long, value_name = "BYTES", value_parser = numbers::bytes, requires = "file")]
    pub length: Option<u64>,
    /// What this is a part of, and which version of it: `wegman combine` puts only parts with the same ID together
    #[arg(long, value_name = "ID")]
    pub object: Option<OsString>,
    /// How many bytes the whole object has; with --length, those of FILE. K, M, G and T stand for powers of 1024
    #[arg(long, value_name = "BYTES", value_parser = numbers::bytes)]
    pub size: Option<u64>,
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
    /// Require the segments to be parts of the object ID, as `wegman segment --object ID` says
    #[arg(long, value_name = "ID")]
    pub object: Option<OsString>,
    /// Require the object to have this many bytes; K, M, G and T stand for powers of 1024
    #[arg(long, value_name = "BYTES", value_parser = numbers::bytes)]
    pub length: Option<u64>,
    /// Print a sealed manifest that has the object under this name, instead of its tag
    #[arg(long = "as", value_name = "NAME")]
    pub name: Option<OsString>,
    /// Print a line of JSON instead: tag, bytes and number of segments, and what these say of the object
    #[arg(long, conflicts_with = "name")]
    pub json: bool,
    /// Files with segments; `-` is standard input
    #[arg(value_name = "SEGMENT", required = true)]
    pub segments: Vec<PathBuf>,
}

#[derive(ClapArgs)]
pub struct Mac {
    /// The algorithm, as `wegman algorithms` lists them
    #[arg(value_name = "NAME")]
    pub name: String,
    /// A file with the key in hexadecimal; `-` is standard input. Spaces, tabs, line ends and colons may stand between
    /// bytes, and 0x before them
    #[arg(long, value_name = "F")]
    pub key_hex_file: PathBuf,
    #[command(flatten)]
    pub permissions: Permissions,
    /// The nonce in hexadecimal, for algorithms that take one; `wegman algorithms` says how many bytes it has
    #[arg(long, value_name = "HEX")]
    pub nonce: Option<String>,
    /// Tag length in bits; by default, the algorithm's longest
    #[arg(long, value_name = "N")]
    pub tag_bits: Option<usize>,
    /// Print the tag's bytes, without a line end, instead of hexadecimal
    #[arg(long)]
    pub raw: bool,
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
    /// All of them, families and building blocks too; by default, those that are recommended or used by others
    #[arg(long, conflicts_with_all = ["status", "names"])]
    pub all: bool,
    /// Only those of this status
    #[arg(long, value_name = "STATUS", value_parser = status())]
    pub status: Option<Status>,
    /// Print one JSON array, of all or of those chosen; the entries of kind MAC are those that other commands take
    #[arg(long)]
    pub json: bool,
    /// Everything about this one; the beginning of several names lists these
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
}

#[derive(ClapArgs)]
pub struct Bounds {
    /// The algorithm, as `wegman algorithms` lists them; several, or none for all, give a table
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// How many messages are tagged with one key
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::count, default_value = "2^32")]
    pub messages: u128,
    /// How many bytes each message has at most; by default, 1 KiB
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::length)]
    #[arg(conflicts_with_all = ["bytes", "blocks"])]
    pub message_bytes: Option<u128>,
    /// Instead, how many bytes all messages have together, if their lengths are about the same
    #[arg(long, value_name = "N", value_parser = numbers::count, allow_negative_numbers = true, conflicts_with = "blocks")]
    pub bytes: Option<u128>,
    /// The same in blocks of 16 bytes
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::count)]
    pub blocks: Option<u128>,
    /// How many forgeries somebody may try before the key is changed
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::count, default_value = "1")]
    pub attempts: u128,
    /// Tag length in bits; by default, the algorithm's longest
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "names")]
    pub tag_bits: Option<usize>,
    /// How likely a forgery may become before the key is changed, such as 2^-40
    #[arg(long, value_name = "2^-N", value_parser = numbers::limit, default_value = "2^-40")]
    pub until: Probability,
    /// Print JSON: an object for one name, otherwise an array of them. Numbers of messages, bytes and attempts are strings
    #[arg(long)]
    pub json: bool,
}

#[derive(ClapArgs)]
pub struct Bench {
    /// The algorithms, as `wegman algorithms` lists them; by default, the recommended ones
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Message lengths in bytes, 1 to 1G (in mode batch to 16M), separated by commas; K, M and G stand
    /// for powers of 1024. Mixes: uniform (1 to 64 bytes at random), imix (of packets)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = messages::size)]
    #[arg(default_value = "16,43,64,256,576,1500,4096,65536,262144")]
    pub lengths: Vec<Size>,
    /// How messages follow each other; separate several by commas
    #[arg(long, value_name = "MODE", value_delimiter = ',', value_parser = modes())]
    #[arg(default_value = "single")]
    pub mode: Vec<Mode>,
    /// How many messages a batch has, 1 to 1024, in mode batch; by default 32, or 16 if they are long
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = messages::batch)]
    pub batch: Option<usize>,
    /// The rows of kernels to use, separated by commas, or `all`; by default, the best one of each algorithm. A name
    /// that is no row prints those of this machine
    #[arg(long, value_name = "ROW", value_delimiter = ',')]
    pub cpu: Vec<String>,
    /// Print one JSON object: cpu, clock (GHz) and results
    #[arg(long)]
    pub json: bool,
    /// Measure for a tenth of the time
    #[arg(long)]
    pub quick: bool,
}

/// The statuses by name, listed in the help.
fn status() -> impl TypedValueParser<Value = Status> {
    PossibleValuesParser::new(Status::ALL.map(Status::name)).map(|name| {
        let named = Status::ALL.into_iter().find(|status| status.name() == name);
        named.expect("one of the possible values")
    })
}

/// The modes by name, listed in the help.
fn modes() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(Mode::ALL.map(Mode::name)).try_map(|name| name.parse::<Mode>())
}
