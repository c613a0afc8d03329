"""Calls whose arguments are not JSON: kept as they came, told back, and the conversation goes on."""

from collections.abc import Generator

import pytest
from tests.llm.asking import KINDS, answer, ask, calls, done, request, result_of, text_of, user
from tests.support.llm_server import POOL, LlmServer, llm_server

from conductor.domain.chat.messages import ProviderKind

pytestmark = [
    pytest.mark.parametrize("kind", KINDS),
    pytest.mark.filterwarnings("ignore:.*is not a valid FinishReason"),
]


@pytest.fixture(scope="module")
def server() -> Generator[LlmServer]:
    with llm_server(POOL, POOL / "invalid") as server:
        yield server


def test_arguments_that_are_no_json_are_kept_as_they_came(
    server: LlmServer, kind: ProviderKind
) -> None:
    events = ask(kind, server.base_url(kind), request(kind, "write bad arguments"))

    (call,) = calls(done(events).parts)
    assert call.tool == "conductor_create_mapping"
    assert call.arguments == {}
    if kind not in ("google", "anthropic"):  # here the simulator makes an empty object of it
        assert call.malformed is not None
        assert call.malformed.startswith('{"mode"')


def test_a_call_with_bad_arguments_can_be_told_back(server: LlmServer, kind: ProviderKind) -> None:
    url = server.base_url(kind)
    said = user("write bad arguments")
    parts = done(ask(kind, url, request(kind, said))).parts
    (call,) = calls(parts)
    told = result_of(call, "The arguments are not JSON.", ok=False)
    events = ask(kind, url, request(kind, said, answer(*parts, told), "say hello"))

    assert text_of(events).startswith("Hello!")
