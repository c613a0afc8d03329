"""Sends one request to a hub, without redirects, proxies or cookies, within a strict time limit."""

import http.client
import socket
import ssl
import threading
import time
from contextlib import closing, suppress
from typing import cast
from urllib.parse import urlsplit

from conductor.errors import NotAvailable

MAX_RESPONSE_BYTES = 64_000
CHECK_ADDRESS_HINT = "check its address in the settings"
HUB_REQUEST_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
    "User-Agent": "conductor",
    "Connection": "close",
}


def post_to_hub(
    url: str, body: bytes, timeout_s: float, ssl_context: ssl.SSLContext | None = None
) -> bytes:
    """Send a POST request to a hub and return the body of the response.

    Raises:
        NotAvailable: The hub sent no usable answer within `timeout_s` seconds. The message says why.
    """
    request = _AbortableRequest(url, body, time.monotonic() + timeout_s, ssl_context)
    thread = threading.Thread(target=request.run, name="hub", daemon=True)
    thread.start()
    thread.join(timeout_s)  # in a thread, because a DNS lookup cannot be cancelled
    if thread.is_alive():
        request.abort()
        raise NotAvailable(f"the Hub did not answer within {timeout_s:g} s")
    if request.error is not None:
        raise request.error
    return request.response_body


class _AbortableRequest:
    """A single HTTP request, which another thread can abort."""

    def __init__(
        self, url: str, body: bytes, deadline: float, ssl_context: ssl.SSLContext | None
    ) -> None:
        self._url, self._body, self._deadline, self._ssl_context = (
            urlsplit(url),
            body,
            deadline,
            ssl_context,
        )
        self._connection: http.client.HTTPConnection | None = None
        self.response_body = b""
        self.error: NotAvailable | None = None

    def run(self) -> None:
        try:
            self.response_body = self._send_and_read()
        except NotAvailable as problem:
            self.error = problem
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.error = NotAvailable(f"the Hub cannot be reached ({error}); {CHECK_ADDRESS_HINT}")
        finally:
            if self._connection is not None:
                self._connection.close()

    def abort(self) -> None:
        """Shut down the connection, so that `run` fails and closes it."""
        with suppress(OSError, AttributeError):
            cast(http.client.HTTPConnection, self._connection).sock.shutdown(socket.SHUT_RDWR)

    def _send_and_read(self) -> bytes:
        connection = self._connection = self._connect()
        connection.request("POST", self._url.path, self._body, HUB_REQUEST_HEADERS)
        with closing(connection.getresponse()) as response:
            return self._read_response(response)

    def _read_response(self, response: http.client.HTTPResponse) -> bytes:
        if response.status != 200:
            raise NotAvailable(f"the Hub answered {response.status}; {CHECK_ADDRESS_HINT}")
        kind = response.headers.get_content_type()
        if kind != "application/json" or response.headers.get("Content-Encoding", "identity") != (
            "identity"
        ):
            raise NotAvailable(
                f"the Hub answered with {kind} instead of plain JSON; {CHECK_ADDRESS_HINT}"
            )
        return self._read_body(response)

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._url.hostname or "", self._url.port
        remaining_s = max(0.05, self._deadline - time.monotonic())
        if self._url.scheme == "https":
            ssl_context = self._ssl_context or ssl.create_default_context()
            return http.client.HTTPSConnection(host, port, timeout=remaining_s, context=ssl_context)
        return http.client.HTTPConnection(host, port, timeout=remaining_s)

    def _read_body(self, response: http.client.HTTPResponse) -> bytes:
        body = bytearray()
        while chunk := response.read1(8_192):
            body += chunk
            if len(body) > MAX_RESPONSE_BYTES:
                raise NotAvailable(
                    f"the Hub's answer has more than {MAX_RESPONSE_BYTES} bytes; {CHECK_ADDRESS_HINT}"
                )
            if time.monotonic() > self._deadline:
                raise NotAvailable("the Hub did not finish its answer in time")
        return bytes(body)
