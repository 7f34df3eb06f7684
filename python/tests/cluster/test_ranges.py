"""Every name is in one range, whatever the store, the workers and the scheduler do, and nothing that was not read is OK."""

import json
import random
import secrets
import threading
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from fakes import Fake
from wegman import InvalidTag, cluster, files
from wegman._native import KeyFile, States, read_manifest
from wegman.cluster import ClusterError, ManifestError, Options, Outcome, Setup, StateError, _places, _ranges, _work
from wegman.cluster._coordinator import ATTEMPTS
from wegman.cluster._ranges import before, raw, split, tiles
from wegman.cluster._store import Object, Problem
from wegman.cluster._work import binding, work

SMALL = Options(grain=64, get_size=16, rows=10, seconds=0.05)


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of ten names, so that a few hundred are many."""
    for module in (_ranges, _work):
        monkeypatch.setattr(module, "PAGE", 10)
    # A list's default was taken when the function was made.
    monkeypatch.setattr(_work.Worker._list, "__defaults__", (10,))


def names_of(r: random.Random) -> set[str]:
    """Names of an alphabet that makes listing hard, but for -, which no manifest has."""
    kind = r.randrange(5)
    alphabet = ["ab", "0123456789", "aé漢😀~/\x7f", "/", "az/-_.A\U0010ffff"][kind]
    return {
        "".join(r.choice(alphabet) for _ in range(r.randrange(1, 200 if kind == 3 else 40))) for _ in range(r.randrange(1, 250))
    } - {"-"}


def names_in(place: Path, key: str) -> list[str]:
    """The names of a root's shards, in order, each in the range that the root gives the shard."""
    file = KeyFile(key)
    root = read_manifest(file, place / "root")
    assert root.ends is not None and root.ends[-1] == b"" and root.ends[:-1] == sorted(set(root.ends[:-1]))
    found: list[bytes] = []
    after = b""
    for (name, tag), end in zip(root.rows, root.ends, strict=True):
        file.mac().verify((place / name.decode()).read_bytes(), tag)
        rows = [row for row, _ in read_manifest(file, place / name.decode()).rows]
        assert all(after < row and (not end or row <= end) for row in rows)
        found += rows
        after = end
    assert found == sorted(found)
    return [name.decode() for name in found]


class Bad(ThreadPoolExecutor):
    """Workers of which some fail, lie without the key, or have it and are wrong."""

    def __init__(self, width: int, key: str, seed: int, shares: tuple[float, float, float]) -> None:
        super().__init__(width)
        self.random, self.key, self.shares = random.Random(seed), KeyFile(key), shares
        self.failed: Counter[str] = Counter()

    def submit(self, fn, /, *args, **more):  # type: ignore[no-untyped-def]
        lost, forged, wrong = self.shares
        draw = self.random.random()
        # No range fails as often as the coordinator bears, however its jobs fall.
        run, number = args[:2]
        job = json.loads(States(self.key, run).open_bytes(args[2], binding("job", number)))
        self.failed[place := f"{job['after']}\0{job['upto']}"] += draw < lost + forged + wrong
        draw += self.failed[place] >= ATTEMPTS

        def does() -> bytes:
            if draw < lost:
                raise OSError("the worker is lost")
            if draw < lost + forged:
                return secrets.token_bytes(200)
            result: bytes = fn(*args, **more)
            if draw < lost + forged + wrong:
                states = States(self.key, run)
                pieces = json.loads(states.open_bytes(result, binding("result", number))).get("pieces", [])
                done = {"kind": "done", "counts": {}, "bytes": 0, "problems": [], "file": None, "tag": ""}
                bad = [[], pieces[1:], [{**done, "upto": "zz"}], [*pieces, *pieces[-1:]], [*pieces, {**done, "upto": None}]]
                bad = [some for some in bad if not tiles(job["after"], job["upto"], [piece["upto"] for piece in some])]
                return states.seal_bytes(json.dumps({"pieces": bad[number.encode()[0] % len(bad)], "cpu": 0, "worker": ""}).encode(),
                                         binding("result", number))  # fmt: skip
            return result

        return super().submit(does)


