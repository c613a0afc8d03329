"""The page as the bridge sees it: calls over a real WebSocket, and the news that come between.

with running_conductor("", with_page=True) as conductor, Page(conductor.address()) as page:
    page.call("engine.panic")
"""

import json
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any
from urllib.parse import urlsplit

from tests.support.running import RunningConductor, running_conductor
from websockets.sync.client import ClientConnection, connect

from conductor.base.clock import now

ANSWER_WITHIN_S = 45.0
Plain = dict[str, Any]


class CommandFailed(Exception):
    """An error envelope."""

    def __init__(self, error: Plain) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: str = error["code"]
        self.message: str = error["message"]
        self.data: Plain = error.get("data", {})


class Page:
    """One connection. News are kept in `news` as (sequence, topic, payload), in the order they came."""

    def __init__(self, url: str, token: str | None = None) -> None:
        place = urlsplit(url)
        self.origin = f"http://{place.netloc}"
        self._open = ExitStack()
        self.socket = self._open.enter_context(
            dial(self.origin, token or place.fragment.removeprefix("t="))
        )
        self.session: str = json.loads(self.socket.recv(ANSWER_WITHIN_S))["hello"]["session"]
        self.news: list[tuple[int, str, Plain]] = []
        self.status: Plain = {}
        """The newest event."""
        self._calls = 0

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def call(self, method: str, **params: Any) -> Plain:
        """Call a command and give its result.

        Raises:
            CommandFailed: it answered with an error.
        """
        self._calls += 1
        self.socket.send(json.dumps({"id": self._calls, "method": method, "params": params}))
        while True:
            message = self._receive()
            if message.get("id") == self._calls:
                if not message["ok"]:
                    raise CommandFailed(message["error"])
                return message["result"]

    def wait_news(self, topic: str, wanted: Callable[[Plain], object] = bool) -> Plain:
        """Return the newest payload of a topic that is wanted, waiting for it if it has not come."""
        deadline = now() + ANSWER_WITHIN_S
        while True:
            for _, name, payload in reversed(self.news):
                if name == topic and wanted(payload):
                    return payload
            assert now() < deadline, f"no wanted {topic}; last: {self.news[-5:]}"
            self._receive()

    def wait_status(self, **wanted: Any) -> Plain:
        """Wait until the newest status has these values."""
        deadline = now() + ANSWER_WITHIN_S
        while any(self.status.get(name) != value for name, value in wanted.items()):
            assert now() < deadline, f"the status is {self.status}"
            self._receive()
        return self.status

    def _receive(self) -> Plain:
        message: Plain = json.loads(self.socket.recv(ANSWER_WITHIN_S))
        for sequence, topic, payload in message.get("batch", ()):
            self.news.append((sequence, topic, payload))
            if topic == "status":
                self.status = payload
        return message


def dial(
    origin: str, token: str, *, claimed_origin: str | None = None, headers: Plain | None = None
) -> AbstractContextManager[ClientConnection]:
    """Open the socket of a page."""
    return connect(
        origin.replace("http", "ws", 1) + "/ws",
        subprotocols=["conductor", token],  # type: ignore[list-item]
        origin=claimed_origin or origin,  # type: ignore[arg-type]
        additional_headers=headers or {},
        max_size=None,
        compression=None,
    )


@contextmanager
def running_page(
    config_text: str = "", *, own_process: bool = False
) -> Generator[tuple[RunningConductor, Page]]:
    """Run a Conductor with its page open."""
    with (
        running_conductor(config_text, with_page=True, own_process=own_process) as conductor,
        Page(conductor.address()) as page,
    ):
        yield conductor, page
