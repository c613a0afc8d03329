"""Commands about the desktop: the foreground app, the preferences of the window, files and links."""

import base64
import binascii
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.bridge.models import Empty, FrontApp
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.value import Value
from conductor.errors import InvalidParams
from conductor.storage.prefs import VARIANT_KEY_PREFIX, read_prefs, update_prefs

ALLOWED_LINK_SCHEMES = ("http", "https", "mailto")
MAX_SAVED_FILE_CHARS = 8_000_000


class ForegroundApps(FrontApp):
    supported: bool
    reason: str | None
    """Why the foreground app cannot be detected, or None if it can."""
    seen: tuple[FrontApp, ...]
    """The apps that were recently in the foreground, newest first."""


class AppChoice(Value):
    name: str
    launch: str
    """What a `Launch` action needs to open the app."""
    program: str
    """What an `AppFrontmost` condition compares, or an empty string if it is not known."""


class InstalledApps(Value):
    apps: tuple[AppChoice, ...]


class WindowPrefs(Value):
    prefs: JsonObject


class SetPrefsParams(Value):
    patch: JsonObject
    """The preferences to set. Null deletes a preference."""


class OpenUrlParams(Value):
    url: str = Field(min_length=1, max_length=4_000)


class SaveFileParams(Value):
    name: str = Field(min_length=1, max_length=200)
    content: str = Field(max_length=MAX_SAVED_FILE_CHARS)
    encoding: Literal["text", "base64"] = "text"


class SavePdfParams(Value):
    name: str = Field(min_length=1, max_length=200)
    svg: str = Field(min_length=1, max_length=MAX_SAVED_FILE_CHARS)


class SavedFile(Value):
    path: str | None
    """The path of the saved file, or None if the user cancelled."""


@query("apps.front")
def get_front_apps(params: Empty, call: Call) -> ForegroundApps:
    """Return the foreground app and the apps that were recently in the foreground."""
    app = call.services.desktop.foreground.get_current_app()
    reason = call.services.desktop.foreground.get_problem()
    executable, bundle_id, title = app or ("", "", "")
    return ForegroundApps(
        executable=executable,
        bundle_id=bundle_id,
        title=title[:10_000],
        supported=reason is None,
        reason=reason,
        seen=tuple(
            FrontApp(executable=app.executable, bundle_id=app.bundle_id, title=app.title[:10_000])
            for app in call.services.desktop.foreground.list_recent_apps()
        ),
    )


@query("apps.installed")
def list_apps(params: Empty, call: Call) -> InstalledApps:
    """Return the installed apps by name."""
    from conductor.system.installed import list_installed_apps

    return InstalledApps(
        apps=tuple(
            AppChoice(name=app.name, launch=app.launch, program=app.program)
            for app in list_installed_apps()
        )
    )


@query("window.prefs")
def get_prefs(params: Empty, call: Call) -> WindowPrefs:
    """Return the preferences of the window."""
    return WindowPrefs(prefs=read_prefs(call.services.app.home))


@command("window.set_prefs")
def set_prefs(params: SetPrefsParams, call: Call) -> WindowPrefs:
    """Change some preferences of the window, and return all of them."""
    prefs = update_prefs(call.services.app.home, params.patch)
    if any(key.startswith(VARIANT_KEY_PREFIX) for key in params.patch):
        call.services.names.reload_names()
    return WindowPrefs(prefs=prefs)


@command("shell.open_url")
def open_url(params: OpenUrlParams, call: Call) -> Empty:
    """Open a link in the user's browser. The page asks the user first."""
    try:
        scheme = urlsplit(params.url).scheme.lower()
    except ValueError:
        scheme = ""
    if scheme not in ALLOWED_LINK_SCHEMES:
        raise InvalidParams(
            f"this link cannot be opened: only {', '.join(ALLOWED_LINK_SCHEMES)} links are allowed"
        )
    call.services.desktop.shell.open_url(params.url)
    return Empty()


@command("shell.save_file")
def save_file(params: SaveFileParams, call: Call) -> SavedFile:
    """Save a file at a path that the user chooses."""
    if params.encoding == "text":
        content = params.content.encode()
    else:
        try:
            content = base64.b64decode(params.content, validate=True)
        except binascii.Error as error:
            raise InvalidParams(f"`content` is not base64: {error}") from None
    return SavedFile(
        path=call.services.desktop.shell.save_file(_strip_folders(params.name), content)
    )


@command("shell.save_pdf")
def save_pdf(params: SavePdfParams, call: Call) -> SavedFile:
    """Save a drawing as a PDF at a path that the user chooses."""
    return SavedFile(
        path=call.services.desktop.shell.save_pdf(_strip_folders(params.name), params.svg)
    )


def _strip_folders(name: str) -> str:
    """Return a file name without folders and leading dots, because the user chooses the folder."""
    return name.replace("\\", "/").rsplit("/", 1)[-1].lstrip(".") or "conductor"
