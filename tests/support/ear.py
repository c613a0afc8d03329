"""A listener on loopback that must hear nothing: TCP for every kind of request, UDP for what WebRTC sends.

with Ear() as ear:
    ...
    assert ear.heard == []
"""

import socketserver
import threading


class Ear:
    """Listens on one number of port, by TCP and by UDP."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        heard = self.heard

        class Tcp(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                self.request.settimeout(2)
                try:
                    said = self.request.recv(200)
                except OSError:
                    said = b""
                heard.append(f"tcp: {said!r}" if said else "tcp: a connection")

        class Udp(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                heard.append(f"udp: {self.request[0][:20]!r}")

        self._tcp = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Tcp)
        self.port: int = self._tcp.server_address[1]
        self._udp = socketserver.UDPServer(("127.0.0.1", self.port), Udp)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def __enter__(self) -> "Ear":
        for server in (self._tcp, self._udp):
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for server in (self._tcp, self._udp):
            server.shutdown()
            server.server_close()
