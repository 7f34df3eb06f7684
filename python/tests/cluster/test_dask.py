"""A Dask cluster of processes over an S3 server: workers that die, stop and stay away, objects that change, and strangers."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import boto3
import pytest
from conftest import wegman
from distributed import Client
from wegman import cluster
from wegman._native import KeyFile
from wegman.cluster import Options, Outcome, Setup, _certificates

pytestmark = pytest.mark.filterwarnings("default")

MIB = 1 << 20
# More tasks than are given out at once.
SIZE = 24 * MIB + 23
OPTIONS = Options(grain=MIB, get_size=MIB // 4, seconds=1)
ENDINGS = (b"", b"x" * 100, os.urandom(3 * MIB // 2))


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def wait_for(what: str, holds: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def is_up(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="session")
def s3() -> Iterator[object]:
    """moto's server, and a client of it."""
    port = free_port()
    endpoint = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.environ.update(
        AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_REGION="us-east-1", AWS_ENDPOINT_URL=endpoint
    )
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
    wait_for("moto", lambda: is_up(port))
    client.create_bucket(Bucket="bucket")
    yield client
    server.kill()
    server.wait()


class Machines:
    """A scheduler and workers, each a process with a log."""

    def __init__(self, folder: Path, key: str) -> None:
        self.folder = folder
        self.key = key
        self.tls = folder / "tls"
        _certificates.make(self.tls)
        self.address = f"tls://127.0.0.1:{free_port()}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self.start("scheduler", "--host", self.address, "--no-dashboard", "--no-show")
        self.add()
        self.add()

    def start(self, kind: str, *arguments: str, tls: Path | None = None, **more: str) -> "subprocess.Popen[bytes]":
        tls = tls or self.tls
        names = {"--tls-ca-file": "ca.pem", "--tls-cert": "cert.pem", "--tls-key": "key.pem"}
        options = [word for option, name in names.items() for word in (option, str(tls / name))]
        count = len(list(self.folder.glob("*.log")))
        environment = {
            **os.environ,
            "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "10s",
            "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "debug",
            **more,
        }
        with open(self.folder / f"{count}-{kind}.log", "wb") as log:
            return subprocess.Popen(
                [str(Path(sys.executable).with_name("dask")), kind, *arguments, *options],
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env=environment,
            )

    def worker(self, *arguments: str, tls: Path | None = None, **more: str) -> "subprocess.Popen[bytes]":
        environment = {"WEGMAN_KEY": self.key, **more}
        return self.start(
            "worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--preload",
            "wegman.cluster.preload", *arguments, tls=tls, **environment,
        )  # fmt: skip

    def add(self) -> "subprocess.Popen[bytes]":
        self.workers.append(self.worker())
        return self.workers[-1]

    def client(self, timeout: int = 30) -> Client:
        return Client(self.address, security=_certificates.security(self.tls), timeout=timeout, set_as_default=False)

    def logs(self) -> str:
        return "\n".join(path.read_text(errors="replace") for path in self.folder.glob("*.log"))

    def stop(self) -> None:
        for process in [*self.workers, self.scheduler]:
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()


@pytest.fixture(scope="session")
def machines(tmp_path_factory: pytest.TempPathFactory, s3: object) -> Iterator[Machines]:
    folder = tmp_path_factory.mktemp("machines")
    wegman("keygen", folder / "key")
    machines = Machines(folder, str(folder / "key"))
    yield machines
    machines.stop()


@pytest.fixture
def client(machines: Machines) -> Iterator[Client]:
    machines.workers = [worker for worker in machines.workers if worker.poll() is None]
    while len(machines.workers) < 2:
        machines.add()
    client = machines.client()
    wait_for("two workers", lambda: len(client.nthreads()) == 2)
    yield client
    client.close()


@pytest.fixture
def bucket(s3, tmp_path: Path) -> tuple[str, Path]:  # type: ignore[no-untyped-def]
    """A prefix with a large object and small ones, and a folder with the same content."""
    prefix = f"run-{os.urandom(4).hex()}"
    folder = tmp_path / "data"
    (folder / "sub").mkdir(parents=True)
    (folder / "large").write_bytes(os.urandom(SIZE))
    for number, data in enumerate(ENDINGS):
        (folder / "sub" / f"é {number}").write_bytes(data)
    for path in folder.rglob("*"):
        if path.is_file():
            s3.put_object(Bucket="bucket", Key=f"{prefix}/{path.relative_to(folder)}", Body=path.read_bytes())
    return prefix, folder


def run(
    client: Client, prefix: str, key: str, output: Path, act: Callable[[int], None] | None = None, **more: object
) -> tuple[dict[str, str], cluster.Report]:
    """Tags; `act` is told how far it is."""
    found: dict[str, str] = {}
    told = set()

    def progress(now: cluster.Report) -> None:
        step = now.jobs // 4
        if act is not None and step not in told:
            told.add(step)
            act(step)

    def take(outcome: Outcome) -> None:
        found[outcome.name] = outcome.status

    setup = Setup(client=client, options=OPTIONS, on_object=take, on_progress=progress, show_all=True, **more)  # type: ignore[arg-type]
    report = cluster.tag(f"s3://bucket/{prefix}", key, str(output), setup, force=True)
    return found, report


