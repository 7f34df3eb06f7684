"""Shards and their root: what is dropped, doubled, older or swapped fails, and nothing of it is called good."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import wegman
from fakes import Fake
from wegman import InvalidTag, cluster
from wegman._native import KeyFile, read_manifest, seal_manifest
from wegman.cluster import ManifestError, Options, Setup, _runs
from wegman.cluster._state import State

OPTIONS = Options(grain=64, get_size=16)


def setup(source: Fake) -> Setup:
    return Setup(source=source, workers=2, options=OPTIONS)


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shards of three rows."""
    monkeypatch.setattr(_runs, "MOST_ROWS", 3)


@pytest.fixture
def source() -> Fake:
    return Fake({f"{i:02}": f"content {i}".encode() * i for i in range(10)})


@pytest.fixture
def tree(source: Fake, key: str, tmp_path: Path, small_shards: None) -> Path:
    """Ten objects in four shards."""
    place = tmp_path / "tree"
    report = cluster.tag("memory", key, f"{place}/", setup(source))
    assert report.counts == {"tagged": 10}
    assert len(shards(place)) == 4
    return place


def shards(tree: Path) -> list[Path]:
    return sorted(path for path in tree.glob("shard-*") if path.suffix != ".gz")


def check(source: Fake, tree: Path, key: str) -> cluster.Report:
    return cluster.check("memory", f"{tree}/", key, setup(source))


def test_shards_have_keys_of_their_own(source: Fake, tree: Path, key: str) -> None:
    assert check(source, tree, key).counts == {"ok": 10}
    file = KeyFile(key)
    ids = set()
    names = []
    for path in shards(tree):
        shard = read_manifest(file, path)
        assert shard.kind == "shard" and shard.shard is not None
        ids.add(shard.shard)
        for name, tag in shard.rows:
            names.append(name.decode())
            assert tag == file.mac(shard.shard).tag(source.contents[names[-1]])
            assert tag != file.mac().tag(source.contents[names[-1]])
    assert len(ids) == 4 and names == sorted(source.contents)
    root = read_manifest(file, tree / "root")
    assert root.kind == "root"
    assert root.rows == [(path.name.encode(), file.mac().tag(path.read_bytes())) for path in shards(tree)]


def test_a_shard_closes_at_its_bytes(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_runs, "MOST_BYTES", 100)
    source = Fake({"a": bytes(60), "b": bytes(50), "c": bytes(300), "d": bytes(10), "e": bytes(80)})
    cluster.tag("memory", key, f"{tmp_path}/tree/", setup(source))
    rows = [[name for name, _ in read_manifest(KeyFile(key), path).rows] for path in shards(tmp_path / "tree")]
    assert rows == [[b"a"], [b"b"], [b"c"], [b"d", b"e"]]
    with pytest.raises(ManifestError, match="with a slash at the end, for shards"):
        cluster.tag("memory", key, str(tmp_path / "plain"), setup(source))


def test_altered_swapped_doubled_and_missing_shards(source: Fake, tree: Path, key: str, tmp_path: Path) -> None:
    paths = shards(tree)
    contents = [path.read_bytes() for path in paths]

    def refused(match: str) -> None:
        with pytest.raises((InvalidTag, ManifestError), match=match):
            check(source, tree, key)
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        assert check(source, tree, key).ok

    for at in range(0, len(contents[1]), 37):
        changed = bytearray(contents[1])
        changed[at] ^= 1
        paths[1].write_bytes(changed)
        refused("tag does not match")
    paths[1].write_bytes(contents[2])
    refused("tag does not match")
    paths[1].write_bytes(contents[0])
    refused("tag does not match")
    paths[1].write_bytes(contents[2]), paths[2].write_bytes(contents[1])
    refused("tag does not match")
    paths[3].unlink()
    refused("the shard is missing")


