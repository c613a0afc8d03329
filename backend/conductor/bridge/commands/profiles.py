"""Commands about device profiles: which one a device has, and one made by playing."""

import asyncio
from typing import TYPE_CHECKING

from pydantic import Field

from conductor.base.clock import now
from conductor.bridge.changing import require_writable
from conductor.bridge.models import Nothing
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.device_profile import DeviceProfile, Role
from conductor.domain.value import Value
from conductor.errors import InvalidParams
from conductor.tools.context import Captured

if TYPE_CHECKING:
    from conductor.profiles.catalog import Fit

LISTEN_MS = 600_000
"""Playing everything of a large controller takes minutes."""

DeviceId = Field(min_length=1, max_length=300)


class ProfileLine(Value):
    id: str
    title: str
    kind: str
    summary: str
    own: bool
    """One of the user's own, not one that ships."""


class ProfileFit(Value):
    device_id: str
    profile: str


class Profiles(Value):
    profiles: tuple[ProfileLine, ...]
    fits: tuple[ProfileFit, ...]
    """Which profile each device has, of those that have one."""


class OneDevice(Value):
    device_id: str = DeviceId


class ProfileView(Value):
    """What is known of a device; no profile: nothing."""

    profile: DeviceProfile | None
    variant: str
    """The id of the variant that this port sends, as far as its name tells."""
    own: bool


class Marked(Value):
    at: float
    """Now, on the engine's clock."""


class PlayedStep(Value):
    """What the player was asked for, and from when on."""

    at: float
    role: Role | None = None
    bank: int = Field(default=1, ge=1, le=16)


class MakeParams(Value):
    name: str = Field(default="", max_length=120)
    """Maker and model. Left out: taken from the port."""
    device_id: str = Field(default="", max_length=300)
    """Left out: the device that was played most."""
    steps: tuple[PlayedStep, ...] = Field(default=(), max_length=64)
    rows: dict[str, int] = Field(default_factory=dict[str, int], max_length=64)
    """How many columns a group has, by its id, where the guess was wrong."""


class KeepParams(Value):
    text: str = Field(min_length=1, max_length=300_000)
    """A device profile as TOML or JSON."""


class Made(Value):
    """A profile of what has been played until now; none yet when nothing was."""

    events: int
    device_id: str
    profile: DeviceProfile | None
    toml: str
    """Its file, for `devices.keep_profile`."""


@query("devices.profiles")
def profiles(params: Nothing, call: Call) -> Profiles:
    """Every device profile, and which one each device has."""
    from conductor.profiles.catalog import load_catalog

    known = load_catalog(call.desk.home)
    fits = {one: fit for one in _ids(call) if (fit := _fit(one, call))}
    return Profiles(
        profiles=tuple(_line(one, own=one.id in known.own) for one in known.profiles.values()),
        fits=tuple(ProfileFit(device_id=one, profile=fit.profile.id) for one, fit in fits.items()),
    )


@query("devices.profile")
def profile(params: OneDevice, call: Call) -> ProfileView:
    """What is known of a device."""
    from conductor.profiles.catalog import load_catalog

    fit = _fit(params.device_id, call)
    if fit is None:
        return ProfileView(profile=None, variant="", own=False)
    own = fit.profile.id in load_catalog(call.desk.home).own
    return ProfileView(profile=fit.profile, variant=fit.variant.id, own=own)


@command("devices.play_start", "stateful")
async def play_start(params: Nothing, call: Call) -> Marked:
    """Listen from now on, for a profile of what is played. Mappings rest as long as it is looked at."""
    await call.desk.rest.begin()
    await call.desk.runtime.start_learn(LISTEN_MS)
    return Marked(at=now())


@command("devices.play_mark")
async def play_mark(params: Nothing, call: Call) -> Marked:
    """The time, to tell what is played next from what was played before."""
    await call.desk.rest.renew()
    return Marked(at=now())


@command("devices.play_made")
async def play_made(params: MakeParams, call: Call) -> Made:
    """The profile of what has been played until now."""
    await call.desk.rest.renew()
    captured = await call.desk.runtime.captured_events()
    return await asyncio.to_thread(_made, captured, params, call)


@command("devices.play_end", "stateful")
async def play_end(params: Nothing, call: Call) -> Nothing:
    """Listen no longer, and let mappings go on."""
    await call.desk.rest.end()
    await call.desk.runtime.stop_learn()
    return Nothing()


@command("devices.keep_profile", "stateful")
def keep_profile(params: KeepParams, call: Call) -> ProfileLine:
    """Keep a profile among one's own; `knowledge.update_index` lets searches find it."""
    from conductor.base.resource_paths import knowledge_paths
    from conductor.profiles.catalog import save_profile

    require_writable(call.desk)
    return _line(save_profile(knowledge_paths(call.desk.home).profiles, params.text), own=True)


def _made(captured: Captured, params: MakeParams, call: Call) -> Made:
    from conductor.profiles.catalog import load_catalog
    from conductor.profiles.control_groups import Step
    from conductor.profiles.played_profile import most_played, played_profile
    from conductor.profiles.toml_text import to_toml

    device = params.device_id or most_played(captured.events)
    events = [event for event in captured.events if event.device == device]
    port = _ids(call).get(device, "")
    steps = [Step(step.at, step.role, step.bank) for step in params.steps]
    known = load_catalog(call.desk.home)
    try:
        made = played_profile(events, params.name, port, known, steps, params.rows)
    except InvalidParams:
        return Made(events=len(events), device_id=device, profile=None, toml="")
    return Made(events=len(events), device_id=device, profile=made, toml=to_toml(made))


def _ids(call: Call) -> dict[str, str]:
    """Return the ports and pads that are there, by id, with their names; outputs are none."""
    return {
        one["device_id"]: one["port_name"]
        for one in call.desk.runtime.devices()
        if one["kind"] in ("midi_input", "gamepad")
    }


def _fit(device_id: str, call: Call) -> "Fit | None":
    from conductor.profiles.catalog import load_catalog

    known = load_catalog(call.desk.home)
    port = _ids(call).get(device_id)
    if port is not None:
        return known.of_port(port)
    aliases = call.desk.store.current.devices
    alias = next((one for one in aliases if one.alias == device_id), None)
    return known.of_alias(alias) if alias else None


def _line(profile: DeviceProfile, *, own: bool) -> ProfileLine:
    return ProfileLine(
        id=profile.id,
        title=f"{profile.maker} {profile.model}",
        kind=profile.kind,
        summary=profile.summary,
        own=own,
    )
