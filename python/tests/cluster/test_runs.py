"""Runs on threads, over a store in memory: all cuts, and all that can go wrong with an object or a state."""

import json
import pickle
import random
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
import wegman
from fakes import Fake
from wegman import cluster
from wegman._native import KeyFile, States, read_manifest
from wegman.cluster import ClusterError, Options, Outcome, Setup, StateError
from wegman.cluster._store import Problem
from wegman.cluster._work import binding
from wegman.pmac import Segment

GRAIN = Options(grain=64, get_size=16, seconds=5)
HOUR = timedelta(hours=1)


def content(size: int, seed: int = 0) -> bytes:
    return random.Random(size + (seed << 32)).randbytes(size)


def tags(source: Fake, key: str, **more: object) -> tuple[dict[str, Outcome], cluster.Report]:
    """What a run says of each object."""
    found: dict[str, Outcome] = {}

    def take(outcome: Outcome) -> None:
        assert outcome.name not in found
        found[outcome.name] = outcome

    setup = Setup(source=source, workers=3, options=GRAIN, on_object=take, show_all=True)
    for name, value in more.items():
        setattr(setup, name, value)
    report = cluster.tag("memory", key, str(Path(key).with_name("manifest")), setup, force=True)
    return found, report


def rows(key: str) -> dict[str, bytes]:
    return {name.decode(): bytes(tag) for name, tag in read_manifest(KeyFile(key), Path(key).with_name("manifest")).rows}


def expected(source: Fake, key: str) -> dict[str, bytes]:
    mac = KeyFile(key).mac()
    return {name: bytes(mac.tag(data)) for name, data in source.contents.items()}


def test_every_cut_has_the_tag_of_the_whole(key: str) -> None:
    sizes = [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000]
    source = Fake({f"{size:04}": content(size) for size in sizes})
    for grain, get_size, gets in [(16, 16, 1), (32, 16, 2), (64, 32, 4), (1024, 16, 3), (1024, 1024, 1)]:
        source.gets.clear()
        found, report = tags(source, key, options=Options(grain=grain, get_size=get_size, gets=gets))
        assert rows(key) == expected(source, key)
        assert {name: one.tag for name, one in found.items()} == {name: tag.hex() for name, tag in rows(key).items()}
        assert report.exit == 0 and report.counts == {"tagged": len(sizes)} and report.bytes == sum(sizes)
        # Every byte is read once.
        read = [(name, start, end) for name, start, end in source.gets if end > start]
        assert sum(end - start for _, start, end in read) == sum(sizes)
        assert all(end - start <= get_size for _, start, end in read)
    json.dumps(report.record())


def test_what_was_begun_is_done_first(key: str) -> None:
    """Otherwise a job's time would be over before any object of several requests is done."""
    source = Fake({f"{i:03}": content(64, i) for i in range(300)})
    tags(source, key, workers=1, options=Options(grain=1024, get_size=16, seconds=60))
    places: dict[str, list[int]] = {}
    for at, (name, _, _) in enumerate(source.gets):
        places.setdefault(name, []).append(at)
    assert sorted(max(some) - min(some) for some in places.values())[150] < 200


def test_what_is_wrong_with_one_object_is_not_wrong_with_the_others(key: str) -> None:
    source = Fake({name: content(200, i) for i, name in enumerate(["a", "changed", "gone", "last", "slow", "z"])})
    attempts: dict[str, int] = {}

    def before(name: str, start: int) -> None:
        with source.lock:
            attempts[name] = attempts.get(name, 0) + 1
        if name == "changed" and start == 128:
            source.contents[name] = content(200, attempts[name])
        if name == "gone" and start == 64:
            source.contents.pop(name, None)
        if name == "last" and start == -1:
            # After the last byte was read, each time.
            source.contents[name] = content(200, attempts[name])
        if name == "slow" and attempts[name] < 3:
            raise Problem("unreadable", "it broke off")

    source.before = before
    for options in (GRAIN, Options(grain=1024, get_size=16)):
        source.contents |= {"gone": b"1" * 200}
        attempts["slow"] = 0
        found, report = tags(source, key, options=options)
        assert {name: one.status for name, one in found.items()} == {
            "a": "tagged", "changed": "changed", "gone": "missing", "last": "changed", "slow": "tagged", "z": "tagged"
        }  # fmt: skip
        assert report.exit == 1 and sorted(rows(key)) == ["a", "slow", "z"]


