"""Commands about the app itself: its features and status, hiding the window, and quitting."""

import sys

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.bridge.models import DeviceView, Empty, PassThroughModel
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.value import Value
from conductor.storage.prefs import read_prefs


class Features(Value):
    tray: bool
    native: bool
    """Whether the window can save files and open links. False in a browser, which does both itself."""


class Hello(Value):
    version: str
    platform: str
    demo: bool
    first_run: bool
    """Whether to show the first steps: there are no mappings yet, and the user has not dismissed them."""
    home: str
    config_path: str
    engine_running: bool
    features: Features


class ConfigStatus(PassThroughModel):
    path: str
    hash: str
    valid: bool
    active: bool
    """Whether the engine has received this config and runs it."""
    problems: list[str]


class EngineStatus(PassThroughModel):
    pid: int | None
    running: bool
    restarts: int


class Statistics(PassThroughModel):
    events_processed: int
    actions_executed: int


class Status(PassThroughModel):
    """The status of the app, as the tool `conductor_get_status` returns it."""

    lifecycle_state: str
    connected: bool
    uptime_secs: int
    statistics: Statistics
    version: str
    demo: bool
    mode: str
    profile: str | None
    app_in_front: list[str] | None
    mappings: int
    paused: bool
    held_keys: list[str]
    failures: list[JsonObject]
    problems: list[str]
    notices: list[str]
    config: ConfigStatus
    engine: EngineStatus
    devices: list[DeviceView]
    device: JsonObject | None = Field(default=None)


@query("app.hello")
def get_hello(params: Empty, call: Call) -> Hello:
    """Return the version, the paths and the available features of the running Conductor."""
    services = call.services
    empty = not any(True for _ in services.config.store.current_config.list_all_mappings())
    return Hello(
        version=services.app.version,
        platform=sys.platform,
        demo=services.app.demo,
        first_run=empty and not read_prefs(services.app.home).get("first_run_done", False),
        home=str(services.app.home),
        config_path=str(services.config.store.path),
        engine_running=services.engine.is_running,
        features=Features(tray=services.desktop.shell.tray, native=services.desktop.shell.native),
    )


@query("app.status")
async def get_status(params: Empty, call: Call) -> Status:
    """Return the status of the app, the engine, the config and the devices."""
    return Status.model_validate(await call.services.runtime.read_status())


@command("app.quit")
def quit_app(params: Empty, call: Call) -> Empty:
    """End Conductor. All held keys are released and all ports are closed."""
    call.services.app.quit()
    return Empty()


@command("app.hide")
def hide_window(params: Empty, call: Call) -> Empty:
    """Hide the window. Conductor keeps running in the tray."""
    call.services.desktop.shell.hide_window()
    return Empty()
