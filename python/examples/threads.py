"""How much two threads hash together, by the length of a message: `python threads.py [NAME]`."""

import sys
import threading
import time

import wegman

mac = wegman.new(sys.argv[1] if len(sys.argv) > 1 else "UMAC-64", bytes(16))
nonce = 1 if mac.nonce_length else None


def rate(size: int, threads: int, seconds: float = 0.3) -> float:
    """GB/s of so many threads together."""
    message, counts, over = bytes(size), [0] * threads, threading.Event()

    def work(thread: int) -> None:
        while not over.is_set():
            mac.tag(message, nonce)
            counts[thread] += 1

    workers = [threading.Thread(target=work, args=[thread]) for thread in range(threads)]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    time.sleep(seconds)
    over.set()
    for worker in workers:
        worker.join()
    # What has begun is finished first.
    return sum(counts) * size / (time.perf_counter() - start) / 1e9


print(f"{mac.name}, GB/s of one thread and of two")
for size in (16 << 10, 32 << 10, 64 << 10, 128 << 10, 1 << 20, 16 << 20):
    print(f"{size:>9} bytes  {rate(size, 1):6.1f}  {rate(size, 2):6.1f}")
