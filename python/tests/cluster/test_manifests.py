"""Shards and their root: what is dropped, doubled, older or swapped fails, and nothing of it is called good."""

import gzip
import shutil
import tracemalloc
from pathlib import Path

import pytest
from conftest import wegman
from fakes import Fake
from wegman import InvalidTag, cluster
from wegman._native import KeyFile, read_manifest, seal_manifest
from wegman.cluster import ClusterError, ManifestError, Options, Problem, Setup, _places

OPTIONS = Options(grain=256, get_size=16)
# Shards of three rows.
THREE = Options(grain=256, get_size=16, rows=3)


def setup(source: Fake) -> Setup:
    return Setup(source=source, workers=2, options=OPTIONS)


@pytest.fixture
def source() -> Fake:
    return Fake({f"{i:02}": f"content {i}".encode() * i for i in range(10)})


@pytest.fixture
def tree(source: Fake, key: str, tmp_path: Path) -> Path:
    """Ten objects in four shards."""
    place = tmp_path / "tree"
    report = cluster.tag("memory", key, f"{place}/", setup(source), options=THREE)
    assert report.counts == {"tagged": 10}
    assert len(shards(place)) == 4
    return place


def shards(tree: Path) -> list[Path]:
    """In the order of their names, not of their files'."""
    return sorted((path for path in tree.glob("shard-*") if path.suffix != ".gz"), key=lambda path: path.read_bytes().split(b"(")[1])


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
    assert root.ends == [b"02", b"05", b"08", b""]


def test_a_shard_closes_at_its_bytes(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_places, "MOST_BYTES", 100)
    source = Fake({"a": bytes(60), "b": bytes(50), "c": bytes(300), "d": bytes(10), "e": bytes(80)})
    cluster.tag("memory", key, f"{tmp_path}/tree/", setup(source), options=Options(grain=256, get_size=16, bytes=60))
    rows = [[name for name, _ in read_manifest(KeyFile(key), path).rows] for path in shards(tmp_path / "tree")]
    assert rows == [[b"a"], [b"b"], [b"c"], [b"d", b"e"]]
    with pytest.raises(ManifestError, match="with a slash at the end, for shards"):
        cluster.tag("memory", key, str(tmp_path / "plain"), setup(source))


def test_altered_swapped_doubled_and_missing_shards(source: Fake, tree: Path, key: str, tmp_path: Path) -> None:
    paths = shards(tree)
    contents = [path.read_bytes() for path in paths]

    def refused(match: str) -> None:
        with pytest.raises((InvalidTag, ClusterError), match=match):
            check(source, tree, key)
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        assert check(source, tree, key).ok

    for at in range(0, len(contents[1]), 37):
        changed = bytearray(contents[1])
        changed[at] ^= 1
        paths[1].write_bytes(changed)
        refused("it is not the shard that the root has")
    paths[1].write_bytes(contents[2])
    refused("it is not the shard that the root has")
    paths[1].write_bytes(contents[0])
    refused("it is not the shard that the root has")
    paths[1].write_bytes(contents[2]), paths[2].write_bytes(contents[1])
    refused("it is not the shard that the root has")
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
    with pytest.raises(ClusterError, match="it is not the shard that the root has"):
        check(source, tree, key)
    new.write_bytes(kept)
    # An older root wants shards that are no longer there.
    shutil.copy(old / "root", tree / "root")
    with pytest.raises(ClusterError, match="missing"):
        check(source, tree, key)


