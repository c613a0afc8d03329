"""What was played, under an old and a new config: which actions appear, vanish or move.

Both run through the same engine as live, from the recorded state, without a single action being done. The
old one must first reproduce what really happened. What is compared is what reaches the computer: keys, MIDI
bytes, OSC, volume, modes, variables, programs. A firing is known by the input that it answers, so a tap that
comes 300 ms later is told from one that is lost.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conductor.domain.config import Config
from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.phrases import action_words, event_words
from conductor.domain.plan import Firing, Replay
from conductor.domain.recording import Recording, Segment
from conductor.domain.renames import find_renames
from conductor.domain.trace import Candidate
from conductor.engine.config_transfer import config_id
from conductor.engine.explain.not_covered import not_covered
from conductor.engine.firings import SAME_TIME_MS, Fired, Firings, rename_modes
from conductor.engine.playback import (
    TIMERS_PLAYED,
    Answers,
    Chain,
    Playback,
    chains,
    recorded_effect,
)
from conductor.engine.replay_summary import Changed, Outcome, cannot_tell_words, summary
from conductor.engine.table import Table, compile_table
from conductor.engine.touches import Touch

EVENTS_REPLAYED = 20_000
"""The newest so many, counted in whole segments: about a second of work."""
LISTED = 50
NOTHING_PLAYED = "Nothing was recorded, so there is nothing to compare."
TOO_MANY_STEPS = "a repetition makes more steps than a replay plays"


class Shifted(NamedTuple):
    """A firing with its time counted from the start of the whole replay."""

    time: float
    source: int
    candidate: Candidate
    event: InputEvent


class PlayedBefore(NamedTuple):
    """A chain under the old config: what it did, and why that is not what really happened."""

    chain: Chain
    config: Config
    inputs: list[InputEvent]
    fired: list[Fired]
    answers: Answers
    reached: int
    touches: frozenset[Touch]
    problem: str | None
    """None when the playback did what really happened, or when that cannot be checked."""
    timers_used: int


class ComparedChain(NamedTuple):
    """A chain under both configs, or why nothing is told of it."""

    chain: Chain
    played_before: PlayedBefore
    base_s: float
    """Added to the engine's time, so that chains of different sessions follow each other."""
    inputs: list[InputEvent]
    before: list[Fired]
    after: list[Fired]
    touches_after: frozenset[Touch]
    outcome: Outcome
    reached: int
    is_checked: bool
    cannot_tell: str | None
    timers_used: int
    is_cut: bool
    """Too much came of it: the rest was not played."""


class OldConfig(NamedTuple):
    """The config that is in force, with what each comparison needs of it."""

    config: Config
    id: str
    table: Table


class Comparison(NamedTuple):
    """A whole recording under both configs."""

    old: OldConfig
    chains: tuple[ComparedChain, ...]
    left_out: int
    """Inputs that were not played, to keep this quick."""


def replay(old: Config, new: Config, recording: Recording) -> Replay:
    """Compare what a recording causes under two configs."""
    return describe_comparison(old, new, compare_recording(old, new, recording))


def compare_recording(
    old: Config, new: Config, recording: Recording, earlier: Comparison | None = None
) -> Comparison:
    """Play a recording under two configs, the newest segments of it when it is long.

    What an earlier comparison has of the same old config, and of the same chains under it, serves again.
    """
    current = earlier.old if earlier is not None and earlier.old.config is old else None
    current = current or OldConfig(old, config_id(old), compile_table(old))
    known = [] if earlier is None else [one.played_before for one in earlier.chains]
    segments, left_out = _newest(recording.segments)
    found: list[ComparedChain] = []
    configs = _Configs(current, new)
    end_s = 0.0
    bases: dict[str, float] = {}
    parts, timers = chains(segments), TIMERS_PLAYED
    for place, chain in enumerate(parts):
        session, start_s = chain.segments[0].session, chain.segments[0].start.time
        base_s = bases.setdefault(session, end_s - start_s)
        # what earlier parts do not use is there for the later ones, which are newer
        share = timers // (len(parts) - place)
        compared = _compare_chain(configs, chain, base_s, known, share)
        timers -= compared.timers_used
        left_out += len(chain.fed) - compared.reached
        found.append(compared)
        end_s = max(end_s, base_s + max((entry.time for entry in chain.entries()), default=start_s))
    return Comparison(current, tuple(found), left_out)


def _newest(segments: Sequence[Segment]) -> tuple[list[Segment], int]:
    """Return the newest whole segments, and how many inputs are in the others."""
    kept: list[Segment] = []
    count = 0
    for place, segment in enumerate(reversed(segments)):
        fed = len(Chain((segment,)).fed)
        if kept and count + fed > EVENTS_REPLAYED:
            older = segments[: len(segments) - place]
            return kept[::-1], sum(len(Chain((one,)).fed) for one in older)
        kept.append(segment)
        count += fed
    return kept[::-1], 0


