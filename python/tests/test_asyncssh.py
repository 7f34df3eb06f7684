"""AsyncSSH with our UMACs talks to OpenSSH's programs."""

import asyncio
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import asyncssh
import pytest
import wegman.asyncssh
from asyncssh.mac import get_default_mac_algs, get_mac, get_mac_algs

MODES = ["umac-64-etm@openssh.com", "umac-128-etm@openssh.com", "umac-64@openssh.com", "umac-128@openssh.com"]
SSHD, SSH = Path("/usr/sbin/sshd"), shutil.which("ssh")
SIZE = 64 << 20

if not (SSHD.exists() and SSH) and not os.environ.get("CI"):
    pytest.skip("OpenSSH is not here (Debian: openssh-server, openssh-client)", allow_module_level=True)

wegman.asyncssh.install()


class Server:
    """OpenSSH's server, for one key."""

    def __init__(self, folder: Path) -> None:
        self.user = subprocess.check_output(["id", "-un"], text=True).strip()
        self.key = folder / "key"
        for name in ("key", "host"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
        (folder / "authorized").write_text((folder / "key.pub").read_text())
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        config = folder / "config"
        config.write_text(
            f"ListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\nPidFile none\n"
            f"StrictModes no\nUsePAM no\nPermitRootLogin yes\nCiphers aes128-ctr\nMACs {','.join(MODES)}\n"
        )
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        self.log = folder / "log"
        with self.log.open("wb") as log:
            command = [SSHD, "-D", "-e", "-f", config, "-p", str(self.port)]
            self.process = subprocess.Popen(command, stderr=log, stdin=subprocess.DEVNULL)
        self.wait_for("Server listening")

    def wait_for(self, words: str) -> None:
        until = time.monotonic() + 30
        while words not in self.log.read_text():
            assert self.process.poll() is None and time.monotonic() < until, self.log.read_text()
            time.sleep(0.02)

    def connect(self, mode: str) -> "asyncssh.misc._ACMWrapper[asyncssh.SSHClientConnection]":
        return asyncssh.connect(
            "127.0.0.1",
            self.port,
            username=self.user,
            client_keys=[str(self.key)],
            known_hosts=None,
            config=None,
            mac_algs=[mode],
            encryption_algs=["aes128-ctr"],
            compression_algs=None,
        )


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("sshd"))
    yield server
    server.process.terminate()
    server.process.wait()


def test_names_are_offered_once() -> None:
    before = list(get_mac_algs()), list(get_default_mac_algs())
    wegman.asyncssh.install()
    assert before == (get_mac_algs(), get_default_mac_algs())
    for mode in MODES:
        assert get_mac_algs().count(mode.encode()) == get_default_mac_algs().count(mode.encode()) == 1
        assert isinstance(get_mac(mode.encode(), bytes(16)), wegman.asyncssh.Umac)


@pytest.mark.parametrize("mode", MODES)
def test_openssh_echoes(server: Server, mode: str) -> None:
    data = os.urandom(1 << 20) * (SIZE >> 20)

    async def talk() -> None:
        async with server.connect(mode) as connection:
            assert connection.get_extra_info("send_mac") == mode
            assert connection.get_extra_info("recv_mac") == mode
            done = await connection.run("cat", input=data, encoding=None, check=True)
            assert done.stdout == data

    asyncio.run(talk())


@pytest.mark.parametrize("mode", MODES)
def test_openssh_refuses_a_flipped_bit(server: Server, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sign = wegman.asyncssh.Umac.sign

    def flipped(self: wegman.asyncssh.Umac, seq: int, packet: bytes) -> bytes:
        tag = bytearray(sign(self, seq, packet))
        tag[-1] ^= seq > 8
        return bytes(tag)

    async def talk() -> None:
        async with server.connect(mode) as connection:
            for _ in range(20):
                await connection.run("true")

    before = server.log.read_text().count("Corrupted MAC on input")
    monkeypatch.setattr(wegman.asyncssh.Umac, "sign", flipped)
    with pytest.raises((asyncssh.Error, OSError)):
        asyncio.run(talk())
    until = time.monotonic() + 30
    while server.log.read_text().count("Corrupted MAC on input") == before:
        assert time.monotonic() < until, server.log.read_text()
        time.sleep(0.02)


@pytest.mark.parametrize("mode", MODES)
def test_a_flipped_bit_of_openssh_is_refused(server: Server, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    verify = wegman.asyncssh.Umac.verify

    def flipped(self: wegman.asyncssh.Umac, seq: int, packet: bytes, sig: bytes) -> bool:
        return verify(self, seq, packet, bytes([sig[0] ^ (seq > 8)]) + sig[1:])

    async def talk() -> None:
        async with server.connect(mode) as connection:
            for _ in range(20):
                await connection.run("true", check=True)

    monkeypatch.setattr(wegman.asyncssh.Umac, "verify", flipped)
    with pytest.raises(asyncssh.MACError):
        asyncio.run(talk())


@pytest.mark.parametrize("mode", MODES)
def test_openssh_is_served(mode: str, tmp_path: Path) -> None:
    for name in ("key", "host"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    data = os.urandom(1 << 20) * (SIZE >> 20)
    used: list[str] = []

    async def echo(process: "asyncssh.SSHServerProcess[bytes]") -> None:
        used.append(str(process.channel.get_extra_info("recv_mac")))
        while piece := await process.stdin.read(1 << 16):
            process.stdout.write(piece)
            await process.stdout.drain()
        process.exit(0)

    async def serve() -> None:
        async with asyncssh.listen(
            "127.0.0.1",
            0,
            server_host_keys=[str(tmp_path / "host")],
            authorized_client_keys=str(tmp_path / "key.pub"),
            process_factory=echo,
            encoding=None,
            config=None,
            mac_algs=[mode],
            encryption_algs=["aes128-ctr"],
        ) as listener:
            options = ["StrictHostKeyChecking=no", f"UserKnownHostsFile={tmp_path}/known", "BatchMode=yes", "Ciphers=aes128-ctr"]
            client = await asyncio.create_subprocess_exec(
                str(SSH), "-F", "none", "-i", str(tmp_path / "key"), "-p", str(listener.get_port()), "-o", f"MACs={mode}",
                *(word for option in options for word in ("-o", option)), "127.0.0.1", "echo",
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            )  # fmt: skip
            out, _ = await asyncio.wait_for(client.communicate(data), 60)
            assert client.returncode == 0
            assert out == data

    asyncio.run(serve())
    assert used == [mode]
