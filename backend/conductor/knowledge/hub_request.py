"""Sends one request to a Hub without redirects, proxies or cookies, within a hard time limit."""

import http.client
import socket
import ssl
import threading
import time
from contextlib import closing, suppress
from typing import cast
from urllib.parse import urlsplit

from conductor.errors import NotAvailable

MOST_BYTES = 64_000
LOOK = "check its address in the settings"
HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
    "User-Agent": "conductor",
    "Connection": "close",
}


def post(url: str, body: bytes, within_s: float, trust: ssl.SSLContext | None = None) -> bytes:
    """Send a POST request and return the body of the response.

    Raises:
        NotAvailable: there is no usable answer in time; the message says why.
    """
    request = _Request(url, body, time.monotonic() + within_s, trust)
    thread = threading.Thread(target=request.run, name="hub", daemon=True)
    thread.start()
    thread.join(within_s)  # in a thread, because a DNS lookup cannot be cancelled
    if thread.is_alive():
        request.give_up()
        raise NotAvailable(f"the Hub did not answer within {within_s:g} s")
    if request.problem is not None:
        raise request.problem
    return request.answer


class _Request:
    """A single HTTP request, which another thread may abort."""

    def __init__(self, url: str, body: bytes, until: float, trust: ssl.SSLContext | None) -> None:
        self._url, self._body, self._until, self._trust = urlsplit(url), body, until, trust
        self._connection: http.client.HTTPConnection | None = None
        self.answer = b""
        self.problem: NotAvailable | None = None

    def run(self) -> None:
        try:
            self.answer = self._exchange()
        except NotAvailable as problem:
            self.problem = problem
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.problem = NotAvailable(f"the Hub cannot be asked ({error}); {LOOK}")
        finally:
            if self._connection is not None:
                self._connection.close()

    def give_up(self) -> None:
        """Shut down the connection, so that `run` fails and closes it."""
        with suppress(OSError, AttributeError):
            cast(http.client.HTTPConnection, self._connection).sock.shutdown(socket.SHUT_RDWR)

    def _exchange(self) -> bytes:
        connection = self._connection = self._connect()
        connection.request("POST", self._url.path, self._body, HEADERS)
        with closing(connection.getresponse()) as response:
            return self._read_answer(response)

    def _read_answer(self, response: http.client.HTTPResponse) -> bytes:
        if response.status != 200:
            raise NotAvailable(f"the Hub answered {response.status}; {LOOK}")
        kind = response.headers.get_content_type()
        if kind != "application/json" or response.headers.get("Content-Encoding", "identity") != (
            "identity"
        ):
            raise NotAvailable(f"the Hub answered with something else ({kind}); {LOOK}")
        return self._read(response)

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._url.hostname or "", self._url.port
        left_s = max(0.05, self._until - time.monotonic())
        if self._url.scheme == "https":
            trust = self._trust or ssl.create_default_context()
            return http.client.HTTPSConnection(host, port, timeout=left_s, context=trust)
        return http.client.HTTPConnection(host, port, timeout=left_s)

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        found = bytearray()
        while piece := response.read1(8_192):
            found += piece
            if len(found) > MOST_BYTES:
                raise NotAvailable(f"the Hub answered more than {MOST_BYTES} bytes; {LOOK}")
            if time.monotonic() > self._until:
                raise NotAvailable("the Hub did not finish its answer in time")
        return bytes(found)
