"""A server at an address that misbehaves; the first argument says how, and it prints its port."""

import gzip
import http.server
import json
import sys
import threading
from typing import Any

MODE, ELSEWHERE = sys.argv[1], sys.argv[2]

EVENTS = "text/event-stream"
PROGRESS = {
    "jsonrpc": "2.0",
    "method": "notifications/progress",
    "params": {"progressToken": 1, "progress": 1},
}
DRIPS = {
    "drips json": ("application/json", b" "),
    "drips comments": (EVENTS, b": still here\n\n"),
    "drips half an event": (EVENTS, b"data: x\n"),
    "drips progress": (EVENTS, f"data: {json.dumps(PROGRESS)}\n\n".encode()),
}
"""Endless answers to a call: the content type, and the bytes sent fifty times a second."""
SESSIONS = {"long session": "s" * 60_000, "strange session": "s\u00e9\t<b>"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        message: dict[str, Any] = json.loads(self.rfile.read(length))
        if MODE == "refuses" or (MODE == "needs a token" and self.headers.get("x-key") != "k"):
            self._say(401, b"")
        elif MODE == "redirects":
            self._say(307, b"", ("location", f"{ELSEWHERE}/mcp"))
        elif MODE == "no protocol":
            self._say(200, b"<html>hello</html>", ("content-type", "text/html"))
        elif message.get("id") is None:
            self._say(202, b"")
        else:
            self._answer(message)

    def do_DELETE(self) -> None:
        if MODE == "never ends":
            threading.Event().wait()
        self._say(200, b"")

    def do_GET(self) -> None:
        self._say(405, b"")

    def _answer(self, message: dict[str, Any]) -> None:
        match message["method"]:
            case "initialize":
                result: Any = {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "web", "version": "1"},
                }
            case "tools/list":
                result = {"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}
            case "tools/call" if MODE in DRIPS:
                self._drip(*DRIPS[MODE])
                return
            case "tools/call" if MODE == "floods":
                self._flood()
                return
            case "tools/call":
                text = "x" * 30_000_000 if MODE in ("is large", "is packed") else "seen"
                result = {"content": [{"type": "text", "text": text}]}
                if MODE == "has many parts":
                    result = {"content": [{"type": "text", "text": "y"}] * 300_000}
            case _:
                self._send({"error": {"code": -32601, "message": "no"}}, message["id"])
                return
        self._send({"result": result}, message["id"])

    def _send(self, fields: dict[str, Any], number: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": number, **fields}).encode()
        packed: tuple[tuple[str, str], ...] = ()
        if MODE == "is packed" and len(body) > 1_000_000:
            body, packed = gzip.compress(body), (("content-encoding", "gzip"),)
        self._say(
            200,
            body,
            *packed,
            ("content-type", "application/json"),
            ("mcp-session-id", SESSIONS.get(MODE, "s")),
        )

    def _drip(self, kind: str, piece: bytes) -> None:
        """Send an endless answer that keeps the client waiting for the rest."""
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("connection", "close")
        self.end_headers()
        pause = threading.Event()
        while not pause.wait(0.02):
            self.wfile.write(piece)

    def _flood(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "flood"}}
        line = f"event: message\ndata: {json.dumps(note)}\n\n".encode()
        while True:
            self.wfile.write(line * 100)

    def _say(self, code: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response(code)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        sys.stderr.write(f"{self.command} {self.headers.get('x-key')}\n")
        sys.stderr.flush()


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
sys.stdout.write(f"{server.server_address[1]}\n")
sys.stdout.flush()
server.serve_forever()
