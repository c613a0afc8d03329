"""Plays gestures through the real engine, and compares their effects on the computer with expected effects."""

import fnmatch
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.trace import Effect, Trace
from conductor.engine.runner import EffectRunner
from conductor.engine.script import ScriptedModeSwitch, parse_script
from conductor.engine.script_defaults import apply_script_defaults
from conductor.engine.simulate import Simulation
from conductor.errors import ActionFailed, BadScript
from conductor.evaluation.case import Check
from conductor.evaluation.recorder import RecordedAction, Recorder

CHECK_SETTLE_S = 61.0
TIME_TOLERANCE_MS = 40
REPEAT_MARK, ANYTHING_MARK = "...", "*..."
_TIME_SUFFIX_PATTERN = re.compile(r" @([0-9]+)$")


class GestureResult(NamedTuple):
    """What a played gesture did: its effects, the mode that was active afterwards, and
    the mappings that fired.
    """

    actions: list[RecordedAction]
    mode: str
    fired: frozenset[tuple[str, int]] = frozenset()
    """The mappings that fired, each as its scope and its index in the scope."""


def play_check(config: Config, check: Check) -> GestureResult:
    """Return the effects of playing the gesture of a check on a config.

    Raises:
        BadScript: the gesture cannot be played, for example because its mode does not exist.
    """
    items = list(
        apply_script_defaults(
            parse_script(check.play, device="", channel=0), _put_mode_first(config, check)
        )
    )
    if check.mode is not None:
        items.insert(0, ScriptedModeSwitch(check.mode, 0.0))
    simulation = Simulation(config)
    traces = simulation.play_items(items, settle_s=CHECK_SETTLE_S)
    fired = frozenset((ref.scope, ref.index) for trace in traces for ref in trace.fired)
    return GestureResult(record_actions(config, traces), simulation.state.mode, fired)


def _put_mode_first(config: Config, check: Check) -> Config:
    """Return the config with the mode of the check as the first mode, from which a script
    takes its default devices.
    """
    wanted = check.mode or config.get_start_mode()
    modes = sorted(config.modes, key=lambda mode: mode.name != wanted)
    return config.model_copy(update={"modes": tuple(modes)})


def record_actions(config: Config, traces: Iterable[Trace]) -> list[RecordedAction]:
    """Return the actions that the effects in traces perform; ports record them instead of performing them."""
    recorder = Recorder()
    runner = EffectRunner(
        recorder, _ignore_event, lambda _effect, _trace, reason: recorder.record_effect(reason)
    )
    runner.apply_settings(config.settings.engine)
    for trace in traces:
        recorder.at_ms = round(trace.event.time * 1000, 3)
        for effect in trace.effects:
            if not effect.action.blocking:
                runner.perform_effect(effect, trace.sequence)
            elif not _is_blocking_effect(config, effect):
                _perform_synchronously(effect, recorder)
    return recorder.list_actions()


def _ignore_event(_event: InputEvent) -> None:
    return


def _is_blocking_effect(config: Config, effect: Effect) -> bool:
    return effect.action.runs_command() and not config.settings.engine.allow_shell


def _perform_synchronously(effect: Effect, recorder: Recorder) -> None:
    """Perform an effect in this thread that a worker thread would normally perform."""
    try:
        effect.action.run(effect.fire, recorder)
    except ActionFailed as error:
        recorder.record_effect(f"failed: {error}")


def find_gesture_problem(config: Config, check: Check) -> str | None:
    """Return how the effects of a gesture differ from the expected effects, or None if they do not differ."""
    try:
        played = play_check(config, check)
    except BadScript as error:
        return f"`{check.play}`: {error}"
    words = ", ".join(action.words for action in played.actions) or "nothing"
    if not _match_actions(check.does, played.actions):
        wanted = ", ".join(check.does) or "nothing"
        return f"`{check.play}` should do {wanted}, but did {words}"
    if check.ends_in is not None and played.mode != check.ends_in:
        return f"`{check.play}` should end in mode {check.ends_in}, but ended in {played.mode}"
    return None


def _match_actions(wanted: Sequence[str], actions: Sequence[RecordedAction]) -> bool:
    last = wanted[-1] if wanted else ""
    if last in (REPEAT_MARK, ANYTHING_MARK):
        wanted = wanted[:-1]
        repeated = wanted[-1] if last == REPEAT_MARK else "*"
        wanted = [*wanted, *[repeated] * (len(actions) - len(wanted))]
    return len(wanted) == len(actions) and all(map(_matches_action, wanted, actions))


def _matches_action(wanted: str, action: RecordedAction) -> bool:
    at = _TIME_SUFFIX_PATTERN.search(wanted)
    if at is not None and abs(action.at_ms - int(at[1])) > TIME_TOLERANCE_MS:
        return False
    words = action.words.casefold()
    return any(
        fnmatch.fnmatchcase(words, one.strip())
        for one in _TIME_SUFFIX_PATTERN.sub("", wanted).casefold().split(" or ")
    )
