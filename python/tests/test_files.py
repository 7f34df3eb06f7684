"""Manifests, by the command that the wheel has, and files that are loaded under them."""

import mmap
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import wegman
from wegman import files
from wegman._native import KeyFile, seal_manifest


@pytest.fixture
def place(tmp_path: Path) -> Path:
    files.keygen("key", cwd=tmp_path)
    (tmp_path / "photos").mkdir()
    for name in ("a.jpg", "b.jpg", "-c.jpg", "d d\n.jpg", os.fsdecode(b"\xff.jpg")):
        (tmp_path / "photos" / name).write_bytes(os.fsencode(name))
    return tmp_path


def test_a_tree(place: Path) -> None:
    report = files.tag_tree("photos", "manifest", "key", cwd=place, exclude=["b.*"])
    assert report.ok and report.counts == {"tagged": 4, "unreadable": 0}
    report = files.tag_tree("photos", "manifest", "key", cwd=place)
    assert report.ok and {file.name for file in report.files} == {
        "photos/" + name for name in os.listdir(place / "photos")
    }
    assert all(file.tag is not None and len(file.tag) == 16 for file in report.files)
    # Names are those of os.listdir where the locale is not UTF-8, too.
    (place / "\xe9").touch()
    listed = "import os; from wegman import files; r = files.tag_tree('.', 'all', 'key'); assert os.path.exists(max(f.name for f in r.files))"
    plain = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    subprocess.run([sys.executable, "-c", listed], cwd=place, env=plain, check=True)
    report = files.check("manifest", place / "key", cwd=place)
    report.verify()
    assert report.counts["ok"] == 5
    assert files.check("manifest", "key", ["photos/-c.jpg"], cwd=place).counts["ok"] == 1

    photos = place / "photos"
    (photos / "a.jpg").write_text("changed")
    (photos / "b.jpg").rename(photos / "e.jpg")
    (photos / "new").touch()
    report = files.check("manifest", "key", cwd=place)
    assert not report.ok
    assert {file.name: file.status for file in report.files if file.status != "ok"} == {
        "photos/a.jpg": "failed",
        "photos/b.jpg": "missing",
    }
    with pytest.raises(wegman.InvalidTag, match="1 failed, 1 missing"):
        report.verify()
    report = files.audit("photos", "manifest", "key", cwd=place)
    assert not report.ok
    assert {(file.name, file.status, file.moved_to) for file in report.files} == {
        ("photos/a.jpg", "changed", None),
        ("photos/b.jpg", "moved", "photos/e.jpg"),
        ("photos/new", "new", None),
    }


def test_no_path_is_standard_input(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "photos").rename(place / "-")
    report = files.tag_tree("-", "manifest", "key", cwd=place)
    assert report.counts["tagged"] == 5 and files.audit("-", "manifest", "key", cwd=place).ok
    (place / "manifest").rename(place / "-" / "-")
    assert files.check("-", place / "key", cwd=place / "-").counts["missing"] == 5
    (place / "key").rename(place / "-" / "key")
    monkeypatch.chdir(place / "-")
    assert files.Sealed("-", "key").serial == 1
    (place / "-" / "-").unlink()
    (place / "-" / "key").rename("-")
    assert KeyFile("-").tag_bits == 128


def test_one_string_is_no_list(place: Path) -> None:
    """Its star, taken alone, would leave out every file."""
    for wrong in (
        lambda: files.tag_tree("photos", "manifest", "key", cwd=place, exclude="*.tmp"),
        lambda: files.audit("photos", "manifest", "key", cwd=place, exclude="*.tmp"),
        lambda: files.check("manifest", "key", "photos", cwd=place),
    ):
        with pytest.raises(TypeError, match="is a list, such as"):
            wrong()
    assert files.listed([b"*.tmp", place], "exclude") == ["*.tmp", str(place)]


def test_a_manifest_that_was_edited_is_refused(place: Path) -> None:
    files.tag_tree("photos", "manifest", "key", cwd=place)
    manifest = place / "manifest"
    manifest.write_bytes(manifest.read_bytes().replace(b"a.jpg", b"z.jpg"))
    for refuse in (
        lambda: files.check("manifest", "key", cwd=place),
        lambda: files.audit("photos", "manifest", "key", cwd=place),
    ):
        with pytest.raises(wegman.InvalidTag, match="seal"):
            refuse()


