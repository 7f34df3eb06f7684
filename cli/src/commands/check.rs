//! `wegman check`: are the files a manifest names what they were?

use crate::args::Check;
use crate::files::tree::Tree;
use crate::files::{Kind, STDIN, is_below, is_missing, is_unfit, kind_of_stat, plain, tree_of};
use crate::names::shown;
use crate::output::Exit;
use crate::reader::{Reader, in_tree};
use crate::report::FileRecord;
use crate::report::run::{Run, Voice};
use crate::stored::journal::interrupted::{Watch, left_behind};
use crate::stored::manifest as file;
use crate::stored::shards::Shards;
use anyhow::{Result, anyhow, ensure};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use wegman_formats::keyfile::KeyFile;
use wegman_formats::manifest::role::{Refused, Role};
use wegman_formats::manifest::{self, Entry, Manifest};

const OUTCOMES: [&str; 5] = ["ok", "failed", "missing", "unreadable", "interrupted"];

pub fn run(args: &Check) -> Result<Exit> {
    let key = args.key.load()?;
    let voice = Voice::of(args.voice.quiet, args.voice.status);
    let (mut manifests, parts) = match opened(args, &key) {
        Ok(opened) => opened,
        Err(error) => {
            return Run::new("check", &OUTCOMES, None, &args.read, voice).without(error);
        }
    };
    let total = manifests.iter().map(|manifest| manifest.size(args)).sum();
    let mut run = Run::new("check", &OUTCOMES, total, &args.read, voice);
    for manifest in &mut manifests {
        let how = args.key.how_to_finish(args.read.follow_symlinks, manifest.path);
        run.interrupted(left_behind(manifest.path, &key, &how, &manifest.manifest.entries));
        if manifest.is_root() {
            manifest.is_empty = manifest.check_shards(&mut run, args, &key, &parts)?;
        } else {
            manifest.check(&mut run, args, &key)?;
        }
    }
    let is_empty = manifests.iter().any(|manifest| manifest.is_empty);
    let nothing = args.ignore_missing && run.of(&["ok", "failed", "unreadable"]) == 0;
    let has_root = manifests.iter().any(Checked::is_root);
    let unknown = has_root && !parts.is_empty() && run.of(&OUTCOMES) == 0;
    let failed =
        run.of(&["failed", "missing", "interrupted"]) + u64::from(nothing || is_empty || unknown);
    let exit = run.end(Exit::of(failed, run.of(&["unreadable"])))?;
    if unknown {
        run.remark("no shard has a file with one of these names");
    }
    for manifest in &manifests {
        run.hint(&manifest.watch, &["failed", "missing"]);
        let name = shown(manifest.path);
        run.aside(&format!("{name}: {}", manifest.manifest.about));
        if manifest.is_empty {
            run.remark(&format!("{name}: it names no files"));
        } else if nothing {
            run.remark(&format!("{name}: no file was checked"));
        }
    }
    Ok(exit)
}

/// The manifests, and the parts of them to check, if not all of them.
fn opened<'a>(args: &'a Check, key: &KeyFile) -> Result<(Vec<Checked<'a>>, Vec<PathBuf>)> {
    let mut manifests = vec![Checked::load(&args.manifest, key, args)?];
    let mut parts = Vec::new();
    for path in &args.others {
        let (name, part) = (shown(path), plain(path.as_os_str()));
        let is_named = manifests.iter().any(|manifest| manifest.names(&part));
        ensure!(
            !is_named || !is_manifest(path),
            "{name}: it is a manifest and also a file in another one: check each with its own command"
        );
        // Which names the shards of a root have is seen later.
        let is_root = manifests.iter().any(Checked::is_root);
        if is_named || (is_root && !is_manifest(path)) {
            parts.push(part);
        } else {
            ensure!(is_manifest(path), "{name}: not a file in the manifest, and not a manifest");
            manifests.push(Checked::load(path, key, args)?);
        }
    }
    manifests.iter_mut().for_each(|manifest| manifest.keep(&parts));
    Ok((manifests, parts))
}

/// Whether a file begins as manifests do.
fn is_manifest(path: &Path) -> bool {
    path.is_file() && file::front(path).is_ok_and(|front| front == manifest::MARK.as_bytes())
}

/// A manifest to check, or a part of it.
struct Checked<'a> {
    path: &'a Path,
    watch: Watch<'a>,
    manifest: Manifest,
    tree: Tree,
    is_empty: bool,
}

impl<'a> Checked<'a> {
    fn load(path: &'a Path, key: &KeyFile, args: &Check) -> Result<Self> {
        let watch = Watch::new(path);
        let manifest = file::load_at_least(path, key, args.at_least)?;
        ensure!(
            path.as_os_str() != STDIN || manifest.entries.iter().all(|entry| entry.name != STDIN),
            "standard input can't be both the manifest and a file it names"
        );
        let tree = tree_of(&manifest, args.read.follow_symlinks);
        let is_empty = manifest.entries.is_empty();
        Ok(Checked { path, watch, manifest, tree, is_empty })
    }

