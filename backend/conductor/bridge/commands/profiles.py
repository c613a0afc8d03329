"""Commands about device profiles: list them, and create one from the controls that the user plays."""

import asyncio
import base64
import binascii
from typing import TYPE_CHECKING

from pydantic import Field

from conductor.base.clock import now
from conductor.bridge.changing import require_writable
from conductor.bridge.models import Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.device_profile import ControlRole, DeviceProfile
from conductor.domain.events import CapturedEvents
from conductor.domain.value import Value
from conductor.errors import InvalidParams

if TYPE_CHECKING:
    from conductor.profiles.catalog import MatchedProfile

CAPTURE_TIMEOUT_MS = 600_000
"""The longest duration of a capture.

It is long, because playing every control of a large controller takes minutes.
"""

MAX_CONTROLLER_FILE_CHARS = 2_700_000
"""The maximum length of a controller file in base64; about 2 MB of data."""
DeviceId = Field(min_length=1, max_length=300)


class ProfileLine(Value):
    id: str
    title: str
    kind: str
    summary: str
    own: bool
    """Whether the profile belongs to the user. A bundled profile does not."""


class ProfileMatchView(Value):
    device_id: str
    profile: str


class Profiles(Value):
    profiles: tuple[ProfileLine, ...]
    fits: tuple[ProfileMatchView, ...]
    """The connected devices for which a profile is known, each with the id of that profile."""


class DeviceProfileParams(Value):
    device_id: str = DeviceId


class ProfileView(Value):
    """The profile of a device, if one is known."""

    profile: DeviceProfile | None
    variant: str
    """The id of the variant of the profile that the name of the port suggests."""
    own: bool


class CaptureStepStart(Value):
    at: float
    """The current time on the engine's clock, in seconds."""


class PlayedCaptureStep(Value):
    """A step of the capture, in which the user plays one group of controls."""

    at: float
    role: ControlRole | None = None
    bank: int = Field(default=1, ge=1, le=16)
    turn_right: bool = False
    """Whether the user was asked to turn a knob to the right that was played before."""


class InferProfileParams(Value):
    name: str = Field(default="", max_length=120)
    """The maker and model of the device. If empty, the name of the port is used."""
    device_id: str = Field(default="", max_length=300)
    """The id of the device. If empty, the device with the most events is used."""
    steps: tuple[PlayedCaptureStep, ...] = Field(default=(), max_length=64)
    rows: dict[str, int] = Field(default_factory=dict[str, int], max_length=64)
    """The number of columns of each group, by the id of the group, to correct a wrong guess."""


class SaveProfileParams(Value):
    text: str = Field(min_length=1, max_length=300_000)
    """A device profile as TOML or JSON."""


class InferredProfile(Value):
    """The device profile that was inferred from the captured events, if there are enough of them."""

    events: int
    device_id: str
    profile: DeviceProfile | None
    toml: str
    """The profile as TOML, which `devices.keep_profile` accepts."""
    uncertain_turns: tuple[str, ...] = ()
    """The names of the controls that the user should turn to the right, because their coding does not tell
    which way is clockwise.
    """


class ReadControllerFileParams(Value):
    name: str = Field(min_length=1, max_length=255)
    """The name of the file, whose suffix says which program wrote it."""
    content: str = Field(max_length=MAX_CONTROLLER_FILE_CHARS)
    """The content of the file in base64."""
    port: str = Field(default="", max_length=256)
    """The name of the device's port. If empty, the names in the file are used."""


class ControllerFileView(Value):
    """The device profile that the controller file of another program describes."""

    program: str
    """The program for which the file was written."""
    title: str
    controls: int
    lines: tuple[str, ...]
    """A sentence about each group of controls, with their names and messages."""
    not_understood: tuple[str, ...]
    """The controls that the profile lacks, each with the reason in one sentence."""
    toml: str
    """The profile as TOML, which `knowledge.add_profile` accepts."""


@query("devices.profiles")
def list_profiles(params: Empty, call: Call) -> Profiles:
    """Return all device profiles, and the profile of each connected device."""
    from conductor.profiles.catalog import load_catalog

    catalog = load_catalog(call.services.app.home)
    fits = {
        device: fit
        for device in _map_port_names(call)
        if (fit := _find_matching_profile(device, call))
    }
    return Profiles(
        profiles=tuple(
            _build_profile_line(profile, own=profile.id in catalog.own)
            for profile in catalog.profiles.values()
        ),
        fits=tuple(
            ProfileMatchView(device_id=device, profile=fit.profile.id)
            for device, fit in fits.items()
        ),
    )


@query("devices.profile")
def get_profile(params: DeviceProfileParams, call: Call) -> ProfileView:
    """Return the profile of a device, with the variant that its port suggests, or None if no profile
    matches.
    """
    from conductor.profiles.catalog import load_catalog

    fit = _find_matching_profile(params.device_id, call)
    if fit is None:
        return ProfileView(profile=None, variant="", own=False)
    own = fit.profile.id in load_catalog(call.services.app.home).own
    return ProfileView(profile=fit.profile, variant=fit.variant.id, own=own)


