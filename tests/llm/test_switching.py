"""A conversation that thought and called goes on with any other provider, in all 36 directions."""

from collections.abc import Generator

import pytest
from tests.llm.asking import (
    KINDS,
    MODELS,
    answer,
    ask,
    calls,
    done,
    request,
    result_of,
    text_of,
    user,
)
from tests.llm.turns import BYE, SAID, THOUGHT, first, strict
from tests.support.edge_llm import EdgeServer, edge_server

from conductor.domain.chat.messages import (
    ChatMessage,
    ProviderKind,
    TextPart,
    ThinkingPart,
)


@pytest.fixture
def edge() -> Generator[EdgeServer]:
    with edge_server() as edge:
        yield edge


@pytest.mark.parametrize("after", KINDS)
@pytest.mark.parametrize("before", KINDS)
def test_a_conversation_with_calls_goes_on_elsewhere(
    edge: EdgeServer, before: ProviderKind, after: ProviderKind
) -> None:
    edge.reply(first(before))
    said = user("map pad 36")
    parts = done(ask(before, edge.url, request(before, said))).parts
    kept = answer(*parts, *map(result_of, calls(parts)), model=MODELS[before])
    again = ChatMessage.model_validate_json(kept.model_dump_json())
    edge.reply(strict(after, before))
    events = ask(after, edge.url, request(after, said, again))

    assert text_of(events) == BYE


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", [{"name": "home"}, {"model": "another"}])
def test_what_was_signed_goes_to_no_other_account_or_model_of_the_same_kind(
    edge: EdgeServer, kind: ProviderKind, other: dict[str, str]
) -> None:
    edge.reply(first(kind))
    said = user("map pad 36")
    parts = done(ask(kind, edge.url, request(kind, said), name="work")).parts
    kept = answer(*parts, *map(result_of, calls(parts)), model=MODELS[kind])
    edge.reply(strict(kind, None))
    model = MODELS[kind] + "-next" if "model" in other else MODELS[kind]
    name = other.get("name", "work")
    events = ask(kind, edge.url, request(kind, said, kept, model=model), name=name)

    assert text_of(events) == BYE


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_is_the_same_over_every_wire(edge: EdgeServer, kind: ProviderKind) -> None:
    edge.reply(first(kind))
    parts = done(ask(kind, edge.url, request(kind, "map pad 36"))).parts

    assert [part.text for part in parts if isinstance(part, ThinkingPart)] == [THOUGHT]
    assert [part.text for part in parts if isinstance(part, TextPart)] == [SAID]
    (call,) = calls(parts)
    assert call.arguments == {"part": "modes"}
