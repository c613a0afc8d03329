"""Handles the A2A requests about tasks, by the library's handler and Conductor's rules for waiting tasks."""

from collections import Counter
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from typing import Any

from a2a.server.context import ServerCallContext
from a2a.server.request_handlers import DefaultRequestHandlerV2
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    GetTaskRequest,
    Message,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
)
from a2a.utils.errors import InvalidParamsError, InvalidRequestError
from a2a.utils.task import apply_history_length, validate_history_length

from conductor.mcp.a2a.callers import get_program, get_requester
from conductor.mcp.a2a.executor import SkillExecutor
from conductor.mcp.a2a.push import PushConfigs, PushSender
from conductor.mcp.a2a.tasks import OwnedTasks

MAX_STREAMS_PER_PROGRAM, MAX_STREAMS = 32, 128


class TaskRequestHandler(DefaultRequestHandlerV2):
    """Answers requests about tasks.

    A message to a task that has not ended decides nothing, as only the user decides. It gets the task as it is.
    """

    def __init__(
        self,
        executor: SkillExecutor,
        tasks: OwnedTasks,
        card: AgentCard,
        configs: PushConfigs,
        sender: PushSender,
    ) -> None:
        super().__init__(executor, tasks, card, push_config_store=configs, push_sender=sender)
        self._executor = executor
        self._tasks = tasks
        self._streams: Counter[object] = Counter()
        """The number of open streams of each program."""

    async def on_message_send(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> Message | Task:
        if self._executor.is_running(params.message.task_id):
            return await self._get_waiting_task(params, context)
        await self._tasks.make_room(context)
        return await super().on_message_send(params, context)

    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Any, None]:
        with _count_stream(self._streams, context):
            if self._executor.is_running(params.message.task_id):
                await self._get_waiting_task(params, context)
                request = SubscribeToTaskRequest(id=params.message.task_id)
                events = super().on_subscribe_to_task(request, context)
            else:
                await self._tasks.make_room(context)
                events = super().on_message_send_stream(params, context)
            async for event in events:
                yield event

    async def on_subscribe_to_task(
        self, params: SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Any, None]:
        with _count_stream(self._streams, context):
            async for event in super().on_subscribe_to_task(params, context):
                yield event

    async def on_cancel_task(
        self, params: CancelTaskRequest, context: ServerCallContext
    ) -> Task | None:
        await self.on_get_task(GetTaskRequest(id=params.id), context)  # only one's own task
        self._executor.require_cancellable(params.id)
        return await super().on_cancel_task(params, context)

    async def _get_waiting_task(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> Task:
        validate_history_length(params.configuration)
        request = GetTaskRequest(id=params.message.task_id)
        task = await self.on_get_task(request, context)
        assert task is not None
        if params.message.context_id not in ("", task.context_id):
            raise InvalidParamsError(
                message="contextId is not that of the task: leave it out, or send the context of the task"
            )
        return apply_history_length(task, params.configuration)


@contextmanager
def _count_stream(streams: Counter[object], context: ServerCallContext) -> Generator[None]:
    """Count an open stream of a program.

    Raises:
        InvalidRequestError: Too many streams are open.
    """
    program = get_program(get_requester(context))
    if streams[program] >= MAX_STREAMS_PER_PROGRAM or streams.total() >= MAX_STREAMS:
        raise InvalidRequestError(message="too many open streams; close some, or poll the tasks")
    streams[program] += 1
    try:
        yield
    finally:
        streams[program] -= 1
        if not streams[program]:
            del streams[program]