def test_every_name_is_there_once(key: str, tmp_path: Path, small_pages: None) -> None:
    """Workers are lost, forge and lie; the coordinator stops in the middle, its file is torn, and the same command goes on."""
    r = random.Random(33)
    refused = resumed = again = 0
    for number in range(20):
        names = names_of(r)
        source = Fake({name: name.encode() for name in names})
        source.most = r.choice([3, 10])
        place, state, left = tmp_path / f"{number}", tmp_path / f"state{number}", [r.choice([1, 3, 1 << 30])]

        def stop(report: cluster.Report, left: list[int] = left) -> None:
            left[0] -= report.shards > 0
            if left[0] <= 0:
                raise KeyboardInterrupt

        def tag(bad: Bad, **more: object) -> cluster.Report:
            return cluster.tag(
                "memory", key, f"{place}/", source=source, executor=bad, workers=width, state=state, options=SMALL, **more
            )

        width = r.choice([1, 3, 20])
        with Bad(width, key, number, (0.05, 0.05, 0.05)) as bad:
            try:
                report = tag(bad, on_progress=stop)
            except KeyboardInterrupt:
                with open(state, "ab") as file:
                    file.write(b"torn")
                report = tag(bad)
                resumed += report.earlier > 0
        assert names_in(place, key) == sorted(names, key=raw)
        assert report.counts == {"tagged": len(names)} and not state.exists()
        refused, again = refused + report.refused, again + report.again
        checked = cluster.check("memory", f"{place}/", key, source=source, workers=3, options=SMALL)
        assert checked.counts == {"ok": len(names)} and checked.refused == 0
    assert refused > 20 and again > refused and resumed > 2


def test_ranges_may_end_at_names_that_no_manifest_can_have(key: str, tmp_path: Path) -> None:
    odd = ["\0", "-", "a\0", "a\0b", "a\0c", "n\udcff", "o\udcff/x", "x" * 5000, "x" * 40_000, "z\0"]
    good = ["a", "a\1", "b", "o", "x" * 4096, "xy", "z"]
    source = Fake({name: b"1" for name in [*odd, *good]})
    for rows, seconds in ((1, 5.0), (3, 5.0), (100, 0.0001)):
        place = f"{tmp_path}/{rows}/"
        options = Options(rows=rows, seconds=seconds)
        assert cluster.tag("memory", key, place, source=source, workers=1, options=options).counts == {"tagged": len(good), "unnamed": len(odd)}
        assert names_in(Path(place), key) == sorted(good)
        assert cluster.check("memory", place, key, source=source, workers=1, options=options).counts == {"ok": len(good), "unnamed": len(odd)}


def test_split_cuts_inside() -> None:
    r = random.Random(7)
    cuts = 0
    for _ in range(300):
        names = sorted(names_of(r), key=raw)

        def first_after(name: str, names: list[str] = names) -> str | None:
            return next((one for one in names if before(name, one)), None)

        last = r.choice(names)
        upto = r.choice([None, *[name for name in names if before(last, name)]])
        found = split(first_after, last, upto)
        assert tiles(last, upto, [*found, upto])
        cuts += len(found)
    assert cuts > 300


@pytest.mark.parametrize(
    ("upto", "ends", "is_right"),
    [
        ("d", ["b", "c", "d"], True), (None, ["b", None], True), (None, [None], True), ("d", ["d"], True),
        ("d", [], False), ("d", ["b"], False), ("d", ["b", "b", "d"], False), ("d", ["c", "b", "d"], False), ("d", ["a", "d"], False),
        ("d", ["b", "e"], False), ("d", [None], False), (None, ["b"], False), (None, [None, None], False), ("d", ["b", None, "d"], False),
    ],
)  # fmt: skip
def test_tiles(upto: str | None, ends: list[str | None], is_right: bool) -> None:
    assert tiles("a", upto, ends) == is_right


def run(source: Fake, key: str, place: Path, **more: object) -> cluster.Report:
    return cluster.tag("memory", key, f"{place}/", source=source, workers=3, options=SMALL, **more)


