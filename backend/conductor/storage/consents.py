"""What the user has agreed to start: for each MCP server, the digest of exactly what was shown."""

import time
from collections.abc import Callable
from typing import Any

from sqlmodel import Field, SQLModel, select

from conductor.storage.database import Database, done_again_if_renewed


class ConsentRow(SQLModel, table=True):
    __tablename__: Any = "server_consent"

    server: str = Field(primary_key=True)
    digest: str
    at: float


class Consents:
    """The consents by server; another digest is another server, and needs another consent."""

    def __init__(
        self, database: Callable[[], Database], clock: Callable[[], float] = time.time
    ) -> None:
        self._database, self._clock = database, clock

    @done_again_if_renewed
    def all(self) -> dict[str, str]:
        """Return what was agreed to, by server."""
        with self._database().reading() as session:
            return {row.server: row.digest for row in session.exec(select(ConsentRow)).all()}

    @done_again_if_renewed
    def give(self, server: str, digest: str) -> None:
        """Keep a consent, in the place of the one before."""
        with self._database().writing() as session:
            session.merge(ConsentRow(server=server, digest=digest, at=self._clock()))

    @done_again_if_renewed
    def withdraw(self, server: str) -> None:
        """Forget the consent to a server."""
        with self._database().writing() as session:
            row = session.get(ConsentRow, server)
            if row is not None:
                session.delete(row)
