"""Plays the kept examples after every change of the config, in a thread of its own, and tells what broke.

All ways to change the config end in `ConfigStore.on_change`: plans, the window, undo, an editor, a restored
version. A change that was made while Conductor did not run is found at the start.
"""

import logging
import queue
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from conductor.config.store import ConfigStore
from conductor.domain.config import Config
from conductor.errors import ConductorError, NotAvailable

if TYPE_CHECKING:
    from conductor.domain.examples import ExampleResult
    from conductor.storage.examples import Examples
    from conductor.storage.history import History

log = logging.getLogger(__name__)

TOLD_AT_MOST = 3
"""Of the examples that one change broke; `conductor test` lists all."""


class Change(NamedTuple):
    """A change of the config that the examples are to be played on."""

    old: Config | None
    """None: the version that they were last played on, from the history."""
    new: Config
    hash: str
    reason: str


class ExampleWatch:
    """`notify` shows a sentence to the user, `withdraw` takes one back that is no longer true.

    `settle` returns once no plan is being applied: a plan replaces examples after its change is made,
    and one that it replaces must not be told of.
    """

    def __init__(
        self,
        store: ConfigStore,
        examples: "Callable[[], Examples]",
        history: "Callable[[], History]",
        withdraw: Callable[[str], None],
        settle: Callable[[], None],
    ) -> None:
        self._store = store
        self._examples = examples
        self._history = history
        self._withdraw = withdraw
        self._settle = settle
        self._notify: Callable[[str], None] = log.warning
        self._notify_break: Callable[[str, str], None] | None = None
        self._config = store.current
        self._jobs: queue.Queue[Change | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._told: dict[str, str] = {}
        """The sentence about each example that is broken."""

    def start(
        self,
        notify: Callable[[str], None],
        notify_break: Callable[[str, str], None] | None = None,
    ) -> None:
        """Begin, with what was changed since the examples were last played.

        `notify_break` is called instead of `notify` for a break that undo takes back, with its config's hash.
        """
        self._notify, self._notify_break = notify, notify_break
        self._config = self._store.current
        self._thread = threading.Thread(target=self._work, name="examples", daemon=True)
        self._thread.start()
        self._jobs.put(Change(None, self._config, self._store.hash, "while Conductor did not run"))

    def config_changed(self, config: Config, reason: str) -> None:
        """Queue a check of the examples against the new config.

        Called in the thread that made the change, so that a rename is in the examples when it returns.
        """
        old, self._config = self._config, config
        if self._thread is None:
            return
        if any(config.mode(mode.name) is None for mode in old.modes):
            self._carry_over(old, config)
        self._jobs.put(Change(old, config, self._store.hash, reason))

    def close(self) -> None:
        """End the thread; what still waits is found at the next start."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join(timeout=2.0)

    def wait(self) -> None:
        """Return once the examples are played on every change so far."""
        self._jobs.join()

    def _carry_over(self, old: Config, new: Config) -> None:
        try:
            examples = self._examples()
            from conductor.tools.kept_examples import carry_over

            carry_over(old, new, examples)
        except NotAvailable as error:
            log.warning("kept examples cannot be renamed: %s", error)
        except (
            Exception
        ):  # the config is written already: a mistake here must not look like a refusal
            log.exception("kept examples could not be renamed")

    def _work(self) -> None:
        while True:
            change = self._jobs.get()
            try:
                if change is None:
                    return
                self._check(change)
            except ConductorError as error:
                log.warning("kept examples could not be played: %s", error)
            except Exception:  # a mistake here must not end the checks of later changes
                log.exception("kept examples could not be played")
            finally:
                self._jobs.task_done()

    def _check(self, change: Change) -> None:
        self._settle()
        examples = (
            self._examples()
        )  # first: it imports the database's library, one thread at a time
        from conductor.tools.kept_examples import break_words, find_breaks, pin_older

        old = change.old
        if old is None:
            old = self._last_played(examples, change)
            pin_older(change.new, examples)
        kept = examples.all()
        results, broken = find_breaks(old, change.new, kept)
        examples.record_breaks(change.hash, broken)
        self._withdraw_mended(results)
        for one in broken[:TOLD_AT_MOST]:
            self._told[one.example.name] = text = break_words(one, change.reason)
            # An undo is taken back by redo, and what happened before the start may not be the last version.
            if self._notify_break and change.old is not None and change.reason != "undo":
                self._notify_break(text, change.hash)
            else:
                self._notify(text)
        if len(broken) > TOLD_AT_MOST:
            more = len(broken) - TOLD_AT_MOST
            self._notify(f"It broke {more} more of your examples; `conductor test` lists them")

    def _last_played(self, examples: "Examples", change: Change) -> Config:
        """Return the config that the examples were last played on, with its renames carried over."""
        from conductor.config.parse import read
        from conductor.tools.kept_examples import carry_over

        checked = examples.checked_hash()
        version = None
        if checked is not None and checked != change.hash:
            version = self._history().find_by_hash(checked)
        if version is None:
            return change.new
        old = read(version.text).config
        carry_over(old, change.new, examples)
        return old

    def _withdraw_mended(self, results: "tuple[ExampleResult, ...]") -> None:
        for one in results:
            if one.passed and one.example.name in self._told:
                self._withdraw(self._told.pop(one.example.name))
