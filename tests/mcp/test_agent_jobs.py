"""Forty jobs of agents over a real server: how many are done, with how many errors and tokens."""

from collections.abc import Callable

from tests.mcp.agent_jobs import JOBS, WITHOUT_PARTS, YESTERDAY, measure, prepare
from tests.support.running import running_conductor


def test_an_agent_that_knows_only_descriptions_and_results_does_its_jobs(
    record_property: Callable[[str, str], None],
) -> None:
    with running_conductor(YESTERDAY, environment=WITHOUT_PARTS) as conductor:
        prepare(conductor)
        figures = measure(conductor)

    record_property("figures", figures.words())
    assert len(JOBS) == 40
    assert figures.done >= 38, figures.undone
    assert figures.errors < 0.08 * figures.calls
    assert figures.tokens < 800
