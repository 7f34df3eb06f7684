"""A Dask cluster over versitygw, an S3 server: an object of 4 GiB, a bucket of 100,000, and all that goes wrong with them.

scripts/cluster runs it. Every step checks what it says; the first that is not so ends it with exit code 1.
"""

import argparse
import asyncio
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import obstore
from obstore.store import S3Store, from_url
from wegman import Pmac, cluster
from wegman._native import KeyFile, States
from wegman._command import command
from wegman.cluster import Options, Setup, _certificates
from wegman.cluster._places import Row, packed_index, pairs, sealed
from wegman.cluster._store import Object, locate, source_at
from wegman.cluster._work import binding, work

MIB, GIB = 1 << 20, 1 << 30
BIN = Path(sys.executable).parent


def say(text: str) -> None:
    print(text, flush=True)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def wait_for(what: str, holds: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.02)


class Server:
    """versitygw over a folder, with versions."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program, self.folder, self.port = program, folder, free_port()
        (folder / "data").mkdir()
        (folder / "versions").mkdir()
        (folder / "iam").mkdir()
        os.environ.update(
            AWS_ACCESS_KEY_ID="testkey",
            AWS_SECRET_ACCESS_KEY="testsecret",
            AWS_REGION="us-east-1",
            AWS_ENDPOINT_URL=f"http://127.0.0.1:{self.port}",
        )
        self.start()

    def start(self) -> None:
        keys = {"ROOT_ACCESS_KEY_ID": "testkey", "ROOT_SECRET_ACCESS_KEY": "testsecret"}
        with open(self.folder / "server.log", "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "--port", f"127.0.0.1:{self.port}", "--keep-alive", "--quiet", "--iam-dir", str(self.folder / "iam"), "--iam-cache-disable", "posix", "--versioning-dir",
                 str(self.folder / "versions"), str(self.folder / "data")],
                env={**os.environ, **keys}, stdout=log, stderr=log,
            )  # fmt: skip

        def is_up() -> bool:
            with socket.socket() as one:
                return one.connect_ex(("127.0.0.1", self.port)) == 0

        wait_for("versitygw", is_up)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


class Machines:
    """A scheduler and workers with TLS, each a process with a log."""

    def __init__(self, folder: Path, key: Path, workers: int, pinned: bool = False) -> None:
        """pinned: each worker has a core of its own, as if it were a machine."""
        self.folder, self.key, self.pinned = folder, key, pinned
        folder.mkdir(exist_ok=True)
        self.tls = folder / "tls"
        if not self.tls.exists():
            _certificates.make(self.tls)
        self.address = f"tls://127.0.0.1:{free_port()}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("scheduler", "--host", self.address, "--no-dashboard", "--no-show")
        for _ in range(workers):
            self.add()
        self.client = cluster_client(self)
        wait_for("workers", lambda: len(self.client.nthreads()) == workers)

    def _start(self, kind: str, *arguments: str) -> "subprocess.Popen[bytes]":
        names = {"--tls-ca-file": "ca.pem", "--tls-cert": "cert.pem", "--tls-key": "key.pem"}
        options = [word for option, name in names.items() for word in (option, str(self.tls / name))]
        environment = {**os.environ, "WEGMAN_KEY": str(self.key), "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "60s"}
        number = len(list(self.folder.glob("*.log")))
        with open(self.folder / f"{number}-{kind}.log", "wb") as log:
            return subprocess.Popen(
                [str(BIN / "dask"), kind, *arguments, *options], stdout=log, stderr=log, cwd=self.folder, env=environment
            )

    def add(self) -> "subprocess.Popen[bytes]":
        worker = self._start(
            "worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--preload", "wegman.cluster.preload"
        )
        if self.pinned:
            # Its threads are not there yet, and begin on the same core.
            os.sched_setaffinity(worker.pid, {len(self.workers)})
        self.workers.append(worker)
        return worker

    def renew(self) -> None:
        """Two workers, whatever became of those before."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < 2:
            self.add()
        wait_for("two workers", lambda: len(self.client.nthreads()) == 2)

    def stop(self) -> None:
        with suppress(Exception):
            self.client.close(timeout=5)
        for process in [*self.workers, self.scheduler]:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()


def cluster_client(machines: Machines) -> Any:
    from distributed import Client

    return Client(machines.address, security=_certificates.security(machines.tls), timeout=30, set_as_default=False)


