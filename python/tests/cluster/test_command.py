"""The command wegman-cluster: what it prints, its exit codes, and what it refuses."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import obstore
import pytest
from conftest import run
from wegman import cluster
from wegman._native import KeyFile
from wegman.cluster import Options, _runs, _store


@pytest.fixture
def folder(tmp_path: Path, key: str) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a").write_text("one")
    (tmp_path / "data/b").write_bytes(bytes(100_000))
    return tmp_path


RUN_IT = "from wegman._cluster import main; main()"


@pytest.mark.parametrize(
    ("program", "missing", "code"),
    [("import wegman.cluster", "obstore", 1), *[(RUN_IT, name, 2) for name in ("obstore", "click", "tqdm", "cryptography")]],
)
def test_without_the_extra(program: str, missing: str, code: int) -> None:
    program = f"import sys; sys.modules[{missing!r}] = None; {program}"
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert done.stderr.endswith(f'{missing} is not installed: `pip install "wegman[cluster]"`\n')


def test_everyday(folder: Path, key: str) -> None:
    done = run("tag", "data", "-k", "key", cwd=folder)
    assert "PMAC-AES128 (a) = " in done.stdout and "2 tagged" in done.stderr
    (folder / "m").write_text(done.stdout)
    assert run("check", "data", "m", "-v", cwd=folder, WEGMAN_KEY=key).stdout == "a: OK\nb: OK\n"
    assert "2 ok" in run("check", "data", "m", cwd=folder, WEGMAN_KEY=key).stderr
    assert run("check", "data", "m", "-k", "key", "-q", cwd=folder).stdout == ""
    (folder / "data/a").write_text("two")
    assert run("check", "data", "m", "-k", "key", "-q", cwd=folder, code=1).stdout == "a: FAILED\n"
    assert "key" in run("workers", "-k", "key", cwd=folder).stdout


def test_a_terminal_obeys_no_name(folder: Path) -> None:
    (folder / "data/\x1b[1A\rb: OK").write_text("evil")
    ours, theirs = pty.openpty()
    words = [sys.executable, "-P", "-m", "wegman.cluster", "tag", "data", "-k", "key"]
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL, check=True)
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):
        while data := os.read(ours, 4096):
            said += data
    os.close(ours)
    assert done.returncode == 0 and b"(\\x1b[1A\\rb: OK) = " in said and b"\x1b" not in said


def test_json(folder: Path) -> None:
    done = run("tag", "data", "-k", "key", "-o", "m", "--json", "-v", cwd=folder)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["type"] for record in records] == ["start", "object", "object", "summary"]
    assert records[1].keys() >= {"name", "status", "size", "tag"}
    summary = records[-1]
    assert (summary["tagged"], summary["bytes"], summary["exit"]) == (2, 100_003, 0)
    (folder / "data/b").unlink()
    done = run("check", "data", "m", "-k", "key", "--json", "-v", cwd=folder, code=1)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert {record["name"]: record["status"] for record in records[1:-1]} == {"a": "ok", "b": "missing"}
    planned = json.loads(run("tag", "data", "-k", "key", "--plan", "--json", cwd=folder).stdout.splitlines()[-1])
    assert (planned["objects"], planned["bytes"], planned["gets"]) == (1, 3, 1)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["tag", "data", "-k", "nothing"], "nothing: can't use it as the key file"),
        (["tag", "nothing-here", "-k", "key"], "nothing-here"),
        (["check", "data", "nothing", "-k", "key"], "no such file"),
        (["tag", "data", "-k", "key", "--grain", "12"], "multiple"),
        (["tag", "data", "-k", "key", "--grain", "x"], "is not a size"),
        (["tag", "data", "-k", "key", "--twice", "200%"], "is not a share"),
        (["tag", "data", "-k", "key", "--resume-within", "soon"], "is not a time"),
        (["check", "data", "m", "-k", "key", "--part", "0/3"], "is not a part"),
        (["check", "data", "m", "-k", "key", "--round", "1"], "--round needs --part"),
        (["tag", "data", "-k", "key", "--json"], "--json needs -o"),
        (["tag", "data"], "--key"),
        (["nothing"], "nothing"),
        (["tag", "data", "-k", "key", "--scheduler", "tcp://192.0.2.1:8786"], "--insecure-scheduler"),
        (["tag", "data", "-k", "key", "--scheduler", "tls://127.0.0.1:8786"], "--tls"),
        (["tag", "data", "-k", "key", "--scheduler", "tls://127.0.0.1:8786", "--tls", "nowhere"], "ca.pem"),
        (["tag", "data", "-k", "key", "--scheduler", "tcp://127.0.0.1:9"], "no connection"),
        (["tag", "data", "-k", "key", "-o", "no/such/m"], "no such folder"),
        (["upload", "data/a", "nowhere/x", "-k", "key"], "nowhere"),
    ],
)
def test_errors(folder: Path, arguments: list[str], says: str) -> None:
    (folder / "m").write_text("")
    more = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2s"}
    assert says in run(*arguments, cwd=folder, code=2, **more).stderr


def test_a_forged_manifest(folder: Path) -> None:
    for place, file in (("m", "m"), ("tree/", "tree/root")):
        run("tag", "data", "-k", "key", "-o", place, cwd=folder)
        text = (folder / file).read_text()
        (folder / file).write_text(text.replace("(", "(c", 1))
        done = run("check", "data", place, "-k", "key", cwd=folder, code=1)
        assert f"wegman-cluster: {file}: " in done.stderr and "the seal does not match" in done.stderr and done.stdout == ""


def test_a_check_of_nothing_is_not_ok(folder: Path, key: str) -> None:
    run("tag", "data", "-k", "key", "-o", "m", cwd=folder)
    data, manifest = str(folder / "data"), str(folder / "m")
    assert "--include leaves no name" in run("check", "data", "m", "-k", "key", "--include", "x*", cwd=folder, code=2).stderr
    with pytest.raises(ValueError, match="--include and --exclude leaves"):
        cluster.check(data, manifest, key, include=["a"], exclude=["a"])
    assert not cluster.check(data, manifest, key, exclude=["a"]).remarks
    said = [cluster.check(data, manifest, key, part=(part, 9)).remarks for part in range(1, 10)]
    assert sum("no name of the manifest is in this part" in str(one) for one in said) >= 7


def test_good_objects_of_a_tag(folder: Path) -> None:
    assert "wegman-cluster: a: tagged\n" in run("tag", "data", "-k", "key", "-o", "m", "-v", cwd=folder).stderr


def test_interrupted_while_it_begins() -> None:
    """What it needs takes a second to import."""
    interrupted = """
