"""A task of an MCP client: its status, its questions to the client, and its result or error."""

import asyncio
import logging
import secrets
from collections.abc import Callable, Hashable, Mapping
from datetime import datetime, timedelta
from typing import Any, Literal, NotRequired, TypedDict

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from conductor.base.json_types import JsonObject

log = logging.getLogger(__name__)

ToolResult = types.CallToolResult
TaskStatus = Literal["working", "input_required", "completed", "failed", "cancelled"]
TASK_POLL_INTERVAL_MS = 1_000


class TaskSummary(TypedDict):
    """The fields that every response about a task contains: its id, its status, its times, and when to
    poll again.
    """

    taskId: str
    status: TaskStatus
    statusMessage: NotRequired[str]
    createdAt: str
    lastUpdatedAt: str
    ttlMs: int
    pollIntervalMs: int


class TaskDetails(TaskSummary):
    """The summary of a task with its unanswered questions, its result or its error."""

    inputRequests: NotRequired[JsonObject]
    result: NotRequired[JsonObject | None]
    error: NotRequired[JsonObject | None]


class ToolCallTask:
    """A tool call that may take longer than the request that started it.

    The status is `input_required` while the task has unanswered questions and `working` otherwise, until
    the task ends as `completed`, `failed` or `cancelled`.
    """

    def __init__(self, owner: Hashable, clock: Callable[[], datetime], ttl: timedelta) -> None:
        self.task_id = secrets.token_urlsafe(24)
        self.owner = owner
        self.is_open_ended = asyncio.Event()
        """Set when the call waits for the user, so that the client receives the handle of its task at once."""
        self._clock = clock
        self._ttl = ttl
        self._created = self._updated = clock()
        self._status: TaskStatus = "working"
        self._message: str | None = None
        self._questions: dict[str, types.ElicitRequest] = {}
        self._answers: dict[str, asyncio.Future[types.ElicitResult]] = {}
        self._question_count = 0
        self._result: JsonObject | None = None
        self._error: JsonObject | None = None
        self._is_committed = False
        self._job: asyncio.Future[ToolResult] | None = None

    @property
    def expires_at(self) -> datetime:
        return self._created + self._ttl

    @property
    def has_ended(self) -> bool:
        return self._status in ("completed", "failed", "cancelled")

    def attach_job(self, job: "asyncio.Future[ToolResult]") -> None:
        """Attach the job that runs the call. The task ends when the job ends."""
        self._job = job
        job.add_done_callback(self._on_job_done)

    def set_waiting_message(self, message: str) -> None:
        """Set the status message while the task waits for the user.

        The client then receives the handle of its task at once.
        """
        self._message = message
        self.is_open_ended.set()
        self._update_timestamp()

    def mark_irrevocable(self) -> None:
        """Mark the task as irrevocable, so that `cancel` no longer has an effect."""
        self._is_committed = True
        self._message = None
        self._update_timestamp()

    async def ask_user(self, name: str, question: types.ElicitRequest) -> types.ElicitResult:
        """Ask the user through the client, and return the answer.

        Cancelling the coroutine withdraws the question.
        """
        self._question_count += 1
        key = f"{name}-{self._question_count}"  # a task must not use a key twice (SEP-2663)
        self._questions[key] = question
        self._answers[key] = asyncio.get_running_loop().create_future()
        self.is_open_ended.set()
        self._update_timestamp()
        try:
            return await self._answers[key]
        finally:
            self._questions.pop(key, None)
            self._answers.pop(key, None)
            self._update_timestamp()

    def submit_answers(self, responses: Mapping[str, Any]) -> None:
        """Pass the client's answers to the questions that wait for them.

        Answers to unknown questions are ignored, as the tasks extension requires.

        Raises:
            MCPError: An answer is malformed. Then no answer is accepted.
        """
        try:
            answers = {
                key: types.ElicitResult.model_validate(response, by_name=False)
                for key, response in responses.items()
                if key in self._questions
            }
        except ValidationError:
            message = "`inputResponses` must hold results of `elicitation/create`, with an `action`"
            raise MCPError(types.INVALID_PARAMS, message) from None
        for key, result in answers.items():
            self._questions.pop(key)
            if not self._answers[key].done():
                self._answers[key].set_result(result)
        self._update_timestamp()

    def cancel(self, message: str) -> None:
        """Cancel the task, unless it has ended or is irrevocable."""
        if self.has_ended or self._is_committed:
            return
        self._message = message
        self._status = "cancelled"
        self._updated = self._clock()
        if self._job is not None:
            self._job.cancel()

    def build_summary(self) -> TaskSummary:
        """Return the fields that every response about the task contains."""
        summary: TaskSummary = {
            "taskId": self.task_id,
            "status": self._status,
            "createdAt": self._created.isoformat(),
            "lastUpdatedAt": self._updated.isoformat(),
            "ttlMs": int(self._ttl.total_seconds() * 1000),
            "pollIntervalMs": TASK_POLL_INTERVAL_MS,
        }
        if self._message is not None:
            summary["statusMessage"] = self._message
        return summary

    def build_details(self) -> TaskDetails:
        """Return the summary of the task with its unanswered questions, its result or its error."""
        details: TaskDetails = {**self.build_summary()}
        if self._status == "input_required":
            details["inputRequests"] = {
                key: question.model_dump(mode="json", by_alias=True, exclude_none=True)
                for key, question in self._questions.items()
            }
        if self._status == "completed":
            details["result"] = self._result
        if self._status == "failed":
            details["error"] = self._error
        return details

    def _update_timestamp(self) -> None:
        if not self.has_ended:
            self._status = "input_required" if self._questions else "working"
            self._updated = self._clock()

    def _on_job_done(self, job: "asyncio.Future[ToolResult]") -> None:
        if job.cancelled():
            self.cancel("The task was cancelled")
            return
        error = job.exception()  # also marks it as retrieved, or asyncio would log it
        if self.has_ended:  # cancelled, but the job did not stop in time
            return
        self._updated = self._clock()
        if error is None:
            self._status, self._message = "completed", None
            self._result = job.result().model_dump(mode="json", by_alias=True, exclude_none=True)
        else:
            data = error.error if isinstance(error, MCPError) else _build_internal_error(error)
            self._status, self._message = "failed", data.message
            self._error = data.model_dump(mode="json", by_alias=True, exclude_none=True)


def _build_internal_error(error: BaseException) -> types.ErrorData:
    log.error("the tool call of a task raised an unexpected exception", exc_info=error)
    message = f"Internal error: {type(error).__name__}; see Conductor's log"
    return types.ErrorData(code=types.INTERNAL_ERROR, message=message)
