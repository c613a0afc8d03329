"""Replays a recording under an old and a new config, to find actions that appear, disappear or move in time.

Both configs run through the live engine code from the recorded state, without performing actions. The old
config must first reproduce the recorded effects. The observable outputs are compared: keys, MIDI bytes, OSC,
volume, modes, variables, programs. Firings are matched by the input that caused them, so a tap that fires
300 ms later is not mistaken for a lost tap.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conductor.domain.config import Config
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.mapping_names import format_place_name
from conductor.domain.phrases import describe_named_event
from conductor.domain.plan import Firing, Replay
from conductor.domain.recording import Recording, Segment
from conductor.domain.renames import find_renames
from conductor.domain.row_phrases import format_mapping_action
from conductor.domain.trace import Candidate
from conductor.engine.config_transfer import compute_config_id
from conductor.engine.explain.not_covered import list_uncovered_parts
from conductor.engine.firings import (
    SAME_TIME_TOLERANCE_MS,
    FiringCollector,
    PlayedFiring,
    rename_modes_in_firings,
)
from conductor.engine.playback import (
    MAX_DEADLINE_STEPS,
    Playback,
    RecordedResults,
    SegmentChain,
    build_chains,
    to_recorded_effect,
)
from conductor.engine.replay_summary import (
    ChangedFiring,
    ReplayOutcome,
    explain_unpredicted_time,
    summarize_outcome,
)
from conductor.engine.table import MappingTable, compile_table
from conductor.engine.touches import ControlTouch

MAX_REPLAYED_EVENTS = 20_000
"""The maximum number of events that are replayed, in whole segments from the newest; about a second of work."""
MAX_LISTED_FIRINGS = 50
NOTHING_PLAYED_MESSAGE = "Nothing was recorded, so there is nothing to compare."
TOO_MANY_STEPS_MESSAGE = "a repetition makes more steps than a replay plays"


class ShiftedFiring(NamedTuple):
    """A firing with its time since the start of the whole replay."""

    time: float
    source: int
    candidate: Candidate
    event: InputEvent
    mode: str


class OldPlayback(NamedTuple):
    """What happened when a chain of segments was played under the old config."""

    chain: SegmentChain
    config: Config
    inputs: list[InputEvent]
    fired: list[PlayedFiring]
    answers: RecordedResults
    reached: int
    touches: frozenset[ControlTouch]
    problem: str | None
    """How the playback differs from what was recorded; None if it does not differ, or cannot be verified."""
    timers_used: int


class ComparedChain(NamedTuple):
    """What happened when a chain of segments was played under the old and the new config."""

    chain: SegmentChain
    played_before: OldPlayback
    base_s: float
    """The difference to add to engine times, by which the chains of several sessions are
    placed one after another."""
    inputs: list[InputEvent]
    before: list[PlayedFiring]
    after: list[PlayedFiring]
    touches_after: frozenset[ControlTouch]
    outcome: ReplayOutcome
    reached: int
    is_checked: bool
    cannot_tell: str | None
    timers_used: int
    is_cut: bool
    """Whether the playback under one of the configs had to stop at the limit of steps."""


class CompiledOldConfig(NamedTuple):
    """The running config with its id and its compiled table, which all comparisons use."""

    config: Config
    id: str
    table: MappingTable


class Comparison(NamedTuple):
    """What happened when the whole recording was played under both configs."""

    old: CompiledOldConfig
    new_table: MappingTable
    chains: tuple[ComparedChain, ...]
    left_out: int
    """The number of inputs that were not played because of the limits."""


def compare_recording(
    old: Config, new: Config, recording: Recording, earlier: Comparison | None = None
) -> Comparison:
    """Play the newest segments of a recording under two configs, and compare the results.

    Results in `earlier` for the same old config and segments are reused, so that another plan requires only
    its new config to be played.
    """
    current = earlier.old if earlier is not None and earlier.old.config is old else None
    current = current or CompiledOldConfig(old, compute_config_id(old), compile_table(old))
    played_before = [] if earlier is None else [chain.played_before for chain in earlier.chains]
    segments, left_out = _select_newest_segments(recording.segments)
    found: list[ComparedChain] = []
    configs = _ConfigPair(current, new)
    end_s = 0.0
    bases: dict[str, float] = {}
    parts, timers = build_chains(segments), MAX_DEADLINE_STEPS
    for place, chain in enumerate(parts):
        session, start_s = chain.segments[0].session, chain.segments[0].start.time
        base_s = bases.setdefault(session, end_s - start_s)
        # Each chain gets an equal share of the remaining steps, so what older chains do
        # not use goes to newer ones.
        share = timers // (len(parts) - place)
        compared = _compare_chain(configs, chain, base_s, played_before, share)
        timers -= compared.timers_used
        left_out += len(chain.fed_entries) - compared.reached
        found.append(compared)
        end_s = max(
            end_s, base_s + max((entry.time for entry in chain.iterate_entries()), default=start_s)
        )
    return Comparison(current, configs.new_table, tuple(found), left_out)


def _select_newest_segments(segments: Sequence[Segment]) -> tuple[list[Segment], int]:
    """Return the newest whole segments within the limit, and the number of inputs in the other segments."""
    newest: list[Segment] = []
    count = 0
    for index, segment in enumerate(reversed(segments)):
        fed = len(SegmentChain((segment,)).fed_entries)
        if newest and count + fed > MAX_REPLAYED_EVENTS:
            older = segments[: len(segments) - index]
            return newest[::-1], sum(len(SegmentChain((segment,)).fed_entries) for segment in older)
        newest.append(segment)
        count += fed
    return newest[::-1], 0


class _ConfigPair:
    """The two configs of a comparison, with everything that is computed only once for all chains."""

    def __init__(self, old: CompiledOldConfig, new: Config) -> None:
        self.old, self.new = old.config, new
        self.old_id, self.old_table = old.id, old.table
        self.new_table = compile_table(new)
        self.renames = find_renames(self.old, new)
        self.lost_output = find_lost_virtual_output(self.old, new)


def _compare_chain(
    configs: _ConfigPair,
    chain: SegmentChain,
    base_s: float,
    known: Sequence[OldPlayback],
    timers: int,
) -> ComparedChain:
    old, new, renames = configs.old, configs.new, configs.renames
    # Only a chain that was recorded under the old config shows what happened under this config.
    is_checked = chain.config_id == configs.old_id
    before = next(
        (played for played in known if played.config is old and played.chain == chain), None
    )
    if before is None:
        before = _play_old_config(old, configs.old_table, chain, timers, is_checked=is_checked)
    after = Playback(
        chain,
        new,
        table=configs.new_table,
        recorded_with=configs.old_table if is_checked else None,
        renames=renames,
        lost_output=configs.lost_output,
        timers=timers,
    ).play_chain(before.answers)
    # If the old config does not reproduce what was recorded, a prediction for the new config is worthless.
    reached = 0 if before.problem else min(before.reached, after.reached)
    fired = rename_modes_in_firings(before.fired, renames)
    would_fire = FiringCollector(after, new).fired
    outcome = ReplayOutcome() if before.problem else match_firings(fired, would_fire, reached)
    return ComparedChain(
        chain,
        before,
        base_s,
        before.inputs,
        fired,
        would_fire,
        frozenset(after.touches),
        outcome,
        reached,
        is_checked,
        before.problem,
        max(before.timers_used, after.count_extra_steps()),
        min(before.reached, after.reached) < len(chain.fed_entries),
    )


def _play_old_config(
    old: Config, table: MappingTable, chain: SegmentChain, timers: int, *, is_checked: bool
) -> OldPlayback:
    played = Playback(chain, old, table=table, exact=is_checked, timers=timers).play_chain()
    unfinished = chain.segments[0].start.unfinished
    problem = _find_deviation(chain, played) if is_checked else None
    # This explains a deviation better than the first effect that differs.
    if unfinished:
        problem = f"when this part of the recording begins, {unfinished[0]}"
    fired = FiringCollector(played, old).fired
    return OldPlayback(
        chain,
        old,
        played.source_events,
        fired,
        played.answers,
        played.reached,
        frozenset(played.touches),
        problem,
        played.count_extra_steps(),
    )


def _find_deviation(chain: SegmentChain, played: Playback) -> str | None:
    """Return how the effects of a playback differ from the recorded ones, or None if they are equal."""
    recorded = [
        (entry.time, entry.sequence, effect)
        for entry in chain.iterate_entries()
        for effect in entry.effects
    ]
    reproduced = [
        (played_trace.trace.time, to_recorded_effect(effect))
        for played_trace in played.traces
        for effect in played_trace.trace.effects
    ]
    end_s = max(
        (entry.time for entry in chain.iterate_entries()), default=chain.segments[0].start.time
    )
    # The playback continues after the last entry, for which there is no record to compare with.
    reproduced = [(time, effect) for time, effect in reproduced if time <= end_s]
    start_s = chain.segments[0].start.time
    for index, (time, _, effect) in enumerate(recorded):
        if index >= len(reproduced) or reproduced[index][1] != effect:
            return (
                f"{time - start_s:.1f} s into it, {format_place_name(effect.scope, effect.row)} did"
                f" {effect.action_type}, but the replay does not reproduce this"
            )
    if len(reproduced) > len(recorded) and not played.is_cut:
        time, effect = reproduced[len(recorded)]
        return (
            f"{time - start_s:.1f} s into it, the replay performs"
            f" {effect.action_type} ({format_place_name(effect.scope, effect.row)}),"
            " which did not really happen"
        )
    return None


def match_firings(
    before: list[PlayedFiring], after: list[PlayedFiring], reached: int
) -> ReplayOutcome:
    """Match the firings that the same input caused and that have equal effects: first at the
    same time, then at others.
    """
    outcome = ReplayOutcome()
    waiting: dict[int, list[PlayedFiring]] = {}
    for firing in after:
        if firing.source < reached:
            waiting.setdefault(firing.source, []).append(firing)
    # In two passes, so that a firing at another time cannot take the partner of an unchanged one.
    unmatched: list[PlayedFiring] = []
    for firing in before:
        rivals = waiting.get(firing.source, [])
        same = next((rival for rival in rivals if _is_unchanged(firing, rival)), None)
        if same is not None:
            rivals.remove(same)
            outcome.unchanged += 1
            outcome.kept.add(firing.source)
        elif firing.source < reached:
            unmatched.append(firing)
    for firing in unmatched:
        rivals = waiting.get(firing.source, [])
        moved = next((rival for rival in rivals if _is_shifted(firing, rival)), None)
        if moved is not None:
            rivals.remove(moved)
            outcome.moved.append((firing, moved))
            outcome.kept.add(firing.source)
        else:
            outcome.vanish.append(firing)
    outcome.appear = sorted(
        (firing for rival in waiting.values() for firing in rival), key=_get_sort_key
    )
    return outcome


def _is_unchanged(first: PlayedFiring, second: PlayedFiring) -> bool:
    return abs(first.time - second.time) * 1000 <= SAME_TIME_TOLERANCE_MS and first.is_equivalent(
        second
    )


def _is_shifted(first: PlayedFiring, second: PlayedFiring) -> bool:
    return (
        abs(first.time - second.time) * 1000 > SAME_TIME_TOLERANCE_MS
        and first.list_calls() == second.list_calls()
    )


def _get_sort_key(firing: ChangedFiring) -> tuple[float, int]:
    return firing.time, firing.source


def describe_comparison(
    old: Config, new: Config, comparison: Comparison, names: ControlNames = NO_CONTROL_NAMES
) -> Replay:
    """Return a comparison in the form in which it is shown to the user and sent to the page."""
    played = [item for item in comparison.chains if _has_comparable_content(item)]
    if not played:
        return Replay(
            events=0,
            seconds=0,
            unchanged=0,
            summary=NOTHING_PLAYED_MESSAGE,
            not_covered=list_uncovered_parts(old, new, list_compared_segments(comparison)),
        )
    outcome = _join_outcomes(played)
    problems = [item for item in played if item.cannot_tell]
    seconds = sum(_compute_duration_s(item) for item in played if not item.cannot_tell)
    cut = [item for item in played if item.is_cut and not item.cannot_tell]
    reason = explain_unpredicted_time(
        [(item.cannot_tell or "", _compute_duration_s(item)) for item in problems]
        + [(TOO_MANY_STEPS_MESSAGE, _sum_unplayed_s(item)) for item in cut],
        is_all=len(problems) == len(played),
    )
    words = summarize_outcome(
        outcome, seconds, listed=MAX_LISTED_FIRINGS, left_out=comparison.left_out, names=names
    )
    parts = [reason or ""] if len(problems) == len(played) else [words, reason or ""]
    return Replay(
        events=sum(_count_inputs(item) for item in played),
        seconds=round(seconds, 3),
        unchanged=outcome.unchanged,
        appear=tuple(_build_firing(item, names) for item in outcome.appear[:MAX_LISTED_FIRINGS]),
        vanish=tuple(_build_firing(item, names) for item in outcome.vanish[:MAX_LISTED_FIRINGS]),
        moved=tuple(
            (_build_firing(a, names), _build_firing(b, names))
            for a, b in outcome.moved[:MAX_LISTED_FIRINGS]
        ),
        summary=" ".join(part for part in parts if part),
        is_checked=all(item.is_checked and not item.cannot_tell for item in played),
        cannot_tell=reason,
        not_covered=list_uncovered_parts(old, new, list_compared_segments(comparison)),
    )


def _join_outcomes(played: Sequence[ComparedChain]) -> ReplayOutcome:
    """Return the outcomes of all chains as one, with times since the first input."""
    start_s = played[0].base_s + _get_start_time(played[0])
    total, sources = ReplayOutcome(), 0
    for compared in played:
        shift_s, outcome = compared.base_s - start_s, compared.outcome

        def shift_firing(
            firing: ChangedFiring, shift_s: float = shift_s, sources: int = sources
        ) -> ChangedFiring:
            source = firing.source + sources if firing.source >= 0 else firing.source
            return ShiftedFiring(
                firing.time + shift_s, source, firing.candidate, firing.event, firing.mode
            )

        total.unchanged += outcome.unchanged
        total.kept |= {source + sources for source in outcome.kept}
        total.appear += map(shift_firing, outcome.appear)
        total.vanish += map(shift_firing, outcome.vanish)
        total.moved += [(shift_firing(a), shift_firing(b)) for a, b in outcome.moved]
        sources += len(compared.inputs)
    return total


def find_lost_virtual_output(old: Config, new: Config) -> str:
    """Return the name of the virtual output that the new config removes or renames, or an
    empty text if there is none.
    """
    output = old.settings.engine.virtual_output
    return "" if output == new.settings.engine.virtual_output else output


def list_compared_segments(comparison: Comparison) -> list[Segment]:
    """Return the segments whose playbacks were compared."""
    return [segment for compared in comparison.chains for segment in compared.chain.segments]


def _has_comparable_content(compared: ComparedChain) -> bool:
    return (
        any(event.kind in CONTROL_CLASS for event in compared.inputs)
        or compared.cannot_tell is not None
    )


def _sum_unplayed_s(compared: ComparedChain) -> float:
    """Return how many seconds of a chain were not played."""
    rest = compared.inputs[compared.reached :] or compared.inputs[-1:]
    entries = [entry.time for entry in compared.chain.iterate_entries()]
    return max(0.0, max(entries, default=0.0) - (rest[0].time if rest else 0.0))


def _filter_inputs(events: Sequence[InputEvent]) -> Iterator[InputEvent]:
    return (event for event in events if event.kind not in ("timer", "completed"))


def _count_inputs(compared: ComparedChain) -> int:
    return (
        0
        if compared.cannot_tell
        else sum(1 for _ in _filter_inputs(compared.inputs[: compared.reached]))
    )


def _get_start_time(compared: ComparedChain) -> float:
    return next(_filter_inputs(compared.inputs), compared.inputs[0]).time


def _compute_duration_s(compared: ComparedChain) -> float:
    times = [event.time for event in _filter_inputs(compared.inputs[: compared.reached or None])]
    return max(times) - min(times) if times else 0.0


def _build_firing(changed: ChangedFiring, names: ControlNames) -> Firing:
    ref = changed.candidate.ref
    return Firing(
        time_ms=round(changed.time * 1000, 3),
        scope=ref.scope,
        index=ref.index,
        description=ref.mapping.description or format_mapping_action(ref.mapping),
        action=ref.mapping.action.to_plain(),
        event=describe_named_event(changed.event, names),
    )
