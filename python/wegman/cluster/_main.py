"""The command `wegman-cluster`, which `wegman cluster` runs."""

import gc
import json
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import reduce
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any
from urllib.parse import urlsplit

import click
from obstore.exceptions import BaseError

from wegman import InvalidTag
from wegman.cluster import _certificates, _runs
from wegman.cluster._coordinator import GOES_ON, MIB, ClusterError, Options, Outcome, Report
from wegman.cluster._journal import StateError
from wegman.cluster._places import ManifestError
from wegman.cluster._runs import Setup
from wegman.cluster._store import Problem, first_line, shown

# What a line says of an object; the others are said with their status.
WORDS = {"ok": "OK", "failed": "FAILED", "missing": "MISSING", "unreadable": "FAILED open or read"}
# Seconds between the records of progress: one is due every 2 s, and the machine may be busy.
EVERY = 1.5


def kind(name: str, examples: str, read: Callable[[str], Any]) -> Callable[[str], Any]:
    """What an option's text means. read: raises KeyError, TypeError, ValueError or OverflowError if it means nothing."""

    def convert(text: str) -> Any:
        try:
            return read(text)
        except (KeyError, TypeError, ValueError, OverflowError):
            raise click.BadParameter(f"{text!r} is not a {name}; examples: {examples}") from None

    return convert


# Dask is loaded by those who need it, as tqdm is. Its own M is a million.
SIZE = kind("size", "512M or 4G", lambda text: int(import_module("dask.utils").parse_bytes(f"{text}iB" if text[-1:] in "KMGT" else text)))
SHARE = kind("share", "1% or 0.01", lambda text: float(text[:-1]) / 100 if text.endswith("%") else float(text))
AGE = kind("time", "12h or 7d", lambda text: timedelta(seconds=import_module("dask.utils").parse_timedelta(text)))
PART = kind("part", "3/30, the third of thirty", lambda text: (int(text.partition("/")[0]), int(text.partition("/")[2])))


@contextmanager
def connected(scheduler: str | None, tls: Path | None, insecure_scheduler: bool, **_: Any) -> Generator[Any, None, None]:
    """A client of the scheduler, if there is one."""
    if scheduler is None:
        yield None
        return
    is_encrypted = scheduler.startswith("tls://")
    if not is_encrypted and urlsplit(scheduler).hostname not in {"127.0.0.1", "localhost", "::1"} and not insecure_scheduler:
        raise ClusterError(
            f"{scheduler}: without TLS anybody on the network can run code on the workers, which have the key: "
            "use tls:// and --tls DIR (`wegman-cluster certificates DIR` makes them), or accept the risk with --insecure-scheduler"
        )
    if is_encrypted and tls is None:
        raise ClusterError(f"{scheduler}: --tls DIR should name the folder with ca.pem, cert.pem and key.pem")
    security = None if tls is None else _certificates.security(tls)
    try:
        client = import_module("distributed").Client(scheduler, security=security, timeout=10, set_as_default=False)
    except OSError as error:
        raise ClusterError(f"{scheduler}: no connection to the scheduler: {error}") from None
    try:
        yield client
    finally:
        client.close(timeout=5)


def complain(text: str) -> None:
    """A message on standard error."""
    click.echo(f"wegman-cluster: {shown(text)}", err=True)


class Screen:
    """What is printed: lines or JSON on standard output, progress and the rest on standard error."""

    def __init__(self, command: str, is_json: bool, quiet: bool) -> None:
        self.command, self.is_json, self._quiet = command, is_json, quiet
        self._report, self._lock, self._ends = Report(), Lock(), Event()
        self._bar: Any = None
        # It waits for nothing that the run waits for.
        self._teller = Thread(target=self._tell, daemon=True)
        if is_json:
            self.record("start", command=command)
            self._teller.start()
        elif sys.stderr.isatty() and not quiet:
            # To load it takes as long as to read 500 small objects.
            tqdm = import_module("tqdm").tqdm
            self._bar = tqdm(unit="B", unit_scale=True, unit_divisor=1024, file=sys.stderr, dynamic_ncols=True, leave=False)

    def _tell(self) -> None:
        # Who wants no output is noticed where the run writes.
        with suppress(OSError):
            while not self._ends.wait(EVERY):
                self.record("progress", **self._report.record())

    def stop(self) -> None:
        """No more progress follows."""
        self._ends.set()
        if self.is_json:
            self._teller.join()

    def record(self, kind: str, **more: Any) -> None:
        with self._lock:
            print(json.dumps({"type": kind, **more}), flush=True)

    def object(self, one: Outcome) -> None:
        if self.is_json:
            told = {key: value for key, value in one._asdict().items() if value not in {None, ""} or key == "size"}
            self.record("object", **told)
        elif self.command == "tag":
            # Standard output may be the manifest's.
            complain(": ".join(filter(None, (one.name, one.status, one.detail))))
        else:
            if self._bar is not None:
                self._bar.clear()
            detail = f" ({one.detail})" if one.detail else ""
            print(shown(f"{one.name}: {WORDS.get(one.status, one.status)}{detail}"), flush=not sys.stdout.isatty())

    def progress(self, report: Report) -> None:
        if self._bar is not None:
            self._bar.set_postfix_str(f"{report.objects} objects, {report.workers} workers", refresh=False)
            self._bar.update(report.bytes - self._bar.n)
        self._report = report

    def end(self, report: Report) -> int:
        if self._bar is not None:
            self._bar.close()
        if self.is_json:
            versions = {name: version(name) for name in ("wegman", "obstore", "distributed")}
            self.record("summary", command=self.command, **report.record(), **versions, exit=report.exit)
            return report.exit
        counts = ", ".join(f"{count} {status}" for status, count in report.counts.items()) or "no objects"
        rate = report.bytes / report.seconds / MIB if report.seconds else 0.0
        events = {"jobs again": report.again, "results refused": report.refused, "jobs twice": report.twice}
        for text in (
            f"{self.command}: {counts}; {report.bytes / MIB:.2f} MiB in {report.seconds:.2f} s, {rate:.0f} MiB/s, {report.cpu:.2f} CPU s; {report.engine}",
            f"serial {report.about.serial}, seal id {report.about.seal_id}" if report.about is not None else "",
            ", ".join(f"{count} {name}" for name, count in events.items() if count),
            *report.remarks,
        ):
            if text and not self._quiet:
                complain(text)
        return report.exit


