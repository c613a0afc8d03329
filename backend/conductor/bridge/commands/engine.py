"""Commands for the engine: switch the mode, panic, pause, restart, and test an action."""

import asyncio
import logging

from pydantic import Field

from conductor.bridge.models import Empty
from conductor.bridge.registry import command
from conductor.bridge.services import Call
from conductor.domain.actions import TopLevelAction
from conductor.domain.engine_protocol import Pause
from conductor.domain.value import Value
from conductor.errors import InvalidParams, NotAvailable
from conductor.storage.prefs import PAUSED_KEY, update_prefs

log = logging.getLogger(__name__)


class SwitchModeParams(Value):
    mode: str = Field(max_length=64)


class PauseMappingsParams(Value):
    paused: bool


class TestActionParams(Value):
    action: TopLevelAction


@command("modes.switch", "stateful")
async def switch_mode(params: SwitchModeParams, call: Call) -> Empty:
    """Activate another mode in the running engine. The config is not changed."""
    await call.services.runtime.switch_mode(params.mode)
    return Empty()


@command("engine.panic", "stateful")
def release_everything(params: Empty, call: Call) -> Empty:
    """Release all held keys and notes, and stop all running actions."""
    call.services.runtime.panic()
    return Empty()


@command("engine.pause", "stateful")
async def pause_mappings(params: PauseMappingsParams, call: Call) -> Empty:
    """Pause all mappings or resume them. Input is still shown while they are paused.

    A pause outlives a restart of Conductor.
    """
    if not params.paused:
        call.services.engine.pause_lease.drop_holders()
    await asyncio.to_thread(_pause_mappings, params, call)
    return Empty()


def _pause_mappings(params: PauseMappingsParams, call: Call) -> None:
    call.services.engine.send_request(Pause(params.paused))
    if not call.services.app.demo:
        try:
            update_prefs(call.services.app.home, {PAUSED_KEY: params.paused or None})
        except (NotAvailable, InvalidParams) as error:
            log.warning("the pause will not outlive a restart: %s", error)


@command("engine.restart", "stateful")
def restart_engine(params: Empty, call: Call) -> Empty:
    """Restart the engine process. All held keys are released first."""
    call.services.engine.restart_engine()
    return Empty()


@command("actions.test", "privileged")
def test_action(params: TestActionParams, call: Call) -> Empty:
    """Perform an action once, as if a control had triggered it."""
    call.services.engine.perform_action(params.action)
    return Empty()