def test_a_new_version_is_tagged_if_it_stays(key: str) -> None:
    source = Fake({"a": content(100)})
    times = [0]

    def before(name: str, start: int) -> None:
        times[0] += start == 64
        if start == 64 and times[0] == 1:
            source.contents[name] = content(100, 7)

    source.before = before
    _, report = tags(source, key, options=Options(grain=1024, get_size=16))
    assert report.counts == {"tagged": 1} and rows(key) == expected(source, key)


def test_what_can_not_be_read_is_in_no_manifest_unless_asked(key: str, tmp_path: Path) -> None:
    source = Fake({f"{i}": content(20, i) for i in range(9)})
    broken = ["5"]

    def before(name: str, start: int) -> None:
        if name in broken:
            raise Problem("unreadable", "500")

    source.before = before
    state = tmp_path / "state"
    found, report = tags(source, key, state=state)
    assert (found["5"].status, found["5"].detail, report.exit) == ("unreadable", "500", 2) and "no manifest was written" in report.remarks[0]
    assert state.exists() and not (tmp_path / "manifest").exists()
    found, report = tags(source, key, partial=True)
    assert report.exit == 2 and len(rows(key)) == 8
    # The same command reads what could not be read.
    (tmp_path / "manifest").unlink()
    broken.clear()
    found, report = tags(source, key, state=state)
    assert report.counts == {"tagged": 9} and rows(key) == expected(source, key) and not state.exists()
    broken += list(source.contents)
    assert "nothing could be tagged" in tags(source, key, partial=True)[1].remarks[0]
    with pytest.raises(cluster.ManifestError, match="no objects"):
        tags(Fake({}), key)


def test_only_some_names(key: str) -> None:
    source = Fake({name: b"1" for name in ("a/1.txt", "a/2.log", "b/1.txt", "b/c/2.txt")})
    place = str(Path(key).with_name("manifest"))
    for more, names in (
        ({"exclude": ["*.log"]}, ["a/1.txt", "b/1.txt", "b/c/2.txt"]), ({"include": ["b/*"]}, ["b/1.txt", "b/c/2.txt"]),
        ({"include": ["a/*", "b/*"], "exclude": ["*/1.txt"]}, ["a/2.log", "b/c/2.txt"]), ({}, list(source.contents)),
    ):  # fmt: skip
        assert sorted(tags(source, key, **more)[0]) == sorted(rows(key)) == names
        report = cluster.check("memory", place, key, source=source, **more)
        assert report.counts == {"ok": len(names)}
    for wrong in (
        lambda: tags(source, key, exclude="*.log"), lambda: cluster.check("memory", place, key, source=source, include="b/*"),
        lambda: cluster.retag("memory", place, key, "a/1.txt", source=source),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="is a list, such as"):
            wrong()
    report = cluster.check("memory", place, key, source=source, exclude=["b/*"])
    assert report.counts == {"ok": 2}
    source.contents["new"] = b"1"
    assert cluster.check("memory", place, key, source=source).exit == 0
    assert cluster.check("memory", place, key, source=source, fail_on_new=True).exit == 1
    assert cluster.check("memory", place, key, source=source, at_least=4).ok
    with pytest.raises(cluster.ManifestError, match="it is an old one"):
        cluster.check("memory", place, key, source=source, at_least=5)


class Lying(ThreadPoolExecutor):
    """A worker with the key that says of everything that it is good."""

    def __init__(self, key: str, share: float) -> None:
        super().__init__(2)
        self.key, self.share, self.random = KeyFile(key), share, random.Random(1)

    def submit(self, fn, /, run, number, *more):  # type: ignore[no-untyped-def]
        def does() -> bytes:
            result: bytes = fn(run, number, *more)
            if self.random.random() > self.share:
                return result
            states = States(self.key, run)
            said = json.loads(states.open_bytes(result, binding("result", number)))
            for piece in said.get("pieces", []):
                if "counts" in piece:
                    piece["counts"], piece["problems"] = {"ok": sum(piece["counts"].values())}, []
            return states.seal_bytes(json.dumps(said).encode(), binding("result", number))

        return super().submit(does)


