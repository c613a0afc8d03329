"""Plays the saved examples in a background thread after every change of the config, and reports those that
broke.

`ConfigStore.on_change` reports every change: by a plan, the window, undo, an editor or a restored version.
A change that was made while Conductor was not running is checked at the next start.
"""

import logging
import queue
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from conductor.config.store import ConfigStore
from conductor.domain.config import Config
from conductor.errors import ConductorError, NotAvailable
from conductor.runtime.notices import Notices

if TYPE_CHECKING:
    from conductor.storage.examples import Examples
    from conductor.storage.history import History

log = logging.getLogger(__name__)

MAX_REPORTED_EXAMPLES = 3
"""The maximum number of notices for one change. `conductor test` lists all broken examples."""

UNLISTED_EXAMPLES_NOTICE_KEY = "examples"
"""The key of the notice that counts the broken examples without a notice of their own."""


class ConfigChange(NamedTuple):
    """A change of the config, after which the examples must be checked."""

    old: Config | None
    """The config before the change. None stands for the last version in the history that was checked."""
    new: Config
    hash: str
    reason: str


class DeletedExample(NamedTuple):
    """An example that was deleted, so that its notice must be withdrawn."""

    name: str


class ExampleWatcher:
    """Checks the saved examples in a background thread.

    A plan replaces examples after it has changed the config, and a replaced example must not be reported as
    broken. Therefore `wait_for_plans` is called first, which waits until no plan is being applied.
    """

    def __init__(
        self,
        store: ConfigStore,
        examples: "Callable[[], Examples]",
        history: "Callable[[], History]",
        notices: Notices,
        wait_for_plans: Callable[[], None],
    ) -> None:
        self._store = store
        self._examples = examples
        self._history = history
        self._notices = notices
        self._wait_for_plans = wait_for_plans
        self._config = store.current_config
        self._reported: set[str] = set()
        """The names of the broken examples that have a notice of their own."""
        self._unlisted: set[str] = set()
        """The names of the broken examples that are only counted in a notice."""
        self._jobs: queue.Queue[ConfigChange | DeletedExample | None] = queue.Queue()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, and check the changes since the examples were last played."""
        self._config = self._store.current_config
        self._thread = threading.Thread(target=self._run_checks, name="examples", daemon=True)
        self._thread.start()
        self._jobs.put(
            ConfigChange(
                None, self._config, self._store.config_hash, "while Conductor was not running"
            )
        )

    def on_config_change(self, config: Config, reason: str) -> None:
        """Queue a check of the examples on the new config.

        Modes that the change renamed are updated in the examples at once, in the thread that made the
        change.
        """
        old, self._config = self._config, config
        if self._thread is None:
            return
        if any(config.find_mode(mode.name) is None for mode in old.modes):
            self._rename_in_examples(old, config)
        self._jobs.put(ConfigChange(old, config, self._store.config_hash, reason))

    def delete_example(self, name: str) -> bool:
        """Delete an example and withdraw its notice. Return whether the example existed.

        Raises:
            NotAvailable: The database cannot be opened.
        """
        existed = self._examples().delete_example(name)
        # the thread withdraws the notice, because it may be about to report the example
        self._jobs.put(DeletedExample(name))
        return existed

    def close(self) -> None:
        """Stop the thread. Changes that were not checked yet are checked at the next start."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join(timeout=2.0)

    def wait_until_checked(self) -> None:
        """Wait until all changes so far are checked."""
        self._jobs.join()

    def _rename_in_examples(self, old: Config, new: Config) -> None:
        try:
            examples = self._examples()
            from conductor.tools.stored_examples import rename_modes_in_examples

            rename_modes_in_examples(old, new, examples)
        except NotAvailable as error:
            log.warning("could not update renamed modes in the saved examples: %s", error)
        except Exception:
            # the config is already written, so the change must not be reported as refused
            log.exception("could not rename modes in the saved examples")

    def _run_checks(self) -> None:
        while True:
            change = self._jobs.get()
            try:
                if change is None:
                    return
                if isinstance(change, DeletedExample):
                    self._withdraw_notices((self._reported | self._unlisted) - {change.name})
                else:
                    self._check_change(change)
            except ConductorError as error:
                log.warning("could not play the saved examples: %s", error)
            except Exception:  # a failure must not prevent later checks
                log.exception("the saved examples could not be played")
            finally:
                self._jobs.task_done()

    def _check_change(self, change: ConfigChange) -> None:
        self._wait_for_plans()
        # first, because it imports the library of the database under a lock
        examples = self._examples()
        from conductor.engine.examples.play import ExamplePlayer
        from conductor.tools.stored_examples import (
            add_defaults_to_older_examples,
            describe_broken_example,
            find_broken_examples,
        )

        old = change.old
        if old is None:
            old = self._find_last_checked(examples, change)
            add_defaults_to_older_examples(change.new, examples)
        kept = examples.list_examples()
        results, broken = find_broken_examples(old, ExamplePlayer(change.new), kept)
        examples.record_breaks(change.hash, broken)
        self._withdraw_notices({row.example.name for row in results if not row.passed})
        for row in broken[:MAX_REPORTED_EXAMPLES]:
            # Undo cannot revert an undo, and a change from before the start may not be the last
            # one.
            is_undoable = change.old is not None and change.reason != "undo"
            self._reported.add(row.example.name)
            self._notices.show_warning(
                describe_broken_example(row, change.reason),
                key=_build_notice_key(row.example.name),
                undoes=change.hash if is_undoable else None,
            )
        if len(broken) > MAX_REPORTED_EXAMPLES:
            unlisted = {row.example.name for row in broken[MAX_REPORTED_EXAMPLES:]}
            self._unlisted |= unlisted
            text = f"It broke {len(unlisted)} more examples; `conductor test` lists them"
            self._notices.show_warning(text, key=UNLISTED_EXAMPLES_NOTICE_KEY)

    def _find_last_checked(self, examples: "Examples", change: ConfigChange) -> Config:
        """Return the last config that was checked, after updating modes in the examples that were renamed
        since then.
        """
        from conductor.config.parse import load_config_with_notes
        from conductor.tools.stored_examples import rename_modes_in_examples

        checked = examples.read_checked_hash()
        version = None
        if checked is not None and checked != change.hash:
            version = self._history().find_by_hash(checked)
        if version is None:
            return change.new
        old = load_config_with_notes(version.text).config
        rename_modes_in_examples(old, change.new, examples)
        return old

    def _withdraw_notices(self, failing: set[str]) -> None:
        """Withdraw the notices of all examples that are not in `failing`, because they pass again or were
        deleted.
        """
        for name in self._reported - failing:
            self._notices.withdraw_notice(_build_notice_key(name))
        self._reported &= failing
        self._unlisted &= failing
        if not self._unlisted:
            self._notices.withdraw_notice(UNLISTED_EXAMPLES_NOTICE_KEY)


def _build_notice_key(example: str) -> str:
    return f"example:{example}"