def test_a_root_that_was_sealed_wrongly(source: Fake, tree: Path, key: str) -> None:
    """By somebody who has the key, and made a mistake: no object is checked twice, or not at all."""
    file = KeyFile(key)
    manifest, good = read_manifest(file, tree / "root"), (tree / "root").read_bytes()
    assert manifest.ends is not None
    rows = [(name, tag, end) for (name, tag), end in zip(manifest.rows, manifest.ends, strict=True)]
    first, second = shards(tree)[:2]
    shutil.copy(first, tree / "zzz")
    again = (b"zzz", rows[0][1], rows[1][2])
    for wrong, match in (([again, *rows[2:]], "the missing names"), ([rows[0], again, *rows[2:]], "do not follow"), (
        [(*rows[0][:2], b"01"), *rows[1:]], "not in the range"
    )):  # fmt: skip
        seal_manifest(file, tree / "root", wrong, root=True)
        if match == "the missing names":
            # Those of the second shard are new: they were not tagged.
            assert check(source, tree, key).counts == {"ok": 7, "new": 3}
        else:
            with pytest.raises(ClusterError, match=match):
                check(source, tree, key)
    for wrong in (rows[:-1], [rows[1], rows[0]], [*rows[:2], rows[0][:2], *rows[2:]]):
        with pytest.raises((ValueError, InvalidTag)):
            seal_manifest(file, tree / "root", wrong, root=True)
            read_manifest(file, tree / "root")
    (tree / "zzz").write_bytes(good)
    wrong = [*rows[:-1], (b"zzz", file.mac().tag((tree / "zzz").read_bytes()), b"")]
    (tree / "root").unlink()
    seal_manifest(file, tree / "root", wrong, root=True)
    with pytest.raises(ClusterError, match="not a shard"):
        check(source, tree, key)
    with pytest.raises(ManifestError, match="not the root"):
        shutil.copy(second, tree / "root")
        check(source, tree, key)
    seal_manifest(file, tree / "other", rows, root=True)
    with pytest.raises(ManifestError, match="it is a root"):
        cluster.check("memory", str(tree / "other"), key, setup(source))


def test_an_empty_shard_goes(source: Fake, tree: Path, key: str) -> None:
    for name in ("00", "01", "02", "06", "07", "08"):
        del source.contents[name]
    report = cluster.retag("memory", f"{tree}/", key, ["00", "01", "02", "06", "07", "08"], setup(source))
    assert report.counts == {"removed": 6, "unchanged": 4} and len(shards(tree)) == 2
    source.contents["00"] = source.contents["07"] = b"back"
    assert check(source, tree, key).counts == {"ok": 4, "new": 2}
    assert cluster.retag("memory", f"{tree}/", key, ["00", "07"], setup(source)).counts == {"unchanged": 4, "tagged": 2}
    assert check(source, tree, key).counts == {"ok": 6}
    # Nor does the last one keep the manifest from growing again.
    names, source.contents = list(source.contents), {}
    assert cluster.retag("memory", f"{tree}/", key, names, setup(source)).counts == {"removed": 6} and not shards(tree)
    assert read_manifest(KeyFile(key), tree / "root").rows == [] and check(source, tree, key).counts == {}
    source.contents["01"] = b"again"
    assert check(source, tree, key).counts == {"new": 1}
    assert cluster.retag("memory", f"{tree}/", key, ["01"], setup(source)).counts == {"tagged": 1}
    assert check(source, tree, key).counts == {"ok": 1}


def named(tree: Path, key: str) -> list[list[str]]:
    """The names of each shard, of which each has a key of its own."""
    file = KeyFile(key)
    found = [read_manifest(file, path) for path in shards(tree)]
    assert len({one.shard for one in found}) == len(found)
    return [[name.decode() for name, _ in one.rows] for one in found]


