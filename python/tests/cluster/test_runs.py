"""Runs on threads, over a store in memory: all cuts, and all that can go wrong."""

import json
import random
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
import wegman
from fakes import Fake
from wegman import InvalidTag, cluster
from wegman._native import KeyFile, States, read_manifest
from wegman.cluster import Options, Outcome, Setup
from wegman.cluster._objects import Object, Range, packed, ranges_of
from wegman.cluster._sources import Problem
from wegman.cluster._state import State, StateError, opened
from wegman.pmac import Segment

GRAIN = Options(grain=64, get_size=16)


def content(size: int, seed: int = 0) -> bytes:
    return random.Random(size + (seed << 32)).randbytes(size)


def tags(source: Fake, key: str, **more: object) -> tuple[dict[str, Outcome], cluster.Report]:
    """What a run says of each object."""
    found: dict[str, Outcome] = {}

    def take(outcome: Outcome) -> None:
        assert outcome.name not in found
        found[outcome.name] = outcome

    setup = Setup(source=source, workers=3, options=GRAIN, on_object=take)
    for name, value in more.items():
        setattr(setup, name, value)
    report = cluster.tag("memory", key, str(Path(key).with_name("manifest")), setup, force=True)
    return found, report


def test_every_cut_has_the_tag_of_the_whole(key: str) -> None:
    sizes = [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000]
    source = Fake({f"{size:04}": content(size) for size in sizes})
    mac = KeyFile(key).mac()
    expected = {name: mac.tag(data) for name, data in source.contents.items()}
    for grain, get_size, gets in [(16, 16, 1), (32, 16, 2), (64, 32, 4), (1024, 16, 3), (1024, 1024, 1)]:
        source.gets.clear()
        found, report = tags(source, key, options=Options(grain=grain, get_size=get_size, gets=gets))
        assert {name: one.tag for name, one in found.items()} == expected
        assert report.exit == 0 and report.counts == {"tagged": len(sizes)}
        assert report.progress.bytes == report.progress.total_bytes == sum(sizes)
        # Every byte is read once.
        read = [(name, start, end) for name, start, end in source.gets if end > start]
        assert sum(end - start for _, start, end in read) == sum(sizes)
        assert all(end - start <= get_size for _, start, end in read)


def test_ranges_and_packs() -> None:
    def one(size: int) -> Object:
        return Object(f"{size}", size, "e")

    assert [(r.start, r.end) for r in ranges_of(None, one(0), 64)] == [(0, 0)]
    assert [(r.start, r.end) for r in ranges_of(None, one(130), 64)] == [(0, 64), (64, 128), (128, 130)]
    ranges = [r for size in (64, 10, 20, 100, 64, 30, 5) for r in ranges_of(None, one(size), 64)]
    packs = list(packed(ranges, 64, most=3))
    assert sorted(r.start for pack in packs for r in pack) == sorted(r.start for r in ranges)
    assert all(len(pack) <= 3 for pack in packs)
    assert all(sum(r.end - r.start for r in pack) <= 128 for pack in packs)
    assert [r.end - r.start for pack in packs if len(pack) == 1 for r in pack].count(64) == 3


def test_what_is_wrong_with_one_object_is_not_wrong_with_the_others(key: str) -> None:
    source = Fake({name: content(200, i) for i, name in enumerate(["a", "changed", "gone", "last", "slow", "z"])})
    attempts: dict[str, int] = {}
    lock = threading.Lock()

    def before(name: str, start: int) -> None:
        with lock:
            attempts[name] = attempts.get(name, 0) + 1
        if name == "changed" and start == 128:
            source.contents[name] = content(200, 77)
        if name == "gone" and start == 64:
            source.contents.pop(name, None)
        if name == "last" and start == -1:
            # After the last byte was read.
            source.contents[name] = content(200, 78)
        if name == "slow" and attempts[name] < 3:
            raise Problem("unreadable", "503 SlowDown")

    source.before = before
    found, report = tags(source, key)
    statuses = {name: one.status for name, one in found.items()}
    assert statuses == {
        "a": "tagged", "changed": "changed", "gone": "missing", "last": "changed", "slow": "tagged", "z": "tagged"
    }  # fmt: skip
    assert report.exit == 1 and report.progress.retried > 0
    rows = read_manifest(KeyFile(key), Path(key).with_name("manifest")).rows
    assert [name for name, _ in rows] == [b"a", b"slow", b"z"]


