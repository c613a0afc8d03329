"""Runs the commands that pages call, and converts exceptions to error responses."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from pydantic import BaseModel, ValidationError

from conductor.base.json_types import JsonObject
from conductor.base.suggestions import format_suggestion
from conductor.bridge.commands import COMMANDS
from conductor.bridge.registry import Command
from conductor.bridge.services import Call, Page, Services
from conductor.config.wording import list_error_details, reword_error
from conductor.domain.plan import Requester
from conductor.errors import ConductorError, ConfigError, InvalidParams, NotAllowed
from conductor.storage.audit import AuditEntry, RecordedCall
from conductor.tools.arguments import redact_arguments

log = logging.getLogger(__name__)

MAX_WORKER_THREADS = 8
MAX_REPORTED_PROBLEMS = 50
MAX_COMMAND_NAME_CHARS = 80
COMMANDS_NAMED_BY_RESULT = (
    "config.undo",
    "config.redo",
    "history.restore",
    "history.restore_mapping",
)
"""Commands whose result, but not their parameters, says what they did."""


class CommandDispatcher:
    """Validates the calls of pages, runs their commands on the event loop or a worker thread, and logs
    changes.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._workers = ThreadPoolExecutor(MAX_WORKER_THREADS, "bridge")

    def close(self) -> None:
        """Shut down the worker threads without waiting for commands that still run."""
        self._workers.shutdown(wait=False, cancel_futures=True)

    async def run_command(self, method: Any, params: Any, page: Page) -> JsonObject:
        """Run a command and return the response: `{ok, result}` or `{ok, error}`."""
        command = COMMANDS.get(method) if isinstance(method, str) else None
        if command is None:
            hint = format_suggestion(str(method)[:MAX_COMMAND_NAME_CHARS], list(COMMANDS))
            return build_error_response(
                "unknown_command",
                f"there is no command `{str(method)[:MAX_COMMAND_NAME_CHARS]}`{hint}",
            )
        try:
            valid_params = command.params.model_validate(params)
        except ValidationError as error:
            return _build_invalid_params_response(error)
        except RecursionError:
            return build_error_response(
                InvalidParams.code, "the parameters are nested too deeply; send a flatter object"
            )
        call = Call(self._services, page)
        return await self._run_and_record(command, valid_params, params, call)

    async def _run_and_record(
        self, command: Command, valid_params: BaseModel, params: Any, call: Call
    ) -> JsonObject:
        try:
            with self._record_call(command, params, call.requester) as recorded:
                _require_confirmed(command, call)
                response = await self._execute_command(command, valid_params, call)
                if recorded is not None and command.name in COMMANDS_NAMED_BY_RESULT:
                    recorded.entry.detail = response["result"]["reason"]
                return response
        except ConductorError as error:
            return _build_error_response(error)
        # a bug must neither close the connection nor show its details to the page
        except Exception:
            log.exception("the command %s raised an unexpected exception", command.name)
            return build_error_response(
                "internal",
                "internal error in Conductor; the log in its home folder has the details",
            )

    async def _execute_command(
        self, command: Command, valid_params: BaseModel, call: Call
    ) -> JsonObject:
        if command.is_async:
            return _build_success_response(await command.run(valid_params, call))

        def run_and_encode() -> JsonObject:
            return _build_success_response(command.run(valid_params, call))

        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._workers, run_and_encode)

    def _record_call(
        self, command: Command, params: Any, by: Requester
    ) -> AbstractContextManager[RecordedCall | None]:
        if command.tier is None:
            return nullcontext()
        valid_params: JsonObject = params if isinstance(params, dict) else {}
        logged = {
            name: item for name, item in valid_params.items() if name not in command.unlogged_params
        }
        entry = AuditEntry.create_for_call(by, command.name, command.tier, redact_arguments(logged))
        return RecordedCall(
            self._services.gate.audit, entry, is_private=bool(command.unlogged_params)
        )


def _require_confirmed(command: Command, call: Call) -> None:
    """Check that the user has confirmed the page, if the command makes changes.

    Raises:
        NotAllowed: The page is not confirmed. The message says how to confirm it.
    """
    session = call.page.session
    if session is None or session.confirmed or not command.makes_changes:
        return
    raise NotAllowed(
        f"this page is read-only until you confirm it: run `conductor pages confirm {session.number}`"
        " at a terminal, or confirm it in Conductor's window"
    )


def _build_success_response(result: BaseModel) -> JsonObject:
    return {"ok": True, "result": result.model_dump(mode="json", by_alias=True)}


def build_error_response(code: str, message: str, data: JsonObject | None = None) -> JsonObject:
    """Return the response for a command that failed, with the error code and the message for the user."""
    error: JsonObject = {"code": code, "message": message}
    return {"ok": False, "error": error if data is None else {**error, "data": data}}


def _build_error_response(error: ConductorError) -> JsonObject:
    if not isinstance(error, ConfigError) or not error.problems:
        return build_error_response(error.code, str(error))
    problems = [
        problem.model_dump(mode="json") for problem in error.problems[:MAX_REPORTED_PROBLEMS]
    ]
    return build_error_response(error.code, str(error), {"problems": problems})


def _build_invalid_params_response(error: ValidationError) -> JsonObject:
    """Return the response for invalid parameters.

    It lists the errors by field, so that a form can show each error at its field.
    """
    found = list_error_details(error)[:MAX_REPORTED_PROBLEMS]
    fields = [
        {"path": _format_field_path(field["loc"]), "message": reword_error(field)}
        for field in found
    ]
    lines = [
        f"{field['path']}: {field['message']}" if field["path"] else field["message"]
        for field in fields
    ]
    return build_error_response(InvalidParams.code, "; ".join(lines[:5])[:1000], {"fields": fields})


def _format_field_path(steps: tuple[int | str, ...]) -> str:
    """Return the path of a field without the tags of unions, which begin with a capital letter."""
    return ".".join(
        str(step)[:MAX_COMMAND_NAME_CHARS] for step in steps if not str(step)[:1].isupper()
    )
