"""Stores the OAuth clients, grants and tokens of agents on other computers.

Codes and tokens are stored as digests only, so a copy of the file gives nobody access.
"""

import hashlib
import json
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sqlmodel import Field, Session, SQLModel, col, delete, func, select

from conductor.domain.remote_access import Authorization, RemoteGrant, RemoteScope
from conductor.errors import NotAvailable
from conductor.storage.database import Database, retry_after_reopen

MAX_CLIENTS = 200
MIN_CLIENT_AGE_S = 600.0
"""A client is kept this long, because the user may be deciding on its request, or it may redeem its code."""
USE_INTERVAL_S = 60.0
"""The time between two records of the last use of a grant."""


class RemoteClientRow(SQLModel, table=True):
    __tablename__: Any = "remote_client"

    client_id: str = Field(primary_key=True)
    information: str
    created_at: float


class RemoteGrantRow(SQLModel, table=True):
    __tablename__: Any = "remote_grant"

    grant_id: str = Field(primary_key=True)
    client_id: str = Field(index=True)
    client: str
    redirect_host: str
    scopes: str
    resource: str
    created_at: float
    last_used_at: float | None = None


class RemoteCodeRow(SQLModel, table=True):
    __tablename__: Any = "remote_code"

    digest: str = Field(primary_key=True)
    authorization: str
    expires_at: float
    grant_id: str | None = None
    """The grant for which the code was exchanged, or None if it was not used yet."""


class RemoteTokenRow(SQLModel, table=True):
    __tablename__: Any = "remote_token"

    digest: str = Field(primary_key=True)
    grant_id: str = Field(index=True)
    kind: str
    scopes: str
    expires_at: float
    used_at: float | None = None
    """When a refresh token was exchanged for the next one. Using it again reveals a theft."""


class StoredCode(NamedTuple):
    """An authorization code, with the grant for which it was exchanged, if it was."""

    authorization: Authorization
    expires_at: float
    grant_id: str | None


class StoredToken(NamedTuple):
    """A token with its grant."""

    grant: RemoteGrant
    scopes: tuple[RemoteScope, ...]
    expires_at: float
    is_used: bool


class NewTokens(NamedTuple):
    """The tokens that a client receives, with the time at which each expires."""

    access: str
    access_expires_at: float
    refresh: str
    refresh_expires_at: float