def test_markers_of_folders_are_passed_over(key: str) -> None:
    source = Fake({"a": b"1", "folder": b"", "empty": b""})

    def before(name: str, start: int) -> None:
        if name == "folder":
            raise Problem("missing", "it is gone")

    source.before = before
    found, report = tags(source, key)
    assert {name: one.status for name, one in found.items()} == {"a": "tagged", "folder": "passed over", "empty": "tagged"}
    assert report.exit == 0


def test_what_can_not_be_read_is_given_up(key: str) -> None:
    source = Fake({"a": content(100), "bad": content(100)})

    def before(name: str, start: int) -> None:
        if name == "bad":
            raise Problem("unreadable", "500")

    source.before = before
    found, report = tags(source, key)
    assert (found["bad"].status, found["bad"].detail, report.exit) == ("unreadable", "500", 2)
    Path(key).with_name("manifest").unlink()
    _, report = tags(all_bad(), key)
    assert report.exit == 2 and report.about is None and "no manifest was written" in report.remarks[0]
    assert not Path(key).with_name("manifest").exists()
    with pytest.raises(cluster.ManifestError, match="no objects"):
        tags(Fake({}), key)


def all_bad() -> Fake:
    source = Fake({"bad": b"1"})

    def before(name: str, start: int) -> None:
        raise Problem("unreadable", "500")

    source.before = before
    return source


@pytest.mark.parametrize("pins", ["kept", "ignored", "refused"])
def test_stores_that_do_not_pin_are_noticed(key: str, pins: str) -> None:
    source = Fake({"a": content(300)}, pins)
    _, report = tags(source, key)
    assert report.if_match == pins and report.exit == 0


def test_a_worker_that_fails_is_replaced(key: str) -> None:
    class Broken(ThreadPoolExecutor):
        count = 0

        def submit(self, fn, /, *args, **more):  # type: ignore[no-untyped-def]
            Broken.count += 1
            if Broken.count in {1, 4, 9}:
                return super().submit(lambda: 1 / 0)
            return super().submit(fn, *args, **more)

    source = Fake({f"{i}": content(500, i) for i in range(20)})
    with Broken(2) as executor:
        found, report = tags(source, key, executor=executor)
    assert {one.status for one in found.values()} == {"tagged"} and report.progress.retried > 0


def test_a_sum_that_is_none_is_not_taken(key: str) -> None:
    source = Fake({"a": content(500)})
    lies = {"left": 1}

    class Lying(ThreadPoolExecutor):
        def submit(self, fn, /, *args, **more):  # type: ignore[no-untyped-def]
            def work():  # type: ignore[no-untyped-def]
                result = fn(*args, **more)
                if lies["left"]:
                    lies["left"] -= 1
                    for part in result.parts:
                        object.__setattr__(part, "sealed", part.sealed[:-1] + bytes([part.sealed[-1] ^ 1]))
                return result

            return super().submit(work)

    with Lying(1) as executor:
        found, report = tags(source, key, executor=executor)
    assert found["a"].tag == KeyFile(key).mac().tag(source.contents["a"]) and report.progress.retried == 1


@pytest.mark.parametrize("word", ["ok", "tagged", "unchanged", "new", "passed over", "evil", ""])
def test_a_worker_can_not_say_that_all_is_well(key: str, tmp_path: Path, lying: Fake, word: str) -> None:
    """Nor can one without the key, which is only to say what is wrong."""

    class Lying(ThreadPoolExecutor):
        def submit(self, fn, /, *args, **more):  # type: ignore[no-untyped-def]
            def work():  # type: ignore[no-untyped-def]
                result = fn(*args, **more)
                for part in result.parts:
                    object.__setattr__(part, "sealed", None)
                    object.__setattr__(part, "problem", word)
                return result

            return super().submit(work)

    with Lying(2) as executor:
        found, report = checks(lying, key, tmp_path / "state", executor=executor)
    assert report.counts == {"unreadable": 6} and report.exit == 2


def test_a_worker_that_leaves_something_out(key: str) -> None:
    source = Fake({f"{i}": content(20, i) for i in range(6)})
    left = {"out": 2}

    class Forgetful(ThreadPoolExecutor):
        def submit(self, fn, /, *args, **more):  # type: ignore[no-untyped-def]
            def work():  # type: ignore[no-untyped-def]
                result = fn(*args, **more)
                if left["out"]:
                    left["out"] -= 1
                    object.__setattr__(result, "parts", result.parts[1:])
                return result

            return super().submit(work)

    with Forgetful(2) as executor:
        found, report = tags(source, key, executor=executor)
    assert {one.status for one in found.values()} == {"tagged"} and len(found) == 6 and report.progress.retried >= 2


