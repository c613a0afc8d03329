"""The tools of other people's MCP servers as the user accepted them, and how each server speaks."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sqlmodel import Field, SQLModel, col, delete, select

from conductor.domain.pins import Pin
from conductor.storage.database import Database, done_again_if_renewed


class KnownServerRow(SQLModel, table=True):
    __tablename__: Any = "mcp_server"

    identity: str = Field(primary_key=True)
    era: str = "auto"
    accepted: bool = False
    """Its first list of tools was kept: what comes later is new."""


class PinRow(SQLModel, table=True):
    __tablename__: Any = "mcp_pin"

    identity: str = Field(primary_key=True)
    tool: str = Field(primary_key=True)
    digest: str
    raw: str
    accepted_at: float


class ToolPins:
    """Implements `mcp.client.values.Pins`; a server is known by its identity, whatever it is called."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database

    @done_again_if_renewed
    def accepted(self, identity: str) -> dict[str, Pin] | None:
        """Return the accepted tools by name; None when nothing of this server was ever accepted."""
        with self._database().reading() as session:
            server = session.get(KnownServerRow, identity)
            if server is None or not server.accepted:
                return None
            rows = session.exec(select(PinRow).where(col(PinRow.identity) == identity)).all()
            return {row.tool: Pin(tool=row.tool, digest=row.digest, raw=row.raw) for row in rows}

    @done_again_if_renewed
    def accept(self, identity: str, pins: tuple[Pin, ...]) -> None:
        """Keep these as accepted, beside those that are."""
        at = datetime.now(UTC).timestamp()
        with self._database().writing() as session:
            server = session.get(KnownServerRow, identity) or KnownServerRow(identity=identity)
            server.accepted = True
            session.add(server)
            for pin in pins:
                session.merge(PinRow(identity=identity, accepted_at=at, **pin.model_dump()))

    @done_again_if_renewed
    def era(self, identity: str) -> str:
        """Return how the server spoke last: `legacy`, `modern` or `auto`, which is unknown."""
        with self._database().reading() as session:
            server = session.get(KnownServerRow, identity)
            return "auto" if server is None else server.era

    @done_again_if_renewed
    def keep_era(self, identity: str, era: str) -> None:
        """Remember how the server speaks."""
        with self._database().writing() as session:
            server = session.get(KnownServerRow, identity) or KnownServerRow(identity=identity)
            server.era = era
            session.add(server)

    @done_again_if_renewed
    def forget(self, identity: str) -> None:
        """Forget everything about a server."""
        with self._database().writing() as session:
            session.exec(delete(PinRow).where(col(PinRow.identity) == identity))
            session.exec(delete(KnownServerRow).where(col(KnownServerRow.identity) == identity))
