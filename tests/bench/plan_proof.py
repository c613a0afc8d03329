"""Time of a plan with its proof, in one piece: what an agent or the user waits for after asking for a change.

The parts are those of the running app: a file, the recording with its files, the database, examples, replay,
conflicts and impact. The gestures of one plan wait in the background while the next is worked out.
"""

import gc
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.live_set import KEYS, MODES, PADS, Performance, build_config, play_ten_minutes
from tests.bench.rows import Row, ms
from tests.bench.service import pause

from conductor.config.document import render_config
from conductor.config.plans import Plans
from conductor.config.store import ConfigStore
from conductor.domain.change_kinds import Change, CreateMapping, DeleteMapping, UpdateMapping
from conductor.domain.config import Config
from conductor.domain.engine_protocol import ReadRecording
from conductor.domain.engine_replies import RecordingPart
from conductor.domain.examples import Example, ExpectedAction
from conductor.domain.plan import ConfigPlan, Requester
from conductor.engine.conflicts.analysis import ConflictFinder
from conductor.engine.recording.pull import read_recording_part
from conductor.runtime.recording import RecordingStore
from conductor.storage.database import Database
from conductor.storage.examples import Examples
from conductor.storage.history import History
from conductor.storage.plans import SqlPlanStore
from conductor.storage.recordings import RecordingFiles
from conductor.tools.change_prover import ReplayChangeProver

PLAN_AIM_MS = 400.0
WHOLE_AIM_MS = 1_000.0
CHANGED_AIM_MS = 50.0
EXAMPLES_KEPT = 6
AGENT = Requester(caller="mcp", client="bench", pid=1, executable="/usr/bin/bench")
USER = Requester(caller="window")


class World(NamedTuple):
    store: ConfigStore
    plans: Plans
    recording: RecordingStore
    entries: int