@pytest.mark.parametrize("lie", ["backwards", "again", "outside", "twice", "endless", "empty"])
def test_a_list_that_lies_ends_the_run(key: str, tmp_path: Path, small_pages: None, lie: str) -> None:
    """Names out of order, or that were not asked for, could hide others between two ranges."""
    source = Fake({f"{i:03}": b"1" for i in range(100)})

    def paged(after: str, page: tuple[list[Object], bool]) -> tuple[list[Object], bool]:
        objects, is_last = page
        if not after or not objects:
            return ([], False) if lie == "endless" and after else page
        return {
            "backwards": (objects[::-1], is_last), "again": ([Object(after, 1, "e"), *objects], is_last),
            "outside": ([Object("000", 1, "e")], is_last), "twice": ([*objects, objects[-1]], is_last),
            "endless": (objects, False), "empty": ([], False),
        }[lie]  # fmt: skip

    source.paged = paged
    with pytest.raises(ClusterError, match="the list of objects"):
        run(source, key, tmp_path / "tree")
    assert not (tmp_path / "tree/root").exists()


def test_a_list_that_hides_objects_hides_none_from_a_check(key: str, tmp_path: Path, small_pages: None) -> None:
    contents = {f"{i:03}": b"%d" % i for i in range(200)}
    source = Fake(contents)
    run(source, key, tmp_path / "tree")
    r = random.Random(1)
    for _ in range(5):
        hidden = set(r.sample(sorted(contents), 30))
        source.paged = lambda after, page, hidden=hidden: ([one for one in page[0] if one.name not in hidden] or page[0][-1:], page[1])
        report = cluster.check("memory", f"{tmp_path}/tree/", key, source=source, workers=3, options=SMALL)
        assert report.exit == 1 and report.counts["ok"] <= 200 - report.counts["missing"] and report.counts["missing"] >= 20
        assert report.counts["ok"] + report.counts["missing"] == 200


def test_a_list_that_changes_all_the_time(key: str, tmp_path: Path, small_pages: None) -> None:
    """What is there from beginning to end is tagged once; what comes and goes is, or is not."""
    steady = {f"{i:03}/x": b"%d" % i for i in range(150)}
    source = Fake(steady)
    r = random.Random(2)

    def paged(after: str, page: object) -> object:
        with source.lock:
            source.contents = {**steady, **{f"{r.randrange(150):03}/{r.choice('ay')}": b"new" for _ in range(20)}}
        return page

    source.paged = paged
    found: list[Outcome] = []
    report = run(source, key, tmp_path / "tree", on_object=found.append)
    names = names_in(tmp_path / "tree", key)
    assert set(steady) <= set(names) and len(names) == len(set(names)) == report.counts["tagged"]
    assert all(one.name not in steady for one in found)


def test_a_worker_without_the_key_can_say_nothing(key: str, tmp_path: Path) -> None:
    """What it sends is refused; another key's, another job's or another run's is none either."""
    source = Fake({f"{i}": b"1" for i in range(20)})
    run(source, key, tmp_path / "tree")
    other = tmp_path / "other"
    files.keygen(other)
    seen: list[tuple[str, str, bytes, bytes]] = []

    class Replaying(ThreadPoolExecutor):
        def submit(self, fn, /, run, number, job, *more):  # type: ignore[no-untyped-def]
            def does() -> bytes:
                result = work(run, number, job, *more)
                seen.append((run, number, job, result))
                if kind == "replays":
                    return seen[0][3]
                ours = {"pieces": [{"kind": "done", "upto": None, "counts": {"ok": 20}, "bytes": 20, "problems": []}], "cpu": 0, "worker": ""}
                key_file, of_run, of = {
                    "other key": (KeyFile(other), run, "result"), "other run": (KeyFile(key), "00" * 16, "result"), "job": (KeyFile(key), run, "job")
                }[kind]  # fmt: skip
                return States(key_file, of_run).seal_bytes(json.dumps(ours).encode(), binding(of, number))

            return super().submit(does)

    for name in source.contents:
        source.contents[name] = b"2"
    for kind in ("other key", "other run", "job", "replays"):
        with Replaying(1) as executor, pytest.raises(ClusterError, match="failed 6 times"):
            cluster.check("memory", f"{tmp_path}/tree/", key, source=source, workers=1, executor=executor, options=SMALL)
        seen[:1] = [seen[-1]]


