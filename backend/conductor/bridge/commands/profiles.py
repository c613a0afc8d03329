"""Commands about device profiles: list profiles, and create a profile from the controls that the user plays."""

import asyncio
from typing import TYPE_CHECKING

from pydantic import Field

from conductor.base.clock import now
from conductor.bridge.changing import require_writable
from conductor.bridge.models import Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.device_profile import DeviceProfile, Role
from conductor.domain.value import Value
from conductor.errors import InvalidParams
from conductor.tools.context import Captured

if TYPE_CHECKING:
    from conductor.profiles.catalog import MatchedProfile

LISTEN_MS = 600_000
"""Time limit of a capture: playing every control of a large controller takes minutes."""

DeviceId = Field(min_length=1, max_length=300)


class ProfileLine(Value):
    id: str
    title: str
    kind: str
    summary: str
    own: bool
    """Whether the profile belongs to the user; False for a bundled profile."""


class ProfileFit(Value):
    device_id: str
    profile: str


class Profiles(Value):
    profiles: tuple[ProfileLine, ...]
    fits: tuple[ProfileFit, ...]
    """The connected devices for which a profile is known, each with the id of its profile."""


class OneDevice(Value):
    device_id: str = DeviceId


class ProfileView(Value):
    """The device profile of a device, if one is known."""

    profile: DeviceProfile | None
    variant: str
    """The id of the profile variant that the name of the port suggests."""
    own: bool


class Marked(Value):
    at: float
    """The current time on the engine's clock, in seconds."""


class PlayedStep(Value):
    """A step of the capture, in which the user was asked to play one group of controls."""

    at: float
    role: Role | None = None
    bank: int = Field(default=1, ge=1, le=16)


class MakeParams(Value):
    name: str = Field(default="", max_length=120)
    """The maker and model of the device. If empty, the name of the port is used."""
    device_id: str = Field(default="", max_length=300)
    """The id of the device. If empty, the device with the most events is used."""
    steps: tuple[PlayedStep, ...] = Field(default=(), max_length=64)
    rows: dict[str, int] = Field(default_factory=dict[str, int], max_length=64)
    """The number of columns of each group by the id of the group, to correct wrong guesses."""


class KeepParams(Value):
    text: str = Field(min_length=1, max_length=300_000)
    """A device profile as TOML or JSON."""


class InferredProfile(Value):
    """The device profile inferred from the captured events, if there is one."""

    events: int
    device_id: str
    profile: DeviceProfile | None
    toml: str
    """The profile in the TOML format, to be passed to `devices.keep_profile`."""


@query("devices.profiles")
def list_profiles(params: Empty, call: Call) -> Profiles:
    """Return all device profiles, and the profile of each connected device."""
    from conductor.profiles.catalog import load_catalog

    known = load_catalog(call.services.app.home)
    fits = {device: fit for device in _list_device_ids(call) if (fit := _find_fit(device, call))}
    return Profiles(
        profiles=tuple(
            _build_profile_line(profile, own=profile.id in known.own)
            for profile in known.profiles.values()
        ),
        fits=tuple(
            ProfileFit(device_id=device, profile=fit.profile.id) for device, fit in fits.items()
        ),
    )


@query("devices.profile")
def get_profile(params: OneDevice, call: Call) -> ProfileView:
    """Return the device profile of a device."""
    from conductor.profiles.catalog import load_catalog

    fit = _find_fit(params.device_id, call)
    if fit is None:
        return ProfileView(profile=None, variant="", own=False)
    own = fit.profile.id in load_catalog(call.services.app.home).own
    return ProfileView(profile=fit.profile, variant=fit.variant.id, own=own)


@command("devices.play_start", "stateful")
async def start_capture(params: Empty, call: Call) -> Marked:
    """Start capturing events for a device profile.

    Mappings are paused until the capture ends, or until the page stops renewing the pause.
    """
    await call.services.engine.pause_lease.begin()
    await call.services.runtime.start_learn(LISTEN_MS)
    return Marked(at=now())


@command("devices.play_mark")
async def mark_capture_step(params: Empty, call: Call) -> Marked:
    """Return the current time, which marks the end of one step and the start of the next."""
    await call.services.engine.pause_lease.renew()
    return Marked(at=now())


@command("devices.play_made")
async def infer_profile(params: MakeParams, call: Call) -> InferredProfile:
    """Infer a device profile from the events captured so far."""
    await call.services.engine.pause_lease.renew()
    captured = await call.services.runtime.list_captured_events()
    return await asyncio.to_thread(_build_profile, captured, params, call)


@command("devices.play_end", "stateful")
async def end_capture(params: Empty, call: Call) -> Empty:
    """Stop capturing events, and resume the mappings."""
    await call.services.engine.pause_lease.end()
    await call.services.runtime.stop_learn()
    return Empty()


@command("devices.keep_profile", "stateful")
def keep_profile(params: KeepParams, call: Call) -> ProfileLine:
    """Save a device profile of the user.

    Knowledge searches find the profile after the next `knowledge.update_index`.
    """
    from conductor.base.resource_paths import find_knowledge_paths
    from conductor.profiles.catalog import save_profile

    require_writable(call.services)
    return _build_profile_line(
        save_profile(find_knowledge_paths(call.services.app.home).profiles, params.text), own=True
    )


def _build_profile(captured: Captured, params: MakeParams, call: Call) -> InferredProfile:
    from conductor.profiles.catalog import load_catalog
    from conductor.profiles.control_groups import LearnStep
    from conductor.profiles.played_profile import build_played_profile, find_most_played_device
    from conductor.profiles.toml_text import to_toml

    device = params.device_id or find_most_played_device(captured.events)
    events = [event for event in captured.events if event.device == device]
    port = _list_device_ids(call).get(device, "")
    steps = [LearnStep(step.at, step.role, step.bank) for step in params.steps]
    known = load_catalog(call.services.app.home)
    try:
        made = build_played_profile(events, params.name, port, known, steps, params.rows)
    except InvalidParams:
        return InferredProfile(events=len(events), device_id=device, profile=None, toml="")
    return InferredProfile(events=len(events), device_id=device, profile=made, toml=to_toml(made))


def _list_device_ids(call: Call) -> dict[str, str]:
    """Return the port names of the connected MIDI inputs and gamepads by device id."""
    return {
        device["device_id"]: device["port_name"]
        for device in call.services.runtime.list_devices()
        if device["kind"] in ("midi_input", "gamepad")
    }


def _find_fit(device_id: str, call: Call) -> "MatchedProfile | None":
    from conductor.profiles.catalog import load_catalog

    known = load_catalog(call.services.app.home)
    port = _list_device_ids(call).get(device_id)
    if port is not None:
        return known.find_for_port(port)
    aliases = call.services.config.store.current.devices
    alias = next((identity for identity in aliases if identity.alias == device_id), None)
    return known.find_for_alias(alias) if alias else None


def _build_profile_line(profile: DeviceProfile, *, own: bool) -> ProfileLine:
    return ProfileLine(
        id=profile.id,
        title=f"{profile.maker} {profile.model}",
        kind=profile.kind,
        summary=profile.summary,
        own=own,
    )