# Of every run.
OPTIONS: list[Callable[..., Any]] = [
    click.option("-k", "--key", required=True, envvar="WEGMAN_KEY", help="Key file; workers of Dask read their own, which WEGMAN_KEY names."),
    click.option("--scheduler", metavar="URL", help="Dask's scheduler, tls://HOST:8786. Without it, threads of this machine work."),
    click.option("--tls", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Folder with ca.pem, cert.pem and key.pem."),
    click.option("--insecure-scheduler", is_flag=True, help="Accept a scheduler elsewhere without TLS."),
    click.option("-j", "--jobs", type=click.IntRange(1, 1024), metavar="N", help="Threads, without a scheduler [one for each processor]."),
    click.option("--state", metavar="FILE", help="Record finished work, so that the same command continues after an interruption."),
    click.option("--resume-within", type=AGE, metavar="TIME", help="Accept results of an interrupted run that began up to TIME ago [7d; check: none]."),
    click.option("--include", multiple=True, metavar="GLOB", help="Only names that match; * also matches slashes."),
    click.option("--exclude", multiple=True, metavar="GLOB", help="Not names that match."),
    click.option("--grain", type=SIZE, metavar="SIZE", help="Larger objects are read by several workers [4G]."),
    click.option("--get", "get_size", type=SIZE, metavar="SIZE", help="Bytes of a request [8M]."),
    click.option("--gets", type=click.IntRange(1, 64), help="Requests at once for a part of a large object [4]."),
    click.option("--twice", type=SHARE, metavar="SHARE", help="Check this share of the jobs again, and compare [0%]."),
    click.option("--versions", is_flag=True, help="Read the version that is newest at the start, by its id: one more request for each object."),
    click.option("--json", "is_json", is_flag=True, help="JSON lines: start, progress, object, summary."),
    click.option("-v", "--verbose", is_flag=True, help="Name objects that are good, too."),
    click.option("-q", "--quiet", is_flag=True, help="Only what is wrong."),
]


def shared(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds them."""
    return reduce(lambda given, option: option(given), reversed(OPTIONS), command)


def run(name: str, given: dict[str, Any], work: Callable[[Setup], Report]) -> None:
    """Does a run with these options, and exits as its report says."""
    screen = Screen(name, given["is_json"], given["quiet"])
    try:
        with connected(**given) as client:
            report = work(Setup(
                client=client, workers=given["jobs"], show_all=given["verbose"], on_object=screen.object, on_progress=screen.progress,
                options=Options(**{name: given[name] for name in ("grain", "get_size", "gets", "twice") if given[name] is not None}),
                **{name: given[name] for name in ("state", "resume_within", "include", "exclude", "versions")},
            ))  # fmt: skip
    finally:
        screen.stop()
    raise SystemExit(screen.end(report))


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="wegman", prog_name="wegman-cluster")
def main_group() -> None:
    """Tags and checks the objects of a store, on this machine or on a Dask cluster.

    URL is s3://BUCKET/PREFIX, gs://, az://, file:///PATH or a path: one object, or all below it. Exit codes: 0 good; 1 something
    changed, failed or is missing; 2 an error; 130 interrupted.
    """


@main_group.command()
@click.argument("url")
@click.option("-o", "--output", default="-", metavar="PLACE", help="File or URL of the manifest; with / at the end, shards under a root [standard output].")
@click.option("--force", is_flag=True, help="Replace an existing manifest: this approves every change since.")
@click.option("--partial", is_flag=True, help="Write a manifest even if some objects could not be read.")
@click.option("--plan", is_flag=True, help="Only list and count: objects, bytes, requests.")
@shared
def tag(url: str, output: str, force: bool, partial: bool, plan: bool, **given: Any) -> None:
    """Tag all objects below URL, and write their manifest."""
    if plan:
        run("plan", given, lambda setup: _runs.plan(url, given["key"], setup))
    if output == "-" and given["is_json"]:
        raise click.UsageError("--json needs -o: standard output has the JSON")
    run("tag", given, lambda setup: _runs.tag(url, given["key"], output, setup, force=force, partial=partial))


@main_group.command()
@click.argument("url")
@click.argument("manifest")
@click.option("--part", type=PART, metavar="N/OF", help="Check only this part: 1/30 today, 2/30 tomorrow.")
@click.option("--round", default="", metavar="TEXT", help="With --part: 2026-11, for example. Another round has other parts.")
@click.option("--at-least", type=click.IntRange(0), default=0, metavar="SERIAL", help="Refuse a manifest that is older.")
@click.option("--fail-on-new", is_flag=True, help="Exit code 1 if there are objects that MANIFEST does not have.")
@shared
def check(url: str, manifest: str, part: tuple[int, int] | None, round: str, at_least: int, fail_on_new: bool, **given: Any) -> None:
    """Read the objects of MANIFEST below URL, and compare their tags."""
    if round and part is None:
        raise click.UsageError("--round needs --part")
    more: dict[str, Any] = {"part": part, "round": round, "at_least": at_least, "fail_on_new": fail_on_new}
    run("check", given, lambda setup: _runs.check(url, manifest, given["key"], setup, **more))


@main_group.command()
@click.argument("url")
@click.argument("manifest")
@click.option("--expect", type=click.File(encoding="utf-8"), metavar="LIST", help="Names that may have changed, one a line; - is standard input.")
@click.option("--partial", is_flag=True, help="Write a manifest even if some objects could not be read: these keep their tags.")
@shared
def retag(url: str, manifest: str, expect: Any, partial: bool, **given: Any) -> None:
    """Bring MANIFEST up to date: names in LIST get new tags; any other changed object is reported and keeps its tag."""
    names = [line.rstrip("\n") for line in expect or ()]
    run("retag", given, lambda setup: _runs.retag(url, manifest, given["key"], names, setup, partial=partial))


@main_group.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.argument("url")
@click.option("-k", "--key", required=True, envvar="WEGMAN_KEY", help="Key file.")
@click.option("-o", "--output", metavar="PLACE", help="Manifest (file or URL) to which the object is added.")
def upload(file: str, url: str, key: str, output: str | None) -> None:
    """Store FILE as the object URL, and tag it as its bytes are sent."""
    print(_runs.upload(file, url, key, output, on_remark=complain).tag)


@main_group.command()
@shared
def workers(**given: Any) -> None:
    """Show each worker's key id, kernel and speed."""
    with connected(**given) as client:
        found = _runs.workers(given["key"], Setup(client=client, workers=given["jobs"]))
    for one in found:
        if given["is_json"]:
            print(json.dumps({"type": "worker", **one}))
        elif "error" in one:
            print(shown(f"{one['worker']}: {one['error']}"))
        else:
            speed = float(one["bytes_per_second"]) / 1e9
            print(shown(f"{one['worker']}: key {one['key']}, {one['algorithm']}, {one['kernel']}, {speed:.1f} GB/s, wegman {one['version']}"))
    raise SystemExit(2 if not found or any("error" in one for one in found) else 0)


@main_group.command()
@click.argument("folder", type=click.Path(path_type=Path))
def certificates(folder: Path) -> None:
    """Make ca.pem, cert.pem and key.pem for a cluster's scheduler, workers and clients, for a year.

    Anyone who has them can run code on the workers.
    """
    _certificates.make(folder)
    print(folder)


def main() -> None:
    """What the console script runs."""
    code: Any = 2
    # Rows of lists and manifests are many and in no circle: to look for circles among them takes a tenth of a run of small objects.
    gc.set_threshold(50_000)
    try:
        code = main_group(prog_name="wegman-cluster", standalone_mode=False) or 0
    except (click.exceptions.Abort, KeyboardInterrupt):
        complain(f"interrupted; {GOES_ON}")
        code = 130
    except click.ClickException as error:
        error.show()
    except InvalidTag as error:
        complain(str(error))
        code = 1
    except (ClusterError, ManifestError, StateError, Problem, BaseError, OSError, ValueError) as error:
        complain(error.detail if isinstance(error, Problem) else first_line(error, 1000))
    except SystemExit as end:
        code = end.code
    sys.stdout.flush()
    # Threads that wait for a store or a worker that does not answer must not keep the program.
    os._exit(code if isinstance(code, int) else 2)