@contextmanager
def stopping(machines: Machines) -> Iterator[Machines]:
    try:
        yield machines
    finally:
        machines.stop()


class Bench:
    """What the steps share."""

    def __init__(self, folder: Path, server: str, size: int, small: int) -> None:
        self.folder, self.size, self.small = folder, size, small
        self.key = folder / "key"
        subprocess.run([command(), "keygen", str(self.key)], check=True, capture_output=True)
        self.server = Server(server, folder)
        # Made as any client makes one.
        self.admin("bucket")
        self.url = "s3://bucket"
        self.file = folder / "large"
        self.store: Any = from_url(self.url, client_options={"allow_http": True})

    def admin(self, bucket: str) -> None:
        import boto3

        self.s3 = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
        self.s3.create_bucket(Bucket=bucket)

    def run(self, *arguments: str, code: int = 0) -> tuple[dict[str, Any], float]:
        """Runs wegman-cluster; its summary, and its seconds."""
        began = time.monotonic()
        done = subprocess.run(
            [str(BIN / "wegman-cluster"), *arguments, "--json"], capture_output=True, text=True, cwd=self.folder, check=False
        )
        seconds = time.monotonic() - began
        assert done.returncode == code, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
        return json.loads(done.stdout.splitlines()[-1]), seconds

    def on(self, machines: Machines) -> list[str]:
        return ["-k", str(self.key), "--scheduler", machines.address, "--tls", str(machines.tls)]

    # The steps.

    def fill(self) -> None:
        with open(self.file, "wb") as file:
            for _ in range(self.size // (64 * MIB)):
                file.write(secrets.token_bytes(64 * MIB))
            file.write(secrets.token_bytes(self.size % (64 * MIB)))
        began = time.monotonic()
        # versitygw keeps the list of parts in an attribute of the file, and ext4 holds 4 KiB of these.
        done = cluster.upload(self.file, f"{self.url}/one/large", self.key, piece=64 * MIB)
        seconds = time.monotonic() - began
        say(f"upload: {self.size / GIB:.2f} GiB in {seconds:.1f} s, tagged as it was sent: {done.tag}")
        self.tag = str(done.tag)
        manifest = subprocess.run(
            [command(), "tag", "-k", str(self.key), "large"], cwd=self.folder, check=True, capture_output=True, text=True
        )
        assert f"(large) = {self.tag}" in manifest.stdout
        say("its tag is that of `wegman tag` of the file")

    def large(self, machines: Machines) -> None:
        summary, seconds = self.run("tag", f"{self.url}/one", "-o", "large.m", "--grain", "64M", *self.on(machines))
        assert f"(large) = {self.tag}" in (self.folder / "large.m").read_text()
        rate = self.size / summary["seconds"] / 1e9
        say(
            f"tag: {summary['jobs']} jobs, {summary['gets']} GETs, {summary['seconds']:.1f} s, {rate:.2f} GB/s, "
            f"{summary['cpu'] / (self.size / 1e9):.2f} CPU s a GB; whole command {seconds:.1f} s"
        )
        summary, _ = self.run("check", f"{self.url}/one", "large.m", "--twice", "10%", *self.on(machines))
        assert summary["ok"] == 1
        say(f"check --twice 10%: ok, {summary['seconds']:.1f} s")

    def is_right(self, manifest: str, tag: str | None = None) -> None:
        assert f"(large) = {tag or self.tag}" in (self.folder / manifest).read_text()
        (self.folder / manifest).unlink()
        (self.folder / f"{manifest}.index.gz").unlink()

    def during(
        self,
        name: str,
        machines: Machines,
        act: Callable[[], None],
        code: int = 0,
        more: tuple[str, ...] = (),
        place: str = "one",
        tag: str | None = None,
    ) -> dict[str, Any]:
        """A run in whose middle something happens."""
        state = self.folder / "state"
        began = time.monotonic()
        process = subprocess.Popen(
            [str(BIN / "wegman-cluster"), "tag", f"{self.url}/{place}", "-o", "during.m", "--grain", "64M", "--get", "256K", "--state", str(state),
             *more, *self.on(machines), "--json"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder,
        )  # fmt: skip

        def has_begun() -> bool:
            assert process.poll() is None, process.communicate()
            return state.exists() and state.read_bytes().count(b"\n") > 5

        wait_for("the first parts", has_begun)
        act()
        out, err = process.communicate(timeout=300)
        assert process.returncode == code, (process.returncode, out[-2000:], err[-2000:])
        summary: dict[str, Any] = json.loads(out.splitlines()[-1]) if out.strip() else {}
        if code == 0:
            self.is_right("during.m", tag)
        events = {word: summary.get(word) for word in ("again", "refused", "earlier", "changed") if summary.get(word)}
        say(f"{name}: {time.monotonic() - began:.1f} s, exit {process.returncode}, {events}")
        return summary

    def failures(self, machines: Machines) -> None:
        victim = machines.workers[0]
        self.during("a worker killed with -9 in the middle", machines, victim.kill)
        machines.renew()

        victim = machines.workers[0]
        self.during("a worker stopped in the middle", machines, lambda: victim.send_signal(signal.SIGSTOP))
        victim.send_signal(signal.SIGCONT)
        victim.kill()
        victim.wait()
        machines.renew()

        def restart() -> None:
            self.server.kill()
            time.sleep(4)
            self.server.start()

        self.during("the server killed, and back after 4 s", machines, restart)

        with suppress(FileNotFoundError):
            (self.folder / "state").unlink()
        self.interrupt(machines)
        say("the coordinator killed with -9 in the middle; the same command again:")
        summary, seconds = self.run(
            "tag", f"{self.url}/one", "-o", "again.m", "--grain", "64M", "--state", "state", *self.on(machines)
        )
        assert summary["earlier"] == 1 and summary["bytes"] == self.size
        self.is_right("again.m")
        say(f"  {seconds:.1f} s, the same tag")

        self.interrupt(machines)
        state = self.folder / "state"
        lines = state.read_bytes().splitlines(keepends=True)
        for altered in ([*lines[:3], lines[3][:40] + lines[3][41:], *lines[4:]], [*lines[:2], lines[3], lines[2], *lines[4:]], lines[1:]):
            state.write_bytes(b"".join(altered))
            self.run("tag", f"{self.url}/one", "-o", "again.m", "--grain", "64M", "--state", "state", *self.on(machines), code=2)
        state.unlink()
        say("a line of the state altered, two exchanged, one dropped: refused each time")

    def interrupt(self, machines: Machines) -> None:
        state = self.folder / "state"
        process = subprocess.Popen(
            [str(BIN / "wegman-cluster"), "tag", f"{self.url}/one", "-o", "again.m", "--grain", "64M", "--get", "256K", "--state", str(state),
             *self.on(machines), "--quiet"],
            cwd=self.folder,
        )  # fmt: skip

        def has_parts() -> bool:
            assert process.poll() is None
            return state.exists() and state.read_bytes().count(b"\n") > 5

        wait_for("parts", has_parts)
        process.kill()
        process.wait()

    def expiry(self, machines: Machines) -> None:
        """Another user's credentials, which the store forgets in the middle of a run: the run ends, and the same command goes on."""
        admin = [self.server.program, "admin", "--access", "testkey", "--secret", "testsecret", "--endpoint-url", os.environ["AWS_ENDPOINT_URL"]]

        def user(verb: str, *more: str) -> None:
            subprocess.run([*admin, verb, "--access", "temporary", *more], check=True, capture_output=True)

        def create() -> None:
            user("create-user", "--secret", "secretsecret", "--role", "admin")

        create()
        words = {"AWS_ACCESS_KEY_ID": "temporary", "AWS_SECRET_ACCESS_KEY": "secretsecret"}
        state, out = self.folder / "state", self.folder / "expired.m"
        state.unlink(missing_ok=True)
        command = [
            str(BIN / "wegman-cluster"), "tag", f"{self.url}/one", "-k", str(self.key), "-o", str(out), "--grain", "64M", "--get", "256K",
            "--state", str(state), "-j", "2", "--json",
        ]  # fmt: skip
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder, env={**os.environ, **words})
        wait_for("parts", lambda: state.exists() and state.read_bytes().count(b"\n") > 5)
        user("delete-user")
        _, err = process.communicate(timeout=300)
        assert process.returncode == 2 and "the same command" in err and not out.exists() and state.exists(), err[-2000:]
        create()
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, env={**os.environ, **words}, check=False)
        summary = json.loads(done.stdout.splitlines()[-1])
        assert done.returncode == 0 and summary["earlier"] == 1, done
        self.is_right("expired.m")
        user("delete-user")
        say(f"credentials that expire in the middle: exit 2, no manifest, {err.strip().splitlines()[-1]!r}; valid again, the same command: the same tag")

    def versions(self, machines: Machines) -> None:
        # A smaller one: each version of it stays on the disk.
        file = self.folder / "two"
        with open(file, "wb") as out:
            for _ in range(min(self.size, GIB) // (64 * MIB)):
                out.write(secrets.token_bytes(64 * MIB))

        def replace() -> None:
            obstore.put(self.store, "two/large", b"another object")

        def restore() -> str:
            return str(cluster.upload(file, f"{self.url}/two/large", self.key, piece=64 * MIB).tag)

        restore()
        summary = self.during("an object of 1 GiB replaced in the middle", machines, replace, code=1, place="two")
        assert summary["changed"] == 1
        self.s3.put_bucket_versioning(Bucket="bucket", VersioningConfiguration={"Status": "Enabled"})
        tag = restore()
        self.during("the same with --versions", machines, replace, more=("--versions",), place="two", tag=tag)
        self.s3.put_bucket_versioning(Bucket="bucket", VersioningConfiguration={"Status": "Suspended"})

    def many(self, machines: Machines) -> None:
        async def put() -> None:
            gate = asyncio.Semaphore(64)

            async def one(number: int) -> None:
                async with gate:
                    name = f"many/{number // 1000:03}/{number % 1000:03}"
                    await obstore.put_async(self.store, name, number.to_bytes(4) * (number % 1000))

            for first in range(0, self.small, 5000):
                await asyncio.gather(*(one(number) for number in range(first, min(first + 5000, self.small))))

        began = time.monotonic()
        asyncio.run(put())
        say(f"put {self.small} small objects: {time.monotonic() - began:.0f} s")
        summary, seconds = self.run("tag", f"{self.url}/many", "-o", "tree/", *self.on(machines))
        assert summary["tagged"] == self.small
        say(
            f"tag: {summary['jobs']} jobs, {summary['lists']} LISTs, {summary['seconds']:.1f} s, {self.small / summary['seconds']:.0f} objects/s, "
            f"{summary['cpu']:.1f} CPU s, {summary['cpu'] / self.small * 1e3:.2f} ms an object; the coordinator {summary['own_cpu']:.2f} CPU s"
        )
        summary, _ = self.run("check", f"{self.url}/many", "tree/", *self.on(machines))
        assert summary["ok"] == self.small
        say(f"check: {summary['seconds']:.1f} s, all ok")
        obstore.put(self.store, "many/001/042", b"changed")
        obstore.delete(self.store, "many/002/007")
        obstore.put(self.store, "many/new", b"new")
        summary, _ = self.run("check", f"{self.url}/many", "tree/", *self.on(machines), code=1)
        found = {status: summary.get(status) for status in ("ok", "failed", "missing", "new")}
        assert found == {"ok": self.small - 2, "failed": 1, "missing": 1, "new": 1}, found
        say(f"one changed, one gone, one new: {found}")
        summary, seconds = self.run("retag", f"{self.url}/many", "tree/", "--expect", "/dev/null", *self.on(machines), code=1)
        assert (summary["changed"], summary["missing"], summary["new"]) == (1, 1, 1)
        say(f"retag without expecting any of it: told of, none blessed; {summary['gets']} GETs, {seconds:.1f} s")
        done = subprocess.run(
            [command(), "check", "-q", "-k", str(self.key), "../tree/root"], cwd=self.folder / "large.d", capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 1 and "001/042: FAILED" in done.stdout or "none of" in done.stderr, done
        say("`wegman check` reads the root and its shards")

    def secrets(self) -> None:
        text = self.key.read_text()
        secret = next(line.split()[1] for line in text.splitlines() if line.startswith("secret"))
        forms = (secret.encode(), bytes.fromhex(secret))
        read = 0
        for path in self.folder.rglob("*"):
            if path.is_file() and path != self.key and path.stat().st_size < 64 * MIB and "data" not in path.parts:
                content = path.read_bytes()
                read += len(content)
                assert not any(form in content for form in forms), path
        for process in Path("/proc").glob("[0-9]*"):
            for name in ("cmdline", "environ"):
                with suppress(OSError):
                    content = (process / name).read_bytes()
                    assert not any(form in content for form in forms), process
        say(f"the secret is in no log, state or manifest ({read} bytes), argument or environment of any process")

    # Figures.

    def readers(self) -> None:
        """CPU seconds of this process a GB, by what it does with the bytes; the server works beside it."""
        base, one_name = locate(f"{self.url}/one/")
        (one,), _ = source_at(base, one_name, "").page("", 10)
        gb = one.size / 1e9
        run, number = "00" * 16, "0"
        states = States(KeyFile(self.key), run)
        mac = Pmac(bytes(16))

        def read_only() -> None:
            def read(at: int) -> int:
                options: Any = {"range": (at, min(at + 8 * MIB, one.size))}
                return len(obstore.get(self.store, f"one/{one.name}", options=options).bytes())

            with ThreadPoolExecutor(4) as pool:
                assert sum(pool.map(read, range(0, one.size, 8 * MIB))) == one.size

        def read_and_sum() -> None:
            for start in range(0, one.size, 512 * MIB):
                job = {
                    "kind": "sum", "verb": "tag", "url": base, "one": one_name, "object": [one.name, one.size, one.etag, None], "shard": None,
                    "start": start, "end": min(start + 512 * MIB, one.size), "get": 8 * MIB, "gets": 4, "versions": False, "include": [],
                    "exclude": [], "beside": "(?!)", "is_plain": True,
                }  # fmt: skip
                sealed = states.seal_bytes(json.dumps(job).encode(), binding("job", number))
                result = work(run, number, sealed, str(self.key))
                assert "sum" in json.loads(states.open_bytes(result, binding("result", number)))

        def read_by_boto3() -> None:
            def read(at: int) -> int:
                span = f"bytes={at}-{min(at + 8 * MIB, one.size) - 1}"
                answer = self.s3.get_object(Bucket="bucket", Key=f"one/{one.name}", Range=span, IfMatch=one.etag)
                return len(answer["Body"].read())

            with ThreadPoolExecutor(4) as pool:
                assert sum(pool.map(read, range(0, one.size, 8 * MIB))) == one.size

        for round_ in range(3):
            figures = []
            for name, act in (("read", read_only), ("read and sum", read_and_sum), ("boto3 reads", read_by_boto3)):
                cpu, began = time.process_time(), time.monotonic()
                act()
                figures.append((name, (time.process_time() - cpu) / gb, time.monotonic() - began))
            ratio = figures[1][1] / figures[0][1]
            words = ", ".join(f"{name} {cpu:.3f} CPU s a GB ({one.size / 1e9 / wall:.2f} GB/s)" for name, cpu, wall in figures)
            say(f"readers, round {round_ + 1}: {words}; ratio {ratio:.2f}")
        began = time.perf_counter()
        data = memoryview(bytes(GIB))
        for at in range(0, GIB, 8 * MIB):
            mac.tag(data[at : at + 8 * MIB])
        say(f"PMAC alone, 8 MiB at a time from memory: {(time.perf_counter() - began) / 1.0737:.3f} s a GB")

    def constants(self) -> None:
        """What lab/python/simulate.py takes a worker for: processor time of this process, which does not grow when the machine is busy."""
        import obstore as store

        for number in range(4000):
            store.put(self.store, f"small/{number:05}", secrets.token_bytes(1000))
        base, one = locate(f"{self.url}/small/")
        source = source_at(base, one, "constants")
        source.page("", 10)

        def cpu(act: Callable[[], object], count: float) -> float:
            """The least of three."""
            found: list[float] = []
            for _ in range(3):
                began = time.process_time()
                act()
                found.append((time.process_time() - began) / count)
            return min(found)

        def pages() -> None:
            for _ in range(20):
                assert len(source.page("", 1000)[0]) == 1000

        options = Options(rows=10**6, seconds=3600.0)
        tag = KeyFile(self.key).mac().tag(b"")
        rows = [Row(f"data/2026/{number:012}.parquet", tag, Object(f"data/2026/{number:012}.parquet", 1000, '"' + "0" * 32 + '"')) for number in range(100_000)]
        listing = cpu(pages, 20)
        one_object = cpu(lambda: cluster.tag(f"{self.url}/small/", self.key, str(self.folder / "small.m"), workers=1, options=options, force=True), 4000)
        one_byte = cpu(lambda: cluster.tag(f"{self.url}/one", self.key, str(self.folder / "one.m"), workers=1, force=True), self.size)
        one_row = cpu(lambda: (sealed(KeyFile(self.key), pairs(rows), shard="0" * 16), packed_index(rows)), 100_000)
        with stopping(Machines(self.folder / "constants", self.key, 1)) as machines:
            waits: list[float] = []
            for _ in range(200):
                began = time.monotonic()
                machines.client.submit(secrets.token_bytes, 500, pure=False).result()
                waits.append(time.monotonic() - began)
        say(f"constants: LIST_CPU = {listing:.5f}, OBJECT = {one_object:.6f}, BYTE = {one_byte:.3e}, ROW = {one_row:.2e}, START = {sorted(waits)[100]:.4f}")

    def rivals(self, rclone: str) -> None:
        """rclone's hashsum and wegman-cluster over the same objects, one after the other: processor time of the programs, without the server's."""
        remote = ":s3,provider=Other,env_auth=true,force_path_style=true,endpoint='" + os.environ["AWS_ENDPOINT_URL"] + "':bucket"
        for place, count in (("one", self.size / 1e9), ("small", 4000.0)):
            for round_ in range(3):
                figures: list[str] = []
                for name, words in (
                    *((f"rclone {name}", [rclone, "hashsum", name, "--download", f"{remote}/{place}"]) for name in ("SHA256", "BLAKE3")),
                    ("wegman-cluster", [str(BIN / "wegman-cluster"), "tag", f"{self.url}/{place}/", "-k", str(self.key), "-o", "rival.m", "--force", "-q"]),
                ):
                    before = os.times()
                    subprocess.run(words, cwd=self.folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    after = os.times()
                    cpu = after.children_user + after.children_system - before.children_user - before.children_system
                    figures.append(f"{name} {cpu / count * (1 if place == 'one' else 1000):.3f}")
                say(f"rivals, round {round_ + 1}: {', '.join(figures)} {'CPU s a GB' if place == 'one' else 'CPU ms an object of 1 kB'}")

    def scaling(self, size: int) -> None:
        """One and two workers, each of which reads a file in memory, one request at a time: no server shares their cores."""
        folder = Path("/dev/shm") / f"wegman-{secrets.token_hex(4)}"
        folder.mkdir()
        try:
            with open(folder / "large", "wb") as file:
                for _ in range(size // (64 * MIB)):
                    file.write(secrets.token_bytes(64 * MIB))
            # Under four names, so that a run is long beside its beginning and its end.
            for number in range(3):
                os.link(folder / "large", folder / f"again-{number}")
            size *= 4
            speeds: dict[int, list[float]] = {1: [], 2: []}
            for _ in range(3):
                for workers in (1, 2):
                    with stopping(Machines(self.folder / f"scale-{workers}-{secrets.token_hex(2)}", self.key, workers, pinned=True)) as machines:
                        setup = Setup(client=machines.client, options=Options(grain=128 * MIB, gets=1))
                        best = 0.0
                        for _ in range(3):
                            report = cluster.tag(f"file://{folder}", self.key, str(self.folder / "scale.m"), setup, force=True)
                            assert report.ok
                            best = max(best, size / report.seconds / 1e9)
                        cpu = report.cpu / (size / 1e9)
                        speeds[workers].append(best)
                    say(f"scaling: {workers} worker(s), {best:.2f} GB/s, {cpu:.2f} CPU s a GB")
            say(f"scaling from 1 to 2: {max(speeds[2]) / max(speeds[1]):.2f}")
        finally:
            shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("versitygw")
    parser.add_argument("--size", type=int, default=6 * GIB + 23)
    parser.add_argument("--small", type=int, default=100_000)
    parser.add_argument("--steps", default="large,failures,expiry,versions,many,secrets,readers,constants,scaling")
    parser.add_argument("--rclone", help="the program, for the step `rivals`, which follows `constants`")
    given = parser.parse_args()
    steps = given.steps.split(",")
    shutil.rmtree(given.folder, ignore_errors=True)
    given.folder.mkdir(parents=True)
    (given.folder / "large.d").mkdir()
    bench = Bench(given.folder.resolve(), given.versitygw, given.size, given.small)
    try:
        bench.fill()
        (given.folder / "machines").mkdir()
        with stopping(Machines((given.folder / "machines").resolve(), bench.key, 2)) as machines:
            for step in ("large", "failures", "expiry", "versions", "many"):
                if step in steps:
                    getattr(bench, step)(machines)
            if "secrets" in steps:
                bench.secrets()
        if "readers" in steps:
            bench.readers()
        if "constants" in steps:
            bench.constants()
        if "rivals" in steps:
            bench.rivals(os.path.abspath(given.rclone))
        if "scaling" in steps:
            bench.scaling(2 * GIB)
    finally:
        bench.server.kill()
    say("all of it as it should be")


if __name__ == "__main__":
    main()
