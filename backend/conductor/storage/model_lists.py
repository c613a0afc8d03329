"""Caches each provider's model list for a day, so that context sizes and prices are known offline."""

import time
from collections.abc import Callable
from typing import Any

from sqlmodel import Field, SQLModel

from conductor.storage.database import Database, retry_after_reopen

MAX_MODEL_LIST_AGE_S = 24 * 3600


class ModelListRow(SQLModel, table=True):
    __tablename__: Any = "model_list"

    provider: str = Field(primary_key=True)
    address: str
    at: float
    data: str


class ModelLists:
    """Stores the lists of models that providers offer. Implements `llm.options.ModelListCache`."""

    def __init__(
        self, database: Callable[[], Database], clock: Callable[[], float] = time.time
    ) -> None:
        self._database, self._clock = database, clock

    @retry_after_reopen
    def save_model_list(self, provider: str, address: str, data: str) -> None:
        """Store the list of models of a provider as JSON, with the address that it came from."""
        row = ModelListRow(provider=provider, address=address, at=self._clock(), data=data)
        with self._database().write_session() as session:
            session.merge(row)

    @retry_after_reopen
    def load_model_list(self, provider: str, address: str) -> str | None:
        """Return the cached model list of a provider, or None if it is a day old or came from another
        address.
        """
        with self._database().read_session() as session:
            row = session.get(ModelListRow, provider)
            is_fresh = (
                row
                and row.address == address
                and 0 <= self._clock() - row.at < MAX_MODEL_LIST_AGE_S
            )
            return row.data if row and is_fresh else None
