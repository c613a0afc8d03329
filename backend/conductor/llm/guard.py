"""Rejects unusable HTTP responses of a provider: redirects, web pages, and compressed or endless bodies."""

from collections.abc import AsyncGenerator

import httpx2

from conductor.base.clock import now
from conductor.llm.problems import (
    ANSWER_TOO_LONG_MESSAGE,
    AnswerNotStreamed,
    AnswerTooSlow,
    ExchangeRejected,
)
from conductor.llm.shapes import (
    MAX_FIELD_LENGTH,
    contains_stream_event_start,
    find_error_status,
    looks_like_answer,
    requests_stream,
)

MAX_STREAM_BYTES = 32_000_000
MAX_RESPONSE_BYTES = 16_000_000
"""The maximum size of a response that is read as a whole, in contrast to a stream."""
MAX_ERROR_BYTES = 256_000
MAX_STREAM_EVENT_BYTES = 2_000_000
"""The maximum size of one event.

It is large, because OpenAI repeats the whole answer in the last event of its stream.
"""
NO_COMPRESSION_HEADERS = {"accept-encoding": "identity"}
"""Asks for uncompressed responses, because a few compressed bytes can expand to gigabytes."""
_EVENT_DELIMITERS = (b"\n\n", b"\r\r", b"\n\r\n")
_UNUSABLE_CONTENT_TYPES = ("text/html", "application/xhtml", "image/", "audio/", "video/", "font/")


async def check_response(response: httpx2.Response, max_silence_s: float) -> None:
    """Reject a response that cannot be an answer, and limit the size and the silences of its body.

    The body of a chat answer that is not streamed is read and checked here.

    Raises:
        ExchangeRejected: The response is a redirect, is compressed, or is not an answer of the expected
            API.
    """
    if 300 <= response.status_code < 400:
        raise ExchangeRejected(_describe_redirect(response))
    is_compressed = response.headers.get("content-encoding", "").lower() not in ("", "identity")
    if response.is_error:
        response.stream = _ErrorBody(response.stream, 0 if is_compressed else MAX_ERROR_BYTES)
        return
    if is_compressed:
        raise ExchangeRejected(
            "{name} compresses its answers although the request forbids it. Switch compression off "
            "in the server or proxy at {url}."
        )
    content_type = response.headers.get("content-type", "").lower()
    if content_type.startswith(_UNUSABLE_CONTENT_TYPES):
        raise ExchangeRejected(
            _describe_wrong_api("a web page" if "html" in content_type else "a file")
        )
    if content_type.startswith("text/event-stream"):
        response.stream = _EventStreamBody(response.stream, MAX_STREAM_BYTES, max_silence_s)
        return
    response.stream = _LimitedBody(response.stream, MAX_RESPONSE_BYTES)
    if response.request.method == "POST":
        await _read_and_check_body(response)


async def _read_and_check_body(response: httpx2.Response) -> None:
    """Read a response that is not streamed and check that it looks like the answer of a model.

    Some proxies report an error with status 200. The status is then replaced by that of the error, so that
    the SDK raises it.
    """
    body = await response.aread()
    if not looks_like_answer(body):
        status = find_error_status(body)
        if status is None:
            raise ExchangeRejected(_describe_wrong_api("something else"))
        response.status_code = status
    elif requests_stream(response.request.content) or "alt=sse" in str(response.request.url):
        raise AnswerNotStreamed


class _ResponseBody(httpx2.AsyncByteStream):
    """A response body that the SDK can iterate again, because OpenAI's SDK reads to the end after the last
    event.
    """

    def __init__(self, stream: object, max_bytes: int) -> None:
        assert isinstance(stream, httpx2.AsyncByteStream)
        self._stream, self._max_bytes = stream, max_bytes
        self._received_bytes = 0

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        async for chunk in self._stream:
            self._received_bytes += len(chunk)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class _ErrorBody(_ResponseBody):
    """The first bytes of an error response.

    The rest is not read, because only the status and the message matter.
    """

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        async for chunk in super().__aiter__():
            excess = self._received_bytes - self._max_bytes
            yield chunk[: len(chunk) - excess] if excess > 0 else chunk
            if excess >= 0:
                return


class _LimitedBody(_ResponseBody):
    """A response body with a size limit.

    Iterating raises `ExchangeRejected` if the body is empty or larger than the limit.
    """

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        async for chunk in super().__aiter__():
            if self._received_bytes > self._max_bytes:
                raise ExchangeRejected(ANSWER_TOO_LONG_MESSAGE)
            yield chunk
        if not self._received_bytes:
            raise ExchangeRejected(_describe_wrong_api("nothing"))


class _EventStreamBody(_LimitedBody):
    """The body of a stream of server-sent events, with limits for its size, each event and each silence.

    Bytes before the first event of an answer are held back, so that a stream of another API is rejected as
    a whole.
    """

    def __init__(self, stream: object, max_bytes: int, max_silence_s: float) -> None:
        super().__init__(stream, max_bytes)
        self._max_silence_s = max_silence_s

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        buffered, has_begun = b"", False
        async for chunk in self._limit_event_size():
            if has_begun:
                yield chunk
                continue
            buffered += chunk
            has_begun = contains_stream_event_start(buffered[-len(chunk) - MAX_FIELD_LENGTH :])
            if has_begun:
                yield buffered
            elif len(buffered) > MAX_STREAM_EVENT_BYTES:
                raise ExchangeRejected(ANSWER_TOO_LONG_MESSAGE)
        if not has_begun and b"data:" in buffered:
            raise ExchangeRejected(_describe_wrong_api("events of something else"))

    async def _limit_event_size(self) -> AsyncGenerator[bytes]:
        event_bytes, tail, last_event_at = 0, b"", now()
        async for chunk in super().__aiter__():
            window = tail + chunk
            tail = window[-2:]
            end = max(window.rfind(mark) for mark in _EVENT_DELIMITERS)
            if end >= 0:
                event_bytes, last_event_at = len(window) - end, now()
            else:
                event_bytes += len(chunk)
            if now() - last_event_at > self._max_silence_s:
                raise AnswerTooSlow
            if event_bytes > MAX_STREAM_EVENT_BYTES:
                raise ExchangeRejected(ANSWER_TOO_LONG_MESSAGE)
            yield chunk


def _describe_redirect(response: httpx2.Response) -> str:
    try:
        target = response.request.url.join(response.headers.get("location", ""))
    except httpx2.InvalidURL:
        target = httpx2.URL()
    if target.scheme not in ("http", "https"):
        return (
            "{name} answers with a redirect to an invalid address. "
            "Check the address in Settings > Providers."
        )
    address = f"{target.scheme}://{target.netloc.decode('ascii', 'replace')}"[:200]
    return (
        f"{{name}} answers with a redirect to {address}. "
        "If that address is right, enter it in Settings > Providers."
    )


def _describe_wrong_api(received: str) -> str:
    return (
        f"The server at {{url}} does not speak the API of {{name}}: it sent {received}. "
        "Check the address in Settings > Providers."
    )
