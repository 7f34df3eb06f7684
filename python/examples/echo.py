"""Authenticated datagrams in asyncio: a server that answers, and a client. `python echo.py` runs both, on this machine."""

import asyncio
import secrets

import wegman

SECRET, CONTEXT = secrets.token_bytes(32), b"echo 1"  # in two programs: from a key exchange


class End(asyncio.DatagramProtocol):
    """One end of a channel. What is not authentic, or comes twice, is dropped."""

    def __init__(self, *, initiator: bool) -> None:
        self.link = wegman.Link("UMAC-64", SECRET, CONTEXT, initiator=initiator)
        self.is_server = not initiator
        self.messages: asyncio.Queue[bytes] = asyncio.Queue()

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:
        self.transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        try:
            message = self.link.open_packet(data)
        except wegman.Rejected as refused:
            print("dropped:", refused)
            return
        if self.is_server:
            self.transport.sendto(self.link.seal_packet(b"you said " + message), addr)
        else:
            self.messages.put_nowait(message)


async def main() -> None:
    loop = asyncio.get_running_loop()
    server, _ = await loop.create_datagram_endpoint(lambda: End(initiator=False), ("127.0.0.1", 0))
    address = server.get_extra_info("sockname")
    transport, client = await loop.create_datagram_endpoint(lambda: End(initiator=True), remote_addr=address)
    packet = client.link.seal_packet(b"hello")
    transport.sendto(packet)
    print((await client.messages.get()).decode())
    transport.sendto(packet)  # somebody sends it once more
    transport.sendto(client.link.seal_packet(b"goodbye"))
    print((await client.messages.get()).decode())
    transport.close()
    server.close()


asyncio.run(main())
