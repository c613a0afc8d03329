"""A store, history and database for tests of plans."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path

from tests.support.in_one_call import compare_overlaps

from conductor.config.plans import Plans
from conductor.config.store import ConfigStore
from conductor.domain.change_kinds import CreateMode
from conductor.domain.change_proof import ChangeProof
from conductor.domain.config import Config
from conductor.domain.control_names import NO_CONTROL_NAMES
from conductor.domain.coverage import Coverage
from conductor.domain.impact import Impact
from conductor.domain.plan import (
    Example,
    ExampleResult,
    Replay,
    Requester,
    StoredPlan,
)
from conductor.errors import (
    ActionFailed,
)
from conductor.storage.database import Database
from conductor.storage.examples import Examples
from conductor.storage.history import History
from conductor.storage.plans import SqlPlanStore

TEXT = '# mine\n[[modes]]\nname = "Default" # first\n'
USER = Requester(caller="window")
AGENT = Requester(caller="mcp", client="agent", pid=4, executable="/usr/bin/agent")
NEW_MODE = (CreateMode(name="DJ"),)


class World:
    """A config with everything that plans need, and an adjustable clock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.database = Database(folder / "conductor.db")
        self.kept = Examples(self.database)
        self.history = History(self.database)
        self.performed: list[StoredPlan] = []
        self.fails = False
        self.gestures: dict[str, Callable[[str, Coverage], bool]] = {}
        """The `publish` callback of each plan's gestures."""
        self.coverage: list[tuple[str, Coverage]] = []
        """What was published about the gestures of plans."""
        self.is_known = True
        self.names = NO_CONTROL_NAMES
        self.running: set[int] = set()
        """The ids of running processes."""
        (folder / "config.toml").write_text(TEXT)
        self.start()

    def start(self, locked_because: str | None = None) -> Plans:
        self.store = ConfigStore(self.folder / "config.toml", lambda: self.history)
        self.store.load_file()
        self.store.open_history()
        self.plans = Plans(
            self.store,
            self,
            lambda: SqlPlanStore(self.database),
            self.perform,
            now=lambda: self.now,
            on_coverage=lambda plan_id, coverage: self.coverage.append((plan_id, coverage)),
            locked_because=locked_because,
            runs=lambda pid: pid in self.running,
            read_names=lambda: self.names,
        )
        return self.plans

    def perform(self, stored: StoredPlan) -> bool:
        if self.fails:
            raise ActionFailed("no screen")
        self.performed.append(stored)
        return self.is_known

    def prove(self, old: Config, new: Config, examples: tuple[Example, ...] = ()) -> ChangeProof:
        kept = self.kept.list_examples()
        held = tuple(one.example for one in self.examples(old, kept) if one.passed)
        return ChangeProof(
            impact=Impact(summary="May change: note 36"),
            coverage=Coverage(),
            overlaps=tuple(compare_overlaps(old, new)),
            replay=Replay(events=0, seconds=0, unchanged=0),
            examples=self.examples(new, examples),
            broken_examples=tuple(one for one in self.examples(new, held) if not one.passed),
        )

    def pause_gestures(self) -> AbstractContextManager[None]:
        return nullcontext()

    def play_gestures(
        self, plan_id: str, old: Config, new: Config, publish: Callable[[str, Coverage], bool]
    ) -> None:
        self.gestures[plan_id] = publish

    def examples(self, config: Config, examples: tuple[Example, ...]) -> tuple[ExampleResult, ...]:
        """Return a passed result if the config has the mode that the example names."""
        return tuple(
            ExampleResult(
                example=one, passed=config.find_mode(one.name) is not None, problem="no mode"
            )
            for one in examples
        )

    def store_examples(self, plan_id: str, examples: tuple[Example, ...], config: Config) -> None:
        self.kept.add_examples(plan_id, examples)

    def modes(self) -> list[str]:
        return [mode.name for mode in self.store.current_config.modes]
