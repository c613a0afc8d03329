"""The socket commands of `conductor remote`, with which the user manages agents on other computers."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from conductor.base.json_types import JsonObject
from conductor.domain.plan import Requester
from conductor.domain.remote_access import REMOTE_SCOPES, RemoteScope
from conductor.errors import InvalidParams
from conductor.mcp.params import require_text_param
from conductor.mcp.remote.access import RemoteAccess
from conductor.mcp.server.methods import REMOTE_PREFIX
from conductor.mcp.server.terminal_commands import CommandResult, TerminalCommand

_SCOPES = TypeAdapter(tuple[RemoteScope, ...])


class RemoteCommands:
    """Handles the user's decisions on the access of agents on other computers."""

    def __init__(self, access: RemoteAccess) -> None:
        self._access = access
        self.by_name: Mapping[str, TerminalCommand] = {
            f"{REMOTE_PREFIX}status": TerminalCommand(None, self._read_status),
            f"{REMOTE_PREFIX}requests": TerminalCommand(None, self._list_requests),
            f"{REMOTE_PREFIX}grants": TerminalCommand(None, self._list_grants),
            f"{REMOTE_PREFIX}allow": TerminalCommand("privileged", self._allow_request),
            f"{REMOTE_PREFIX}deny": TerminalCommand("privileged", self._deny_request),
            f"{REMOTE_PREFIX}revoke": TerminalCommand("privileged", self._revoke_grant),
        }

    def _read_status(self, _params: JsonObject, _by: Requester) -> CommandResult:
        status = self._access.get_status()
        return ("open" if status.address else "closed"), status.model_dump(mode="json")

    def _list_requests(self, _params: JsonObject, _by: Requester) -> CommandResult:
        pending = self._access.requests.list_pending()
        return f"{len(pending)} pending", {
            "requests": [view.model_dump(mode="json") for view in pending]
        }

    def _list_grants(self, _params: JsonObject, _by: Requester) -> CommandResult:
        grants = self._access.list_grants()
        return f"{len(grants)} grants", {
            "grants": [view.model_dump(mode="json") for view in grants]
        }

    def _allow_request(self, params: JsonObject, _by: Requester) -> CommandResult:
        code, requested = require_text_param(params, "code"), params.get("scopes")
        scopes = None if requested is None else _parse_scopes(requested)
        view = self._access.requests.allow_request(code, scopes)
        return f"{view.client} allowed: {' '.join(view.granted)}", view.model_dump(mode="json")

    def _deny_request(self, params: JsonObject, _by: Requester) -> CommandResult:
        view = self._access.requests.deny_request(require_text_param(params, "request_id"))
        return f"{view.client} denied", view.model_dump(mode="json")

    def _revoke_grant(self, params: JsonObject, _by: Requester) -> CommandResult:
        view = self._access.revoke_grant(require_text_param(params, "grant_id"))
        return f"access of {view.client} revoked", view.model_dump(mode="json")


def _parse_scopes(requested: Any) -> tuple[RemoteScope, ...]:
    try:
        return _SCOPES.validate_python(requested)
    except ValidationError:
        raise InvalidParams(f"`scopes` is a list of {', '.join(REMOTE_SCOPES)}") from None
