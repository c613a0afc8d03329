"""Stores tasks in memory for an hour. A task belongs to the program that started it.

A task of another program counts as unknown. A program that the system does not identify must name a task by
its id, which is random and which only the starter knows: no list contains it (docs/adr/0023).
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from a2a.server.context import ServerCallContext
from a2a.server.tasks import InMemoryTaskStore, TaskStore
from a2a.types import ListTasksRequest, ListTasksResponse, Task, TaskState
from a2a.utils.errors import InvalidRequestError

from conductor.mcp.a2a.callers import get_program, get_requester

TASK_TIME_TO_LIVE = timedelta(hours=1)
MAX_TASKS_PER_PROGRAM, MAX_TASKS = 64, 512
ENDED_STATES = frozenset(
    (
        TaskState.TASK_STATE_COMPLETED,
        TaskState.TASK_STATE_CANCELED,
        TaskState.TASK_STATE_FAILED,
        TaskState.TASK_STATE_REJECTED,
    )
)


class _StoredTask(NamedTuple):
    context: ServerCallContext
    created: datetime
    has_ended: bool

    @property
    def program(self) -> object:
        return get_program(get_requester(self.context))


class OwnedTasks(TaskStore):
    """The tasks of all programs. `on_removed` is called with the id of each task that is removed."""

    def __init__(
        self,
        on_removed: Callable[[str], None],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._on_removed = on_removed
        self._clock = clock
        self._tasks = InMemoryTaskStore()
        self._stored: dict[str, _StoredTask] = {}

    async def save(self, task: Task, context: ServerCallContext) -> None:
        known = self._stored.get(task.id)
        # The context of a later request may be that of another connection of the same program.
        context = known.context if known else context
        await self._tasks.save(task, context)
        created = known.created if known else self._clock()
        self._stored[task.id] = _StoredTask(context, created, task.status.state in ENDED_STATES)

    async def get(self, task_id: str, context: ServerCallContext) -> Task | None:
        await self._remove_expired_tasks()
        return await self._tasks.get(task_id, context)

    async def list(self, params: ListTasksRequest, context: ServerCallContext) -> ListTasksResponse:
        await self._remove_expired_tasks()
        if get_requester(context).is_anonymous:
            return ListTasksResponse(page_size=params.page_size)
        return await self._tasks.list(params, context)

    async def delete(self, task_id: str, context: ServerCallContext) -> None:
        await self._tasks.delete(task_id, context)
        self._forget(task_id)

    async def make_room(self, context: ServerCallContext) -> None:
        """Make room for another task of a program by removing its oldest task that has ended.

        Raises:
            InvalidRequestError: Too many tasks have not ended yet.
        """
        await self._remove_expired_tasks()
        program = get_program(get_requester(context))
        own = [task_id for task_id, stored in self._stored.items() if stored.program == program]
        if len(own) < MAX_TASKS_PER_PROGRAM and len(self._stored) < MAX_TASKS:
            return
        candidates = own if len(own) >= MAX_TASKS_PER_PROGRAM else list(self._stored)
        ended = next((each for each in candidates if self._stored[each].has_ended), None)
        if ended is None:
            raise InvalidRequestError(
                message="too many tasks have not ended yet; cancel some, or wait until they end"
            )
        await self.delete(ended, self._stored[ended].context)

    async def _remove_expired_tasks(self) -> None:
        limit = self._clock() - TASK_TIME_TO_LIVE
        expired = [
            (task_id, stored.context)
            for task_id, stored in self._stored.items()
            if stored.created <= limit and stored.has_ended
        ]
        for task_id, context in expired:
            await self.delete(task_id, context)

    def _forget(self, task_id: str) -> None:
        self._stored.pop(task_id, None)
        self._on_removed(task_id)
