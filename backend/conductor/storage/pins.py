"""Stores which tools of each MCP server the user has accepted, and which protocol version the server speaks."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sqlmodel import Field, SQLModel, col, delete, select

from conductor.domain.pins import Pin
from conductor.storage.database import Database, retry_after_reopen


class KnownServerRow(SQLModel, table=True):
    __tablename__: Any = "mcp_server"

    identity: str = Field(primary_key=True)
    era: str = "auto"
    accepted: bool = False
    """Whether the first list of tools was accepted; tools that appear after that count as new."""


class PinRow(SQLModel, table=True):
    __tablename__: Any = "mcp_pin"

    identity: str = Field(primary_key=True)
    tool: str = Field(primary_key=True)
    digest: str
    raw: str
    accepted_at: float


class ToolPins:
    """Stores accepted tools by the identity of their server, not by its name.

    Implements `mcp.client.values.PinStore`.
    """

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database

    @retry_after_reopen
    def read_accepted_tools(self, identity: str) -> dict[str, Pin] | None:
        """Return the accepted tools of a server by name, or None if the user has never accepted its tools."""
        with self._database().read_session() as session:
            server = session.get(KnownServerRow, identity)
            if server is None or not server.accepted:
                return None
            rows = session.exec(select(PinRow).where(col(PinRow.identity) == identity)).all()
            return {row.tool: Pin(tool=row.tool, digest=row.digest, raw=row.raw) for row in rows}

    @retry_after_reopen
    def accept_tools(self, identity: str, pins: tuple[Pin, ...]) -> None:
        """Record that the user accepted these tools of a server, in addition to tools accepted earlier."""
        accepted_at = datetime.now(UTC).timestamp()
        with self._database().write_session() as session:
            server = session.get(KnownServerRow, identity) or KnownServerRow(identity=identity)
            server.accepted = True
            session.add(server)
            for pin in pins:
                session.merge(
                    PinRow(identity=identity, accepted_at=accepted_at, **pin.model_dump())
                )

    @retry_after_reopen
    def read_protocol_era(self, identity: str) -> str:
        """Return the protocol era that was last negotiated with a server: `legacy`, `modern`, or `auto` if
        unknown.
        """
        with self._database().read_session() as session:
            server = session.get(KnownServerRow, identity)
            return "auto" if server is None else server.era

    @retry_after_reopen
    def set_protocol_era(self, identity: str, era: str) -> None:
        """Record the protocol era that was negotiated with a server."""
        with self._database().write_session() as session:
            server = session.get(KnownServerRow, identity) or KnownServerRow(identity=identity)
            server.era = era
            session.add(server)

    @retry_after_reopen
    def forget_server(self, identity: str) -> None:
        """Delete the accepted tools and the protocol era of a server."""
        with self._database().write_session() as session:
            session.exec(delete(PinRow).where(col(PinRow.identity) == identity))
            session.exec(delete(KnownServerRow).where(col(KnownServerRow.identity) == identity))