def test_what_is_given_out_is_sealed(key: str, tmp_path: Path) -> None:
    """Neither scheduler nor network see a name, a sum or a tag; and nothing but bytes and words goes over it."""
    source = Fake({"secret-name": b"secret-content" * 20})
    seen: list[object] = []

    class Watching(ThreadPoolExecutor):
        def submit(self, fn, /, *args, **more):  # type: ignore[no-untyped-def]
            future: Future[bytes] = super().submit(fn, *args, **more)
            seen.extend([*args[:-1], future.result()])
            return future

    with Watching(1) as executor:
        report = cluster.tag("memory", key, str(tmp_path / "m"), source=source, executor=executor, workers=1, options=SMALL)
    assert report.jobs > 3 and {type(one) for one in seen} == {str, bytes}
    tag = KeyFile(key).mac().tag(source.contents["secret-name"])
    for one in seen:
        data = one if isinstance(one, bytes) else str(one).encode()
        assert b"secret" not in data and tag.hex().encode() not in data and bytes(tag) not in data and b"memory" not in data


def test_another_key_is_told_of(key: str, tmp_path: Path) -> None:
    files.keygen(tmp_path / "other")

    class Elsewhere(ThreadPoolExecutor):
        def submit(self, fn, /, run, number, job, path, source):  # type: ignore[no-untyped-def]
            return super().submit(fn, run, number, job, path and str(tmp_path / "other"), source)

    with Elsewhere(1) as executor, pytest.raises(ClusterError, match="it has the key"):
        run(Fake({"a": b"1"}), key, tmp_path / "tree", executor=executor)


@pytest.mark.parametrize("code", ["ExpiredToken", "SignatureDoesNotMatch", "NoSuchBucket", "AccessDenied"])
@pytest.mark.parametrize("where", ["list", "get"])
def test_credentials_that_end_in_the_middle(key: str, tmp_path: Path, small_pages: None, code: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_work, "ALIKE", 5)
    source = Fake({f"{i:03}": b"%d" % i for i in range(200)})
    count = [0]

    def fails(*_: object) -> None:
        count[0] += 1
        if count[0] > (8 if where == "list" else 60):
            raise Problem("unreadable", f"403 {code}", code)

    if where == "list":
        source.paged = lambda after, page: fails() or page
    else:
        source.before = fails
    state = tmp_path / "state"
    with pytest.raises(ClusterError, match=f"403 {code}: when that is mended"):
        run(source, key, tmp_path / "tree", state=state)
    assert state.exists() and not (tmp_path / "tree/root").exists()
    count[0] = -10000
    report = run(source, key, tmp_path / "tree", state=state)
    assert report.counts == {"tagged": 200} and names_in(tmp_path / "tree", key) == sorted(source.contents)
    assert not state.exists()


def test_a_worker_that_hangs_holds_a_window(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_work, "PATIENCE", 1.0)
    monkeypatch.setattr(_work, "GRACE", 0.1)
    source = Fake({f"{i:03}": b"%d" % i for i in range(100)})
    free = threading.Event()
    source.before = lambda name, start: free.wait() if name == "050" else None  # type: ignore[assignment]
    seen: list[int] = []
    found: list[Outcome] = []
    report = run(source, key, tmp_path / "tree", on_progress=lambda now: seen.append(now.counts["tagged"]), on_object=found.append, partial=True)
    free.set()
    assert report.counts == {"tagged": 99, "unreadable": 1} and [one.name for one in found] == ["050"]
    # Those before it do not wait.
    assert 50 <= max(count for count in seen if count < 99)


