"""A client of the socket that costs little itself: lines in, lines out, each answer timed.

python caller.py SOCKET {bare,modern,legacy}[-status] SECONDS: says "ready", waits for a line, calls, prints JSON.
python caller.py SOCKET flood COUNT: sends and never reads, until it is ended.
"""

import json
import socket
import sys
import time
from collections.abc import Mapping

TOOLS = {"": "conductor_list_modes", "status": "conductor_get_status"}
"""What the app itself knows, and what it asks the engine process for."""
MODERN = "2026-07-28"
WARM_UP = 100
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def line(method: str, params: Mapping[str, object], number: int | None = 1) -> bytes:
    """Return a message as a line; a notification has no number."""
    message: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    return json.dumps(message).encode() + b"\n"


def request(kind: str, number: int = 1) -> bytes:
    """Return the call of one tool, as this kind of client makes it."""
    transport, _, tool = kind.partition("-")
    name = TOOLS[tool]
    if transport in ("bare", "flood"):
        return line(name, {}, number)
    meta: dict[str, object] = {"_meta": ENVELOPE} if transport == "modern" else {}
    return line("tools/call", {"name": name, "arguments": {}, **meta}, number)


class Caller:
    """One connection, with the handshake made where this kind has one."""

    def __init__(self, path: str, kind: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(path)
        self.kind = kind
        if kind == "legacy":
            self.ask(line("initialize", HANDSHAKE))
            self.socket.sendall(line("notifications/initialized", {}, None))

    def ask(self, asked: bytes) -> bytes:
        """Send a line and give the answer's."""
        self.socket.sendall(asked)
        heard = self.socket.recv(65_536)
        while not heard.endswith(b"\n"):
            piece = self.socket.recv(65_536)
            if not piece:
                raise ConnectionResetError("the other end hung up")
            heard += piece
        return heard

    def call(self, count: int) -> None:
        """Call some times, and see that it is the tool that answers."""
        for number in range(count):
            heard = json.loads(self.ask(request(self.kind, number + 2)))
            if heard.get("result", {}).get("isError", "result" not in heard):
                raise RuntimeError(f"the call failed: {heard}")

    def time_calls(self, seconds: float) -> list[int]:
        """Call for so long, and give what each answer took, in ns."""
        asked = [request(self.kind, number + 2) for number in range(1_000)]
        taken: list[int] = []
        until = time.perf_counter_ns() + int(seconds * 1e9)
        began = 0
        while began < until:
            began = time.perf_counter_ns()
            self.ask(asked[len(taken) % 1_000])
            taken.append(time.perf_counter_ns() - began)
        return taken


def figures(taken_ns: list[int]) -> dict[str, float]:
    """Return what the calls took, in the form that is printed."""
    ordered, seconds = sorted(taken_ns), sum(taken_ns) / 1e9
    count = len(ordered)
    return {
        "calls": count,
        "rate": count / seconds,
        "p50_ms": ordered[count // 2] / 1e6,
        "p99_ms": ordered[count * 99 // 100] / 1e6,
        "max_ms": ordered[-1] / 1e6,
    }


def flood(path: str, count: int) -> None:
    """Send until nothing more is taken, read nothing, and stay."""
    caller = Caller(path, "flood")
    caller.socket.settimeout(None)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for number in range(count):
        caller.socket.sendall(request("flood", number + 1))


def main(path: str, kind: str, amount: str) -> None:
    if kind == "flood":
        flood(path, int(amount))
        return
    caller = Caller(path, kind)
    caller.call(WARM_UP)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    sys.stdout.write(json.dumps(figures(caller.time_calls(float(amount)))) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
