"""Commands about the desktop's permission to press keys, and its extension that reveals the app in front."""

from conductor.bridge.models import Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.engine_protocol import AskForConsent, GetStatus
from conductor.domain.engine_replies import InputConsent
from conductor.domain.value import Value
from conductor.errors import ActionFailed
from conductor.system import desktop_extension
from conductor.system.gnome.status import ExtensionState


class DesktopAccess(Value):
    input_route: str | None
    """How keys reach other programs, or None if there is no way yet."""
    input_problem: str | None
    """Why an input route that the session offers is not used."""
    input_consent: InputConsent | None
    """Whether the user allows Conductor to press keys, or None if the system does not ask."""
    extension: ExtensionState | None
    """The state of the extension of the desktop, or None if the session needs none."""
    extension_problem: str


class ExtensionInstalled(Value):
    text: str
    """What the user must still do."""


@query("desktop.access")
def get_desktop_access(params: Empty, call: Call) -> DesktopAccess:
    """Return how keys reach other programs, and whether the desktop reveals the app in front."""
    status = call.services.engine.send_request(GetStatus())
    extension = desktop_extension.read_extension_status()
    return DesktopAccess(
        input_route=status["input_route"],
        input_problem=status["input_problem"],
        input_consent=status["input_consent"],
        extension=None if extension is None else extension.state,
        extension_problem="" if extension is None else extension.problem,
    )


@command("desktop.ask", "stateful")
def ask_for_consent(params: Empty, call: Call) -> Empty:
    """Ask the user now whether Conductor may press keys, in a dialog of the desktop."""
    answer = call.services.engine.send_request(AskForConsent())
    if answer["error"]:
        raise ActionFailed(answer["error"])
    return Empty()


@command("desktop.install_extension", "privileged")
def install_extension(params: Empty, call: Call) -> ExtensionInstalled:
    """Install the extension of GNOME Shell that reveals the app in front."""
    return ExtensionInstalled(text=desktop_extension.install_extension())


@command("desktop.remove_extension", "privileged")
def remove_extension(params: Empty, call: Call) -> Empty:
    """Remove the extension of GNOME Shell."""
    desktop_extension.remove_extension()
    return Empty()