def test_an_object_whose_bytes_still_come_is_waited_for(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_work, "PATIENCE", 1.0)
    source = Fake({"a": b"1" * 160})
    # Ten requests, one after another: each is answered in time, and all of them take more than twice that.
    turns = threading.Lock()

    def slowly(name: str, start: int) -> None:
        with turns:
            time.sleep(0.25)

    source.before = slowly
    options = Options(get_size=16, grain=1600)
    report = cluster.tag("memory", key, f"{tmp_path / 'tree'}/", source=source, workers=1, options=options)
    assert report.counts == {"tagged": 1} and report.seconds > 2


def test_objects_that_break_off_are_read_again_side_by_side(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Fake({f"{i:02}": b"%d" % i for i in range(40)})
    tries: Counter[str] = Counter()
    # Of those that are read for the second time: how many there are at once, and when that is more than one after another could be.
    again, most, many = set[str](), [0], threading.Event()

    def breaks(name: str, start: int) -> None:
        with source.lock:
            tries[name] += 1
            if tries[name] == 2:
                again.add(name)
                most[0] = max(most[0], len(again))
                if most[0] >= 8:
                    many.set()
        if tries[name] == 2 and not many.wait(10):
            many.set()
        with source.lock:
            again.discard(name)
        raise Problem("unreadable", "it broke off")

    source.before = breaks
    setup = Setup(source=source, workers=1)
    report = cluster.tag("memory", key, f"{tmp_path / 'tree'}/", setup)
    assert report.counts == {"unreadable": 40} and set(tries.values()) == {3} and most[0] >= 8
    # All of them together have a time, too.
    monkeypatch.setattr(_work, "AGAIN", 0.0)
    tries.clear()
    report = cluster.tag("memory", key, f"{tmp_path / 'other'}/", setup)
    assert report.counts == {"unreadable": 40} and set(tries.values()) == {1}


def test_two_retags_at_once(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Fake({f"{i}": b"1" for i in range(9)})
    run(source, key, tmp_path / "tree")
    place = f"{tmp_path}/tree/"
    source.contents |= {"1": b"2", "2": b"2"}
    is_first = [True]

    def meanwhile(name: str, start: int) -> None:
        if is_first[0]:
            is_first[0] = False
            cluster.retag("memory", place, key, ["2"], source=source, workers=1, options=SMALL)

    source.before = meanwhile
    with pytest.raises(ManifestError, match="another run wrote it meanwhile"):
        cluster.retag("memory", place, key, ["1"], source=source, workers=1, options=SMALL)
    # The loser's shards are gone.
    assert len(list((tmp_path / "tree").glob("shard-*.gz"))) == len(read_manifest(KeyFile(key), tmp_path / "tree/root").rows)
    report = cluster.retag("memory", place, key, ["1"], source=source, workers=1, options=SMALL)
    assert report.counts == {"unchanged": 8, "tagged": 1}
    assert cluster.check("memory", place, key, source=source, options=SMALL).counts == {"ok": 9}


def test_a_root_that_is_refused_loses_nothing(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Fake({f"{i}": b"1" for i in range(9)})
    state = tmp_path / "state"

    def refused(*_: object) -> None:
        raise ManifestError("403")

    with monkeypatch.context() as patch:
        patch.setattr(_places.Place, "_swap", refused)
        with pytest.raises(ManifestError, match="403"):
            run(source, key, tmp_path / "tree", state=state)
    source.gets.clear()
    report = run(source, key, tmp_path / "tree", state=state)
    assert report.counts == {"tagged": 9} and not source.gets and not state.exists()


def test_a_shard_of_an_earlier_run_that_is_gone_is_made_again(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Fake({f"{i:02}": b"1" * i for i in range(40)})
    state, tree = tmp_path / "state", tmp_path / "tree"

    def refused(*_: object) -> None:
        raise ManifestError("403")

    with monkeypatch.context() as patch, pytest.raises(ManifestError, match="403"):
        patch.setattr(_places.Place, "_swap", refused)
        run(source, key, tree, state=state)
    gone, *kept = [path for path in tree.glob("shard-*") if path.suffix != ".gz"]
    gone.unlink()
    source.gets.clear()
    assert run(source, key, tree, state=state).counts == {"tagged": 40}
    assert 0 < len({name for name, _, _ in source.gets}) <= 10 and all(path.exists() for path in kept)
    assert names_in(tree, key) == sorted(source.contents)


def test_an_object_of_very_many_parts(key: str, tmp_path: Path) -> None:
    """A store may say of any object that it has 64 TB."""
    source = Fake({"a": b"1", "b": b"2", "c": b"3"})
    source.paged = lambda after, page: ([one._replace(size=1 << 46) if one.name == "b" else one for one in page[0]], page[1])
    found: list[Outcome] = []
    options = Options(grain=8 << 20)
    report = cluster.tag("memory", key, str(tmp_path / "m"), source=source, workers=1, options=options, on_object=found.append)
    assert report.counts == {"tagged": 2, "unreadable": 1} and report.jobs < 10
    assert "use a larger --grain" in found[0].detail


def test_a_retag_of_other_names_is_another_run(key: str, tmp_path: Path) -> None:
    source = Fake({f"{i}": b"1" for i in range(9)})
    run(source, key, tmp_path / "tree")
    source.contents |= {"1": b"2", "2": b"2"}

    def expired(name: str, start: int) -> None:
        raise Problem("unreadable", "400 ExpiredToken", "ExpiredToken")

    source.before = expired
    with pytest.raises(ClusterError, match="ExpiredToken"):
        cluster.retag("memory", f"{tmp_path}/tree/", key, ["1"], source=source, workers=1, options=SMALL, state=tmp_path / "state")
    source.before = lambda name, start: None
    with pytest.raises(StateError, match="expect"):
        cluster.retag("memory", f"{tmp_path}/tree/", key, ["2"], source=source, workers=1, options=SMALL, state=tmp_path / "state")


def test_altered_journals_are_refused(key: str, tmp_path: Path, small_pages: None) -> None:
    source = Fake({f"{i:03}": b"%d" % i for i in range(200)})
    state = tmp_path / "state"

    def stop(report: cluster.Report) -> None:
        if report.shards > 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(source, key, tmp_path / "tree", state=state, on_progress=stop)
    lines = state.read_bytes().splitlines(True)
    assert len(lines) > 6
    b = bytearray(lines[3])
    b[20] = ord("A") if b[20] != ord("A") else ord("B")
    for altered in (lines[1:], [lines[0], *lines[2:]], [lines[0], lines[2], lines[1], *lines[3:]], [*lines, lines[-1]], [*lines[:3], bytes(b), *lines[4:]]):
        state.write_bytes(b"".join(altered))
        with pytest.raises(StateError, match="not what this key sealed there"):
            run(source, key, tmp_path / "tree", state=state)
    # Two histories of one run make no third.
    state.write_bytes(b"".join(lines[:3]))
    with pytest.raises(KeyboardInterrupt):
        run(source, key, tmp_path / "tree", state=state, on_progress=stop)
    others = state.read_bytes().splitlines(True)
    assert others[:3] == lines[:3] and others[3] != lines[3]
    state.write_bytes(b"".join([*others[:4], *lines[4:]]))
    with pytest.raises(StateError, match="not what this key sealed there"):
        run(source, key, tmp_path / "tree", state=state)
    state.write_bytes(b"".join(lines))
    assert run(source, key, tmp_path / "tree", state=state).counts == {"tagged": 200}
    with pytest.raises(InvalidTag):
        States(KeyFile(key), "00" * 16).open_bytes(b"\0" * 40, b"")


def test_jobs_are_for_those_who_wait(key: str, tmp_path: Path, small_pages: None) -> None:
    """A list is split over workers while it goes on, and every name is listed about once."""
    source = Fake({f"{i:05}": b"1" for i in range(3000)})
    pages: list[int] = []
    source.paged = lambda after, page: pages.append(len(page[0])) or page
    report = cluster.tag("memory", key, f"{tmp_path}/tree/", source=source, workers=8, options=Options(seconds=1))
    assert report.counts == {"tagged": 3000} and report.shards >= 8
    assert sum(pages) < 3 * 3000 and report.own_cpu < 5