class _Configs:
    """The configs of a comparison; what is computed of them serves all chains."""

    def __init__(self, old: OldConfig, new: Config) -> None:
        self.old, self.new = old.config, new
        self.old_id, self.old_table = old.id, old.table
        self.new_table = compile_table(new)
        self.renames = find_renames(self.old, new)
        self.lost_output = lost_output(self.old, new)


def _compare_chain(
    configs: _Configs, chain: Chain, base_s: float, known: Sequence[PlayedBefore], timers: int
) -> ComparedChain:
    old, new, renames = configs.old, configs.new, configs.renames
    is_checked = chain.config_id == configs.old_id
    before = next((one for one in known if one.config is old and one.chain == chain), None)
    if before is None:
        before = _play_before(old, configs.old_table, chain, timers, is_checked=is_checked)
    after = Playback(
        chain,
        new,
        table=configs.new_table,
        recorded_with=configs.old_table if is_checked else None,
        renames=renames,
        lost_output=configs.lost_output,
        timers=timers,
    ).play(before.answers)
    reached = 0 if before.problem else min(before.reached, after.reached)
    fired = rename_modes(before.fired, renames)
    would_fire = Firings(after, new).fired
    outcome = Outcome() if before.problem else compare(fired, would_fire, reached)
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
        max(before.timers_used, after.timers_used()),
        min(before.reached, after.reached) < len(chain.fed),
    )


def _play_before(
    old: Config, table: Table, chain: Chain, timers: int, *, is_checked: bool
) -> PlayedBefore:
    played = Playback(chain, old, table=table, exact=is_checked, timers=timers).play()
    unfinished = chain.segments[0].start.unfinished
    problem = _deviation(chain, played) if is_checked else None
    if unfinished:
        problem = f"when this part of the recording begins, {unfinished[0]}"
    fired = Firings(played, old).fired
    return PlayedBefore(
        chain,
        old,
        played.source_events,
        fired,
        played.answers,
        played.reached,
        frozenset(played.touches),
        problem,
        played.timers_used(),
    )


def _deviation(chain: Chain, played: Playback) -> str | None:
    """Return why a playback is not what really happened, or None when it is."""
    recorded = [
        (entry.time, entry.sequence, effect)
        for entry in chain.entries()
        for effect in entry.effects
    ]
    reproduced = [
        (one.trace.time, recorded_effect(effect))
        for one in played.traces
        for effect in one.trace.effects
    ]
    end_s = max((entry.time for entry in chain.entries()), default=chain.segments[0].start.time)
    reproduced = [(time, effect) for time, effect in reproduced if time <= end_s]
    start_s = chain.segments[0].start.time
    for place, (time, _, effect) in enumerate(recorded):
        if place >= len(reproduced) or reproduced[place][1] != effect:
            return (
                f"{time - start_s:.1f} s into it, {effect.scope} #{effect.row} did"
                f" {effect.action_type}, and playing the recording again does not give the same"
            )
    if len(reproduced) > len(recorded) and not played.is_cut:
        time, effect = reproduced[len(recorded)]
        return (
            f"{time - start_s:.1f} s into it, playing the recording again does"
            f" {effect.action_type} ({effect.scope} #{effect.row}), which really was not done"
        )
    return None


def compare(before: list[Fired], after: list[Fired], reached: int) -> Outcome:
    """Match firings for the same input that do the same: first those at the same time."""
    outcome = Outcome()
    waiting: dict[int, list[Fired]] = {}
    for one in after:
        if one.source < reached:
            waiting.setdefault(one.source, []).append(one)
    elsewhen: list[Fired] = []
    for one in before:
        rivals = waiting.get(one.source, [])
        same = next((each for each in rivals if _is_unchanged(one, each)), None)
        if same is not None:
            rivals.remove(same)
            outcome.unchanged += 1
        elif one.source < reached:
            elsewhen.append(one)
    for one in elsewhen:
        rivals = waiting.get(one.source, [])
        moved = next((each for each in rivals if _is_moved(one, each)), None)
        if moved is not None:
            rivals.remove(moved)
            outcome.moved.append((one, moved))
        else:
            outcome.vanish.append(one)
    outcome.appear = sorted((one for each in waiting.values() for one in each), key=_order)
    return outcome


def _is_unchanged(one: Fired, other: Fired) -> bool:
    return abs(one.time - other.time) * 1000 <= SAME_TIME_MS and one.does_the_same(other)


