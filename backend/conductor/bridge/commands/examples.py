"""Commands about saved examples, which are the regression tests of the user's config."""

from pydantic import Field

from conductor.bridge.models import Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.plan import ExampleResult
from conductor.domain.value import Value
from conductor.errors import InvalidParams


class ExampleList(Value):
    examples: tuple[ExampleResult, ...]
    """The saved examples, each with its result under the running config."""


class ExampleRun(Value):
    results: tuple[ExampleResult, ...]
    passed: int
    failed: int


class ForgetExampleParams(Value):
    name: str = Field(min_length=1, max_length=200)


@query("examples.list")
def list_examples(params: Empty, call: Call) -> ExampleList:
    """Return every saved example with its result under the running config.

    The examples are played in simulated time, so this is fast.
    """
    return ExampleList(examples=_play_examples(call))


@query("examples.run")
def run_examples(params: Empty, call: Call) -> ExampleRun:
    """Play every saved example under the running config, and count those that fail."""
    results = _play_examples(call)
    passed = sum(result.passed for result in results)
    return ExampleRun(results=results, passed=passed, failed=len(results) - passed)


@command("examples.forget", "config_change")
def forget_example(params: ForgetExampleParams, call: Call) -> Empty:
    """Delete a saved example, so that it is no longer played after changes of the config."""
    if not call.services.config.forget_example(params.name):
        raise InvalidParams(f"no example is called `{params.name}`; examples.list lists them")
    return Empty()


def _play_examples(call: Call) -> tuple[ExampleResult, ...]:
    return call.services.config.prover.run_stored_examples(
        call.services.config.store.current_config
    )
