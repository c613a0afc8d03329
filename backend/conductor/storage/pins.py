"""Stores which tools of each external MCP server the user accepted, and the server's protocol era."""

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
    """Whether the server's first tool list was accepted; tools that appear later count as new."""


class PinRow(SQLModel, table=True):
    __tablename__: Any = "mcp_pin"

    identity: str = Field(primary_key=True)
    tool: str = Field(primary_key=True)
    digest: str
    raw: str
    accepted_at: float


class ToolPins:
    """The accepted tools by server identity, not by server name.

    Implements `mcp.client.values.PinStore`.
    """

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database

    @retry_after_reopen
    def read_accepted_tools(self, identity: str) -> dict[str, Pin] | None:
        """Return a server's accepted tools by name, or None if the user has never accepted its tools."""
        with self._database().read_session() as session:
            server = session.get(KnownServerRow, identity)
            if server is None or not server.accepted:
                return None
            rows = session.exec(select(PinRow).where(col(PinRow.identity) == identity)).all()
            return {row.tool: Pin(tool=row.tool, digest=row.digest, raw=row.raw) for row in rows}

    @retry_after_reopen
    def accept_tools(self, identity: str, pins: tuple[Pin, ...]) -> None:
        """Record a server's tools as accepted, in addition to those accepted before."""
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
        """Return the protocol era last negotiated with a server: `legacy`, `modern`, or `auto` if unknown."""
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
        """Delete everything that is stored about a server."""
        with self._database().write_session() as session:
            session.exec(delete(PinRow).where(col(PinRow.identity) == identity))
            session.exec(delete(KnownServerRow).where(col(KnownServerRow.identity) == identity))