@contextmanager
def world() -> Generator[World]:
    """Build the parts of an app that has recorded ten minutes of playing, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="conductor-bench-") as folder:
        home = Path(folder)
        home.chmod(0o700)
        (home / "config.toml").write_text(render_config(build_config()))
        database = Database(home / "conductor.db")
        store = ConfigStore(home / "config.toml", lambda: History(database))
        store.load_file()
        store.open_history()
        performance = Performance(store.current_config)

        def ask(place: ReadRecording) -> RecordingPart:
            return json.loads(json.dumps(read_recording_part(performance.recorder, *place)))

        settings = store.current_config.settings.engine
        files = RecordingFiles(home / "recording")
        recording = RecordingStore(ask, lambda: None, lambda _text: None, files, settings)
        performance.play(play_ten_minutes())
        examples = Examples(database)
        prover = ReplayChangeProver(recording.read_recording, lambda: examples)
        prover.store_examples("earlier", _examples(73, 73 + EXAMPLES_KEPT), store.current_config)
        plans = Plans(store, prover, lambda: SqlPlanStore(database), lambda _plan: True)
        try:
            kept = recording.read_recording()
            yield World(store, plans, recording, sum(len(one.entries) for one in kept.segments))
        finally:
            prover.close()
            database.close()


def measure(plans: int) -> list[Row]:
    """Return the rows of plans: the first after a start, those after it; then those of conflicts."""
    with world() as it:
        first = _plan_ms(it, _changes(it.store.current_config, 0))
        later = sorted(
            _plan_ms(it, _changes(it.store.current_config, n)) for n in range(1, plans + 1)
        )
    p50 = statistics.median(later)
    p99 = later[len(later) * 99 // 100]
    name = f"plan with proof: 1,000 mappings, {it.entries:,} recorded steps"
    figures = {"p50_ms": p50, "p99_ms": p99, "all_ms": later}
    return [
        Row(
            name,
            f"p50 {ms(p50)} p99 {ms(p99)} ms of {len(later)}",
            f"p50 < {PLAN_AIM_MS:.0f} ms",
            p50 < PLAN_AIM_MS,
            figures,
        ),
        Row("plan with proof: the first after a start", f"{ms(first)} ms", figures={"ms": first}),
        *conflict_rows(plans),
    ]


def _plan_ms(it: World, changes: tuple[Change, ...]) -> float:
    """Propose a change with an example, and return what that took up to its text for the agent."""
    plan, taken_ms = _timed(lambda: _proposed(it.plans, changes, _examples(72, 73)))
    if plan.replay is None or plan.replay.cannot_tell or not plan.replay.events:
        raise AssertionError(f"the replay says nothing: {plan.replay}")
    it.plans.reject_plan(plan.plan_id, USER)
    pause(0.05)  # the thread of the gestures ends the slice that it has begun
    return taken_ms


def _examples(first: int, end: int) -> tuple[Example, ...]:
    return tuple(
        Example(
            name=f"tap {note}",
            gesture=f"tap {note}",
            expect=(ExpectedAction(type="SendMidi"),),
            device=KEYS,
        )
        for note in range(first, end)
    )


def _proposed(
    plans: Plans, changes: tuple[Change, ...], examples: tuple[Example, ...]
) -> ConfigPlan:
    plan = plans.get_plan(plans.propose_plan(changes, AGENT, examples).plan_id)
    plan.model_dump_json()
    return plan


def _changes(config: Config, number: int) -> tuple[Change, ...]:
    """Return a change of one mapping, each time another one: created, changed or deleted."""
    chance = random.Random(number)
    mode = chance.choice(config.modes)
    index = chance.randrange(len(mode.mappings))
    trigger = {
        "type": "LongPress",
        "note": chance.randint(36, 67),
        "device": PADS,
        "duration_ms": 350,
    }
    action = {"type": "Keystroke", "keys": "f9"}
    match number % 4:
        case 0:
            raw = {"mode": mode.name, "mapping": {"trigger": trigger, "action": action}}
            return (CreateMapping.model_validate(raw),)
        case 1:
            return (DeleteMapping(mode=mode.name, index=index),)
        case 2:
            raw = {"mode": mode.name, "index": index, "trigger": trigger}
            return (UpdateMapping.model_validate(raw),)
        case _:
            raw = {"mode": mode.name, "index": index, "action": action}
            return (UpdateMapping.model_validate(raw),)


def conflict_rows(times: int) -> list[Row]:
    """Return the rows of conflicts: of a whole config, and when one mapping of it changes."""
    config = build_config()
    whole = sorted(_timed(lambda: ConflictFinder().find_conflicts(config))[1] for _ in range(5))
    finder = ConflictFinder()
    finder.find_conflicts(config)
    gc.collect()
    changed = sorted(_changed_ms(finder, config, number) for number in range(times))
    p50, p99 = statistics.median(changed), changed[len(changed) * 99 // 100]
    return [
        Row(
            "conflicts: 1,000 mappings",
            f"median {ms(statistics.median(whole))} max {ms(whole[-1])} ms of {len(whole)}",
            f"median < {WHOLE_AIM_MS:.0f} ms",
            statistics.median(whole) < WHOLE_AIM_MS,
            {"all_ms": whole},
        ),
        Row(
            "conflicts: one changed mapping",
            f"p50 {ms(p50)} p99 {ms(p99)} ms of {len(changed)}",
            f"p99 < {CHANGED_AIM_MS:.0f} ms",
            p99 < CHANGED_AIM_MS,
            {"p50_ms": p50, "p99_ms": p99, "all_ms": changed},
        ),
    ]


def _changed_ms(finder: ConflictFinder, config: Config, number: int) -> float:
    """Change one mapping and find the conflicts that are new; the config is built as an edit builds it."""
    scope = MODES[number % len(MODES)]
    note = 36 + number % 32
    trigger = {"type": "DoubleTap", "note": note, "device": PADS, "timeout_ms": 200 + number}
    new = config.model_copy(
        update={
            "modes": tuple(
                mode.model_copy(
                    update={
                        "mappings": (
                            mode.mappings[0].model_validate(
                                {**mode.mappings[0].model_dump(mode="json"), "trigger": trigger}
                            ),
                            *mode.mappings[1:],
                        )
                    }
                )
                if mode.name == scope
                else mode
                for mode in config.modes
            )
        }
    )
    return _timed(lambda: finder.find_new_conflicts(config, new))[1]


def _timed(do: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    found = do()
    return found, (time.perf_counter() - began) * 1000