def _is_moved(one: Fired, other: Fired) -> bool:
    return abs(one.time - other.time) * 1000 > SAME_TIME_MS and one.calls() == other.calls()


def _order(one: Changed) -> tuple[float, int]:
    return one.time, one.source


def describe_comparison(old: Config, new: Config, comparison: Comparison) -> Replay:
    """Return a comparison as it is shown and sent."""
    played = [one for one in comparison.chains if _touches(one)]
    if not played:
        return Replay(
            events=0,
            seconds=0,
            unchanged=0,
            summary=NOTHING_PLAYED,
            not_covered=not_covered(old, new, comparison_inputs(comparison)),
        )
    outcome = _joined(played)
    problems = [one for one in played if one.cannot_tell]
    seconds = sum(_duration_s(one) for one in played if not one.cannot_tell)
    cut = [one for one in played if one.is_cut and not one.cannot_tell]
    reason = cannot_tell_words(
        [(one.cannot_tell or "", _duration_s(one)) for one in problems]
        + [(TOO_MANY_STEPS, _unplayed_s(one)) for one in cut],
        is_all=len(problems) == len(played),
    )
    words = summary(outcome, seconds, listed=LISTED, left_out=comparison.left_out)
    parts = [reason or ""] if len(problems) == len(played) else [words, reason or ""]
    return Replay(
        events=sum(_told_inputs(one) for one in played),
        seconds=round(seconds, 3),
        unchanged=outcome.unchanged,
        appear=tuple(_firing(one) for one in outcome.appear[:LISTED]),
        vanish=tuple(_firing(one) for one in outcome.vanish[:LISTED]),
        moved=tuple((_firing(a), _firing(b)) for a, b in outcome.moved[:LISTED]),
        summary=" ".join(part for part in parts if part),
        is_checked=all(one.is_checked and not one.cannot_tell for one in played),
        cannot_tell=reason,
        not_covered=not_covered(old, new, comparison_inputs(comparison)),
    )


def _joined(played: Sequence[ComparedChain]) -> Outcome:
    """Return the outcomes of all chains as one, with times from the first input on."""
    start_s = played[0].base_s + _first_time(played[0])
    joined, sources = Outcome(), 0
    for one in played:
        shift_s, outcome = one.base_s - start_s, one.outcome

        def shifted(each: Changed, shift_s: float = shift_s, sources: int = sources) -> Changed:
            source = each.source + sources if each.source >= 0 else each.source
            return Shifted(each.time + shift_s, source, each.candidate, each.event)

        joined.unchanged += outcome.unchanged
        joined.appear += map(shifted, outcome.appear)
        joined.vanish += map(shifted, outcome.vanish)
        joined.moved += [(shifted(a), shifted(b)) for a, b in outcome.moved]
        sources += len(one.inputs)
    return joined


def lost_output(old: Config, new: Config) -> str:
    """Return the virtual output that the old config has and the new one has not; empty for none."""
    own = old.settings.engine.virtual_output
    return "" if own == new.settings.engine.virtual_output else own


def comparison_inputs(comparison: Comparison) -> list[Segment]:
    """Return the segments that were compared."""
    return [segment for one in comparison.chains for segment in one.chain.segments]


def _touches(one: ComparedChain) -> bool:
    return any(event.kind in CONTROL_CLASS for event in one.inputs) or one.cannot_tell is not None


def _unplayed_s(one: ComparedChain) -> float:
    """Return how long the part is that was not played."""
    rest = one.inputs[one.reached :] or one.inputs[-1:]
    entries = [entry.time for entry in one.chain.entries()]
    return max(0.0, max(entries, default=0.0) - (rest[0].time if rest else 0.0))


def _inputs_only(events: Sequence[InputEvent]) -> Iterator[InputEvent]:
    return (event for event in events if event.kind not in ("timer", "completed"))


def _told_inputs(one: ComparedChain) -> int:
    return 0 if one.cannot_tell else sum(1 for _ in _inputs_only(one.inputs[: one.reached]))


def _first_time(one: ComparedChain) -> float:
    return next(_inputs_only(one.inputs), one.inputs[0]).time


def _duration_s(one: ComparedChain) -> float:
    times = [event.time for event in _inputs_only(one.inputs[: one.reached or None])]
    return max(times) - min(times) if times else 0.0


def _firing(one: Changed) -> Firing:
    ref = one.candidate.ref
    action = ref.mapping.action.to_plain()
    return Firing(
        time_ms=round(one.time * 1000, 3),
        scope=ref.scope,
        index=ref.index,
        description=ref.mapping.description or action_words(action),
        action=action,
        event=event_words(one.event),
    )
