"""Mappings that listen to a control and were not in force: what stood between the event and each of them."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, get_args

from conductor.domain.config import Config, Mapping, Profile
from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.explanation import WhyNot
from conductor.domain.reasons import ReasonKind, kind_of, render
from conductor.domain.trace import MappingRef, Trace
from conductor.engine.explain.remedies import device_words, remedy

NEARNESS: dict[str, int] = {kind: at for at, kind in enumerate(get_args(ReasonKind))}
"""Kinds are listed the nearest first."""

App = tuple[str, str, str]


class Obstacle(NamedTuple):
    """One thing that kept a mapping out of force."""

    kind: ReasonKind
    text: str
    remedy: str


class Absent(NamedTuple):
    """A mapping that listens to the control, and all that stood in its way."""

    ref: MappingRef
    obstacles: tuple[Obstacle, ...]

    def why(self) -> WhyNot:
        """Return it as a reason, named after its nearest obstacle."""
        ordered = sorted(self.obstacles, key=lambda one: NEARNESS[one.kind])
        return why_not(
            self.ref,
            ordered[0].kind,
            "; besides, ".join(one.text for one in ordered),
            "; and ".join(one.remedy for one in ordered if one.remedy),
        )


def why_not(ref: MappingRef, kind: ReasonKind, text: str, remedy: str) -> WhyNot:
    """Return why one mapping did not act."""
    return WhyNot(
        kind=kind,
        mapping=ref.name(),
        scope=ref.scope,
        index=ref.index,
        text=text,
        what_would_change=remedy,
    )


def listeners(config: Config, event: InputEvent) -> Iterator[MappingRef]:
    """Return every mapping of a config that names the control of an event, in force or not."""
    control_class = CONTROL_CLASS[event.kind]
    for scope, index, mapping in config.all_mappings():
        if any(
            each == control_class and number in (event.number, "*")
            for each, number in mapping.trigger.controls()
        ):
            yield MappingRef(scope, index, mapping)


def absent(
    config: Config, trace: Trace, app: App | None, judged: Iterable[tuple[str, int]]
) -> list[Absent]:
    """Return the mappings of this control that were not judged, with what stood in the way of each."""
    known = set(judged)
    return [
        Absent(ref, tuple(_obstacles(config, trace, app, ref)))
        for ref in listeners(config, trace.event)
        if (ref.scope, ref.index) not in known
    ]


def _obstacles(
    config: Config, trace: Trace, app: App | None, ref: MappingRef
) -> Iterator[Obstacle]:
    event, mapping = trace.event, ref.mapping
    yield from _silenced(trace)
    if not mapping.enabled:
        yield Obstacle("disabled", "it is disabled", "enable the mapping")
    yield from _elsewhere(mapping, event)
    kind, _, name = ref.scope.partition(":")
    if kind == "mode" and name != trace.mode:
        text = f"it belongs to mode {name}, and mode {trace.mode} was active"
        yield Obstacle("mode", text, f"switch to mode {name}")
    if kind == "profile":
        profile = next(one for one in config.profiles if one.name == name)
        if not profile.enabled:
            text = f"its profile {name} is disabled"
            yield Obstacle("disabled", text, f"enable profile {name}")
        elif name != trace.profile:
            yield _profile(profile, trace, app)
    refused = mapping.trigger.accepts(event) if event.kind in ("note_on", "button_down") else None
    if refused is not None:
        yield Obstacle(kind_of(refused), render(refused), remedy(ref, refused))


def _silenced(trace: Trace) -> Iterator[Obstacle]:
    kind = None if trace.note is None else kind_of(trace.note)
    if kind == "muted":
        device = trace.event.device.removeprefix("raw:")
        yield Obstacle("muted", f"device {device} was muted", f"unmute device {device}")
    elif kind == "paused":
        yield Obstacle("paused", "Conductor was paused", "resume Conductor")


def _elsewhere(mapping: Mapping, event: InputEvent) -> Iterator[Obstacle]:
    trigger = mapping.trigger
    if trigger.channel is not None and trigger.channel != event.channel:
        text = f"it listens to channel {trigger.channel}, and this came on channel {event.channel}"
        advice = (
            f"play it on channel {trigger.channel}, or set the mapping's channel to {event.channel}"
        )
        if not event.channel:
            text = f"it listens to channel {trigger.channel}, and this has no channel"
            advice = "take the channel out of the mapping"
        yield Obstacle("channel", text, advice)
    if trigger.device is not None and trigger.device != event.device:
        text = f"it listens to device {trigger.device}, and this came from {device_words(event)}"
        name = event.device.removeprefix("raw:")
        instead = (
            f"set the mapping's device to {name}"
            if name == event.device
            else f"give {name} the alias {trigger.device}"
        )
        yield Obstacle("device", text, f"play it on {trigger.device}, or {instead}")


def _profile(profile: Profile, trace: Trace, app: App | None) -> Obstacle:
    other = f"profile {trace.profile}" if trace.profile else "no profile"
    text = f"it belongs to profile {profile.name}, and {other} was active"
    if trace.profile and app is not None and profile.match.fits(app):
        advice = (
            f"move profile {profile.name} before profile {trace.profile}, which fits this app too"
        )
        return Obstacle("profile", text, advice)
    match = profile.match
    wanted = match.executable or match.bundle_id or f"a window whose title has {match.title_regex}"
    return Obstacle("profile", f"{text}: its app is not in front", f"bring {wanted} to the front")