def test_a_shard_that_grows_is_split(source: Fake, tree: Path, key: str) -> None:
    """Rows that go to another shard are compared with their tags as they get its key; no shard has more than three."""
    before = [path.name for path in shards(tree)]
    # After all others: nothing is moved, and nothing else is read.
    expected = [f"09{letter}" for letter in "abcdefg"]
    source.contents |= {name: name.encode() for name in expected}
    source.gets.clear()
    report = cluster.retag("memory", f"{tree}/", key, expected, setup(source), options=THREE)
    assert report.counts == {"unchanged": 10, "tagged": 7}
    assert {name for name, _, end in source.gets if end} == set(expected)
    assert check(source, tree, key).counts == {"ok": 17}
    assert max(map(len, named(tree, key))) == 3 and set(before) < {path.name for path in shards(tree)}
    # Between them: what moves is read.
    source.contents |= {f"00{letter}": letter.encode() for letter in "wxyz"}
    source.gets.clear()
    report = cluster.retag("memory", f"{tree}/", key, [f"00{letter}" for letter in "wxyz"], setup(source), options=THREE)
    assert report.counts == {"unchanged": 17, "tagged": 4}
    read = {name for name, _, end in source.gets if end}
    assert {"00w", "00x", "00y", "00z"} < read <= {"00w", "00x", "00y", "00z", "01", "02"}
    assert max(map(len, named(tree, key))) == 3 and sum(named(tree, key), []) == sorted(source.contents)
    assert check(source, tree, key).counts == {"ok": 21}
    assert len(list(tree.glob("shard-*.gz"))) == len(shards(tree)) == len(read_manifest(KeyFile(key), tree / "root").rows)
    # By bytes, too.
    options = Options(grain=256, get_size=16, rows=50, bytes=150)
    source.contents |= {f"09{letter}": bytes(100) for letter in "hij"}
    assert cluster.retag("memory", f"{tree}/", key, ["09h", "09i", "09j"], setup(source), options=options).counts["tagged"] == 3
    assert check(source, tree, key).counts == {"ok": 24} and named(tree, key)[-1] == ["09j"]


def test_what_moves_to_another_shard_is_not_blessed(source: Fake, tree: Path, key: str) -> None:
    """A store that keeps ETags whatever it has changes an object, whose shard is split then."""
    source.lies = True
    cluster.tag("memory", key, f"{tree}2/", setup(source), options=THREE)
    place = Path(f"{tree}2")
    source.contents["02"] = bytes(reversed(source.contents["02"]))
    source.contents |= {f"00{letter}": letter.encode() for letter in "wxyz"}
    found: list[cluster.Outcome] = []
    report = cluster.retag(
        "memory", f"{place}/", key, [f"00{letter}" for letter in "wxyz"], setup(source), options=THREE, on_object=found.append
    )
    assert report.counts == {"unchanged": 9, "tagged": 4, "changed": 1} and report.exit == 1
    assert [(one.name, one.detail) for one in found] == [("02", "it is not what was tagged")]
    assert check(source, place, key).counts == {"ok": 13, "failed": 1}
    # What can't be read is in no manifest, unless asked.
    source.contents |= {f"05{letter}": letter.encode() for letter in "abcd"} | {f"03{letter}": letter.encode() for letter in "wxyz"}

    def breaks(name: str, start: int) -> None:
        if name == "05":
            raise Problem("unreadable", "500")

    source.before = breaks
    old, new = (place / "root").read_bytes(), [f"03{letter}" for letter in "wxyz"]
    report = cluster.retag("memory", f"{place}/", key, new, setup(source), options=THREE)
    assert report.exit == 2 and report.counts["unreadable"] == 1 and "no manifest was written" in report.remarks[0]
    assert (place / "root").read_bytes() == old
    source.before = lambda name, start: None
    assert cluster.retag("memory", f"{place}/", key, new, setup(source), options=THREE).exit == 0
    assert check(source, place, key).counts == {"ok": 17, "failed": 1, "new": 4}


def test_a_shard_that_shrinks_joins_a_neighbour(source: Fake, tree: Path, key: str) -> None:
    """No more is read than was removed, and what is joined is compared with its tag."""
    for name in ("03", "04"):
        del source.contents[name]
    source.gets.clear()
    options = Options(grain=256, get_size=16, rows=6)
    report = cluster.retag("memory", f"{tree}/", key, ["03", "04"], setup(source), options=options)
    assert report.counts == {"removed": 2, "unchanged": 8} and report.exit == 0
    assert named(tree, key) == [["00", "01", "02", "05"], ["06", "07", "08"], ["09"]]
    assert {name for name, _, end in source.gets if end} == {"05"}
    assert check(source, tree, key).counts == {"ok": 8}
    assert len(list(tree.glob("shard-*.gz"))) == 3
    source.lies = True
    cluster.tag("memory", key, f"{tree}2/", setup(source), options=THREE)
    source.contents["05"] = bytes(len(source.contents["05"]))
    del source.contents["06"], source.contents["07"]
    report = cluster.retag("memory", f"{tree}2/", key, ["06", "07"], setup(source), options=options)
    assert report.exit == 1 and report.counts["changed"] == 1 and report.counts["removed"] == 2
    assert check(source, Path(f"{tree}2"), key).counts == {"ok": 5, "failed": 1}


