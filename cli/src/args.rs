//! What may stand on the command line.

mod help;
mod numbers;

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use wegman_catalogue::Status;
use wegman_catalogue::bounds::Probability;
use wegman_files::stored::keyfile;
use wegman_formats::keyfile::KeyFile;
use wegman_formats::names::shown;

/// Tags files with a secret key and checks later that they are unchanged, fast and with bounds on forgeries.
#[derive(Parser)]
#[command(name = "wegman", version, after_help = help::EXIT_CODES, propagate_version = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
    /// Change to this directory first; all other names, also the key file's, are relative to it
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
    /// Write standard input into a file and update its manifest without reading the rest of the file
    #[command(after_help = help::EDIT)]
    Edit(Edit),
    /// Append standard input to a file and update its manifest
    #[command(after_help = help::EDIT)]
    Append(EditArgs),
    /// Cut off the end of a file and update its manifest
    #[command(after_help = help::EDIT)]
    Truncate(Truncate),
    /// Complete an edit that was interrupted
    #[command(after_help = help::FINISH)]
    Finish(Finish),
    /// Sum a part of an object, to combine with the other parts
    #[command(after_help = help::SEGMENT)]
    Segment(Segment),
    /// Compute an object's tag from its segments
    #[command(after_help = help::COMBINE)]
    Combine(Combine),
    /// Compute one raw MAC under a key given in hexadecimal
    #[command(after_help = help::EXIT_CODES)]
    Mac(Mac),
    /// List the algorithms, their bounds and sources
    #[command(after_help = help::ALGORITHMS)]
    Algorithms(Algorithms),
    /// Compute the highest probability of a forgery, and when to change the key
    #[command(after_help = help::BOUNDS)]
    Bounds(Bounds),
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
        /// The directory for the pages
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
    /// The key's algorithm, as `wegman algorithms` lists it
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

/// Where -C led: what a command advises starts there, too.
pub static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();

/// Which key to use.
#[derive(ClapArgs)]
pub struct KeyArgs {
    /// The key file made by `wegman keygen`. Without this option, the variable WEGMAN_KEY names the file
    #[arg(short, long, value_name = "KEY", env = "WEGMAN_KEY", hide_env_values = true)]
    pub key: PathBuf,
    /// Use the key file even if other users may access it
    #[arg(long)]
    pub insecure_permissions: bool,
}

impl KeyArgs {
    /// Reads the key file.
    pub fn load(&self) -> Result<KeyFile> {
        keyfile::open(&self.key, self.insecure_permissions)
    }

    /// The command that completes an edit, for a shell.
    pub fn how_to_finish(&self, follow_symlinks: bool, manifest: &Path) -> String {
        let directory = DIRECTORY.get().map(|directory| format!(" -C {}", quoted(directory)));
        format!(
            "`wegman finish{} -k {}{}{} {}`",
            directory.unwrap_or_default(),
            quoted(&self.key),
            if self.insecure_permissions { " --insecure-permissions" } else { "" },
            if follow_symlinks { " -L" } else { "" },
            quoted(manifest)
        )
    }
}

