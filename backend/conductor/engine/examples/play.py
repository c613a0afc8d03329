"""Plays the gesture of an example in one situation, and collects what fired and what was done."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from conductor.domain.actions.base import ActionBase
from conductor.domain.config import Config
from conductor.domain.events import CONTROL_CLASS, ON_A_CHANNEL
from conductor.domain.examples import DoneEffect, Example
from conductor.domain.phrases import resolved_words
from conductor.domain.trace import MappingRef, Trace
from conductor.domain.validate import did_you_mean
from conductor.engine.effects import resolve_effect
from conductor.engine.examples.devices import names_now
from conductor.engine.examples.match import resolved_action
from conductor.engine.examples.situations import (
    Circumstances,
    Listeners,
    PlayedControls,
    Situation,
)
from conductor.engine.gestures.contexts import Context, start_engine
from conductor.engine.script import ModeChoice, ScriptItem, parse_script
from conductor.engine.script_defaults import apply_script_defaults
from conductor.engine.simulate import Simulation
from conductor.engine.table import Table, compile_table
from conductor.errors import BadScript

LONGEST_S = 600.0
SETTLE_S = 61.0
"""A long press takes 60 s at most."""
EVENTS_ALLOWED = 1000
DONE_KEPT = 50
"""More single effects than this are not pinned: the example then holds for the first ones."""


class Happened(NamedTuple):
    """An action that fired, or a single thing that was done, and when."""

    time_ms: float
    ref: MappingRef
    action: ActionBase
    resolved: ActionBase | None = None
    """With the numbers that the control gave."""

    def words(self) -> str:
        """Return it with its time and its mapping."""
        what = resolved_words((self.resolved or self.action).to_plain())
        name = self.ref.mapping.description or f"{self.ref.scope} #{self.ref.index}"
        return f"{what} at {self.time_ms:g} ms (`{name}`)"


class Played(NamedTuple):
    """What came of a gesture."""

    traces: list[Trace]
    mode: str
    """The mode it was played in."""
    ended_in: str
    config: Config

    def fired(self) -> list[Happened]:
        """Return the mappings that fired, with their whole actions."""
        return [_fired(trace, ref) for trace in self.traces for ref in trace.fired]

    def effects(self) -> list[Happened]:
        """Return each single thing that was done; the end of something held is not one."""
        return [
            Happened(_ms(trace), one.ref, one.action, resolved_action(one.action, one.fire))
            for trace in self.traces
            for one in trace.effects
            if one.kind != "release"
        ]

    def done(self) -> tuple[DoneEffect, ...]:
        """Return what was done down to the calls."""
        effects = ((trace, one) for trace in self.traces for one in trace.effects)
        return tuple(
            DoneEffect(
                kind=one.kind,
                at_ms=_ms(trace),
                calls=tuple(resolve_effect(one, self.config)["calls"]),
            )
            for (trace, one), _ in zip(effects, range(DONE_KEPT), strict=False)
        )


class Stage:
    """A config that is ready to be played, compiled once for all examples."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._table: Table | None = None
        self._listeners: Listeners | None = None

    def play(
        self, example: Example, choose: Callable[[Circumstances], Iterable[Situation]]
    ) -> Iterator[tuple[Situation, Played]]:
        """Play an example in the situations that are chosen of its circumstances.

        Raises:
            BadScript: the gesture cannot be read, or its mode does not exist.
        """
        items = self.items(example)
        table = self._table = self._table or compile_table(self.config)
        mode = self.mode(example)
        listeners = self._listeners = self._listeners or Listeners(self.config)
        circumstances = Circumstances(listeners, played_controls(items))
        for situation in choose(circumstances):
            variables = tuple(example.variables.items())
            context = Context(mode, situation.app, situation.clock, variables)
            simulation = Simulation(self.config, state=start_engine(table, context))
            traces = simulation.play(items, settle_s=SETTLE_S)
            yield situation, Played(traces, mode, simulation.state.mode, self.config)

    def mode(self, example: Example) -> str:
        """Return the mode to play in.

        Raises:
            BadScript: it does not exist.
        """
        start = self.config.start_mode()
        wanted = start if example.mode is None or example.from_start else example.mode
        if self.config.mode(wanted) is None:
            hint = did_you_mean(wanted, [mode.name for mode in self.config.modes])
            raise BadScript(f"Invalid mode: '{wanted}' does not exist{hint}")
        return wanted

    def items(self, example: Example) -> list[ScriptItem]:
        """Return the events of the gesture, each with its device and channel."""
        items = _filled(_script(example.gesture), example)
        if not example.pinned:
            return list(
                apply_script_defaults(items, _with_mode_first(self.config, self.mode(example)))
            )
        names = names_now(example.devices, self.config)
        return [_renamed(item, names) for item in items]


def control_name(item: ScriptItem) -> str | None:
    """Return the class and number of an item's control; None where it has none."""
    control_class = None if isinstance(item, ModeChoice) else CONTROL_CLASS.get(item.kind)
    return None if control_class is None else f"{control_class} {item.number}"  # pyright: ignore[reportAttributeAccessIssue]


def played_controls(items: Iterable[ScriptItem]) -> PlayedControls:
    """Return the controls that items play."""
    return {
        (CONTROL_CLASS[item.kind], item.number)
        for item in items
        if not isinstance(item, ModeChoice) and item.kind in CONTROL_CLASS
    }


def script_items(gesture: str) -> list[ScriptItem]:
    """Return the events of a gesture as written, with neither device nor channel where none is."""
    return _script(gesture)


def _script(gesture: str) -> list[ScriptItem]:
    items = parse_script(gesture, device="", channel=0)
    if not items:
        raise BadScript("it has no events; write such as `tap 36` or `down 36; wait 600; up 36`")
    if len(items) > EVENTS_ALLOWED:
        raise BadScript(f"it has {len(items):,} events; {EVENTS_ALLOWED:,} are allowed")
    if not all(0 <= item.time <= LONGEST_S for item in items):
        raise BadScript(f"its times must lie between 0 and {LONGEST_S:g} s")
    return items


def _filled(items: Iterable[ScriptItem], example: Example) -> list[ScriptItem]:
    """Put the example's own device and channel where the script names none."""
    places = {one.control: (one.device, one.channel) for one in example.controls}
    usual = (example.device or "", example.channel or 0)
    filled: list[ScriptItem] = []
    for item in items:
        control = control_name(item)
        if isinstance(item, ModeChoice) or control is None:
            filled.append(item)
            continue
        device, channel = places.get(control, usual)
        if CONTROL_CLASS[item.kind] not in ON_A_CHANNEL:
            channel = 0
        filled.append(item._replace(device=item.device or device, channel=item.channel or channel))
    return filled


def _renamed(item: ScriptItem, names: Mapping[str, str]) -> ScriptItem:
    if isinstance(item, ModeChoice) or item.device not in names:
        return item
    return item._replace(device=names[item.device])


def _with_mode_first(config: Config, wanted: str) -> Config:
    """Put the mode that is played first, so that its devices are the ones assumed."""
    modes = sorted(config.modes, key=lambda mode: mode.name != wanted)
    return config.model_copy(update={"modes": tuple(modes)})


def _fired(trace: Trace, ref: MappingRef) -> Happened:
    action = ref.mapping.action
    own = (one for one in trace.effects if one.ref == ref and one.action is action)
    fire = next((one.fire for one in own), None)
    resolved = None if fire is None else resolved_action(action, fire)
    return Happened(_ms(trace), ref, action, resolved)


def _ms(trace: Trace) -> float:
    return round(trace.event.time * 1000, 3)