    /// Whether it has a file of this name, or below it.
    fn names(&self, part: &Path) -> bool {
        self.manifest.entries.iter().any(|entry| is_below(&plain(&entry.name), part))
    }

    /// Forgets what is in none of these parts, if there are any.
    fn keep(&mut self, parts: &[PathBuf]) {
        let is_in = |name: &OsStr| parts.iter().any(|part| is_below(&plain(name), part));
        if !parts.is_empty() && !self.is_root() {
            self.manifest.entries.retain(|entry| is_in(&entry.name));
            self.manifest.others.retain(|other| is_in(&other.name));
        }
    }

    /// Bytes to read, if somebody looks. What can't be read counts for nothing.
    fn size(&self, args: &Check) -> Option<u64> {
        if !args.read.shows_progress() || self.is_root() {
            return None;
        }
        let size =
            |entry: &Entry| self.tree.look(&entry.name).map_or(0, |stat| stat.st_size as u64);
        Some(self.manifest.entries.iter().map(size).sum())
    }

    fn check(&self, run: &mut Run, args: &Check, key: &KeyFile) -> Result<()> {
        self.check_others(run, args);
        let file_key = self.manifest.role.files_key(key);
        let bar = run.bar();
        let is_plain = self.manifest.role == Role::Plain;
        let work = |entry: &Entry, reader: &mut Reader<'_>| {
            ensure!(
                is_plain || entry.name != STDIN,
                "no file of a shard can have this name, which is standard input's: rename the object, then retag"
            );
            reader.is_good(entry, &*file_key, &bar)
        };
        // If nothing is there, one line says more than one for each file.
        let mut missing = Some(Vec::new());
        let entries = &self.manifest.entries;
        in_tree(args.read.speed, &self.tree, entries, work, |entry, outcome| {
            let name = &entry.name;
            if outcome.as_ref().is_err_and(is_missing) {
                match &mut missing {
                    _ if args.ignore_missing => {}
                    Some(missing) => missing.push(name),
                    None => run.bad(name, "missing", "MISSING"),
                }
                return Ok(());
            }
            let before = missing.take().unwrap_or_default();
            before.into_iter().for_each(|name| run.bad(name, "missing", "MISSING"));
            match outcome {
                Ok(true) => run.good(name, "ok", "OK"),
                Ok(false) => run.bad(name, "failed", "FAILED"),
                Err(error) if is_unfit(&error) => run.failed(name, &error),
                Err(error) => run.not_checked(name, &error),
            }
            Ok(())
        })?;
        match missing.unwrap_or_default()[..] {
            [] => {}
            [name] => run.bad(name, "missing", "MISSING"),
            ref names => {
                names.iter().for_each(|name| run.file(&FileRecord::new(name, "missing")));
                run.message(&format!(
                    "none of the {} files of {} is here: wrong directory? Names are relative to the directory in which \
                     `wegman tag` ran; -C goes there",
                    names.len(),
                    shown(self.path)
                ));
            }
        }
        Ok(())
    }

    fn is_root(&self) -> bool {
        self.manifest.role == Role::Root
    }

    /// The files of all shards, one shard in memory at a time. Returns whether they name none.
    fn check_shards(
        &self,
        run: &mut Run,
        args: &Check,
        key: &KeyFile,
        parts: &[PathBuf],
    ) -> Result<bool> {
        let (mut shards, mut names_none) = (Shards::new(self.path, key), true);
        for entry in &self.manifest.entries {
            let shard = shards.load(entry);
            names_none &= shard.as_ref().is_ok_and(|shard| shard.entries.is_empty());
            match shard {
                Ok(manifest) => {
                    let (tree, is_empty) = (tree_of(&manifest, args.read.follow_symlinks), false);
                    let watch = Watch::new(self.path);
                    let mut shard = Checked { path: self.path, watch, manifest, tree, is_empty };
                    shard.keep(parts);
                    shard.check(run, args, key)?;
                }
                Err(error) if error.is::<Refused>() => run.failed(&entry.name, &error),
                Err(error) if is_missing(&error) => run.bad(&entry.name, "missing", "MISSING"),
                Err(error) => run.not_checked(&entry.name, &error),
            }
        }
        Ok(names_none)
    }

    /// A link where a directory was, and the like.
    fn check_others(&self, run: &mut Run, args: &Check) {
        for other in &self.manifest.others {
            if other.kind != Kind::Directory && args.read.follow_symlinks {
                continue;
            }
            match self.tree.look(&other.name).map(|stat| kind_of_stat(&stat)) {
                Ok(kind) if kind == other.kind => {}
                Ok(kind) => {
                    let (was, is) = (other.kind.name(), kind.name());
                    run.failed(&other.name, &anyhow!("it was {was}, and is {is} now"));
                }
                Err(error) if is_unfit(&error) => run.failed(&other.name, &error),
                // Their files are missing, too; `wegman audit` tells of empty ones.
                Err(error) if is_missing(&error) => {}
                Err(error) => run.unreadable(&other.name, &error),
            }
        }
    }
}