/// A path as one word of a shell, and not as an option.
fn quoted(path: &Path) -> String {
    let word = shown(path);
    let word = if word.starts_with('-') { format!("./{word}") } else { word };
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,@%".contains(c);
    if word.chars().all(is_plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
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
#[derive(Clone, Copy, ClapArgs)]
pub struct Speed {
    /// How many threads to use, on several files or on parts of a big one; by default one per core, at most eight per core
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Map files of 4 MiB and more into memory instead of reading them. Use it only for files that nobody changes
    /// meanwhile: if one is truncated, the program ends (SIGBUS)
    #[arg(long)]
    pub mmap: bool,
}

impl ReadArgs {
    /// Whether somebody sees a progress bar.
    pub fn shows_progress(&self) -> bool {
        !self.no_progress && std::io::stderr().is_terminal()
    }
}

#[derive(ClapArgs)]
pub struct Tag {
    #[command(flatten)]
    pub key: KeyArgs,
    /// Update this manifest, for the given paths or else all of it: refresh changed files, add new ones, remove
    /// missing ones, and say which
    #[arg(long, value_name = "MANIFEST", conflicts_with = "output")]
    pub update: Option<PathBuf>,
    /// Replace the manifest at -o even if its files have changed, are missing or can't be read, or if this key can't read it
    #[arg(long, requires = "output", conflicts_with = "update")]
    pub force: bool,
    /// Also record permissions, owners and link targets, for `audit --mode`
    #[arg(long)]
    pub mode: bool,
    /// Read names of files and directories from this file, one a line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// Names in --files-from end with zero bytes instead of newlines
    #[arg(short = '0', long = "null", requires = "files_from")]
    pub null: bool,
    /// Leave out names that match, as in a `.gitignore` in each DIR; may be given several times. `.wegmanignore` files
    /// in the directories add patterns. Files named on the command line are never left out
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Tag directories with everything in them
    #[arg(short, long)]
    pub recursive: bool,
    /// Write the manifest here instead of to standard output. It replaces an existing manifest once it is complete, but
    /// no other file
    #[arg(short, long, value_name = "MANIFEST")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub read: ReadArgs,
    /// Print nothing if all is good
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
    /// Check only these files and directories, named as in the manifest; or further manifests
    #[arg(value_name = "FILE|DIR|MANIFEST")]
    pub others: Vec<PathBuf>,
    #[command(flatten)]
    pub voice: VoiceArgs,
    /// Refuse a manifest with a smaller serial number, which someone put back
    #[arg(long, value_name = "SERIAL", value_parser = numbers::serial)]
    pub at_least: Option<u64>,
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
    /// Also compare permissions, owners and link targets; needs a manifest made with `tag --mode`
    #[arg(long)]
    pub mode: bool,
    /// After the report, update the manifest to the directory's present state
    #[arg(long)]
    pub accept: bool,
    /// Leave out names that match, as in a `.gitignore` at the top of the tree; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    #[command(flatten)]
    pub voice: VoiceArgs,
    /// Refuse a manifest with a smaller serial number, which someone put back
    #[arg(long, value_name = "SERIAL", value_parser = numbers::serial)]
    pub at_least: Option<u64>,
    #[command(flatten)]
    pub read: ReadArgs,
}

/// How much a command says.
#[derive(ClapArgs)]
pub struct VoiceArgs {
    /// Print only what is not good
    #[arg(short, long)]
    pub quiet: bool,
    /// Print nothing; the exit code tells
    #[arg(long)]
    pub status: bool,
}

/// What to edit.
#[derive(ClapArgs)]
pub struct EditArgs {
    #[command(flatten)]
    pub key: KeyArgs,
    /// The manifest that names the file; it gets the new tag
    #[arg(short, long, value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// Read the whole file first, and refuse the edit if the file does not match its tag
    #[arg(long)]
    pub verify: bool,
    #[command(flatten)]
    pub read: ReadArgs,
    /// Print nothing when the edit is done
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
    /// The offset at which to write standard input; K, M, G and T are powers of 1024. The bytes may extend beyond the
    /// file's end, but not begin after it
    #[arg(long, value_name = "OFFSET", value_parser = numbers::bytes)]
    pub at: u64,
}

#[derive(ClapArgs)]
pub struct Truncate {
    #[command(flatten)]
    pub edit: EditArgs,
    /// How many bytes to keep; K, M, G and T are powers of 1024. The bytes cut off are read once, unless none are kept
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
    /// Read the whole file afterwards; exit code 1 if it does not match its new tag
    #[arg(long)]
    pub verify: bool,
    /// Print nothing when the edit is complete
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
    /// How many cipher blocks, of 16 bytes for AES, come before this part; by default 0
    #[arg(long, value_name = "BLOCKS", value_parser = numbers::blocks, conflicts_with = "offset")]
    pub start: Option<u64>,
    /// How many bytes come before this part, a multiple of the block; K, M, G and T are powers of 1024
    #[arg(long, value_name = "BYTES", value_parser = numbers::bytes)]
    pub offset: Option<u64>,
    /// FILE is the whole object: read this many bytes of it, from --offset or --start on. Without --length, FILE is the
    /// part itself and is read from its beginning; K, M, G and T are powers of 1024
    #[arg(long, value_name = "BYTES", value_parser = numbers::bytes, requires = "file")]
    pub length: Option<u64>,
    /// The object and its version; `wegman combine` joins only segments with the same ID
    #[arg(long, value_name = "ID")]
    pub object: Option<OsString>,
    /// The whole object's bytes; with --length, by default FILE's. K, M, G and T are powers of 1024
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
    /// Require segments made with `wegman segment --object ID`
    #[arg(long, value_name = "ID")]
    pub object: Option<OsString>,
    /// Require the object to have this many bytes; K, M, G and T are powers of 1024
    #[arg(long, value_name = "BYTES", value_parser = numbers::bytes)]
    pub length: Option<u64>,
    /// Print a sealed manifest of the object under this name, instead of its tag
    #[arg(long = "as", value_name = "NAME")]
    pub name: Option<OsString>,
    /// Print a line of JSON instead: tag, bytes, number of segments, and the object's ID and size if they name it
    #[arg(long, conflicts_with = "name")]
    pub json: bool,
    /// Files with segments; `-` is standard input
    #[arg(value_name = "SEGMENT", required = true)]
    pub segments: Vec<PathBuf>,
}

#[derive(ClapArgs)]
pub struct Mac {
    /// The algorithm, as `wegman algorithms` lists it
    #[arg(value_name = "NAME")]
    pub name: String,
    /// A file with the key in hexadecimal; `-` is standard input. Spaces, tabs, line ends and colons may separate bytes,
    /// and 0x may come before them
    #[arg(long, value_name = "F")]
    pub key_hex_file: PathBuf,
    /// Use the key file even if other users may access it
    #[arg(long)]
    pub insecure_permissions: bool,
    /// The nonce in hexadecimal, for algorithms that take one; `wegman algorithms` says how many bytes it has.
    /// Under one key all have the same length: for UMAC-128, 01 and 0100 are one nonce
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
pub struct Algorithms {
    /// List all, with families and building blocks; by default, only what is recommended or used by others
    #[arg(long, conflicts_with_all = ["status", "names"])]
    pub all: bool,
    /// List only this status
    #[arg(long, value_name = "STATUS", value_parser = status())]
    pub status: Option<Status>,
    /// Print one JSON array; other commands take the entries of kind MAC
    #[arg(long)]
    pub json: bool,
    /// Describe this algorithm, or list all whose names begin with this
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
}

#[derive(ClapArgs)]
pub struct Bounds {
    /// The algorithm, as `wegman algorithms` lists it; several names give a table, none gives a table of all
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// How many messages are tagged with one key
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::count, default_value = "2^32")]
    pub messages: u128,
    /// How many bytes each message has at most; by default, 1 KiB
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::length)]
    #[arg(conflicts_with_all = ["bytes", "blocks"])]
    pub message_bytes: Option<u128>,
    /// Instead: how many bytes all messages have together, if their lengths are about the same
    #[arg(long, value_name = "N", value_parser = numbers::count, allow_negative_numbers = true, conflicts_with = "blocks")]
    pub bytes: Option<u128>,
    /// The same in blocks of 16 bytes
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::count)]
    pub blocks: Option<u128>,
    /// How many forgery attempts are possible before the key is changed
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::count, default_value = "1")]
    pub attempts: u128,
    /// Tag length in bits; by default, the algorithm's longest
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "names")]
    pub tag_bits: Option<usize>,
    /// The highest acceptable probability of a forgery under one key, such as 2^-40
    #[arg(long, value_name = "2^-N", value_parser = numbers::limit, default_value = "2^-40")]
    pub until: Probability,
    /// Print JSON: an object for one name, otherwise an array of them. Numbers of messages, bytes and attempts are strings
    #[arg(long)]
    pub json: bool,
}

/// The statuses by name, listed in the help.
fn status() -> impl TypedValueParser<Value = Status> {
    PossibleValuesParser::new(Status::ALL.map(Status::name)).map(|name| {
        let named = Status::ALL.into_iter().find(|status| status.name() == name);
        named.expect("one of the possible values")
    })
}