def test_large_objects_of_a_retag(key: str, tmp_path: Path) -> None:
    """One that comes before, between and after others, and one that is replaced."""
    source = Fake({"b": bytes(1000), "d": bytes(10), "e": bytes(20)})
    place, options = f"{tmp_path}/tree/", Options(grain=256, get_size=16, bytes=900)
    cluster.tag("memory", key, place, setup(source), options=options)
    source.contents |= {"a": bytes(999), "b": bytes(998), "dd": bytes(997), "z": bytes(996)}
    report = cluster.retag("memory", place, key, ["a", "b", "dd", "z"], setup(source), options=options)
    assert report.counts == {"tagged": 4, "unchanged": 2}
    assert named(tmp_path / "tree", key) == [["a"], ["b"], ["d"], ["dd"], ["e"], ["z"]]
    assert cluster.check("memory", place, key, setup(source)).counts == {"ok": 6}


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


def test_an_index_is_not_trusted(source: Fake, tree: Path, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever changes it hides a change from retag, which then keeps the old tag, and check finds it."""
    source.contents["04"] = b"changed"
    for path in tree.glob("*.index.gz"):
        path.unlink()
    report = cluster.retag("memory", f"{tree}/", key, [], setup(source))
    assert report.counts == {"changed": 10}
    deep, endless = b"[" * 100_000, b'["04", Infinity, "e", null]'
    for data in (b"nonsense", *(gzip.compress(text) for text in (deep, endless, endless.replace(b"Infinity", b"1e999"), b"{}\n[1]"))):
        for path in shards(tree):
            Path(f"{path}.index.gz").write_bytes(data)
        assert cluster.retag("memory", f"{tree}/", key, [], setup(source)).counts == {"changed": 10}
    # A few bytes of it do not become very many, nor rows of names that the shard does not have.
    rows = b"".join(b'["%d", 1, "e", null]\n' % i for i in range(200_000))
    for bomb in (gzip.compress(bytes(32 << 20)), gzip.compress(rows)):
        for path in shards(tree):
            Path(f"{path}.index.gz").write_bytes(bomb)
        tracemalloc.start()
        assert cluster.retag("memory", f"{tree}/", key, [], setup(source)).counts == {"changed": 10}
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
        tracemalloc.stop()
    assert check(source, tree, key).counts == {"ok": 9, "failed": 1}
    monkeypatch.setattr(_places, "MOST_INDEX", 100)
    with pytest.raises(ClusterError, match="no manifest has"):
        cluster.retag("memory", f"{tree}/", key, [], setup(source))


def test_parts_of_a_check_have_every_object_once(source: Fake, tree: Path, key: str) -> None:
    counts = [
        cluster.check("memory", f"{tree}/", key, setup(source), part=(part, 4)).counts.get("ok", 0)
        for part in range(1, 5)
    ]
    assert sum(counts) == 10 and max(counts) < 10
    # With shards enough, a part is whole shards; another round has other parts.
    many = Fake({f"{i:03}": b"1" for i in range(100)})
    cluster.tag("memory", key, f"{tree}2/", setup(many), options=Options(rows=2))
    chosen = []
    for round in ("a", "b"):
        counts = []
        for part in (1, 2):
            names: list[str] = []
            report = cluster.check(
                "memory", f"{tree}2/", key, setup(many), part=(part, 2), round=round, on_object=lambda one: names.append(one.name), show_all=True
            )
            counts.append(report.counts["ok"])
            chosen.append(names)
        assert sum(counts) == 100 and min(counts) > 0
    assert set(chosen[0]).isdisjoint(chosen[1]) and set(chosen[0]) not in (set(chosen[2]), set(chosen[3]))


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
    for wrong in ([rows[1], rows[0]], [rows[0], rows[0]], [(b"", tag)], [(b"a\0", tag)], [(b"a" * 4097, tag)], [(b"a", b"short")]):
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