def test_a_worker_that_lies_with_the_key_is_found_by_another(key: str) -> None:
    source = Fake({f"{i:03}": content(10, i) for i in range(200)})
    tags(source, key)
    source.contents = {name: b"evil" for name in source.contents}
    place = str(Path(key).with_name("manifest"))
    options = Options(twice=1.0, rows=5)
    with Lying(key, 0.5) as executor:
        report = cluster.check("memory", place, key, source=source, executor=executor, workers=2, options=options)
    assert report.counts["disagreed"] > 3 and report.exit == 1 and report.twice > 30
    report = cluster.check("memory", place, key, source=source, options=options)
    assert report.counts == {"failed": 200}
    tree = f"{Path(key).parent}/tree/"
    report = cluster.tag("memory", key, tree, source=source, options=options)
    assert report.counts == {"tagged": 200} and report.twice > 30


def interrupted(source: Fake, key: str, state: Path, verb: str = "tag", **more: object) -> cluster.Report:
    """A run that stops when half of the names are done."""
    reports: list[cluster.Report] = []

    def stop(report: cluster.Report) -> None:
        reports.append(report)
        if report.objects >= len(source.contents) // 2:
            raise KeyboardInterrupt

    setup = Setup(source=source, workers=1, options=Options(grain=64, get_size=16, rows=2), state=state, on_progress=stop, show_all=True)
    for name, value in more.items():
        setattr(setup, name, value)
    with pytest.raises(KeyboardInterrupt):
        if verb == "tag":
            cluster.tag("memory", key, str(Path(key).with_name("manifest")), setup, force=True)
        else:
            cluster.check("memory", str(Path(key).with_name("m")), key, setup)
    return reports[-1]


def test_an_interrupted_run_goes_on(key: str, tmp_path: Path) -> None:
    source = Fake({f"{i}": content(50 if i % 2 else 1000, i) for i in range(8)})
    state = tmp_path / "state"
    done = interrupted(source, key, state).objects
    assert state.stat().st_mode & 0o777 == 0o600
    read = state.read_bytes()
    assert b"tagged" not in read and b"memory" not in read
    source.gets.clear()
    _, report = tags(source, key, state=state)
    assert report.earlier >= done >= 4 and f"{report.earlier} of these results" in report.remarks[0]
    assert rows(key) == expected(source, key) and len(source.gets) <= 4 * 64
    # Otherwise the next run would read nothing.
    assert not state.exists()


def test_parts_of_a_large_object_are_kept(key: str, tmp_path: Path) -> None:
    source = Fake({"a": content(6400)})
    state = tmp_path / "state"

    def stop(report: cluster.Report) -> None:
        if report.jobs > 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tags(source, key, state=state, on_progress=stop)
    source.gets.clear()
    _, report = tags(source, key, state=state)
    assert rows(key) == expected(source, key) and 0 < len(source.gets) < 400 - 100


def test_a_large_object_of_which_parts_were_read_before_says_so(key: str, tmp_path: Path) -> None:
    source = Fake({"a": content(6400), "b": content(10)}, lies=True)
    cluster.tag("memory", key, str(tmp_path / "m"), Setup(source=source, options=GRAIN))
    state = tmp_path / "state"

    def stop(report: cluster.Report) -> None:
        if report.jobs > 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        checks(source, key, state, on_progress=stop)
    with pytest.raises(StateError, match="only what this run reads counts"):
        checks(source, key, state)
    found, report = checks(source, key, state, resume_within=HOUR)
    said = [one.name for one in found.values() if one.detail == "read before this run"]
    assert report.counts == {"ok": 2} and "a" in said and report.earlier == len(said)


@pytest.fixture
def lying(key: str) -> Fake:
    """Objects of a store that keeps ETags whatever it does to the contents, and their manifest, `m`."""
    source = Fake({f"{i}": content(60, i) for i in range(6)}, lies=True)
    cluster.tag("memory", key, str(Path(key).with_name("m")), Setup(source=source, options=GRAIN))
    return source


def checks(source: Fake, key: str, state: Path, **more: object) -> tuple[dict[str, Outcome], cluster.Report]:
    found: dict[str, Outcome] = {}
    options = Options(grain=64, get_size=16, rows=2)
    report = cluster.check(
        "memory", str(Path(key).with_name("m")), key, source=source, workers=1, options=options, state=state, show_all=True,
        on_object=lambda one: found.__setitem__(one.name, one), **more,
    )  # fmt: skip
    return found, report