import sys

class Interrupted:
    def find_spec(self, name, *_):
        if name == "wegman.cluster._main":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
"""
    done = subprocess.run([sys.executable, "-P", "-c", interrupted + RUN_IT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")


def test_certificates_are_never_overwritten(folder: Path) -> None:
    assert run("certificates", "tls", cwd=folder).stdout == "tls\n"
    before = {path.name: path.read_bytes() for path in (folder / "tls").iterdir()}
    assert {name for name in before} == {"ca.pem", "cert.pem", "key.pem"}
    assert (folder / "tls/key.pem").stat().st_mode & 0o77 == 0
    run("certificates", "tls", cwd=folder, code=2)
    assert before == {path.name: path.read_bytes() for path in (folder / "tls").iterdir()}


def test_interrupted(folder: Path) -> None:
    with open(folder / "data/large", "wb") as file:
        file.truncate(3 << 30)
    words = ("tag", "data", "-k", "key", "-o", "m", "--state", "s", "--grain", "1M")
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "wegman.cluster", *words, "--get", "16K"],
        cwd=folder, stderr=subprocess.PIPE, text=True,
        # In the background of a script, signals of the keyboard are ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    end = time.monotonic() + 60
    while not ((folder / "s").exists() and (folder / "s").read_bytes().count(b"\n") > 5) and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "the same command continues" in err, err
    assert not (folder / "m").exists() and (folder / "s").exists()
    assert "rest on what was read before" in run(*words, "--get", "1M", cwd=folder).stderr
    assert run("check", "data", "m", "-k", "key", "-v", cwd=folder).stdout == "a: OK\nb: OK\nlarge: OK\n"


def test_upload(folder: Path, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for size in (0, 1, 16, 1000, (8 << 20) + 5):
        content = os.urandom(size)
        (folder / "file").write_bytes(content)
        (folder / "up").mkdir(exist_ok=True)
        done = cluster.upload(folder / "file", f"{folder}/up/x", key, str(folder / "up.m"), piece=1 << 20)
        assert done.tag == KeyFile(key).mac().tag(content) and done.object.size == size
        assert (folder / "up/x").read_bytes() == content
        assert cluster.check(f"{folder}/up", str(folder / "up.m"), key).counts == {"ok": 1}
        (folder / "up.m").unlink()
    # A long file has longer parts: no store takes more than 10,000.
    sizes: list[int] = []
    begin = obstore.open_writer
    monkeypatch.setattr(_runs, "MOST_PARTS", 4)
    monkeypatch.setattr(obstore, "open_writer", lambda *words, buffer_size: sizes.append(buffer_size) or begin(*words, buffer_size=buffer_size))
    cluster.upload(folder / "file", f"{folder}/up/x", key, piece=1 << 20)
    assert sizes == [(2 << 20) + 2]


def test_upload_adds_to_a_manifest(folder: Path, key: str) -> None:
    for place in ("m", "shards/"):
        run("tag", "data", "-k", "key", "-o", place, cwd=folder)
    run("tag", "data", "-k", "key", "-o", "many/", cwd=folder)
    (folder / "file").write_text("content")
    for place in ("m", "shards/", "new", "newer/"):
        run("upload", "file", "data/", "-k", "key", "-o", place, cwd=folder)
        count = 1 if "new" in place else 3
        assert cluster.check(f"{folder}/data", f"{folder}/{place}", key).counts == ({"ok": 3} if count == 3 else {"ok": 1, "new": 2})
    # Another version of it has another tag, and the same row.
    (folder / "file").write_text("other content")
    run("upload", "file", "data/", "-k", "key", "-o", "shards/", cwd=folder)
    assert cluster.check(f"{folder}/data", f"{folder}/shards/", key).counts == {"ok": 3}
    assert cluster.check(f"{folder}/data", f"{folder}/m", key).counts == {"ok": 2, "failed": 1}
    # With a slash at the end, below its own name; without, at that of the URL.
    (folder / "up").mkdir()
    # There it would be the command's standard input.
    assert "nothing was sent" in run("upload", "file", "up/-", "-k", "key", "-o", "m", cwd=folder, code=2).stderr
    assert not any((folder / "up").iterdir())
    run("upload", "file", "up/", "-k", "key", cwd=folder)
    run("upload", "file", "up/file2", "-k", "key", cwd=folder)
    run("upload", "file", "file3", "-k", "key", cwd=folder)
    assert sorted(path.name for path in (folder / "up").iterdir()) == ["file", "file2"]
    assert (folder / "file3").read_text() == "other content"


def test_a_tree_leaves_out_its_own_key_manifest_and_state(folder: Path) -> None:
    (folder / "key").rename(folder / "data/key")
    words = ("data", "-k", "data/key")
    done = run("tag", *words, "-o", "data/m", "--state", "data/state", cwd=folder)
    assert "2 tagged" in done.stderr
    assert "2 ok" in run("check", *words[:1], "data/m", *words[1:], "--fail-on-new", cwd=folder).stderr
    run("tag", *words, "-o", "data/sub/tree/", "--exclude", "m*", cwd=folder)
    assert "2 ok;" in run("check", "data", "data/sub/tree/", *words[1:], "--exclude", "m*", "--fail-on-new", cwd=folder).stderr


def test_keywords(folder: Path, key: str) -> None:
    seen: list[str] = []
    report = cluster.tag(
        str(folder / "data"), key, str(folder / "m"), workers=1, options=Options(), on_object=lambda one: seen.append(one.name),
        show_all=True,
    )
    assert report.ok and seen == ["a", "b"]


def test_other_stores_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "account")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "a2V5")
    assert type(_store.connected("az://container/prefix")).__name__ == "AzureStore"
    monkeypatch.setenv("GOOGLE_SKIP_SIGNATURE", "true")
    assert type(_store.connected("gs://bucket/prefix")).__name__ == "GCSStore"
