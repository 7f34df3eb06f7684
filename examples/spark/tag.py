"""Tags the objects of a store on Spark: `wegman.cluster` gives out parts, Spark's workers sum them.

    WEGMAN_KEY=KEY spark-submit tag.py URL MANIFEST

Any executor of `concurrent.futures` works for `wegman.cluster`. This one gathers what was submitted, and runs it as one job of
`mapPartitions`. The tags are those of `wegman tag`, whoever sums the parts. Each machine needs the wheel, the key and the store's
credentials.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import Any

from pyspark.sql import SparkSession
from wegman import cluster


class Spark(Executor):
    """Runs what is submitted on Spark, as many at once as came in the meantime."""

    def __init__(self, spark: SparkSession) -> None:
        self._context = spark.sparkContext
        self._queue: SimpleQueue[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._queue.put((future, fn, args))
        return future

    def _run(self) -> None:
        while True:
            batch = [self._queue.get()]
            while not self._queue.empty():
                batch.append(self._queue.get())
            work = [(fn, args) for _, fn, args in batch]

            def part(works: Iterator[tuple[Callable[..., Any], tuple[Any, ...]]]) -> Iterator[Any]:
                for fn, args in works:
                    try:
                        yield fn(*args)
                    except Exception as error:
                        yield error

            try:
                results = self._context.parallelize(work, len(work)).mapPartitions(part).collect()
            except Exception as error:
                results = [error] * len(batch)
            for (future, _, _), result in zip(batch, results, strict=True):
                if isinstance(result, Exception):
                    future.set_exception(result)
                else:
                    future.set_result(result)


def main() -> None:
    url, manifest = sys.argv[1:]
    # Workers of this machine use this Python.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.appName("wegman").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    grain = int(os.environ.get("GRAIN", 512 << 20))
    setup = cluster.Setup(
        executor=Spark(spark), workers=spark.sparkContext.defaultParallelism, options=cluster.Options(grain=grain)
    )
    report = cluster.tag(url, os.environ["WEGMAN_KEY"], manifest, setup)
    print(dict(report.counts), report.jobs, "jobs", f"{report.seconds:.1f} s")
    spark.stop()
    sys.exit(report.exit)


if __name__ == "__main__":
    main()
