"""Commands of the sandbox, in which a page runs code of the assistant and reports the result."""

from pydantic import Field

from conductor.bridge.models import Empty
from conductor.bridge.registry import command
from conductor.bridge.services import Call
from conductor.domain.code import CodeRun, CodeTask
from conductor.domain.value import Value

RunId = Field(min_length=1, max_length=64)


class BeginCodeParams(Value):
    run_id: str = RunId


class BeginCodeResult(Value):
    task: CodeTask | None
    """The code to run. None if another page has accepted the run, or if the run is over."""


class CodeResultParams(CodeRun):
    run_id: str = RunId


class CodeResultReceipt(Value):
    taken: bool
    """Whether the result was accepted. False if the run is over or belongs to another page."""


@command("code.ready")
async def report_page_ready(params: Empty, call: Call) -> Empty:
    """Report that a page has loaded. Runs that it accepted before it was reloaded fail."""
    call.services.code.fail_page_runs(call.page)
    return Empty()


@command("code.begin")
async def begin_run(params: BeginCodeParams, call: Call) -> BeginCodeResult:
    """Accept a run of code for this page, unless another page has accepted it."""
    return BeginCodeResult(task=call.services.code.accept_run(params.run_id, call.page))


@command("code.done")
async def report_run_result(params: CodeResultParams, call: Call) -> CodeResultReceipt:
    """Report the result of a run of code to the assistant. Only the page that accepted the run may do this."""
    result = CodeRun(**params.model_dump(exclude={"run_id"}))
    return CodeResultReceipt(taken=call.services.code.set_result(params.run_id, call.page, result))
