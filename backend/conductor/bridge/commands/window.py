"""Commands about the desktop: the app in front, what the window remembers, files and links."""

import base64
import binascii
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field

from conductor.bridge.models import FrontApp, Nothing
from conductor.bridge.prefs import change_prefs, read_prefs
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.value import Value
from conductor.errors import InvalidParams

SCHEMES = ("http", "https", "mailto")
FILE_AT_MOST = 8_000_000


class Front(FrontApp):
    supported: bool
    reason: str | None
    """Why the app in front cannot be known here."""
    seen: tuple[FrontApp, ...]
    """Apps that were in front, the newest first."""


class Prefs(Value):
    prefs: dict[str, Any]


class PatchParams(Value):
    patch: dict[str, Any]
    """What is null is forgotten."""


class UrlParams(Value):
    url: str = Field(min_length=1, max_length=4_000)


class FileParams(Value):
    name: str = Field(min_length=1, max_length=200)
    content: str = Field(max_length=FILE_AT_MOST)
    encoding: Literal["text", "base64"] = "text"


class PdfParams(Value):
    name: str = Field(min_length=1, max_length=200)
    svg: str = Field(min_length=1, max_length=FILE_AT_MOST)


class Saved(Value):
    path: str | None
    """None: the user cancelled."""


@query("apps.front")
def front(params: Nothing, call: Call) -> Front:
    """The app in front, and the apps that were."""
    here = call.desk.front()
    reason = call.desk.front_problem()
    executable, bundle_id, title = here or ("", "", "")
    return Front(
        executable=executable,
        bundle_id=bundle_id,
        title=title[:10_000],
        supported=reason is None,
        reason=reason,
        seen=tuple(
            FrontApp(executable=one.executable, bundle_id=one.bundle_id, title=one.title[:10_000])
            for one in call.desk.fronts_seen()
        ),
    )


@query("window.prefs")
def prefs(params: Nothing, call: Call) -> Prefs:
    """What the window remembers for its user."""
    return Prefs(prefs=read_prefs(call.desk.home))


@command("window.set_prefs")
def set_prefs(params: PatchParams, call: Call) -> Prefs:
    """Remember more, or other."""
    return Prefs(prefs=change_prefs(call.desk.home, params.patch))


@command("shell.open_url")
def open_url(params: UrlParams, call: Call) -> Nothing:
    """Open a link in the user's browser; the page has asked first."""
    try:
        scheme = urlsplit(params.url).scheme.lower()
    except ValueError:
        scheme = ""
    if scheme not in SCHEMES:
        raise InvalidParams(f"only {', '.join(SCHEMES)} links are opened")
    call.desk.shell.open_url(params.url)
    return Nothing()


@command("shell.save_file")
def save_file(params: FileParams, call: Call) -> Saved:
    """Save a file where the user says."""
    if params.encoding == "text":
        content = params.content.encode()
    else:
        try:
            content = base64.b64decode(params.content, validate=True)
        except binascii.Error as error:
            raise InvalidParams(f"`content` is not base64: {error}") from None
    return Saved(path=call.desk.shell.save_file(_plain_name(params.name), content))


@command("shell.save_pdf")
def save_pdf(params: PdfParams, call: Call) -> Saved:
    """Save a picture as a PDF where the user says."""
    return Saved(path=call.desk.shell.save_pdf(_plain_name(params.name), params.svg))


def _plain_name(name: str) -> str:
    """Return a name that is no path: the user chooses the folder."""
    return name.replace("\\", "/").rsplit("/", 1)[-1].lstrip(".") or "conductor"
