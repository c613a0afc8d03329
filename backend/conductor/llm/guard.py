"""What no response of a provider may be: a redirect, a page, a packed one, or one without an end."""

from collections.abc import AsyncGenerator

import httpx2

from conductor.llm.problems import TOO_MUCH, Refused

MOST_BYTES = 32_000_000
MOST_OF_WHOLE_BYTES = 16_000_000
"""Of one that is no stream: it is read at one go."""
MOST_OF_ERROR_BYTES = 256_000
MOST_OF_EVENT_BYTES = 2_000_000
"""OpenAI repeats the whole answer in the last one."""
NOT_PACKED = {"accept-encoding": "identity"}
"""A few packed bytes can hold gigabytes."""
_ENDS_OF_EVENT = (b"\n\n", b"\r\r", b"\n\r\n")
_NO_ANSWER = ("text/html", "application/xhtml", "image/", "audio/", "video/", "font/")


async def guard(response: httpx2.Response) -> None:
    """Look at the head of a response, and bound its body.

    Raises:
        Refused: it is none that can be taken.
    """
    if 300 <= response.status_code < 400:
        raise Refused(_redirected(response))
    packed = response.headers.get("content-encoding", "").lower() not in ("", "identity")
    if response.is_error:
        response.stream = _Cut(response.stream, 0 if packed else MOST_OF_ERROR_BYTES)
        return
    if packed:
        raise Refused(
            "{name} packs its answers although it is asked not to. Switch compression off "
            "in the server or proxy at {url}."
        )
    kind = response.headers.get("content-type", "").lower()
    if kind.startswith(_NO_ANSWER):
        raise Refused(_no_api("a web page" if "html" in kind else "a file"))
    if kind.startswith("text/event-stream"):
        response.stream = _Events(response.stream, MOST_BYTES)
    else:
        response.stream = _Whole(response.stream, MOST_OF_WHOLE_BYTES)


class _Body(httpx2.AsyncByteStream):
    """What comes after a head. It may be read in two goes: OpenAI's SDK reads what follows the last event."""

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


class _Cut(_Body):
    """The beginning of an error: its status counts, and its first words."""

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        async for chunk in super().__aiter__():
            past = self._came - self._most
            yield chunk[: len(chunk) - past] if past > 0 else chunk
            if past >= 0:
                return


class _Whole(_Body):
    """A body that is read at one go; it ends with `Refused` where it grows too large or there is none."""

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        async for chunk in super().__aiter__():
            if self._came > self._most:
                raise Refused(TOO_MUCH)
            yield chunk
        if not self._came:
            raise Refused(_no_api("nothing"))


class _Events(_Whole):
    """A stream of events, each of which is held until it is whole."""

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        event, tail = 0, b""
        async for chunk in super().__aiter__():
            seen = tail + chunk
            tail = seen[-2:]
            end = max(seen.rfind(mark) for mark in _ENDS_OF_EVENT)
            event = len(seen) - end if end >= 0 else event + len(chunk)
            if event > MOST_OF_EVENT_BYTES:
                raise Refused(TOO_MUCH)
            yield chunk


def _redirected(response: httpx2.Response) -> str:
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


def _no_api(what: str) -> str:
    return (
        f"What answers at {{url}} does not speak the API of {{name}}: it sent {what}. "
        "Check the address in Settings > Providers."
    )
