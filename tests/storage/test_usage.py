"""The usage of requests, summed up by day, provider, model and conversation."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from conductor.domain.chat.messages import Usage
from conductor.storage.conversations import Conversations
from conductor.storage.database import Database
from conductor.storage.usage import UsageLog

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "conductor.db")
    yield database
    database.close()


@pytest.fixture
def usage(database: Database) -> UsageLog:
    return UsageLog(lambda: database)


def one(cost: float | None, tokens: int = 10) -> Usage:
    return Usage(requests=1, input_tokens=tokens, output_tokens=1, cost_usd=cost)


def test_the_summary_of_an_empty_log_is_zero(usage: UsageLog):
    costs = usage.summarize_costs(LONG_AGO)
    assert costs.total.usage == Usage()
    assert costs.days == costs.providers == costs.models == costs.conversations == ()
    assert usage.sum_cost(LONG_AGO) == usage.sum_conversation_cost("none") == 0.0


def test_requests_are_summed_up_in_four_ways(usage: UsageLog, database: Database):
    made = Conversations(lambda: database).create_conversation(None, None, "Pads").conversation_id
    usage.add_request(one(0.1), provider="a", kind="anthropic", model="small", conversation_id=made)
    usage.add_request(one(0.3), provider="a", kind="anthropic", model="large", conversation_id=made)
    usage.add_request(one(0.2), provider="g", kind="google", model="flash")
    costs = usage.summarize_costs(LONG_AGO)
    assert costs.total.usage.requests == 3
    assert costs.total.usage.cost_usd == pytest.approx(0.6)
    assert [line.name for line in costs.providers] == ["a", "g"]
    assert [line.name for line in costs.models] == ["large", "flash", "small"]
    assert [(line.name, line.label) for line in costs.conversations] == [(made, "Pads"), ("", "")]
    assert len(costs.days) == 1
    assert usage.sum_conversation_cost(made) == pytest.approx(0.4)


def test_requests_without_a_known_price_are_counted_as_unpriced(usage: UsageLog):
    usage.add_request(one(0.1), provider="a", kind="anthropic", model="m")
    usage.add_request(one(None), provider="l", kind="custom", model="local")
    costs = usage.summarize_costs(LONG_AGO)
    assert costs.total.unpriced_requests == 1
    assert [line.usage.cost_usd for line in costs.providers] == [0.1, None]


def test_only_requests_since_the_given_time_count(usage: UsageLog):
    usage.add_request(one(0.1), provider="a", kind="anthropic", model="m")
    later = datetime.now(UTC) + timedelta(minutes=1)
    assert usage.sum_cost(later) == 0.0
    assert usage.sum_cost(LONG_AGO) == pytest.approx(0.1)
    assert usage.summarize_costs(later).providers == ()


def test_the_cost_of_a_deleted_conversation_stays_in_the_log(usage: UsageLog, database: Database):
    conversations = Conversations(lambda: database)
    made = conversations.create_conversation(None, None).conversation_id
    usage.add_request(one(0.1), provider="a", kind="anthropic", model="m", conversation_id=made)
    conversations.delete_conversation(made)
    assert usage.sum_cost(LONG_AGO) == pytest.approx(0.1)
    (line,) = usage.summarize_costs(LONG_AGO).conversations
    assert line.label == made