@command("devices.play_start", "stateful")
async def start_capture(params: Empty, call: Call) -> CaptureStepStart:
    """Start capturing events for a device profile.

    Mappings are paused until the capture ends, or until the page no longer renews the pause.
    """
    await call.services.engine.pause_lease.begin_pause("profile")
    await call.services.learn.start_session(call.requester, CAPTURE_TIMEOUT_MS)
    return CaptureStepStart(at=now())


@command("devices.play_mark")
async def mark_capture_step(params: Empty, call: Call) -> CaptureStepStart:
    """Return the current time of the engine, at which the next step of the capture starts."""
    await call.services.engine.pause_lease.renew_pause("profile")
    return CaptureStepStart(at=now())


@command("devices.play_made")
async def infer_profile(params: InferProfileParams, call: Call) -> InferredProfile:
    """Infer a device profile from the events captured so far."""
    await call.services.engine.pause_lease.renew_pause("profile")
    captured = await call.services.learn.list_events(call.requester)
    return await asyncio.to_thread(_build_profile, captured, params, call)


@command("devices.play_end", "stateful")
async def end_capture(params: Empty, call: Call) -> Empty:
    """Stop capturing events and resume the mappings."""
    await call.services.engine.pause_lease.end_pause("profile")
    await call.services.learn.stop_session(call.requester)
    return Empty()


@query("devices.read_controller_file")
def read_controller_file(params: ReadControllerFileParams, call: Call) -> ControllerFileView:
    """Return the device profile that a controller file describes.

    Nothing is saved, and scripts in the file are not run.
    """
    from conductor.profiles.catalog import load_catalog
    from conductor.profiles.controller_files.importer import import_profile_from_content
    from conductor.profiles.device_text import describe_control_group
    from conductor.profiles.toml_text import render_profile_toml

    try:
        content = base64.b64decode(params.content, validate=True)
    except binascii.Error as error:
        raise InvalidParams(f"`content` is not base64: {error}") from None
    catalog = load_catalog(call.services.app.home)
    imported = import_profile_from_content(params.name, content, catalog, "", params.port)
    profile = imported.profile
    return ControllerFileView(
        program=imported.program,
        title=f"{profile.maker} {profile.model}",
        controls=imported.control_count,
        lines=tuple(
            describe_control_group(group).removeprefix("- ") for group in profile.variants[0].groups
        ),
        not_understood=imported.not_understood,
        toml=render_profile_toml(profile),
    )


@command("devices.keep_profile", "stateful")
def save_user_profile(params: SaveProfileParams, call: Call) -> ProfileLine:
    """Save a device profile of the user.

    Searches find the profile after the next `knowledge.update_index`.
    """
    from conductor.base.resource_paths import find_knowledge_paths
    from conductor.profiles.catalog import save_user_profile

    require_writable(call.services)
    return _build_profile_line(
        save_user_profile(
            find_knowledge_paths(call.services.app.home).profiles_folder, params.text
        ),
        own=True,
    )


def _build_profile(
    captured: CapturedEvents, params: InferProfileParams, call: Call
) -> InferredProfile:
    from conductor.profiles.catalog import load_catalog
    from conductor.profiles.control_groups import LearnStep
    from conductor.profiles.inference import list_uncertain_turns
    from conductor.profiles.played_profile import build_played_profile, find_most_played_device
    from conductor.profiles.toml_text import render_profile_toml

    device = params.device_id or find_most_played_device(captured.events)
    events = [event for event in captured.events if event.device == device]
    port = _map_port_names(call).get(device, "")
    steps = [LearnStep(step.at, step.role, step.bank, step.turn_right) for step in params.steps]
    catalog = load_catalog(call.services.app.home)
    try:
        profile = build_played_profile(events, params.name, port, catalog, steps, params.rows)
    except InvalidParams:
        return InferredProfile(events=len(events), device_id=device, profile=None, toml="")
    return InferredProfile(
        events=len(events),
        device_id=device,
        profile=profile,
        toml=render_profile_toml(profile),
        uncertain_turns=tuple(group.name.format(n=1) for group in list_uncertain_turns(profile)),
    )


def _map_port_names(call: Call) -> dict[str, str]:
    """Return the names of the connected MIDI inputs and gamepads, by device id."""
    return {
        device["device_id"]: device["port_name"]
        for device in call.services.runtime.list_devices()
        if device["kind"] in ("midi_input", "gamepad")
    }


def _find_matching_profile(device_id: str, call: Call) -> "MatchedProfile | None":
    from conductor.profiles.catalog import load_catalog

    catalog = load_catalog(call.services.app.home)
    port = _map_port_names(call).get(device_id)
    if port is not None:
        return catalog.find_profile_for_port(port)
    aliases = call.services.config.store.current_config.devices
    alias = next((identity for identity in aliases if identity.alias == device_id), None)
    return catalog.find_profile_for_alias(alias) if alias else None


def _build_profile_line(profile: DeviceProfile, *, own: bool) -> ProfileLine:
    return ProfileLine(
        id=profile.id,
        title=f"{profile.maker} {profile.model}",
        kind=profile.kind,
        summary=profile.summary,
        own=own,
    )
