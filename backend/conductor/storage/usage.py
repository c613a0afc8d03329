"""Logs the tokens and the cost of each request to a model.

The entries remain when their conversation is deleted.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sqlmodel import Field, SQLModel, col, func, select, text

from conductor.domain.chat.messages import ProviderKind, Usage
from conductor.domain.costs import CostLine, Costs
from conductor.storage.database import Database, retry_after_reopen

LOCAL_DAY_EXPRESSION = "date(at, 'unixepoch', 'localtime')"
USAGE_SUM_COLUMNS = (
    "SUM(requests), SUM(input_tokens), SUM(cache_read_tokens), SUM(cache_write_tokens),"
    " SUM(output_tokens), SUM(cost_usd), SUM(CASE WHEN cost_usd IS NULL THEN requests ELSE 0 END)"
)
CONVERSATION_TITLE_EXPRESSION = (
    "COALESCE((SELECT title FROM conversation AS c"
    " WHERE c.conversation_id = usage.conversation_id), '')"
)


class UsageRow(SQLModel, table=True):
    __tablename__: Any = "usage"

    id: int | None = Field(default=None, primary_key=True)
    at: float = Field(index=True)
    conversation_id: str | None = Field(default=None, index=True)
    message_id: str | None = None
    provider: str
    kind: str
    model: str
    requests: int
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int
    cost_usd: float | None = None
    cost_from: str | None = None


class UsageLog:
    """Stores the usage of each request to a model, as one row per request."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database

    @retry_after_reopen
    def add_request(
        self,
        usage: Usage,
        *,
        provider: str,
        kind: ProviderKind,
        model: str,
        conversation_id: str | None = None,
        message_id: str | None = None,
    ) -> None:
        """Log the tokens and cost of a request, including a request that failed before it was complete."""
        row = UsageRow(
            at=datetime.now(UTC).timestamp(),
            conversation_id=conversation_id,
            message_id=message_id,
            provider=provider,
            kind=kind,
            model=model,
            **usage.model_dump(),
        )
        with self._database().write_session() as session:
            session.add(row)

    @retry_after_reopen
    def sum_cost(self, since: datetime) -> float:
        """Return the cost in US dollars of all requests since a Unix time; requests of unknown cost are not
        included.
        """
        return self._sum_cost(col(UsageRow.at) >= since.timestamp())

    @retry_after_reopen
    def sum_conversation_cost(self, conversation_id: str) -> float:
        """Return the known cost of a conversation in US dollars."""
        return self._sum_cost(col(UsageRow.conversation_id) == conversation_id)

    @retry_after_reopen
    def summarize_costs(self, since: datetime) -> Costs:
        """Return the usage since a given time, summed up by day, provider, model and conversation."""
        return Costs(
            total=next(iter(self._list_cost_lines("'total'", since)), _build_empty_cost_line()),
            days=self._list_cost_lines(LOCAL_DAY_EXPRESSION, since, order="name"),
            providers=self._list_cost_lines("provider", since),
            models=self._list_cost_lines("model", since),
            conversations=self._list_cost_lines(
                "COALESCE(conversation_id, '')", since, label=CONVERSATION_TITLE_EXPRESSION
            ),
        )

    def _sum_cost(self, condition: Any) -> float:
        with self._database().read_session() as session:
            return session.exec(select(func.sum(UsageRow.cost_usd)).where(condition)).one() or 0.0

    def _list_cost_lines(
        self, name: str, since: datetime, label: str = "''", order: str = "SUM(cost_usd) DESC, name"
    ) -> tuple[CostLine, ...]:
        query = text(
            f"SELECT {name} AS name, {label}, {USAGE_SUM_COLUMNS} FROM usage WHERE at >= :since"  # noqa: S608 -- our own words
            f" GROUP BY name ORDER BY {order}"
        )
        with self._database().read_session() as session:
            rows = session.connection().execute(query, {"since": since.timestamp()}).all()
        return tuple(_build_cost_line(*row) for row in rows)


def build_usage_from_sums(sums: Any) -> Usage:
    """Return a `Usage` for the first six sums of `USAGE_SUM_COLUMNS`."""
    requests, tokens_in, cache_read, cache_write, tokens_out, cost = sums
    return Usage(
        requests=requests or 0,
        input_tokens=tokens_in or 0,
        cache_read_tokens=cache_read or 0,
        cache_write_tokens=cache_write or 0,
        output_tokens=tokens_out or 0,
        cost_usd=cost,
    )


def _build_cost_line(name: str, label: str, *sums: Any) -> CostLine:
    *usage, unpriced = sums
    return CostLine(
        name=name,
        label=label or name,
        usage=build_usage_from_sums(usage),
        unpriced_requests=unpriced,
    )


def _build_empty_cost_line() -> CostLine:
    return CostLine(name="total", label="total", usage=Usage())
