"""What Dask's scheduler takes for many workers: a real scheduler, and workers that do nothing, many in each process.

    python lab/python/scheduler.py [WORKERS ...]

For each number of workers: CPU seconds of the scheduler a task, in batches with arguments and results of our size, and at rest.
"""

import asyncio
import multiprocessing
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

TASKS = 4000
IDLE = 10.0
TICK = os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def host(address: str, count: int) -> None:
    """So many workers in one process and one event loop."""
    os.environ["DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE"] = "0"
    import logging

    from distributed import Worker

    logging.getLogger("distributed").setLevel(logging.CRITICAL)

    async def run() -> None:
        workers: list[Any] = []
        for _ in range(count):
            worker = Worker(address, nthreads=1, dashboard=False, memory_limit=0, validate=False)
            workers.append(await worker)
        await asyncio.sleep(3600)

    asyncio.run(run())


def nothing(task: Any) -> bytes:
    """As long a result as a sealed sum."""
    return bytes(96)


def cpu_of(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def measure(count: int) -> None:
    from distributed import Client

    address = f"tcp://127.0.0.1:{free_port()}"
    scheduler = subprocess.Popen(
        [str(Path(sys.executable).with_name("dask")), "scheduler", "--host", address, "--no-dashboard", "--no-show"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    hosts: list[Any] = []
    client: Any = None
    try:
        client = Client(address, timeout=30, set_as_default=False)
        context = multiprocessing.get_context("spawn")
        began = time.monotonic()
        per_host = 50
        for first in range(0, count, per_host):
            process = context.Process(target=host, args=(address, min(per_host, count - first)), daemon=True)
            process.start()
            hosts.append(process)
        while len(client.nthreads()) < count:
            if time.monotonic() - began > 240:
                print(f"{count} workers: only {len(client.nthreads())} came within 240 s")
                return
            time.sleep(0.5)
        up = time.monotonic() - began
        time.sleep(3)
        rest = cpu_of(scheduler.pid)
        time.sleep(IDLE)
        rest = (cpu_of(scheduler.pid) - rest) / IDLE
        cpu, began = cpu_of(scheduler.pid), time.monotonic()
        arguments = [("bucket/an/object/of/some/length", "etag" * 8, number, "run" * 10) for number in range(TASKS)]
        keys = [f"wegman-{os.urandom(8).hex()}" for _ in arguments]
        futures = client.map(nothing, arguments, key=keys, pure=False, retries=0, batch_size=1000)
        client.gather(futures)
        seconds, cpu = time.monotonic() - began, cpu_of(scheduler.pid) - cpu
        print(
            f"{count:5} workers: there after {up:.0f} s; at rest {100 * rest:.1f} % of a core "
            f"({1e6 * rest / count:.0f} us a second for each); {TASKS} tasks in {seconds:.1f} s, "
            f"{1e3 * cpu / TASKS:.2f} ms of the scheduler for each",
            flush=True,
        )
    finally:
        if client is not None:
            client.close(timeout=5)
        for process in hosts:
            process.kill()
        scheduler.kill()
        scheduler.wait()


if __name__ == "__main__":
    for number in [int(word) for word in sys.argv[1:]] or [2, 10, 50, 100, 200, 400, 700, 1000]:
        measure(number)
