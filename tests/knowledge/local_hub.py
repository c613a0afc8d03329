"""A Hub on this machine, and a library that may ask it."""

import json
import ssl
import sys
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from conductor.base.resource_paths import KnowledgePaths
from conductor.domain.settings import KnowledgeSettings
from conductor.knowledge.hub import HubClient
from conductor.knowledge.hub_cache import HubCache
from conductor.knowledge.library import KnowledgeBase

ASKED = "what do the pads of a Zaptron 3000 send"
ALL_ELSE = ("midi", "osc", "artnet", "hid", "platform", "conductor")
"""With these switched off nothing is known here."""
KNOWN = {
    "title": "Zaptron 3000: what its pads send",
    "content": "The pads of the Zaptron 3000 send notes 36 to 51 on channel 10.",
    "domain": "device",
    "licence": "CC0",
}
Answer = Callable[[BaseHTTPRequestHandler], None]
events: list[str] = []


def _hook(event: str, _arguments: object) -> None:
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        events.append(event)


sys.addaudithook(_hook)


def reply(chunks: Any, kind: str = "application/json", status: int = 200, **headers: str) -> Answer:
    """Make an answer of chunks, or of bytes as they are."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = chunks if isinstance(chunks, bytes) else json.dumps({"chunks": chunks}).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


class LocalHub:
    """A real server on loopback. It notes each request and how many were audited by then."""

    def __init__(
        self, audited: list[Mapping[str, Any]], trust: ssl.SSLContext | None = None
    ) -> None:
        self.requests: list[tuple[str, str, bytes]] = []
        self.audited_before: list[int] = []
        self.answer: Answer = reply([KNOWN])
        self.ended = threading.Event()
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                hub.audited_before.append(len(audited))
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hub.requests.append((self.path, str(self.headers), body))
                hub.answer(self)

            do_GET = do_POST  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if trust is not None:
            self.server.socket = trust.wrap_socket(self.server.socket, server_side=True)
        scheme = "http" if trust is None else "https"
        self.address = f"{scheme}://127.0.0.1:{self.server.server_port}"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()


class Rig:
    """A library that asks a local Hub, with clocks that tests move."""

    def __init__(
        self, where: KnowledgePaths, home: Path, hub: LocalHub, audited: list[Any]
    ) -> None:
        self.server, self.audited = hub, audited
        self.ends: list[tuple[str, str]] = []
        self.settings = KnowledgeSettings(
            community=True, hub=hub.address, disabled_sources=ALL_ELSE
        )
        self.clock, self.day = 0.0, 1_000_000.0
        self._where, self._home = where, home
        self.limit_s = 5.0
        self.hub, self.library = self.again()

    def again(self) -> tuple[HubClient, KnowledgeBase]:
        """Start again with the same files."""
        cache = HubCache(self._where.own / "hub.db", lambda: self.day)
        hub = HubClient(cache, self.audit, timeout_s=self.limit_s, now=lambda: self.clock)
        self.hub = hub
        self.library = KnowledgeBase(
            self._home, lambda: self.settings, paths=self._where, community=hub
        )
        return hub, self.library

    def audit(self, sent: Mapping[str, Any]) -> Callable[[str, str], None]:
        self.audited.append(sent)
        return lambda outcome, detail: self.ends.append((outcome, detail))

    def given(self, text: str = ASKED) -> list[str]:
        """Return the texts of others that a message brings."""
        found = self.library.retrieve_for_message(text).found
        return [each.chunk.content for each in found if each.chunk.layer == "L3"]