def test_what_a_check_has_not_read_is_not_ok(key: str, tmp_path: Path, lying: Fake) -> None:
    state = tmp_path / "state"
    interrupted(lying, key, state, "check")
    lying.contents = {name: content(60, 50 + int(name)) for name in lying.contents}
    # The same command again.
    with pytest.raises(StateError, match="only what this run reads counts"):
        checks(lying, key, state)
    # Who asks for it is told what was not read now.
    found, report = checks(lying, key, state, resume_within=HOUR)
    earlier = {name for name, one in found.items() if one.detail == "read before this run"}
    assert {name for name, one in found.items() if one.status == "ok"} == earlier and 3 <= len(earlier) <= 4
    assert report.earlier == len(earlier) and f"{len(earlier)} of these results" in report.remarks[0]
    assert report.exit == 1 and not state.exists()
    assert checks(lying, key, state)[1].counts == {"failed": 6}


def test_whatever_was_read_before_says_so(key: str, tmp_path: Path, lying: Fake) -> None:
    def replaced(name: str, start: int) -> None:
        if name == "0":
            raise Problem("changed", "it was replaced")

    lying.before = replaced
    interrupted(lying, key, tmp_path / "state", "check")
    lying.before = lambda name, start: None
    found, report = checks(lying, key, tmp_path / "state", resume_within=HOUR)
    assert report.counts == {"ok": 5, "changed": 1} and found["0"].detail == "it was replaced; read before this run"


