"""Stores the user's consent to start each MCP server, with a digest of what the user was shown."""

import time
from collections.abc import Callable
from typing import Any

from sqlmodel import Field, SQLModel, select

from conductor.storage.database import Database, retry_after_reopen


class ConsentRow(SQLModel, table=True):
    __tablename__: Any = "server_consent"

    server: str = Field(primary_key=True)
    digest: str
    at: float


class Consents:
    """The user's consents to start MCP servers, by server name.

    A server whose digest has changed needs a new consent.
    """

    def __init__(
        self, database: Callable[[], Database], clock: Callable[[], float] = time.time
    ) -> None:
        self._database, self._clock = database, clock

    @retry_after_reopen
    def list_digests(self) -> dict[str, str]:
        """Return the digest that the user accepted for each server."""
        with self._database().read_session() as session:
            return {row.server: row.digest for row in session.exec(select(ConsentRow)).all()}

    @retry_after_reopen
    def record_consent(self, server: str, digest: str) -> None:
        """Record that the user agreed to start a server as shown; this replaces an earlier consent."""
        with self._database().write_session() as session:
            session.merge(ConsentRow(server=server, digest=digest, at=self._clock()))

    @retry_after_reopen
    def withdraw_consent(self, server: str) -> None:
        """Delete the consent for a server, which then needs a new one before it can start."""
        with self._database().write_session() as session:
            row = session.get(ConsentRow, server)
            if row is not None:
                session.delete(row)
