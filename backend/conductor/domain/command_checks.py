"""Finds actions that `allow_shell` disables, and approval forms that no client can fill in."""

from collections.abc import Iterable, Iterator

from conductor.domain.actions import ActionBase, walk_actions
from conductor.domain.actions.shell import ShellAction
from conductor.domain.config import Config, Mapping


def explain_disabled_command(action: ActionBase) -> str:
    """Return why an action may not run a command while `allow_shell` is off, and what
    to change so that it may.
    """
    if isinstance(action, ShellAction):
        return "Shell actions are off; set `settings.engine.allow_shell = true` to let them run"
    return (
        "a Launch with arguments, or of an interpreter, counts as Shell, and Shell actions are off: set"
        " `settings.engine.allow_shell = true` to let it run, or name an app, a file or a link alone"
    )


def find_disabled_commands(
    config: Config, placed: Iterable[tuple[str, Mapping]]
) -> Iterator[tuple[str, str]]:
    """Yield the path of each action that is disabled because `allow_shell` is off,
    with a message for the user.
    """
    if config.settings.engine.allow_shell:
        return
    for path, mapping in placed:
        off = dict.fromkeys(
            explain_disabled_command(action)
            for action in walk_actions(mapping.action)
            if action.runs_command()
        )
        yield from ((f"{path}.action", message) for message in off)


def find_forms_without_clients(config: Config) -> Iterator[tuple[str, str]]:
    """Yield a warning if approval forms are enabled but no client is listed for them, as in older configs."""
    if config.llm.mcp.approval == "elicit_or_gui" and not config.llm.mcp.form_clients:
        what_to_do = "name yours there, as `name at /path/of/its/program`, or leave `approval` out"
        yield (
            "llm.mcp.approval",
            f"forms approve only for clients in `llm.mcp.form_clients`, which is empty: {what_to_do}",
        )
