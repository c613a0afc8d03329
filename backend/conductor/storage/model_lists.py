"""The models that each provider listed last, for a day: a start without network knows windows and prices."""

import time
from collections.abc import Callable
from typing import Any

from sqlmodel import Field, SQLModel

from conductor.storage.database import Database, done_again_if_renewed

KEPT_S = 24 * 3600


class ModelListRow(SQLModel, table=True):
    __tablename__: Any = "model_list"

    provider: str = Field(primary_key=True)
    address: str
    at: float
    data: str


class ModelLists:
    """Implements `llm.options.Shelf`."""

    def __init__(
        self, database: Callable[[], Database], clock: Callable[[], float] = time.time
    ) -> None:
        self._database, self._clock = database, clock

    @done_again_if_renewed
    def keep(self, provider: str, address: str, data: str) -> None:
        """Keep what a provider listed just now."""
        row = ModelListRow(provider=provider, address=address, at=self._clock(), data=data)
        with self._database().writing() as session:
            session.merge(row)

    @done_again_if_renewed
    def load(self, provider: str, address: str) -> str | None:
        """Return what a provider at this address listed within the last day."""
        with self._database().reading() as session:
            row = session.get(ModelListRow, provider)
            fits = row and row.address == address and 0 <= self._clock() - row.at < KEPT_S
            return row.data if row and fits else None
