"""The messages between the app process and the window process."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict, get_args

from conductor.base.json_types import JsonObject
from conductor.base.messages import read_message
from conductor.window.geometry import WindowGeometry

TrayChoice = Literal["show", "quit", "mode", "panic", "pause", "resume"]


class LoadPage(NamedTuple):
    """Asks the window process to create the window and show the page at `url`."""

    op = "load"
    url: str
    title: str
    theme: str
    close_to_tray: bool
    hidden: bool
    """Whether the window stays hidden in the tray at first."""
    key: str
    """The key that the page must send with each call. Each window process gets a different key."""
    geometry: WindowGeometry | None


class ConfigureWindow(NamedTuple):
    """Asks the window process to apply settings that the user changed."""

    op = "configure"
    theme: str
    close_to_tray: bool


class PushEvents(NamedTuple):
    """Sends events to the page. The reply `EventsDelivered` follows when the page has processed them."""

    op = "push"
    batch: Sequence[Sequence[Any]]
    """The events in the form `[[sequence, topic, payload], ...]`."""


class AnswerCall(NamedTuple):
    """Sends the result of a `PageCall` through the window process to the page."""

    op = "answer"
    id: int
    envelope: JsonObject
    """The result of the call: `{ok, result}` or `{ok, error}`."""


class ShowWindow(NamedTuple):
    """Asks the window process to show the window in front of all others."""

    op = "show"


class HideWindow(NamedTuple):
    """Asks the window process to hide the window in the tray, or to minimize it if there is no tray."""

    op = "hide"


class UpdateTray(NamedTuple):
    """Asks the window process to show the current modes and the paused state in the tray menu."""

    op = "tray"
    mode: str
    modes: list[str]
    paused: bool


class ShowNotification(NamedTuple):
    """Asks the window process to show a desktop notification. Without a tray, nothing is shown."""

    op = "notify"
    title: str
    text: str


class SaveFile(NamedTuple):
    """Asks the window process to write a file at a path that the user chooses. The reply is a `SaveReply`."""

    op = "save_file"
    name: str
    content: str
    """The content of the file in base64."""


class SavePdf(NamedTuple):
    """Asks the window process to write a drawing as a PDF page at a path that the user chooses.

    The reply is a `SaveReply`.
    """

    op = "save_pdf"
    name: str
    svg: str


class QuitWindow(NamedTuple):
    """Asks the window process to close the window and end."""

    op = "quit"


OpenWindowCommand = (
    ConfigureWindow
    | PushEvents
    | AnswerCall
    | ShowWindow
    | HideWindow
    | UpdateTray
    | ShowNotification
    | SaveFile
    | SavePdf
)
WindowCommand = LoadPage | OpenWindowCommand | QuitWindow


class SaveReply(TypedDict):
    """The result of saving a file: the path, or an error."""

    path: NotRequired[str | None]
    """The path of the file that was written, or None if the user cancelled."""
    error: NotRequired[str]


class WindowOpened(NamedTuple):
    """Reports that the window was created, whether it is visible or hidden."""

    op = "opened"
    tray: bool
    """Whether the desktop has a tray in which the window can be hidden."""


class PageCall(NamedTuple):
    """Reports that the page calls a command of the app."""

    op = "rpc"
    id: int
    method: str
    params: JsonObject


class EventsDelivered(NamedTuple):
    """Reports that the page has processed a batch of events and can receive the next one."""

    op = "delivered"


class TrayClick(NamedTuple):
    """Reports that the user chose an item of the tray menu."""

    op = "tray"
    choice: TrayChoice
    mode: str | None = None
    """The name of the mode if the user chose a mode, otherwise None."""


class GeometryChange(NamedTuple):
    """Reports that the user moved or resized the window."""

    op = "geometry"
    geometry: WindowGeometry


class WindowHidden(NamedTuple):
    """Reports that the user closed the window, which is now hidden in the tray."""

    op = "hidden"
    geometry: WindowGeometry


class WindowClosed(NamedTuple):
    """Reports that the window is closed. The process ends next."""

    op = "closed"
    geometry: WindowGeometry | None


class ExternalLink(NamedTuple):
    """Reports that the page contains a link to an address outside Conductor, which was not opened."""

    op = "external"
    url: str


class WindowUnusable(NamedTuple):
    """Reports that no window can be shown in this session, and why."""

    op = "unusable"
    reason: str


WindowEvent = (
    WindowOpened
    | PageCall
    | EventsDelivered
    | TrayClick
    | GeometryChange
    | WindowHidden
    | WindowClosed
    | ExternalLink
    | WindowUnusable
)
_COMMAND_BY_OP: Mapping[str, type[WindowCommand]] = {
    kind.op: kind for kind in get_args(WindowCommand)
}
_EVENT_BY_OP: Mapping[str, type[WindowEvent]] = {kind.op: kind for kind in get_args(WindowEvent)}


def read_window_command(message: Mapping[str, Any]) -> WindowCommand | None:
    """Parse a message from the app. Return None for an unknown `op`, which a newer version may send."""
    return read_message(_COMMAND_BY_OP, message)


def read_window_event(message: Mapping[str, Any]) -> WindowEvent | None:
    """Parse a message from the window process. Return None for an unknown `op`."""
    return read_message(_EVENT_BY_OP, message)
