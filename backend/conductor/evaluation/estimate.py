"""Estimates the cost of a benchmark run beforehand, from the example answers of its cases."""

from collections.abc import Iterable
from functools import lru_cache

from conductor.agent.core import estimate_needed_reference
from conductor.agent.needs import find_needed_tools
from conductor.agent.prompt import build_system_prompt
from conductor.agent.skills import SKILLS_FOR_AGENTS
from conductor.agent.tokens import estimate_tool_spec_tokens
from conductor.agent.tools_for_model import choose_tools_to_send
from conductor.base.token_estimate import estimate_token_count
from conductor.config.parse import load_config
from conductor.domain.chat.messages import Usage
from conductor.evaluation.case import Case, load_stages
from conductor.evaluation.shipped import load_skills
from conductor.tools.catalog import REGISTRY

CALL_TOKENS, ANSWER_TOKENS, RESULT_TOKENS = 160, 80, 700
"""The typical number of tokens in a tool call, in the text of an answer and in a returned plan."""
ASSUMED_CONTEXT_TOKENS = 128_000


def estimate_tokens(cases: Iterable[Case], runs: int = 1) -> Usage:
    """Return the number of tokens that a good model would use for these cases, without prompt caching."""
    total = Usage()
    for case in cases:
        for _ in range(runs):
            total = total.add(_estimate_case(case))
    return total


def _estimate_case(case: Case) -> Usage:
    messages = tuple(turn.say for turn in case.turns)
    fixed = _count_fixed_tokens(
        case.stage, find_needed_tools(" ".join(messages))
    ) + _count_skill_tokens(messages)
    history = requests = tokens_in = tokens_out = 0
    for turn, steps in zip(case.turns, case.solution, strict=True):
        history += estimate_token_count(turn.say) + 100 + estimate_needed_reference(turn.say)
        ends_with_words = bool(steps) and isinstance(steps[-1], str)
        for step in [*steps] if ends_with_words else [*steps, ""]:
            requests += 1
            tokens_in += fixed + history
            calls = 0 if isinstance(step, str) else len(step)
            output = calls * CALL_TOKENS + ANSWER_TOKENS
            tokens_out += output
            history += output + calls * RESULT_TOKENS
    return Usage(requests=requests, input_tokens=tokens_in, output_tokens=tokens_out)


@lru_cache
def _count_fixed_tokens(stage: str, needed_tools: tuple[str, ...]) -> int:
    config = load_config(load_stages()[stage].config, "config.toml")[0]
    return estimate_token_count(build_system_prompt(config)) + estimate_tool_spec_tokens(
        choose_tools_to_send(REGISTRY.list_tools(), ASSUMED_CONTEXT_TOKENS, needed_tools)
    )


def _count_skill_tokens(messages: tuple[str, ...]) -> int:
    """Return the number of tokens in the list of Agent Skills, and in the skills that the messages activate."""
    library = load_skills()
    activated = {
        name
        for one in messages
        for name in library.choose_for_message(one)
        if name not in SKILLS_FOR_AGENTS
    }
    return estimate_token_count(library.render_catalog()) + sum(
        estimate_token_count(library.render_content(name)) for name in activated
    )