def test_objects_that_change_while_all_is_read_twice(key: str) -> None:
    source = Fake({f"{i}": content(400, i) for i in range(30)})
    lock = threading.Lock()

    def before(name: str, start: int) -> None:
        if int(name) % 3 == 0 and start == 64:
            with lock:
                source.contents[name] = content(400, 99 + int(name))

    source.before = before
    found, report = tags(source, key, options=Options(grain=64, get_size=16, twice=0.5))
    changed = {name for name, one in found.items() if one.status == "changed"}
    assert changed == {f"{i}" for i in range(0, 30, 3)} and report.counts["tagged"] == 20


def test_a_worker_that_lies_with_the_key_is_found_by_another(key: str) -> None:
    source = Fake({"a": content(500)})
    file, lies = KeyFile(key), {"left": 1}

    class Lying(ThreadPoolExecutor):
        def submit(self, fn, /, task, *args, **more):  # type: ignore[no-untyped-def]
            def work():  # type: ignore[no-untyped-def]
                result = fn(task, *args, **more)
                for part in result.parts:
                    if part.range.start == 0 and lies["left"]:
                        lies["left"] -= 1
                        wrong = Segment(file.mac(), bytes(64))
                        sealed = States(file, task.how.run).seal(wrong, part.range.binding(task.how.run))
                        object.__setattr__(part, "sealed", sealed)
                return result

            return super().submit(work)

    options = Options(grain=64, get_size=16, twice=1.0)
    with Lying(1) as executor:
        found, report = tags(source, key, executor=executor, options=options)
        assert found["a"].status == "disagreed" and "two workers" in found["a"].detail and report.exit == 1
    found, report = tags(source, key, options=options)
    assert found["a"].status == "tagged"
    assert report.progress.twice == report.progress.tasks / 2


def test_an_interrupted_run_goes_on(key: str, tmp_path: Path) -> None:
    source = Fake({f"{i}": content(1000, i) for i in range(6)})
    state = tmp_path / "state"
    seen = []

    def stop(outcome: Outcome) -> None:
        seen.append(outcome.name)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tags(source, key, on_object=stop, state=state)
    assert state.stat().st_mode & 0o777 == 0o600
    first = len([one for one in source.gets if one[2] > one[1]])
    source.gets.clear()
    found, report = tags(source, key, state=state)
    assert report.progress.resumed >= 3
    assert {name: one.tag for name, one in found.items()} == {
        name: KeyFile(key).mac().tag(data) for name, data in source.contents.items()
    }
    assert len(source.gets) < first + 70
    # Otherwise the next run would read nothing.
    assert not state.exists()


def interrupted(source: Fake, key: str, state: Path) -> None:
    def stop(outcome: Outcome) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tags(source, key, on_object=stop, state=state)


def test_a_state_that_was_changed_is_not_believed(key: str, tmp_path: Path) -> None:
    source = Fake({"a": content(64 * 40), "b": content(10)})

    def before(name: str, start: int) -> None:
        # The first object never ends, the second one stops the run.
        if name == "a" and start == 64 * 39:
            raise Problem("unreadable", "later")

    source.before = before
    state = tmp_path / "state"
    interrupted(source, key, state)
    file = sqlite3.connect(state)
    parts = file.execute("SELECT start, sealed FROM part ORDER BY start").fetchall()
    assert len(parts) >= 3
    (first, one), (second, other), (third, last) = parts[:3]
    # One bit, and two sums in each other's place.
    flipped = bytes([one[0] ^ 1]) + one[1:]
    file.execute("UPDATE part SET sealed = ? WHERE start = ?", (flipped, first))
    file.execute("UPDATE part SET sealed = ? WHERE start = ?", (last, second))
    file.execute("UPDATE part SET sealed = ? WHERE start = ?", (other, third))
    file.commit()
    file.close()
    source.before = lambda name, start: None
    found, report = tags(source, key, state=state)
    assert found["a"].tag == KeyFile(key).mac().tag(source.contents["a"])
    assert len(report.refused) == 3 and all(text.startswith("a: bytes ") for text in report.refused)