def test_what_is_not_there(place: Path) -> None:
    for wrong in (
        lambda: files.check("manifest", "key", cwd=place),
        lambda: files.check("manifest", "nokey", cwd=place),
        lambda: files.audit("photos", "manifest", "key", cwd=place),
        lambda: files.keygen("key", cwd=place),
        lambda: files.keygen("other", "UMAC-65", cwd=place),
    ):
        with pytest.raises(files.Error, match="key|manifest|UMAC-65"):
            wrong()
    assert not files.tag_tree("nothere", "manifest", "key", cwd=place).ok


def test_the_module_is_the_command(place: Path) -> None:
    command = [sys.executable, "-P", "-m", "wegman", "mac", "PMAC-AES128", "--key-hex-file", "hex", "photos/a.jpg"]
    (place / "hex").write_text("000102030405060708090a0b0c0d0e0f")
    (place / "hex").chmod(0o600)
    said = subprocess.check_output(command, cwd=place, text=True)
    assert str(wegman.Pmac(bytes(range(16))).tag(b"a.jpg")) in said


@pytest.fixture
def weights(place: Path) -> Path:
    (place / "photos/a.jpg").write_bytes(os.urandom(3_000_001))
    (place / "photos/empty").touch()
    files.tag_tree("photos", "manifest", "key", cwd=place)
    return place


