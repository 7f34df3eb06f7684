"""Manifests of files: sealed lists of their tags, and whether the files have changed since.

    files.keygen("key")                                     # once; keep it where the files' enemies can't read it
    files.tag_tree("photos", "manifest", "key")
    report = files.check("manifest", "key")
    if not report.ok:
        print([file.name for file in report.files if file.status != "ok"])
    report = files.audit("photos", "manifest", "key")       # new, missing, changed and moved files

This module runs the command `wegman`, so both use the same keys and manifests. Names in a manifest are relative to the directory
in which it was made: `cwd`, or the current one.
"""

import json
import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from wegman import InvalidTag, Tag
from wegman._command import command

__all__ = ["Error", "File", "Report", "audit", "check", "keygen", "tag_tree"]

StrPath = str | os.PathLike[str]


class Error(Exception):
    """Nothing was done, for example because a key or manifest is missing or not readable. The text says why."""


@dataclass(frozen=True, slots=True)
class File:
    """A file's result.

    status: from tag_tree "tagged" or "unreadable"; from check "ok", "failed", "missing", "unreadable" or "interrupted"; from audit
    "changed", "missing", "moved", "new", "unreadable" or "interrupted". `moved_to` is the new name of a moved file, `detail` says
    what differs other than the content, `kind` what it is if it is no file, `error` why it could not be read.
    """

    name: str
    status: str
    tag: Tag | None = None
    moved_to: str | None = None
    kind: str | None = None
    detail: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a run.

    ok: whether every file is as it should be. files: those with a result, in order. counts: the number of files of each status.
    """

    ok: bool
    files: list[File]
    counts: dict[str, int]

    def verify(self) -> None:
        """Returns if every file is as it should be.

        Raises InvalidTag if not.
        """
        if not self.ok:
            found = ", ".join(f"{count} {status}" for status, count in self.counts.items() if count)
            raise InvalidTag(f"the files are not what the manifest says: {found}")


def _file(record: dict[str, Any]) -> File:
    name = os.fsdecode(bytes.fromhex(record["name_hex"])) if "name_hex" in record else str(record["name"])
    tag = Tag.fromhex(record["tag"]) if "tag" in record else None
    return File(
        name, record["status"], tag, record.get("to"), record.get("kind"), record.get("detail"), record.get("error")
    )


def _run(arguments: Iterable[StrPath], cwd: StrPath | None) -> Report:
    """Runs the command, and reads its output."""
    words = [command(), *(os.fspath(word) for word in arguments)]
    done = subprocess.run(words, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    records: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    if not records or records[-1]["type"] != "summary":
        raise Error(done.stderr.strip().removeprefix("wegman: "))
    summary = records.pop()
    if "error" in summary:
        raise InvalidTag(summary["error"])
    counts = {key: value for key, value in summary.items() if key not in {"type", "command", "exit"}}
    return Report(done.returncode == 0, [_file(record) for record in records], counts)


def keygen(key: StrPath, algorithm: str = "PMAC-AES128", *, cwd: StrPath | None = None) -> None:
    """Makes a key file, which only its owner may read.

    Raises Error if the file exists, or there is no such algorithm.
    """
    words = [command(), "keygen", "--algorithm", algorithm, "--", os.fspath(key)]
    done = subprocess.run(words, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Error(done.stderr.strip().removeprefix("wegman: "))


def tag_tree(
    directory: StrPath,
    manifest: StrPath,
    key: StrPath,
    *,
    exclude: Iterable[str] = (),
    cwd: StrPath | None = None,
) -> Report:
    """Tags all files below a directory, and writes their manifest.

    exclude: patterns of names to leave out, as in a .gitignore. The report has the tags, too. Raises Error if the key can't be
    used, if the manifest can't be written, or if another kind of file has its name.
    """
    left_out = [f"--exclude={pattern}" for pattern in exclude]
    return _run(["tag", "--json", *left_out, "--key", key, "--recursive", "-o", manifest, "--", directory], cwd)


def check(manifest: StrPath, key: StrPath, parts: Iterable[StrPath] = (), *, cwd: StrPath | None = None) -> Report:
    """Checks that the files of a manifest are unchanged: all, or the files and directories in `parts`.

    Raises InvalidTag if the manifest itself is not authentic; Error if manifest or key can't be read.
    """
    return _run(["check", "--json", "--key", key, "--", manifest, *parts], cwd)


def audit(
    directory: StrPath,
    manifest: StrPath,
    key: StrPath,
    *,
    exclude: Iterable[str] = (),
    cwd: StrPath | None = None,
) -> Report:
    """Compares a directory with its manifest: new, missing, changed and moved files.

    Raises InvalidTag if the manifest itself is not authentic; Error if something can't be read.
    """
    left_out = [f"--exclude={pattern}" for pattern in exclude]
    return _run(["audit", "--json", *left_out, "--key", key, "--", directory, manifest], cwd)