def test_a_tag_in_a_state_is_not_believed_either(key: str, tmp_path: Path) -> None:
    source = Fake({name: content(64 * 5, i) for i, name in enumerate("abcdef")})
    state = tmp_path / "state"
    seen: list[str] = []

    def stop(outcome: Outcome) -> None:
        seen.append(outcome.name)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tags(source, key, on_object=stop, state=state)
    file = sqlite3.connect(state)
    rows = file.execute("SELECT name, sealed FROM tag").fetchall()
    assert len(rows) >= 2
    file.execute("UPDATE tag SET sealed = ? WHERE name = ?", (rows[1][1], rows[0][0]))
    file.commit()
    file.close()
    found, report = tags(source, key, state=state)
    assert report.refused == [rows[0][0]]
    assert found[rows[0][0]].tag == KeyFile(key).mac().tag(source.contents[rows[0][0]])


@pytest.fixture
def lying(key: str) -> Fake:
    """Objects of a store that keeps ETags whatever it does to the contents, and their manifest, `m`."""
    source = Fake({f"{i}": content(100, i) for i in range(6)}, lies=True)
    cluster.tag("memory", key, str(Path(key).with_name("m")), Setup(source=source, options=GRAIN))
    return source


def checks(source: Fake, key: str, state: Path, stops: bool = False, **more: object) -> tuple[dict[str, Outcome], cluster.Report]:
    """What a check says of each object; or, if it stops, the state has only some of them."""
    found: dict[str, Outcome] = {}

    def before(name: str, start: int) -> None:
        if stops and name in "45":
            raise Problem("unreadable", "later")

    source.before = before

    def take(outcome: Outcome) -> None:
        found[outcome.name] = outcome
        if stops and len(found) == 3:
            raise KeyboardInterrupt

    setup = Setup(source=source, workers=1, options=GRAIN, state=state, on_object=take)
    for name, value in more.items():
        setattr(setup, name, value)
    if not stops:
        return found, cluster.check("memory", str(Path(key).with_name("m")), key, setup)
    with pytest.raises(KeyboardInterrupt):
        cluster.check("memory", str(Path(key).with_name("m")), key, setup)
    return found, cluster.Report()


def test_what_a_check_has_not_read_is_not_ok(key: str, tmp_path: Path, lying: Fake) -> None:
    state = tmp_path / "state"
    checks(lying, key, state, stops=True)
    lying.contents = {name: content(100, 50 + int(name)) for name in lying.contents}
    # The same command again.
    with pytest.raises(StateError, match="only what this run reads counts"):
        checks(lying, key, state)
    # Who asks for it is told what was not read now.
    found, report = checks(lying, key, state, resume_within=timedelta(hours=1))
    earlier = {name for name, one in found.items() if one.detail == "read before this run"}
    assert {name for name, one in found.items() if one.status == "ok"} <= earlier and 3 <= len(earlier) <= 4
    assert report.progress.earlier == len(earlier) and f"{len(earlier)} of these results" in report.remarks[0]
    assert report.exit == 1 and not state.exists()
    assert checks(lying, key, state)[1].counts == {"failed": 6}


