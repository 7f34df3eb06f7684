"""AsyncSSH's UMAC from nettle and from wegman, in turns: `scripts/python ssh`. MiB/s of 64 MiB to OpenSSH's sshd on this machine.

Each run is a program of its own, since install() is for good."""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "python" / "tests"))
sys.argv, arguments = sys.argv[:1], sys.argv[1:]

RUNS, SIZE = 9, 64 << 20
MODES = ["umac-64-etm@openssh.com", "umac-128-etm@openssh.com"]


def one(library: str, mode: str) -> None:
    """One run: prints the seconds of 64 MiB and an answer."""
    import asyncssh.mac

    names = list(asyncssh.mac.get_mac_algs()), list(asyncssh.mac.get_default_mac_algs())
    handlers = {name: asyncssh.mac._mac_handler[name] for name in asyncssh.mac._mac_handler}
    import test_asyncssh as partner  # it installs ours

    if library == "nettle":
        asyncssh.mac._mac_handler.update(handlers)
        assert (asyncssh.mac.get_mac_algs(), asyncssh.mac.get_default_mac_algs()) == names, "nettle is not here"

    async def talk(server: partner.Server) -> float:
        async with server.connect(mode) as connection:
            process = await connection.create_process("cat >/dev/null; echo", encoding=None)
            start = time.perf_counter()
            process.stdin.write(bytes(SIZE))
            process.stdin.write_eof()
            await process.stdout.read()
            return time.perf_counter() - start

    with tempfile.TemporaryDirectory() as folder:
        server = partner.Server(Path(folder))
        try:
            print(asyncio.run(talk(server)))
        finally:
            server.process.terminate()
            server.process.wait()


def main() -> None:
    print("| MiB/s, median (lowest to highest) | nettle | wegman |\n|---|---|---|")
    for mode in MODES:
        speeds: dict[str, list[float]] = {"nettle": [], "wegman": []}
        for _ in range(RUNS):
            for library, all_speeds in speeds.items():
                command = [sys.executable, "-P", __file__, library, mode]
                all_speeds.append(64 / float(subprocess.check_output(command, text=True)))
        cells = [f"{statistics.median(all):.0f} ({min(all):.0f} to {max(all):.0f})" for all in speeds.values()]
        print("|", mode, "|", " | ".join(cells), "|")


if arguments:
    one(*arguments)
else:
    main()