def test_what_is_loaded_is_what_was_verified(weights: Path) -> None:
    sealed, data = files.Sealed("manifest", "key", cwd=weights), (weights / "photos/a.jpg").read_bytes()
    told: list[tuple[int, int]] = []
    for name in ("photos/a.jpg", "./photos//a.jpg", "photos/../photos/a.jpg", Path("photos/a.jpg")):
        assert sealed.read(name) == data
    assert sealed.read("photos/empty") == b"" == sealed.read("photos/empty", bytearray(3))
    assert sealed.read(os.fsdecode(b"photos/\xff.jpg")) == b"\xff.jpg"
    buffer = bytearray(b"x" * 3_000_003)
    view = sealed.read("photos/a.jpg", into=buffer, progress=lambda done, size: told.append((done, size)))
    assert view == data == buffer[:-2] and buffer[-2:] == b"xx"
    assert told[-1] == (3_000_001, 3_000_001) and told == sorted(told) and len(told) > 10
    array = numpy.zeros((1001, 3000), "uint8")
    assert sealed.read("photos/a.jpg", array) == data
    with sealed.path("photos/a.jpg") as path:
        copy = Path(path)
        assert copy.read_bytes() == data
        with open(path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        # Nobody can change it, not even here.
        for change in (lambda: copy.write_bytes(b"x"), lambda: os.truncate(path, 5), lambda: os.truncate(path, 4_000_000)):
            with pytest.raises(PermissionError):
                change()
        with open(path, "r+b") as file, pytest.raises(PermissionError):
            mmap.mmap(file.fileno(), 0)
    assert mapped[:] == data
    assert not copy.exists()


def test_what_is_not_verified_is_not_loaded(weights: Path) -> None:
    sealed, photo = files.Sealed("manifest", "key", cwd=weights), weights / "photos/a.jpg"

    def refused(name: str, error: type[Exception], match: str, buffer: object = None) -> None:
        buffer = bytearray(b"x" * 3_000_003) if buffer is None else buffer
        for load in (
            lambda: sealed.read(name),
            lambda: sealed.read(name, buffer),
            lambda: sealed.path(name).__enter__(),
        ):
            open_before = len(os.listdir("/proc/self/fd"))
            with pytest.raises(error, match=match):
                load()
            # Fewer, if an object of another test has ended meanwhile.
            assert len(os.listdir("/proc/self/fd")) <= open_before
        assert not any(buffer)

    with open(photo, "r+b") as file:
        file.seek(2_000_000)
        byte = file.read(1)
        file.seek(2_000_000)
        file.write(bytes([byte[0] ^ 1]))
    refused("photos/a.jpg", wegman.InvalidTag, "photos/a.jpg: it is not what the manifest says")
    photo.write_bytes(b"other")
    refused("photos/a.jpg", wegman.InvalidTag, "a.jpg")
    photo.unlink()
    refused("photos/a.jpg", files.Error, "a.jpg.*[Nn]o such file")
    photo.symlink_to("b.jpg")
    refused("photos/a.jpg", files.Error, "a.jpg.*symbolic link")
    photo.unlink()
    os.mkfifo(photo)
    refused("photos/a.jpg", files.Error, "a.jpg")
    for name in ("manifest", "photos", "photos/new", "/etc/passwd", "../x", "photos/b.jpg/../../key", ""):
        refused(name, wegman.InvalidTag, "does not list")
    with pytest.raises(ValueError, match="b.jpg: it has 5 bytes, and `into` has room for 4"):
        sealed.read("photos/b.jpg", bytearray(4))
    with pytest.raises(TypeError):
        sealed.read("photos/b.jpg", bytes(5))


@pytest.mark.parametrize(("size", "said"), [(1_000_000, "shrank to"), (4_000_000, "grew")])
def test_a_file_that_changes_its_length_is_named(weights: Path, size: int, said: str) -> None:
    sealed, buffer = files.Sealed("manifest", "key", cwd=weights), bytearray(3_000_001)

    def progress(done: int, of: int) -> None:
        os.truncate(weights / "photos/a.jpg", size)

    with pytest.raises(files.Error, match=f"photos/a.jpg: it had 3000001 bytes, and {said}"):
        sealed.read("photos/a.jpg", buffer, progress=progress)
    assert not any(buffer)


def test_a_manifest_is_for_loading_or_it_is_refused(weights: Path) -> None:
    files.tag_tree("photos", "manifest", "key", cwd=weights)
    assert files.Sealed("manifest", "key", cwd=weights, at_least=2).serial == 2
    with pytest.raises(wegman.InvalidTag, match="serial number is 2, and --at-least asks for 3"):
        files.Sealed("manifest", "key", cwd=weights, at_least=3)
    files.keygen("other", cwd=weights)
    with pytest.raises(ValueError, match="wrong key"):
        files.Sealed("manifest", "other", cwd=weights)
    files.keygen("umac", "UMAC-64", cwd=weights)
    files.tag_tree("photos", "umac manifest", "umac", cwd=weights)
    with pytest.raises(ValueError, match="UMAC-64.*PMAC"):
        files.Sealed("umac manifest", "umac", cwd=weights)
    shard = seal_manifest(KeyFile(weights / "key"), weights / "shard", [(b"x", bytes(16))], shard="0123456789abcdef")
    assert shard
    with pytest.raises(ValueError, match="shard"):
        files.Sealed("shard", "key", cwd=weights)
    with pytest.raises(FileNotFoundError):
        files.Sealed("nothere", "key", cwd=weights)
    manifest = weights / "manifest"
    whole = manifest.read_bytes()
    for at in range(0, len(whole), 7):
        manifest.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises((wegman.InvalidTag, ValueError)):
            files.Sealed("manifest", "key", cwd=weights)
    manifest.write_bytes(whole)
    (weights / "key").chmod(0o644)
    with pytest.raises(ValueError, match="permission|access|others"):
        files.Sealed("manifest", "key", cwd=weights)


def test_an_edit_that_is_not_finished_is_refused(weights: Path) -> None:
    (weights / "manifest.wegman-edit").write_bytes(b"what an edit leaves")
    with pytest.raises(ValueError, match="wegman-edit"):
        files.Sealed("manifest", "key", cwd=weights)


WRITER = """
import os, sys, time
name, size = sys.argv[1], int(sys.argv[2])
with open(name, "r+b", buffering=0) as file:
    print(flush=True)
    while True:
        for state in (b"\\2", b"\\1"):
            for at in range(0, size, 4096):
                os.pwrite(file.fileno(), state * 4096, at)
        time.sleep(0.002)
"""


def test_a_race_with_a_writer_hands_over_nothing_wrong(weights: Path) -> None:
    """1,000 loads while another process writes the file to and fro: what is handed over is always the state that was sealed."""
    size, photo = 1 << 20, weights / "photos/a.jpg"
    right = b"\1" * size
    photo.write_bytes(right)
    (weights / "manifest").unlink()
    files.tag_tree("photos", "manifest", "key", cwd=weights)
    sealed, buffer, loaded, refused = files.Sealed("manifest", "key", cwd=weights), bytearray(size), 0, 0
    with subprocess.Popen([sys.executable, "-c", WRITER, photo, str(size)], stdout=subprocess.PIPE) as writer:
        try:
            assert writer.stdout is not None
            writer.stdout.readline()
            for turn in range(1000):
                try:
                    if turn % 2:
                        assert sealed.read("photos/a.jpg", buffer) == right
                    else:
                        with sealed.path("photos/a.jpg") as path:
                            assert Path(path).read_bytes() == right
                    loaded += 1
                except wegman.InvalidTag:
                    refused += 1
                    assert not turn % 2 or buffer.count(0) == size
        finally:
            writer.kill()
    assert loaded + refused == 1000 and loaded and refused