def test_an_older_shard(source: Fake, tree: Path, key: str, tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copytree(tree, old)
    source.contents["04"] = b"new"
    report = cluster.retag("memory", f"{tree}/", key, ["04"], setup(source))
    assert report.counts == {"unchanged": 9, "tagged": 1} and report.about is not None and report.about.serial == 2
    assert check(source, tree, key).counts == {"ok": 10}
    # The shard before, in the place of the one that has the change.
    (new,) = set(shards(tree)) - {tree / path.name for path in shards(old)}
    (gone,) = {path.name for path in shards(old)} - {path.name for path in shards(tree)}
    kept = new.read_bytes()
    new.write_bytes((old / gone).read_bytes())
    with pytest.raises(InvalidTag):
        check(source, tree, key)
    new.write_bytes(kept)
    # An older root wants shards that are no longer there.
    shutil.copy(old / "root", tree / "root")
    with pytest.raises(ManifestError, match="missing"):
        check(source, tree, key)


def test_a_root_that_was_sealed_wrongly(source: Fake, tree: Path, key: str) -> None:
    """By somebody who has the key, and made a mistake: no object is checked twice, or not at all."""
    file = KeyFile(key)
    rows = read_manifest(file, tree / "root").rows
    first, second = shards(tree)[:2]
    seal_manifest(file, tree / "root", [*rows, (b"zzz", rows[0][1])], root=True)
    shutil.copy(first, tree / "zzz")
    with pytest.raises(ManifestError, match="do not follow"):
        check(source, tree, key)
    (tree / "zzz").write_bytes((tree / "root").read_bytes())
    seal_manifest(file, tree / "root", [*rows, (b"zzz", file.mac().tag((tree / "zzz").read_bytes()))], root=True)
    with pytest.raises(ManifestError, match="not a shard"):
        check(source, tree, key)
    with pytest.raises(ManifestError, match="not the root"):
        shutil.copy(second, tree / "root")
        check(source, tree, key)
    with pytest.raises(ManifestError, match="it is a root"):
        seal_manifest(file, tree / "other", rows, root=True)
        cluster.check("memory", str(tree / "other"), key, setup(source))


def test_new_missing_changed_and_failed(source: Fake, tree: Path, key: str) -> None:
    source.contents["00a"] = b"between the names of a shard"
    source.contents["99"] = b"after all"
    del source.contents["05"]
    source.contents["07"] = b"other content"
    report = check(source, tree, key)
    assert report.counts == {"ok": 8, "new": 2, "missing": 1, "failed": 1} and report.exit == 1
    # What nobody expected is told of, and not blessed.
    report = cluster.retag("memory", f"{tree}/", key, [], setup(source))
    assert report.counts == {"unchanged": 8, "new": 2, "missing": 1, "changed": 1} and report.exit == 1
    assert check(source, tree, key).counts == {"ok": 8, "new": 2, "missing": 1, "failed": 1}
    expected = ["00a", "99", "05", "07"]
    report = cluster.retag("memory", f"{tree}/", key, expected, setup(source))
    assert report.counts == {"unchanged": 8, "tagged": 3, "removed": 1} and report.exit == 0
    assert check(source, tree, key).counts == {"ok": 11}


def test_what_is_expected_and_nowhere(source: Fake, tree: Path, key: str) -> None:
    report = cluster.retag("memory", f"{tree}/", key, ["nowhere", "04"], setup(source))
    assert report.counts == {"unchanged": 9, "tagged": 1, "missing": 1} and report.exit == 1


def test_an_index_is_not_trusted(source: Fake, tree: Path, key: str) -> None:
    """Whoever changes it hides a change from retag, which then keeps the old tag, and check finds it."""
    source.contents["04"] = b"changed"
    for path in tree.glob("*.index.gz"):
        path.unlink()
    report = cluster.retag("memory", f"{tree}/", key, [], setup(source))
    assert report.counts == {"changed": 10}
    for path in shards(tree):
        Path(f"{path}.index.gz").write_bytes(b"nonsense")
    assert cluster.retag("memory", f"{tree}/", key, [], setup(source)).counts == {"changed": 10}
    assert check(source, tree, key).counts == {"ok": 9, "failed": 1}


def test_parts_of_a_check_have_every_object_once(source: Fake, tree: Path, key: str) -> None:
    counts = [
        cluster.check("memory", f"{tree}/", key, setup(source), part=(part, 4)).counts.get("ok", 0)
        for part in range(1, 5)
    ]
    assert sum(counts) == 10 and max(counts) < 10


def test_an_interrupted_run_has_the_same_shards(key: str, tmp_path: Path, source: Fake, small_shards: None) -> None:
    state = tmp_path / "state"
    seen = []

    def stop(outcome: cluster.Outcome) -> None:
        seen.append(outcome.name)
        if len(seen) == 8:
            raise KeyboardInterrupt

    interrupted = setup(source)
    interrupted.state, interrupted.on_object, interrupted.options = state, stop, Options(grain=16, get_size=16)
    with pytest.raises(KeyboardInterrupt):
        cluster.tag("memory", key, f"{tmp_path}/tree/", interrupted)
    again = setup(source)
    again.state, again.options = state, interrupted.options
    report = cluster.tag("memory", key, f"{tmp_path}/tree/", again)
    assert report.counts == {"tagged": 10} and report.progress.resumed > 0
    assert check(source, tmp_path / "tree", key).counts == {"ok": 10}


def test_shards_in_a_state_are_not_believed(
    key: str, tmp_path: Path, source: Fake, small_shards: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever can write to it gives two shards one id, or one of their own."""
    state = tmp_path / "state"

    def stop(outcome: cluster.Outcome) -> None:
        if outcome.name == "09":
            raise KeyboardInterrupt

    def tag(force: bool = False, **more: object) -> cluster.Report:
        return cluster.tag("memory", key, f"{tmp_path}/tree/", replace(setup(source), workers=1, state=state, **more), force=force)

    with pytest.raises(KeyboardInterrupt):
        tag(on_object=stop)
    with closing(sqlite3.connect(state)) as file:
        rows = file.execute("SELECT sealed FROM shard ORDER BY number").fetchall()
        assert len(rows) == 4
        file.execute("UPDATE shard SET sealed = ? WHERE number = 1", rows[0])
        file.execute("UPDATE shard SET sealed = ? WHERE number = 3", ("text",))
        file.commit()
    report = tag()
    assert report.counts == {"tagged": 10} and report.refused == ["shard 1"] and report.progress.earlier == 3
    assert check(source, tmp_path / "tree", key).counts == {"ok": 10}
    # An older row of the same run, put back, is sealed rightly.
    with pytest.raises(KeyboardInterrupt):
        tag(on_object=stop, force=True)
    shards = State.shards
    monkeypatch.setattr(State, "shards", lambda self: shards(self)[:1] * 2 + shards(self))
    assert tag(force=True).counts == {"tagged": 10}
    assert check(source, tmp_path / "tree", key).counts == {"ok": 10}


def test_a_manifest_is_not_written_over(source: Fake, key: str, tmp_path: Path) -> None:
    place = str(tmp_path / "manifest")
    cluster.tag("memory", key, place, setup(source))
    with pytest.raises(ManifestError, match="there is a manifest already"):
        cluster.tag("memory", key, place, setup(source))
    assert cluster.tag("memory", key, place, setup(source), force=True).about.serial == 2  # type: ignore[union-attr]
    other = tmp_path / "other"
    other.write_text("somebody's letter")
    with pytest.raises((InvalidTag, ValueError)):
        cluster.tag("memory", key, str(other), setup(source), force=True)
    assert other.read_text() == "somebody's letter"


def test_both_ways_with_the_command(key: str, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("a", "b b", "é"):
        (folder / name).write_text(name)
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    options = Setup(options=OPTIONS)
    cluster.tag(str(folder), key, str(ours), options)
    wegman("check", "-k", key, ours, cwd=folder)
    wegman("tag", "-k", key, "-o", theirs, "a", "b b", "é", cwd=folder)
    assert cluster.check(str(folder), str(theirs), key, options).counts == {"ok": 3}
    (folder / "a").write_text("other")
    wegman("check", "-k", key, ours, cwd=folder, code=1)
    assert cluster.check(str(folder), str(theirs), key, options).counts == {"ok": 2, "failed": 1}


def test_sealing_and_reading(key: str, tmp_path: Path) -> None:
    file = KeyFile(key)
    tag = file.mac().tag(b"")
    path = tmp_path / "manifest"
    rows = [(b"a", tag), (b"new\nline \xff", bytes(tag))]
    assert seal_manifest(file, path, iter(rows))[0] == 1
    serial, seal_id = seal_manifest(file, path, rows)
    manifest = read_manifest(file, path)
    assert (manifest.kind, manifest.shard, manifest.serial, manifest.seal_id) == ("plain", None, serial, seal_id)
    assert manifest.rows == rows and serial == 2
    for wrong in ([rows[1], rows[0]], [rows[0], rows[0]], [(b"", tag)], [(b"a\0", tag)], [(b"a", b"short")]):
        with pytest.raises(ValueError):
            seal_manifest(file, path, wrong)
        assert read_manifest(file, path).serial == 2
    for wrong_type in ([("a", tag)], [b"a"], 3, [(b"a", None)]):
        with pytest.raises(TypeError):
            seal_manifest(file, path, wrong_type)  # type: ignore[arg-type]
    for shard in ("", "0123456789ABCDEF", "0123456789abcde", "0123456789abcdef0"):
        with pytest.raises(ValueError, match="16 hexadecimal digits"):
            seal_manifest(file, path, rows, shard=shard)
    with pytest.raises(TypeError, match="not both"):
        seal_manifest(file, path, rows, shard="0123456789abcdef", root=True)

    def fails() -> object:
        yield rows[0]
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        seal_manifest(file, path, fails())  # type: ignore[arg-type]
    assert read_manifest(file, path).serial == 2 and [one.name for one in tmp_path.iterdir()].count("manifest") == 1
    other = tmp_path / "other"
    wegman("keygen", other)
    with pytest.raises(ValueError, match="use the key that made it"):
        read_manifest(KeyFile(other), path)
    content = bytearray(path.read_bytes())
    content[60] ^= 1
    path.write_bytes(content)
    with pytest.raises(InvalidTag):
        read_manifest(file, path)
    with pytest.raises(ValueError, match="refused"):
        seal_manifest(file, path, rows)
    assert path.read_bytes() == content


def test_places_that_are_not_there(source: Fake, key: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for place, match in (("nothing", "no such file"), ("empty/", "there is no root"), ("no/", "no such folder")):
        with pytest.raises(ManifestError, match=match):
            cluster.check("memory", f"{tmp_path}/{place}", key, setup(source))
    assert not (tmp_path / "no").exists()
