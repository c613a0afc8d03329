"""Rejects unusable responses of a provider, such as redirects, web pages, and compressed or endless bodies."""

from collections.abc import AsyncGenerator

import httpx2

from conductor.base.clock import now
from conductor.llm.problems import TOO_MUCH, NotStreamed, Refused, TooSlow
from conductor.llm.shapes import LONGEST_SIGN, asks_for_stream, error_status, has_event, is_answer

MOST_BYTES = 32_000_000
MAX_RESPONSE_BYTES = 16_000_000
"""Limit for the body of a response that is not a stream and is read at once."""
MOST_OF_ERROR_BYTES = 256_000
MAX_EVENT_BYTES = 2_000_000
"""Large, because OpenAI repeats the whole answer in the last event."""
UNCOMPRESSED = {"accept-encoding": "identity"}
"""Asks for uncompressed responses, because a few compressed bytes can expand to gigabytes."""
_ENDS_OF_EVENT = (b"\n\n", b"\r\r", b"\n\r\n")
_NO_ANSWER = ("text/html", "application/xhtml", "image/", "audio/", "video/", "font/")


async def guard(response: httpx2.Response, between_events_s: float) -> None:
    """Check the headers of a response and limit the size of its body. A body that is not a stream is read here.

    Raises:
        Refused: The response is unusable.
    """
    if 300 <= response.status_code < 400:
        raise Refused(_redirect_error(response))
    packed = response.headers.get("content-encoding", "").lower() not in ("", "identity")
    if response.is_error:
        response.stream = _ErrorBody(response.stream, 0 if packed else MOST_OF_ERROR_BYTES)
        return
    if packed:
        raise Refused(
            "{name} packs its answers although it is asked not to. Switch compression off "
            "in the server or proxy at {url}."
        )
    kind = response.headers.get("content-type", "").lower()
    if kind.startswith(_NO_ANSWER):
        raise Refused(_not_an_api_error("a web page" if "html" in kind else "a file"))
    if kind.startswith("text/event-stream"):
        response.stream = _EventStreamBody(response.stream, MOST_BYTES, between_events_s)
        return
    response.stream = _LimitedBody(response.stream, MAX_RESPONSE_BYTES)
    if response.request.method == "POST":
        await _check_whole_body(response)


async def _check_whole_body(response: httpx2.Response) -> None:
    """Read the whole body of a response and check that it is a model's answer. If the body reports an error,
    use the error's status.
    """
    body = await response.aread()
    if not is_answer(body):
        status = error_status(body)
        if status is None:
            raise Refused(_not_an_api_error("something else"))
        response.status_code = status
    elif asks_for_stream(response.request.content) or "alt=sse" in str(response.request.url):
        raise NotStreamed


class _ResponseBody(httpx2.AsyncByteStream):
    """A response body that can be read twice, because OpenAI's SDK reads the rest after the last event."""

    def __init__(self, stream: object, most: int) -> None:
        assert isinstance(stream, httpx2.AsyncByteStream)
        self._stream, self._most = stream, most
        self._came = 0

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        async for chunk in self._stream:
            self._came += len(chunk)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class _ErrorBody(_ResponseBody):
    """The start of the body of an error response. Only the status and the first words matter."""

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        async for chunk in super().__aiter__():
            past = self._came - self._most
            yield chunk[: len(chunk) - past] if past > 0 else chunk
            if past >= 0:
                return


class _LimitedBody(_ResponseBody):
    """A response body that is read at once. Raises `Refused` if it is empty or too large."""

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        async for chunk in super().__aiter__():
            if self._came > self._most:
                raise Refused(TOO_MUCH)
            yield chunk
        if not self._came:
            raise Refused(_not_an_api_error("nothing"))


class _EventStreamBody(_LimitedBody):
    """A streamed response body. Data that precedes the first event of an answer is held back until that event
    begins.
    """

    def __init__(self, stream: object, most: int, between_s: float) -> None:
        super().__init__(stream, most)
        self._between_s = between_s

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        held, begun = b"", False
        async for chunk in self._limit_event_size():
            if begun:
                yield chunk
                continue
            held += chunk
            begun = has_event(held[-len(chunk) - LONGEST_SIGN :])
            if begun:
                yield held
            elif len(held) > MAX_EVENT_BYTES:
                raise Refused(TOO_MUCH)
        if not begun and b"data:" in held:
            raise Refused(_not_an_api_error("events of something else"))

    async def _limit_event_size(self) -> AsyncGenerator[bytes]:
        event, tail, ended = 0, b"", now()
        async for chunk in super().__aiter__():
            seen = tail + chunk
            tail = seen[-2:]
            end = max(seen.rfind(mark) for mark in _ENDS_OF_EVENT)
            if end >= 0:
                event, ended = len(seen) - end, now()
            else:
                event += len(chunk)
            if now() - ended > self._between_s:
                raise TooSlow
            if event > MAX_EVENT_BYTES:
                raise Refused(TOO_MUCH)
            yield chunk


def _redirect_error(response: httpx2.Response) -> str:
    try:
        to = response.request.url.join(response.headers.get("location", ""))
    except httpx2.InvalidURL:
        to = httpx2.URL()
    if to.scheme not in ("http", "https"):
        return (
            "{name} answers with a redirect to nowhere. Check the address in Settings > Providers."
        )
    place = f"{to.scheme}://{to.netloc.decode('ascii', 'replace')}"[:200]
    return (
        f"{{name}} answers with a redirect to {place}: "
        "put that address in Settings > Providers if it is right."
    )


def _not_an_api_error(what: str) -> str:
    return (
        f"What answers at {{url}} does not speak the API of {{name}}: it sent {what}. "
        "Check the address in Settings > Providers."
    )
