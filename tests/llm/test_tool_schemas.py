"""The schemas of tools as they go over each wire."""

from collections.abc import Generator, Iterator
from typing import Any

import pytest
from tests.llm.asking import CREATE_MAPPING, KINDS, TOOLS, ask, request, user
from tests.llm.turns import last
from tests.support.edge_llm import EdgeServer, edge_server

from conductor.domain.chat.messages import ProviderKind

FIELDS = {*CREATE_MAPPING.parameters["properties"]}


@pytest.fixture
def edge() -> Generator[EdgeServer]:
    with edge_server() as edge:
        yield edge


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_whose_fields_are_not_listed_may_have_any(edge: EdgeServer, kind: ProviderKind):
    edge.reply(last(kind))
    ask(kind, edge.url, request(kind, user("map pad 36 to copy"), tools=TOOLS))

    [fields] = [one for one in _objects(edge.asked[0].body) if {*one} == FIELDS]
    assert fields["trigger"].get("additionalProperties", True) is True
    assert fields["action"].get("additionalProperties", True) is True


def _objects(item: Any) -> Iterator[dict[str, Any]]:
    if isinstance(item, dict):
        yield item
    for each in item.values() if isinstance(item, dict) else item if isinstance(item, list) else ():
        yield from _objects(each)
