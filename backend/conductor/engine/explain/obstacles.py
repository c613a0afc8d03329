"""Finds the mappings on a control that were inactive, and the reasons why."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, get_args

from conductor.domain.config import Config, Mapping, Profile
from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.explanation import WhyNot
from conductor.domain.reasons import ReasonKind, get_reason_kind, render_reason
from conductor.domain.scopes import parse_scope
from conductor.domain.trace import MappingRef, Trace
from conductor.engine.explain.remedies import describe_event_device, suggest_remedy

RANK_BY_REASON_KIND: dict[str, int] = {kind: at for at, kind in enumerate(get_args(ReasonKind))}
"""The rank of each kind of reason, from the order of `ReasonKind`; the most relevant kind has rank 0."""

AppNames = tuple[str, str, str]


class Obstacle(NamedTuple):
    """A reason why a mapping was inactive, and how to remove this reason."""

    kind: ReasonKind
    text: str
    remedy: str


class InactiveMapping(NamedTuple):
    """A mapping on the control that was not judged, with all the reasons for it.

    A mapping without reasons was active.
    """

    ref: MappingRef
    obstacles: tuple[Obstacle, ...]

    def is_only_switched_off(self) -> bool:
        """Return whether the mapping is switched off, and nothing else keeps it from reacting."""
        return not self.ref.mapping.enabled and len(self.obstacles) == 1

    def combine_reasons(self) -> WhyNot:
        """Return one explanation that combines all reasons and has the kind of the most relevant reason."""
        ordered = sorted(self.obstacles, key=lambda obstacle: RANK_BY_REASON_KIND[obstacle.kind])
        return explain_unmatched_mapping(
            self.ref,
            ordered[0].kind,
            "; besides, ".join(obstacle.text for obstacle in ordered),
            "; and ".join(obstacle.remedy for obstacle in ordered if obstacle.remedy),
        )


def explain_unmatched_mapping(ref: MappingRef, kind: ReasonKind, text: str, remedy: str) -> WhyNot:
    """Return the explanation of why a mapping did not react to an event."""
    return WhyNot(
        kind=kind,
        mapping=ref.get_identifier(),
        name=ref.describe(),
        scope=ref.scope,
        index=ref.index,
        text=text,
        what_would_change=remedy,
    )


def find_listeners(config: Config, event: InputEvent) -> Iterator[MappingRef]:
    """Yield the mappings in a config that listen to the control of an event, active or not."""
    control_class = CONTROL_CLASS[event.kind]
    for scope, index, mapping in config.list_all_mappings():
        if any(
            own_class == control_class and number in (event.number, "*")
            for own_class, number in mapping.trigger.list_controls()
        ):
            yield MappingRef(scope, index, mapping)


def find_inactive_mappings(
    config: Config, trace: Trace, app: AppNames | None, judged: Iterable[tuple[str, int]]
) -> list[InactiveMapping]:
    """Return the mappings on the control of a trace that were not judged, each with its reasons."""
    judged_keys = set(judged)
    return [
        InactiveMapping(ref, tuple(_find_obstacles(config, trace, app, ref)))
        for ref in find_listeners(config, trace.event)
        if (ref.scope, ref.index) not in judged_keys
    ]


def _find_obstacles(
    config: Config, trace: Trace, app: AppNames | None, ref: MappingRef
) -> Iterator[Obstacle]:
    event, mapping = trace.event, ref.mapping
    yield from _check_muted_or_paused(trace)
    if not mapping.enabled:
        yield Obstacle("disabled", "it is off", "switch the mapping on")
    yield from _check_channel_and_device(mapping, event)
    kind, name = parse_scope(ref.scope)
    if kind == "mode" and name != trace.mode:
        text = f"it belongs to mode {name}, and mode {trace.mode} was active"
        yield Obstacle("mode", text, f"switch to mode {name}")
    if kind == "profile":
        profile = next(profile for profile in config.profiles if profile.name == name)
        if not profile.enabled:
            text = f"its profile {name} is off"
            yield Obstacle("disabled", text, f"switch profile {name} on")
        elif name != trace.profile:
            yield _check_profile(profile, trace, app)
    refused = (
        mapping.trigger.check_press(event) if event.kind in ("note_on", "button_down") else None
    )
    if refused is not None:
        yield Obstacle(
            get_reason_kind(refused), render_reason(refused), suggest_remedy(ref, refused)
        )


def _check_muted_or_paused(trace: Trace) -> Iterator[Obstacle]:
    kind = None if trace.note is None else get_reason_kind(trace.note)
    if kind == "muted":
        device = trace.event.device.removeprefix("raw:")
        yield Obstacle("muted", f"device {device} was muted", f"unmute device {device}")
    elif kind == "paused":
        yield Obstacle("paused", "Conductor was paused", "resume Conductor")


def _check_channel_and_device(mapping: Mapping, event: InputEvent) -> Iterator[Obstacle]:
    trigger = mapping.trigger
    if trigger.channel is not None and trigger.channel != event.channel:
        text = f"it listens to channel {trigger.channel}, and this was on channel {event.channel}"
        advice = (
            f"play it on channel {trigger.channel}, or set the mapping's channel to {event.channel}"
        )
        if not event.channel:
            text = f"it listens to channel {trigger.channel}, and this has no channel"
            advice = "remove the channel from the mapping"
        yield Obstacle("channel", text, advice)
    if trigger.device is not None and trigger.device != event.device:
        text = f"it listens to device {trigger.device}, and this came from {describe_event_device(event)}"
        name = event.device.removeprefix("raw:")
        instead = (
            f"set the mapping's device to {name}"
            if name == event.device
            else f"give {name} the alias {trigger.device}"
        )
        yield Obstacle("device", text, f"play it on {trigger.device}, or {instead}")


def _check_profile(profile: Profile, trace: Trace, app: AppNames | None) -> Obstacle:
    other = f"profile {trace.profile}" if trace.profile else "no profile"
    text = f"it belongs to profile {profile.name}, and {other} was active"
    if trace.profile and app is not None and profile.match.matches_app(app):
        advice = (
            f"move profile {profile.name} before profile {trace.profile}, which fits this app too"
        )
        return Obstacle("profile", text, advice)
    match = profile.match
    wanted = match.executable or match.bundle_id or f"a window whose title has {match.title_regex}"
    return Obstacle("profile", f"{text}: its app is not in front", f"bring {wanted} to the front")