def test_a_state_is_good_for_a_time(key: str, tmp_path: Path, lying: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    state, other = tmp_path / "state", tmp_path / "other"
    interrupted(lying, key, state)
    checks(lying, key, other, stops=True)
    for days in (40, -1):
        monkeypatch.setattr(time, "time", lambda days=days: now + days * 86400)
        with pytest.raises(StateError, match="not within the time"):
            tags(lying, key, state=state)
        with pytest.raises(StateError, match="not within the time"):
            checks(lying, key, other, resume_within=timedelta(days=30))
    monkeypatch.setattr(time, "time", lambda: now + 40 * 86400)
    assert tags(lying, key, state=state, resume_within=timedelta(days=41))[1].progress.earlier > 0
    assert checks(lying, key, other, resume_within=timedelta(days=41))[1].progress.earlier >= 3
    # A run that goes on is as old as its beginning.
    interrupted(lying, key, state)
    monkeypatch.setattr(time, "time", lambda: now + 45 * 86400)
    interrupted(lying, key, state)
    monkeypatch.setattr(time, "time", lambda: now + 48 * 86400)
    with pytest.raises(StateError, match="not within the time"):
        tags(lying, key, state=state)


def test_a_state_of_something_else_is_refused(
    key: str, tmp_path: Path, lying: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    hour = timedelta(hours=1)
    interrupted(lying, key, state)
    with pytest.raises(StateError, match="grain"):
        tags(lying, key, state=state, options=Options(grain=32, get_size=16))
    # A check that believed it would check nothing.
    with pytest.raises(StateError, match="command"):
        checks(lying, key, state, resume_within=hour)
    other = tmp_path / "other"
    wegman.files.keygen(other)
    with pytest.raises(StateError, match="key"):
        tags(lying, str(other), state=state)
    state.chmod(0o644)
    with pytest.raises(StateError, match="others may access"):
        tags(lying, key, state=state)
    checked = tmp_path / "checked"
    checks(lying, key, checked, stops=True)
    with pytest.raises(StateError, match="url is 'memory', not 'another'"):
        cluster.check("another", str(tmp_path / "m"), key, source=lying, options=GRAIN, state=checked, resume_within=hour)
    # A bucket of the same name elsewhere, as after a move.
    with monkeypatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", "https://elsewhere.example")
        with pytest.raises(StateError, match="environment is .*, not 'AWS_ENDPOINT_URL=https://elsewhere.example"):
            checks(lying, key, checked, resume_within=hour)
    cluster.tag("memory", key, str(tmp_path / "m"), Setup(source=lying, options=GRAIN), force=True)
    with pytest.raises(StateError, match="manifest is '.*, serial 1', not '.*, serial 2'"):
        checks(lying, key, checked, resume_within=hour)
    for content_of_file in (b"this is no database at all, but long enough to be read as one" * 20, None):
        nothing = tmp_path / "nothing"
        nothing.unlink(missing_ok=True)
        if content_of_file is not None:
            nothing.write_bytes(content_of_file)
        else:
            with closing(sqlite3.connect(nothing)) as file:
                file.executescript("CREATE TABLE part (mine TEXT); INSERT INTO part VALUES ('precious')")
        nothing.chmod(0o600)
        before = nothing.read_bytes()
        with pytest.raises(StateError, match="can't be used as a state"):
            tags(lying, key, state=nothing)
        assert nothing.read_bytes() == before


def test_no_row_of_another_state_is_believed(key: str, tmp_path: Path, lying: Fake) -> None:
    """Whoever can write to it puts rows of a tag, and of other checks, into the state of a check, or changes what it is of."""
    hour = timedelta(hours=1)
    names = ("tagged", "elsewhere", "here")
    lying.contents["0"] = content(1000, 0)
    cluster.tag("memory", key, str(tmp_path / "m"), Setup(source=lying, options=GRAIN), force=True)
    interrupted(lying, key, tmp_path / "tagged")

    def stop(outcome: Outcome) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cluster.check(
            "elsewhere", str(tmp_path / "m"), key, source=lying, options=GRAIN, on_object=stop, state=tmp_path / "elsewhere"
        )
    lying.contents = {name: content(len(old), 50 + int(name)) for name, old in lying.contents.items()}
    checks(lying, key, tmp_path / "here", stops=True)
    files = {name: sqlite3.connect(tmp_path / name, isolation_level=None) for name in names}
    rows = {
        name: {table: file.execute(f"SELECT * FROM {table}").fetchall() for table in ("header", "part", "tag")}
        for name, file in files.items()
    }
    assert all(tables["tag"] for tables in rows.values())
    here = files["here"]

    def put(table: str, some: list[tuple[object, ...]]) -> None:
        here.execute(f"DELETE FROM {table}")
        for row in some:
            here.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)

    for other in ("tagged", "elsewhere"):
        put("part", rows[other]["part"])
        put("tag", rows[other]["tag"])
        found, report = checks(lying, key, tmp_path / "here", stops=True, resume_within=hour)
        assert {one.status for one in found.values()} == {"failed"}
        # With its header, it is what it was.
        put("header", rows[other]["header"])
        with pytest.raises(StateError, match="command is 'tag'" if other == "tagged" else "url is 'elsewhere'"):
            checks(lying, key, tmp_path / "here", resume_within=hour)
        ((run, sealed),) = rows["here"]["header"]
        put("header", [(rows[other]["header"][0][0], sealed)])
        with pytest.raises(StateError, match="its header"):
            checks(lying, key, tmp_path / "here", resume_within=hour)
        for at in (0, 12, len(sealed) - 1):
            put("header", [(run, sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :])])
            with pytest.raises(StateError, match="its header"):
                checks(lying, key, tmp_path / "here", resume_within=hour)
        for headers in ([], [(run, sealed), (run, sealed)], [("no id", sealed)], [(run, "text")], [(7, sealed)]):
            put("header", headers)
            with pytest.raises(StateError, match="its header"):
                checks(lying, key, tmp_path / "here", resume_within=hour)
        put("header", [(run, sealed)])
    for file in files.values():
        file.close()
    found, report = checks(lying, key, tmp_path / "here", resume_within=hour)
    assert report.counts == {"failed": 6}


