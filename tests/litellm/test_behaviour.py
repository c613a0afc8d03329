"""What the chat does over each wire, done once more through a real LiteLLM proxy."""

import pytest
from tests.agent.test_wire import (
    Way,
    test_a_busy_provider_is_asked_again_and_the_wait_is_shown,
    test_a_chat_goes_there_and_back,
    test_a_conversation_too_long_can_be_compacted,
    test_a_conversation_with_tools_goes_on_from_every_model_to_every_other,
    test_a_model_without_end_is_paused_after_twelve_requests,
    test_a_tool_that_is_not_there_is_answered,
    test_a_wish_becomes_a_plan_and_is_applied,
    test_a_wrong_key_says_what_to_do,
    test_many_turns_with_corrections_make_one_change_each,
    test_midi_learn_with_a_model,
    test_stop_ends_the_request_and_keeps_the_words,
    test_the_next_provider_answers_in_place_of_each_kind,
    test_what_came_before_a_line_broke_is_kept,
)
from tests.support.litellm_proxy import START_WITHIN_S, Proxy

from conductor.domain.settings import LlmProvider

pytestmark = [pytest.mark.litellm, pytest.mark.timeout(START_WITHIN_S + 80)]
MODELS = ("claude", "gpt")
__all__ = [
    "test_a_busy_provider_is_asked_again_and_the_wait_is_shown",
    "test_a_chat_goes_there_and_back",
    "test_a_conversation_too_long_can_be_compacted",
    "test_a_conversation_with_tools_goes_on_from_every_model_to_every_other",
    "test_a_model_without_end_is_paused_after_twelve_requests",
    "test_a_tool_that_is_not_there_is_answered",
    "test_a_wish_becomes_a_plan_and_is_applied",
    "test_a_wrong_key_says_what_to_do",
    "test_many_turns_with_corrections_make_one_change_each",
    "test_midi_learn_with_a_model",
    "test_stop_ends_the_request_and_keeps_the_words",
    "test_the_next_provider_answers_in_place_of_each_kind",
    "test_what_came_before_a_line_broke_is_kept",
]


@pytest.fixture
def ways(proxy: Proxy) -> list[Way]:
    proxy.behind.reset()
    rows = [LlmProvider(kind="litellm", base_url=proxy.url, model=model) for model in MODELS]
    broken = ("network", "internal")
    return [Way(model, row, proxy.key, broken) for model, row in zip(MODELS, rows, strict=True)]


@pytest.fixture(params=MODELS)
def way(ways: list[Way], request: pytest.FixtureRequest) -> Way:
    return next(one for one in ways if one.name == request.param)
