"""Applies a plan and dies by SIGKILL at the step that it is told: run by `test_crash.py`.

Usage: dying_apply.py HOME STEP before|after KIND
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from conductor.base import atomic, guarded_write
from conductor.config import config_file
from conductor.config.plans import Plans
from conductor.config.store import ConfigStore
from conductor.domain.change_kinds import CreateMode
from conductor.domain.change_proof import ChangeProof
from conductor.domain.config import Config
from conductor.domain.coverage import Coverage
from conductor.domain.impact import Impact
from conductor.domain.plan import (
    Example,
    ExampleResult,
    HistoryStep,
    Proposal,
    Requester,
    StoredPlan,
)
from conductor.storage.database import Database
from conductor.storage.examples import Examples
from conductor.storage.history import History
from conductor.storage.plans import SqlPlanStore

USER = Requester(caller="window")


class Prover:
    def __init__(self, kept: Examples) -> None:
        self._kept = kept

    def prove(self, old: Config, new: Config, examples: tuple[Example, ...] = ()) -> ChangeProof:
        passed = tuple(ExampleResult(example=one, passed=True) for one in examples)
        return ChangeProof(impact=Impact(), coverage=Coverage(), examples=passed)

    def pause_gestures(self) -> AbstractContextManager[None]:
        return nullcontext()

    def play_gestures(self, plan_id: str, old: Config, new: Config, publish: object) -> None:
        return

    def store_examples(self, plan_id: str, examples: tuple[Example, ...], config: Config) -> None:
        self._kept.add_examples(plan_id, examples)


def die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dying(step: Callable[..., Any], when: str) -> Callable[..., Any]:
    def run(*args: Any, **kwargs: Any) -> Any:
        if when == "before":
            die()
        result = step(*args, **kwargs)
        die()
        return result

    return run


STEPS: dict[str, tuple[Any, str]] = {
    "temporary file": (atomic.tempfile, "mkstemp"),
    "fsync": (atomic.os, "fsync"),
    "swap": (guarded_write, "swap_files"),
    "folder sync": (guarded_write, "sync_folder"),
    "write": (config_file, "replace_if_unchanged"),
    "history": (History, "add"),
    "history step": (History, "move_to"),
    "plan": (SqlPlanStore, "save"),
    "examples": (Examples, "add_examples"),
}


def plans_of(home: Path) -> tuple[Plans, ConfigStore, History]:
    """Open everything as a start of Conductor does."""
    database = Database(home / "conductor.db")
    history = History(database)
    config = ConfigStore(home / "config.toml", lambda: history)
    config.load_file()
    config.open_history()

    def perform(_: StoredPlan) -> bool:
        return True

    plans = Plans(config, Prover(Examples(database)), lambda: SqlPlanStore(database), perform)
    return plans, config, history


def main(home: Path, step: str, when: str, kind: str) -> None:
    plans, _, _ = plans_of(home)
    create: Proposal = (CreateMode(name="New"),)
    if kind == "undo":
        first = plans.propose_plan(create, USER)
        plans.approve_plan(first.plan_id, USER)
        plans.apply_plan(first.plan_id, USER)
    proposal = HistoryStep("undo") if kind == "undo" else create
    plan = plans.propose_plan(proposal, USER, (Example(name="kept", gesture="tap 1"),))
    plans.approve_plan(plan.plan_id, USER)
    owner, name = STEPS[step]
    setattr(owner, name, dying(getattr(owner, name), when))
    plans.apply_plan(plan.plan_id, USER)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:5])
