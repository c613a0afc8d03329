"""In the demo, whose config is read-only, the commands that save something are refused before they begin."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from conductor.bridge.commands import COMMANDS
from conductor.errors import NotAvailable

SAVING = (
    *("config.commit", "config.undo", "config.redo", "history.restore", "history.restore_mapping"),
    "backup.restore",
    *("knowledge.update_index", "knowledge.add_profile", "knowledge.remove_profile"),
    *("devices.keep_profile", "keys.put", "keys.delete", "keys.create"),
    *("servers.add", "servers.update", "servers.remove", "servers.enable", "servers.consent"),
    *("servers.start", "servers.restart", "servers.test", "servers.sign_in", "servers.sign_out"),
    *("servers.tool", "servers.accept_change", "servers.import"),
    *("skills.install", "skills.remove"),
)


class UnreadParams:
    """Parameters whose values do not matter, because the call is refused first."""

    def __getattr__(self, name: str) -> None:
        return None


def run_command(name: str, call: Any) -> None:
    result = COMMANDS[name].run(UnreadParams(), call)
    if COMMANDS[name].is_async:
        asyncio.run(result)


@pytest.mark.parametrize("name", SAVING)
def test_a_command_that_saves_is_refused_in_the_demo(name: str) -> None:
    services = SimpleNamespace(app=SimpleNamespace(read_only_reason="the demo does not save"))
    with pytest.raises(NotAvailable, match="the demo does not save"):
        run_command(name, SimpleNamespace(services=services))
