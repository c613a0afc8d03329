"""Commands of the sandbox: a page takes a run of code, and says how it ended."""

from pydantic import Field

from conductor.bridge.models import Nothing
from conductor.bridge.registry import command
from conductor.bridge.services import Call
from conductor.domain.code import CodeRun, CodeTask
from conductor.domain.value import Value

RunId = Field(min_length=1, max_length=64)


class BeginCode(Value):
    run_id: str = RunId


class BegunCode(Value):
    task: CodeTask | None
    """None: another page has it, or it is over."""


class CodeDone(CodeRun):
    run_id: str = RunId


class CodeTaken(Value):
    taken: bool
    """False: the run is over, or was never this page's."""


@command("code.ready")
async def ready(params: Nothing, call: Call) -> Nothing:
    """A page has just been loaded: what it was running before is lost."""
    call.desk.code.left(call.page)
    return Nothing()


@command("code.begin")
async def begin(params: BeginCode, call: Call) -> BegunCode:
    """Take a run, unless another page was first."""
    return BegunCode(task=call.desk.code.begin(params.run_id, call.page))


@command("code.done")
async def done(params: CodeDone, call: Call) -> CodeTaken:
    """Return how a run of this page ended."""
    how = CodeRun(**params.model_dump(exclude={"run_id"}))
    return CodeTaken(taken=call.desk.code.done(params.run_id, call.page, how))
