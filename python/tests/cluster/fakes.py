"""A store in memory that can do everything that a store can do wrong."""

import hashlib
import threading
from bisect import bisect_right
from collections.abc import Iterator

from wegman.cluster._ranges import raw
from wegman.cluster._store import Object, Page, Problem


class Fake:
    """A dict with ETags: those of the contents, or, of a store that lies, the same for all contents of a size."""

    def __init__(self, contents: dict[str, bytes], lies: bool = False) -> None:
        self.contents = dict(contents)
        self.lies = lies
        self.lock = threading.Lock()
        self.gets: list[tuple[str, int, int]] = []
        # Called before each request, under no lock: to change or to fail.
        self.before = lambda name, start: None
        # Called with each page, which it may change.
        self.paged = lambda after, page: page
        # Answers have no more.
        self.most = 1000

    def _object(self, name: str) -> Object:
        if name not in self.contents:
            raise Problem("missing", "it is gone")
        data = self.contents[name]
        return Object(name, len(data), '"' + hashlib.sha256(b"" if self.lies else data).hexdigest()[:16] + '"')

    def page(self, after: str, most: int) -> Page:
        names = sorted(list(self.contents), key=raw)
        at = bisect_right(names, raw(after), key=raw) if after else 0
        some = names[at : at + min(most, self.most)]
        page: Page = self.paged(after, ([self._object(name) for name in some], at + len(some) == len(names)))
        return page

    def head(self, name: str) -> Object:
        self.before(name, -1)
        return self._object(name)

    def get(self, one: Object, start: int, end: int) -> Iterator[bytes]:
        self.before(one.name, start)
        with self.lock:
            self.gets.append((one.name, start, end))
        now = self._object(one.name)
        if now != one:
            raise Problem("changed", "the answer")
        data = self.contents[one.name][start:end]
        middle = len(data) // 3
        yield data[:middle]
        yield data[middle:]
