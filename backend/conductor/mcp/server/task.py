"""One task: its status, the questions that it asks the client, and how it ended."""

import asyncio
import logging
import secrets
from collections.abc import Callable, Hashable, Mapping
from datetime import datetime, timedelta
from typing import Any, Literal

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

log = logging.getLogger(__name__)

Result = types.CallToolResult
Status = Literal["working", "input_required", "completed", "failed", "cancelled"]
POLL_EVERY_MS = 1_000


class Task:
    """A call under way; its work calls `wait`, `ask` and `commit`."""

    def __init__(self, owner: Hashable, clock: Callable[[], datetime], ttl: timedelta) -> None:
        self.task_id = secrets.token_urlsafe(24)
        self.owner = owner
        self.waits_for_somebody = asyncio.Event()
        """Set when nobody can say how long it takes: a handle is better than waiting a second for nothing."""
        self._clock = clock
        self._ttl = ttl
        self._created = self._updated = clock()
        self._status: Status = "working"
        self._message: str | None = None
        self._questions: dict[str, types.ElicitRequest] = {}
        self._answers: dict[str, asyncio.Future[types.ElicitResult]] = {}
        self._asked = 0
        self._result: dict[str, Any] | None = None
        self._error: dict[str, Any] | None = None
        self._is_committed = False
        self._job: asyncio.Future[Result] | None = None

    @property
    def expires_at(self) -> datetime:
        return self._created + self._ttl

    @property
    def has_ended(self) -> bool:
        return self._status in ("completed", "failed", "cancelled")

    def attach(self, job: "asyncio.Future[Result]") -> None:
        """Take the job whose end is the end of the task."""
        self._job = job
        job.add_done_callback(self._end)

    def wait(self, message: str) -> None:
        """Record for whom or what the task waits; the client gets its handle now."""
        self._message = message
        self.waits_for_somebody.set()
        self._touch()

    def commit(self) -> None:
        """Go past the point of return: what is being done cannot be taken back by a cancel."""
        self._is_committed = True
        self._message = None
        self._touch()

    async def ask(self, name: str, question: types.ElicitRequest) -> types.ElicitResult:
        """Ask the user by the client, and wait for the answer. A question that is cancelled is withdrawn."""
        self._asked += 1
        key = f"{name}-{self._asked}"  # a key may not come twice in the life of a task
        self._questions[key] = question
        self._answers[key] = asyncio.get_running_loop().create_future()
        self.waits_for_somebody.set()
        self._touch()
        try:
            return await self._answers[key]
        finally:
            self._questions.pop(key, None)
            self._answers.pop(key, None)
            self._touch()

    def answer(self, responses: Mapping[str, Any]) -> None:
        """Take answers to open questions; those to anything else are ignored, as the extension wants.

        Raises:
            MCPError: an answer is malformed; none of them is taken.
        """
        try:
            given = {
                key: types.ElicitResult.model_validate(response, by_name=False)
                for key, response in responses.items()
                if key in self._questions
            }
        except ValidationError:
            words = "`inputResponses` must hold results of `elicitation/create`, with an `action`"
            raise MCPError(types.INVALID_PARAMS, words) from None
        for key, result in given.items():
            self._questions.pop(key)
            if not self._answers[key].done():
                self._answers[key].set_result(result)
        self._touch()

    def cancel(self, message: str) -> None:
        """End the task, unless it has ended or does what cannot be taken back."""
        if self.has_ended or self._is_committed:
            return
        self._message = message
        self._status = "cancelled"
        self._updated = self._clock()
        if self._job is not None:
            self._job.cancel()

    def plain(self) -> dict[str, Any]:
        """Return what every answer about a task holds."""
        message = {} if self._message is None else {"statusMessage": self._message}
        return {
            "taskId": self.task_id,
            "status": self._status,
            **message,
            "createdAt": self._created.isoformat(),
            "lastUpdatedAt": self._updated.isoformat(),
            "ttlMs": int(self._ttl.total_seconds() * 1000),
            "pollIntervalMs": POLL_EVERY_MS,
        }

    def detailed(self) -> dict[str, Any]:
        """Return all of a task: its open questions, its result or its error."""
        whole = self.plain()
        if self._status == "input_required":
            whole["inputRequests"] = {
                key: question.model_dump(mode="json", by_alias=True, exclude_none=True)
                for key, question in self._questions.items()
            }
        if self._status == "completed":
            whole["result"] = self._result
        if self._status == "failed":
            whole["error"] = self._error
        return whole

    def _touch(self) -> None:
        if not self.has_ended:
            self._status = "input_required" if self._questions else "working"
            self._updated = self._clock()

    def _end(self, job: "asyncio.Future[Result]") -> None:
        if job.cancelled():
            self.cancel("It was cancelled")
            return
        error = job.exception()
        if self.has_ended:
            return
        self._updated = self._clock()
        if error is None:
            self._status, self._message = "completed", None
            self._result = job.result().model_dump(mode="json", by_alias=True, exclude_none=True)
        else:
            data = error.error if isinstance(error, MCPError) else _internal(error)
            self._status, self._message = "failed", data.message
            self._error = data.model_dump(mode="json", by_alias=True, exclude_none=True)


def _internal(error: BaseException) -> types.ErrorData:
    log.error("a task failed", exc_info=error)
    message = f"Internal error: {type(error).__name__}; see Conductor's log"
    return types.ErrorData(code=types.INTERNAL_ERROR, message=message)