class RemoteAccessStore:
    """Stores clients, grants and tokens in the database. Every method may raise `NotAvailable`."""

    def __init__(
        self, database: Callable[[], Database], clock: Callable[[], float] = time.time
    ) -> None:
        self._database, self._clock = database, clock

    @retry_after_reopen
    def save_client(self, client_id: str, information: str) -> None:
        """Store what a client says about itself, replacing what it said before.

        If there are too many, the oldest client without a grant is deleted, because anyone who reaches the
        port can register.

        Raises:
            NotAvailable: The limit is reached, and no client may be deleted.
        """
        with self._database().write_session() as session:
            count = session.exec(select(func.count()).select_from(RemoteClientRow)).one()
            if count >= MAX_CLIENTS and session.get(RemoteClientRow, client_id) is None:
                granted = select(RemoteGrantRow.client_id)
                oldest = session.exec(
                    select(RemoteClientRow)
                    .where(col(RemoteClientRow.client_id).not_in(granted))
                    .order_by(col(RemoteClientRow.created_at))
                ).first()
                if oldest is None:
                    raise NotAvailable(
                        f"there are already {MAX_CLIENTS} agents with access; revoke some in Settings"
                    )
                if self._clock() - oldest.created_at < MIN_CLIENT_AGE_S:
                    raise NotAvailable(
                        "too many agents have just registered; try again in ten minutes"
                    )
                session.delete(oldest)
            session.merge(
                RemoteClientRow(
                    client_id=client_id, information=information, created_at=self._clock()
                )
            )

    @retry_after_reopen
    def load_client(self, client_id: str) -> str | None:
        """Return what a client said about itself, or None if it is unknown."""
        with self._database().read_session() as session:
            row = session.get(RemoteClientRow, client_id)
            return None if row is None else row.information

    @retry_after_reopen
    def add_code(self, code: str, authorization: Authorization, expires_at: float) -> None:
        """Store an authorization code, and delete those that have expired."""
        with self._database().write_session() as session:
            session.exec(delete(RemoteCodeRow).where(col(RemoteCodeRow.expires_at) < self._clock()))
            session.add(
                RemoteCodeRow(
                    digest=_hash_secret(code),
                    authorization=authorization.model_dump_json(),
                    expires_at=expires_at,
                )
            )

    @retry_after_reopen
    def load_code(self, code: str) -> StoredCode | None:
        """Return an authorization code, even if it was used, or None if there is none."""
        with self._database().read_session() as session:
            row = session.get(RemoteCodeRow, _hash_secret(code))
            if row is None:
                return None
            authorization = Authorization.model_validate_json(row.authorization)
            return StoredCode(authorization, row.expires_at, row.grant_id)

    @retry_after_reopen
    def exchange_code(self, code: str, tokens: NewTokens) -> RemoteGrant | None:
        """Exchange a code for tokens. Return the grant, or None if the code was used meanwhile.

        A client that registered itself keeps its grant when the user allows it again, with the new scopes.
        Its earlier tokens are deleted.
        """
        with self._database().write_session() as session:
            row = session.get(RemoteCodeRow, _hash_secret(code))
            if row is None or row.grant_id is not None:
                return None
            allowed = Authorization.model_validate_json(row.authorization)
            grant = _find_grant_of_installation(session, allowed) or RemoteGrantRow(
                grant_id=secrets.token_hex(8),
                client_id=allowed.client_id,
                client=allowed.client,
                redirect_host=allowed.redirect_host,
                scopes="",
                resource=allowed.resource,
                created_at=self._clock(),
            )
            grant.client, grant.redirect_host = allowed.client, allowed.redirect_host
            grant.scopes, grant.resource = json.dumps(allowed.scopes), allowed.resource
            session.exec(
                delete(RemoteTokenRow).where(col(RemoteTokenRow.grant_id) == grant.grant_id)
            )
            row.grant_id = grant.grant_id
            session.add_all((row, grant, *_build_token_rows(grant.grant_id, grant.scopes, tokens)))
            return _parse_grant(grant)

    @retry_after_reopen
    def exchange_refresh_token(
        self, token: str, scopes: Sequence[RemoteScope], tokens: NewTokens
    ) -> bool:
        """Replace a refresh token by new tokens. Return False if it was used meanwhile, or is unknown."""
        with self._database().write_session() as session:
            row = session.get(RemoteTokenRow, _hash_secret(token))
            if row is None or row.kind != "refresh" or row.used_at is not None:
                return False
            row.used_at = self._clock()
            session.exec(
                delete(RemoteTokenRow).where(
                    col(RemoteTokenRow.expires_at) < self._clock(),
                    col(RemoteTokenRow.digest) != row.digest,
                )
            )
            access, refresh = _build_token_rows(row.grant_id, json.dumps([*scopes]), tokens)
            refresh.scopes = row.scopes  # a narrower request limits the access token only
            session.add_all((row, access, refresh))
            return True

    @retry_after_reopen
    def load_token(self, token: str, kind: str) -> StoredToken | None:
        """Return an access or refresh token with its grant, even if it was used or has expired, or None."""
        with self._database().read_session() as session:
            row = session.get(RemoteTokenRow, _hash_secret(token))
            grant = None if row is None else session.get(RemoteGrantRow, row.grant_id)
            if row is None or grant is None or row.kind != kind:
                return None
            scopes = tuple[RemoteScope, ...](json.loads(row.scopes))
            return StoredToken(_parse_grant(grant), scopes, row.expires_at, row.used_at is not None)

    @retry_after_reopen
    def record_use(self, grant: RemoteGrant) -> None:
        """Record that a grant was used now, unless this was recorded within the last minute."""
        now = self._clock()
        if grant.last_used_at is not None and now - grant.last_used_at < USE_INTERVAL_S:
            return
        with self._database().write_session() as session:
            row = session.get(RemoteGrantRow, grant.grant_id)
            if row is not None:
                row.last_used_at = now
                session.add(row)

    @retry_after_reopen
    def list_grants(self) -> list[RemoteGrant]:
        """Return all grants, newest first."""
        query = select(RemoteGrantRow).order_by(col(RemoteGrantRow.created_at).desc())
        with self._database().read_session() as session:
            return [_parse_grant(row) for row in session.exec(query)]

    @retry_after_reopen
    def revoke_grant(self, grant_id: str) -> bool:
        """Delete a grant with all its tokens. Return whether it existed."""
        with self._database().write_session() as session:
            for table in (RemoteTokenRow, RemoteCodeRow):
                session.exec(delete(table).where(col(table.grant_id) == grant_id))
            row = session.get(RemoteGrantRow, grant_id)
            if row is None:
                return False
            # A code that the agent has not redeemed yet would give it a new grant.
            for code in session.exec(select(RemoteCodeRow)):
                authorization = Authorization.model_validate_json(code.authorization)
                if authorization.client_id == row.client_id:
                    session.delete(code)
            session.delete(row)
            return True


def _find_grant_of_installation(session: Session, allowed: Authorization) -> RemoteGrantRow | None:
    """Return the grant of a client that registered itself.

    The id of any other client is the address of a document, and is shared by all installations of a program.
    """
    if not allowed.is_registered:
        return None
    query = select(RemoteGrantRow).where(col(RemoteGrantRow.client_id) == allowed.client_id)
    return session.exec(query).first()


def _build_token_rows(
    grant_id: str, scopes: str, tokens: NewTokens
) -> tuple[RemoteTokenRow, RemoteTokenRow]:
    return (
        RemoteTokenRow(
            digest=_hash_secret(tokens.access),
            grant_id=grant_id,
            kind="access",
            scopes=scopes,
            expires_at=tokens.access_expires_at,
        ),
        RemoteTokenRow(
            digest=_hash_secret(tokens.refresh),
            grant_id=grant_id,
            kind="refresh",
            scopes=scopes,
            expires_at=tokens.refresh_expires_at,
        ),
    )


def _parse_grant(row: RemoteGrantRow) -> RemoteGrant:
    fields = {name: getattr(row, name) for name in RemoteGrant.model_fields}
    return RemoteGrant.model_validate(fields | {"scopes": json.loads(row.scopes)})


def _hash_secret(secret: str) -> str:
    """Return the digest of a code or token. They are random and long, so the digest needs no salt."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
