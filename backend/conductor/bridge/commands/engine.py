"""Commands for the engine: switch the mode, panic, pause, restart, and test an action."""

from pydantic import Field

from conductor.bridge.models import Nothing
from conductor.bridge.registry import command
from conductor.bridge.services import Call
from conductor.domain.actions import TopAction
from conductor.domain.engine_protocol import Pause
from conductor.domain.value import Value


class ModeParams(Value):
    mode: str = Field(max_length=64)


class PauseParams(Value):
    paused: bool


class TestParams(Value):
    action: TopAction


@command("modes.switch", "stateful")
async def switch_mode(params: ModeParams, call: Call) -> Nothing:
    """Switch the engine to another mode."""
    await call.services.runtime.switch_mode(params.mode)
    return Nothing()


@command("engine.panic", "stateful")
def release_everything(params: Nothing, call: Call) -> Nothing:
    """Release all keys and notes, and stop all running actions."""
    call.services.runtime.panic()
    return Nothing()


@command("engine.pause", "stateful")
def pause_mappings(params: PauseParams, call: Call) -> Nothing:
    """Pause or resume all mappings; events are still shown while they are paused."""
    call.services.engine.ask(Pause(params.paused))
    return Nothing()


@command("engine.restart", "stateful")
def restart_engine(params: Nothing, call: Call) -> Nothing:
    """Restart the engine process, which releases all held keys."""
    call.services.engine.restart()
    return Nothing()


@command("actions.test", "privileged")
def test_action(params: TestParams, call: Call) -> Nothing:
    """Perform an action once, as if a control had triggered it."""
    call.services.engine.perform_action(params.action)
    return Nothing()
