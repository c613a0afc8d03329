"""Commands about kept examples: the regression tests of the user's config."""

from pydantic import Field

from conductor.bridge.models import Nothing
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.plan import ExampleResult
from conductor.domain.value import Value
from conductor.errors import InvalidParams
from conductor.storage.examples import Examples


class ExampleList(Value):
    examples: tuple[ExampleResult, ...]
    """Each as it comes out under the running config."""


class ExampleRun(Value):
    results: tuple[ExampleResult, ...]
    passed: int
    failed: int


class ForgetParams(Value):
    name: str = Field(min_length=1, max_length=200)


@query("examples.list")
def list_examples(params: Nothing, call: Call) -> ExampleList:
    """Every kept example with its result: they play in no time, so it is always the present one."""
    return ExampleList(examples=_played(call))


@query("examples.run")
def run(params: Nothing, call: Call) -> ExampleRun:
    """Play every kept example under the running config."""
    results = _played(call)
    passed = sum(one.passed for one in results)
    return ExampleRun(results=results, passed=passed, failed=len(results) - passed)


@command("examples.forget", "config_change")
def forget(params: ForgetParams, call: Call) -> Nothing:
    """Drop an example."""
    if not Examples(call.desk.database()).forget(params.name):
        raise InvalidParams(f"no example is called `{params.name}`; examples.list shows all")
    return Nothing()


def _played(call: Call) -> tuple[ExampleResult, ...]:
    return call.desk.prover.run_kept_examples(call.desk.store.current)