def test_a_state_is_good_for_a_time(key: str, tmp_path: Path, lying: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    state, other = tmp_path / "state", tmp_path / "other"
    interrupted(lying, key, state, options=GRAIN, workers=1)
    interrupted(lying, key, other, "check")
    for days in (40, -1):
        monkeypatch.setattr(time, "time", lambda days=days: now + days * 86400)
        with pytest.raises(StateError, match="not within the time"):
            tags(lying, key, state=state)
        with pytest.raises(StateError, match="not within the time"):
            checks(lying, key, other, resume_within=timedelta(days=30))
    monkeypatch.setattr(time, "time", lambda: now + 40 * 86400)
    assert tags(lying, key, state=state, resume_within=timedelta(days=41))[1].earlier > 0
    assert checks(lying, key, other, resume_within=timedelta(days=41))[1].earlier >= 3


def test_a_state_of_something_else_is_refused(key: str, tmp_path: Path, lying: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    state, checked, other = tmp_path / "state", tmp_path / "checked", tmp_path / "other"
    interrupted(lying, key, state)
    for more, match in (({"options": Options(grain=32, get_size=16)}, "grain"), ({"exclude": ["x"]}, "exclude"), ({"versions": True}, "versions")):
        with pytest.raises(StateError, match=match):
            tags(lying, key, state=state, **more)
    # A check that believed it would check nothing.
    with pytest.raises(StateError, match="command"):
        checks(lying, key, state, resume_within=HOUR)
    wegman.files.keygen(other)
    with pytest.raises(StateError, match="key"):
        tags(lying, str(other), state=state)
    state.chmod(0o644)
    with pytest.raises(StateError, match="others may access"):
        tags(lying, key, state=state)
    interrupted(lying, key, checked, "check")
    with pytest.raises(StateError, match="url is 'memory', not 'another'"):
        cluster.check("another", str(tmp_path / "m"), key, source=lying, options=GRAIN, state=checked, resume_within=HOUR)
    with pytest.raises(StateError, match="part is"):
        checks(lying, key, checked, resume_within=HOUR, part=(1, 2))
    # A bucket of the same name elsewhere, as after a move.
    cluster.tag("memory", key, str(tmp_path / "m"), Setup(source=lying, options=GRAIN), force=True)
    with pytest.raises(StateError, match="manifest is '.*, serial 1', not '.*, serial 2'"):
        checks(lying, key, checked, resume_within=HOUR)
    letter = tmp_path / "letter"
    letter.write_bytes(b"somebody's letter\n" * 20)
    letter.chmod(0o600)
    with pytest.raises(StateError, match="not what this key sealed"):
        tags(lying, key, state=letter)
    assert letter.read_bytes() == b"somebody's letter\n" * 20
    # Without an end of a line it is no torn state either.
    letter.write_bytes(b"somebody's letter")
    with pytest.raises(StateError, match="it is not a state"):
        tags(lying, key, state=letter)
    assert letter.read_bytes() == b"somebody's letter"


def test_parts_are_of_the_version_that_was_listed(key: str, tmp_path: Path) -> None:
    """Of a bucket without versions, whoever writes to it can't have a mix of two objects called good."""
    new, old = content(128, 1), content(128, 2)
    cluster.tag("memory", key, str(tmp_path / "m"), Setup(source=Fake({"a": new[:64] + old[64:]}), options=GRAIN))
    source = Fake({"a": new})
    heads = [0]

    def swapped(name: str, start: int) -> None:
        heads[0] += start == -1
        source.contents[name] = old if heads[0] == 2 else new

    source.before = swapped
    report = cluster.check("memory", str(tmp_path / "m"), key, Setup(source=source, options=GRAIN, workers=1, versions=True))
    assert report.exit != 0 and "ok" not in report.counts


def test_objects_with_a_dot_are_objects(key: str, tmp_path: Path) -> None:
    """The state of a run is no object, but one of its name without the dot is."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "state").write_bytes(b"1")
    state, manifest = tree / ".state", str(tmp_path / "m")
    assert cluster.tag(str(tree), key, manifest, state=state, workers=1).counts == {"tagged": 1}
    assert [name for name, _ in read_manifest(KeyFile(key), manifest).rows] == [b"state"]
    (tree / "state").write_bytes(b"2")
    assert cluster.check(str(tree), manifest, key, state=state, workers=1).counts == {"failed": 1}
    # Whatever a manifest has is checked, even what would be no object.
    inside = tree / "key"
    inside.write_bytes(Path(key).read_bytes())
    inside.chmod(0o600)
    assert cluster.tag(str(tree), key, manifest, workers=1, force=True).counts == {"tagged": 2}
    assert cluster.check(str(tree), manifest, str(inside), workers=1).counts == {"ok": 2}


def test_a_bucket_elsewhere_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    from wegman.cluster._store import environment

    monkeypatch.setenv("AWS_ENDPOINT_URL", "https://elsewhere.example")
    assert "AWS_ENDPOINT_URL=https://elsewhere.example" in environment("s3://bucket/") and not environment("file:///")


def test_one_run_at_a_time_has_a_state(key: str, tmp_path: Path) -> None:
    source = Fake({"a": content(100), "b": content(100)})
    state = tmp_path / "state"
    seen: list[str] = []

    def again(outcome: Outcome) -> None:
        seen.append(outcome.name)
        with pytest.raises(StateError, match="another run uses it"):
            tags(source, key, state=state)

    _, report = tags(source, key, state=state, on_object=again)
    assert report.exit == 0 and not state.exists() and len(seen) == 2


def test_keys_do_not_travel(key: str) -> None:
    file = KeyFile(key)
    secret = next(line.split()[1] for line in Path(key).read_text().splitlines() if line.startswith("secret"))
    for thing in (file, States(file, "00" * 16), file.mac(), Segment(file.mac(), b"")):
        assert secret not in repr(thing)
        with pytest.raises(TypeError):
            pickle.dumps(thing)


def test_other_keys_are_refused(key: str, tmp_path: Path) -> None:
    umac = tmp_path / "umac"
    wegman.files.keygen(umac, "UMAC-64")
    with pytest.raises(ClusterError, match="can't tag an object in parts"):
        tags(Fake({"a": b"1"}), str(umac))
    with pytest.raises(FileNotFoundError, match="nothing"):
        tags(Fake({"a": b"1"}), str(tmp_path / "nothing"))


def test_a_plan_is_what_a_run_takes(key: str) -> None:
    source = Fake({f"{size}": content(size) for size in (0, 1, 100, 5000)})
    options = Options(grain=1024, get_size=256)
    planned = cluster.plan("memory", key, options=options, source=source)
    assert not source.gets
    _, report = tags(source, key, options=options)
    assert (planned.objects, planned.bytes, planned.gets) == (4, 5101, report.gets)


@pytest.mark.parametrize("bad", [{"grain": 100}, {"get_size": 15}, {"grain": 0}, {"twice": 2.0}])
def test_options_that_do_not_fit(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        Options(**{"grain": 64, "get_size": 16, **bad})  # type: ignore[arg-type]


def test_nobody_to_work(key: str) -> None:
    with pytest.raises(ClusterError, match="there are no workers"):
        tags(Fake({"a": b"1"}), key, workers=-1, executor=ThreadPoolExecutor(1), options=Options(patience=0.1))