def test_one_run_at_a_time_has_a_state(key: str, tmp_path: Path) -> None:
    source = Fake({"a": content(100), "b": content(100)})
    state = tmp_path / "state"

    def again(outcome: Outcome) -> None:
        with pytest.raises(StateError, match="another run uses it"):
            tags(source, key, state=state)

    _, report = tags(source, key, state=state, on_object=again)
    assert report.exit == 0 and not state.exists()


def test_sums_are_bound_to_what_they_are_of(key: str) -> None:
    file = KeyFile(key)
    runs = ["00" * 16, "01" * 16]
    one = Object("a", 100, "e")
    place = Range(None, one, 0, 64)
    segment = Segment(file.mac(), bytes(64))
    sealed = States(file, runs[0]).seal(segment, place.binding(runs[0]))
    assert len(sealed) == 96
    back = opened(States(file, runs[0]), runs[0], file.mac(), place, sealed)
    assert back.to_bytes() == segment.to_bytes()
    others = [
        Range("00" * 8, one, 0, 64),
        Range(None, Object("b", 100, "e"), 0, 64),
        Range(None, Object("a", 101, "e"), 0, 64),
        Range(None, Object("a", 100, "f"), 0, 64),
        Range(None, Object("a", 100, "e", "1"), 0, 64),
        Range(None, one, 16, 64),
        Range(None, one, 0, 48),
    ]
    for other in others:
        with pytest.raises(InvalidTag):
            opened(States(file, runs[0]), runs[0], file.mac(), other, sealed)
    with pytest.raises(InvalidTag):  # a run that is replayed
        opened(States(file, runs[1]), runs[1], file.mac(), place, sealed)
    for at in range(len(sealed)):
        with pytest.raises(InvalidTag):
            changed = sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :]
            opened(States(file, runs[0]), runs[0], file.mac(), place, changed)
        with pytest.raises(InvalidTag):
            opened(States(file, runs[0]), runs[0], file.mac(), place, sealed[:at])
    # Of the right binding, but of another length: a worker's fault.
    short = States(file, runs[0]).seal(Segment(file.mac(), bytes(48)), place.binding(runs[0]))
    with pytest.raises(ValueError, match="range"):
        opened(States(file, runs[0]), runs[0], file.mac(), place, short)


def test_keys_do_not_travel(key: str) -> None:
    import pickle

    file = KeyFile(key)
    secret = next(line.split()[1] for line in Path(key).read_text().splitlines() if line.startswith("secret"))
    for thing in (file, States(file, "00" * 16), file.mac(), Segment(file.mac(), b"")):
        assert secret not in repr(thing)
        with pytest.raises(TypeError):
            pickle.dumps(thing)


def test_other_keys_are_refused(key: str, tmp_path: Path) -> None:
    umac = tmp_path / "umac"
    wegman.files.keygen(umac, "UMAC-64")
    with pytest.raises(cluster.ClusterError, match="can't tag an object in parts"):
        tags(Fake({"a": b"1"}), str(umac))
    with pytest.raises(FileNotFoundError, match="nothing"):
        tags(Fake({"a": b"1"}), str(tmp_path / "nothing"))


def test_a_plan_is_what_a_run_takes(key: str) -> None:
    source = Fake({f"{size}": content(size) for size in (0, 1, 100, 5000)})
    options = Options(grain=1024, get_size=256)
    planned = cluster.plan("memory", options, source)
    assert not source.gets
    _, report = tags(source, key, options=options)
    assert (planned.objects, planned.bytes, planned.tasks) == (4, 5101, report.progress.tasks)
    # Objects of several tasks are looked at by the coordinator.
    assert report.progress.gets == planned.gets - 1
    assert planned.hours(2, 100.0) == 5101 / 200 / 3600
    json.dumps(report.record())


@pytest.mark.parametrize("bad", [{"grain": 100}, {"get_size": 15}, {"grain": 0}, {"twice": 2.0}])
def test_options_that_do_not_fit(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        Options(**{"grain": 64, "get_size": 16, **bad})  # type: ignore[arg-type]


def test_states_are_private(key: str, tmp_path: Path) -> None:
    state = State(tmp_path / "state", KeyFile(key), {})
    segment = Segment(KeyFile(key).mac(), bytes(64))
    state.put_part(Range(None, Object("a", 64, "e"), 0, 64), segment)
    state.commit()
    plain = segment.to_bytes()
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("state*"))
    assert plain[36:52] not in stored
    state.close()