def is_what_the_command_says(manifest: Path, folder: Path, key: str) -> None:
    wegman("check", "-k", key, manifest, cwd=folder)
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    same = wegman("tag", "-k", key, *files, cwd=folder)
    ours = manifest.read_text().splitlines()
    assert ours[:-2] == same.splitlines()[:-2]


def test_a_cluster_has_the_tags_of_the_command(
    machines: Machines, client: Client, bucket: tuple[str, Path], tmp_path: Path
) -> None:
    prefix, folder = bucket
    manifest = tmp_path / "manifest"
    _, report = run(client, prefix, machines.key, manifest)
    assert report.counts == {"tagged": 4} and report.engine == "dask"
    is_what_the_command_says(manifest, folder, machines.key)
    setup = Setup(client=client, options=Options(grain=MIB, get_size=MIB // 4, twice=1.0))
    checked = cluster.check(f"s3://bucket/{prefix}", str(manifest), machines.key, setup)
    assert checked.counts == {"ok": 4} and checked.twice > 0
    # Shards are written by workers only where all machines reach; here their bytes come back sealed.
    report = cluster.tag(f"s3://bucket/{prefix}", machines.key, f"{tmp_path}/tree/", Setup(client=client, options=OPTIONS))
    assert report.counts == {"tagged": 4} and report.shards > 1
    assert cluster.check(f"s3://bucket/{prefix}", f"{tmp_path}/tree/", machines.key, setup).counts == {"ok": 4}
    wegman("check", "-k", machines.key, tmp_path / "tree/root", cwd=folder)
    place = f"s3://bucket/meta-{prefix}/"
    report = cluster.tag(f"s3://bucket/{prefix}", machines.key, place, Setup(client=client, options=OPTIONS))
    assert report.counts == {"tagged": 4} and report.about is not None and report.about.serial == 1
    assert cluster.check(f"s3://bucket/{prefix}", place, machines.key, setup).counts == {"ok": 4}
    retagged = cluster.retag(f"s3://bucket/{prefix}", place, machines.key, ["sub/é 1", "large"], Setup(client=client, options=OPTIONS))
    assert retagged.counts == {"tagged": 2, "unchanged": 2} and retagged.about is not None and retagged.about.serial == 2
    said = cluster.workers(machines.key, setup)
    assert len(said) == 2 and {one["key"] for one in said} == {KeyFile(machines.key).id}


def test_a_worker_that_is_killed(machines: Machines, client: Client, bucket: tuple[str, Path], tmp_path: Path) -> None:
    prefix, folder = bucket
    victim = machines.workers[0]

    def act(step: int) -> None:
        if step >= 1:
            victim.kill()

    _, report = run(client, prefix, machines.key, tmp_path / "manifest", act)
    assert victim.wait() == -signal.SIGKILL and report.counts == {"tagged": 4}
    is_what_the_command_says(tmp_path / "manifest", folder, machines.key)


def test_a_worker_that_stops(machines: Machines, client: Client, bucket: tuple[str, Path], tmp_path: Path) -> None:
    prefix, folder = bucket
    victim = machines.workers[0]

    def act(step: int) -> None:
        if step >= 1:
            victim.send_signal(signal.SIGSTOP)

    try:
        _, report = run(client, prefix, machines.key, tmp_path / "manifest", act)
    finally:
        victim.send_signal(signal.SIGCONT)
        victim.kill()
        victim.wait()
    # Dask gave up on the worker after its ten seconds, and gave its jobs to others.
    assert report.counts == {"tagged": 4}
    is_what_the_command_says(tmp_path / "manifest", folder, machines.key)


def test_an_object_that_is_replaced(
    machines: Machines, client: Client, bucket: tuple[str, Path], tmp_path: Path, s3  # type: ignore[no-untyped-def]
) -> None:
    prefix, _ = bucket
    other, done = os.urandom(SIZE), []

    def act(step: int) -> None:
        if step >= 1 and not done:
            done.append(s3.put_object(Bucket="bucket", Key=f"{prefix}/large", Body=other))

    found, report = run(client, prefix, machines.key, tmp_path / "manifest", act)
    assert found["large"] == "changed" and report.exit == 1 and report.counts == {"tagged": 3, "changed": 1}
    found, report = run(client, prefix, machines.key, tmp_path / "manifest")
    assert report.exit == 0


def test_a_version_that_is_pinned(
    machines: Machines, client: Client, bucket: tuple[str, Path], tmp_path: Path, s3  # type: ignore[no-untyped-def]
) -> None:
    prefix, folder = bucket
    enable, done = {"Status": "Enabled"}, []
    s3.put_bucket_versioning(Bucket="bucket", VersioningConfiguration=enable)
    s3.put_object(Bucket="bucket", Key=f"{prefix}/large", Body=(folder / "large").read_bytes())

    def act(step: int) -> None:
        if step >= 1 and not done:
            done.append(s3.put_object(Bucket="bucket", Key=f"{prefix}/large", Body=b"another version"))

    _, report = run(client, prefix, machines.key, tmp_path / "manifest", act, versions=True)
    s3.put_bucket_versioning(Bucket="bucket", VersioningConfiguration={"Status": "Suspended"})
    assert report.counts == {"tagged": 4}
    is_what_the_command_says(tmp_path / "manifest", folder, machines.key)


def test_a_coordinator_that_is_killed_goes_on(
    machines: Machines, client: Client, bucket: tuple[str, Path], tmp_path: Path
) -> None:
    prefix, folder = bucket
    manifest, state = tmp_path / "manifest", tmp_path / "state"
    command = [
        sys.executable, "-m", "wegman.cluster", "tag", f"s3://bucket/{prefix}", "-k", machines.key, "-o", str(manifest),
        "--scheduler", machines.address, "--tls", str(machines.tls), "--state", str(state), "--grain", "1M", "--get", "8K",
    ]  # fmt: skip
    with open(tmp_path / "log", "wb") as log:
        first = subprocess.Popen([*command, "--json"], stdout=log, stderr=log, cwd=tmp_path)

        def has_begun() -> bool:
            assert first.poll() is None
            return state.exists() and state.read_bytes().count(b"\n") > 4

        wait_for("the first sums", has_begun)
        first.kill()
        first.wait()
    assert not manifest.exists()
    done = subprocess.run([*command, "--get", "1M"], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "rest on what was read before" in done.stderr, done.stderr
    is_what_the_command_says(manifest, folder, machines.key)


def test_strangers_stay_outside(machines: Machines, client: Client, tmp_path: Path) -> None:
    # Certificates of another authority, and none at all.
    other = tmp_path / "tls"
    _certificates.make(other)
    stranger = machines.worker("--death-timeout", "5", tls=other)
    with pytest.raises((OSError, TimeoutError)):
        Client(machines.address, security=_certificates.security(other), timeout=3)
    with pytest.raises((OSError, TimeoutError)):
        Client(machines.address.replace("tls://", "tcp://"), timeout=3)
    assert stranger.wait(timeout=40) != 0
    # A worker whose key others may read, or that has none, does not start.
    open_key = tmp_path / "open"
    open_key.write_bytes(Path(machines.key).read_bytes())
    open_key.chmod(0o644)
    for key in (str(open_key), str(tmp_path / "nothing")):
        worker = machines.worker(WEGMAN_KEY=key)
        assert worker.wait(timeout=40) != 0
    assert len(client.nthreads()) == 2


def test_another_key_is_told_of(machines: Machines, bucket: tuple[str, Path], tmp_path: Path, client: Client) -> None:
    prefix, _ = bucket
    other = tmp_path / "other"
    wegman("keygen", other)
    with pytest.raises(cluster.ClusterError, match="it has the key"):
        run(client, prefix, str(other), tmp_path / "manifest")
    said = cluster.workers(str(other), Setup(client=client))
    assert all("not" in str(one["error"]) for one in said)


def test_a_scheduler_that_is_lost(key: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with open(tmp_path / "data/large", "wb") as file:
        file.truncate(1 << 30)
    # Alone, so that the others keep theirs.
    machines = Machines(tmp_path, key)
    state = tmp_path / "state"
    options = Options(grain=MIB, get_size=MIB // 16)

    def progress(now: cluster.Report) -> None:
        if now.jobs > 8 and machines.scheduler.poll() is None:
            machines.scheduler.kill()
            machines.scheduler.wait()

    wait_for("the scheduler", lambda: is_up(int(machines.address.rpartition(":")[2])))
    client = machines.client(timeout=5)
    try:
        wait_for("a worker", lambda: bool(client.nthreads()))
        with pytest.raises(cluster.ClusterError, match="the scheduler is lost"):
            cluster.tag(
                str(tmp_path / "data"), key, str(tmp_path / "m"), client=client, state=state, options=options, on_progress=progress
            )
    finally:
        client.close(timeout=5)
        machines.stop()
    report = cluster.tag(str(tmp_path / "data"), key, str(tmp_path / "m"), state=state, options=options)
    assert report.counts == {"tagged": 1} and report.earlier >= 1
    wegman("check", "-k", key, tmp_path / "m", cwd=tmp_path / "data")


def test_no_secret_is_anywhere(machines: Machines, client: Client) -> None:
    """After all the others: in no log, argument, environment or scratch file of any process."""
    secret = next(line.split()[1] for line in Path(machines.key).read_text().splitlines() if line.startswith("secret"))
    assert len(secret) == 64
    forms = [secret.encode(), bytes.fromhex(secret)]
    logs = machines.logs()
    assert "Starting Worker" in logs or "distributed.worker" in logs
    places = [logs.encode()]
    for process in [*machines.workers, machines.scheduler]:
        if process.poll() is None:
            for name in ("cmdline", "environ"):
                places.append(Path(f"/proc/{process.pid}/{name}").read_bytes())
    for path in machines.folder.rglob("*"):
        if path.is_file() and path.name != "key" and path.stat().st_size < 10 * MIB:
            places.append(path.read_bytes())
    assert not any(form in place for form in forms for place in places)
