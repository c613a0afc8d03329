"""Tools that store, find, change and delete the user's tasks."""

import asyncio
from datetime import UTC, date, datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from conductor.capabilities.day_phrases import parse_day
from conductor.domain.notes import MAX_TEXT_CHARACTERS, MAX_TITLE_CHARACTERS, Tag, Tags, Task
from conductor.domain.value import Value
from conductor.errors import InvalidParams
from conductor.tools.context import SkillContext
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY

INVALID_DAY_MESSAGE = "must be a day such as 2026-12-25, tomorrow or next friday"


def _parse_due_day(value: Any) -> Any:
    """Parse a date or a phrase such as "tomorrow", relative to today. Other types are left to pydantic."""
    if not isinstance(value, str):
        return value
    today = datetime.now(UTC).astimezone().date()
    try:
        day = parse_day(value.lower(), today, today)
    except (ValueError, OverflowError, InvalidParams, StopIteration):
        day = None
    if day is None:
        raise ValueError(INVALID_DAY_MESSAGE)
    return day


DueDay = Annotated[
    date,
    BeforeValidator(_parse_due_day),
    WithJsonSchema({"type": "string", "description": "2026-12-25, tomorrow, next friday..."}),
]
TaskId = Annotated[str, Field(min_length=1, max_length=40)]
TaskTitle = Annotated[str, Field(min_length=1, max_length=MAX_TITLE_CHARACTERS, pattern=r"\S")]
TASK_KEYWORDS = "task tasks todo to-do reminder"
TASKS_ORIGIN = "tasks that were kept"
ADD_TASK_KEYWORDS = "new create remind due deadline buy day"
FIND_TASKS_KEYWORDS = "open search due deadline agenda today week"


class AddTaskParams(Params):
    title: TaskTitle
    text: str = Field(default="", max_length=MAX_TEXT_CHARACTERS)
    due: DueDay | None = None
    tags: Tags = ()


class FindTasksParams(Params):
    query: str = Field(default="", max_length=500)
    """Words to search for. Default: all tasks"""
    tag: Tag | None = None
    done: bool | None = False
    """false: open tasks; true: done tasks; null: both"""
    due_until: DueDay | None = None
    limit: int = Field(default=20, ge=1, le=100)


class TaskIdParams(Params):
    task_id: TaskId


class ChangeTaskParams(TaskIdParams):
    title: TaskTitle | None = None
    text: str | None = Field(default=None, max_length=MAX_TEXT_CHARACTERS)
    due: DueDay | None = None
    no_due: bool = False
    """Remove the due day"""
    done: bool | None = None
    tags: Tags | None = None


class FoundTasks(Value):
    tasks: tuple[Task, ...]
    """The tasks, earliest due day first."""


@REGISTRY.skill(
    "tasks",
    "Add task",
    "core",
    "productivity",
    skill_title="Tasks",
    keywords=f"{TASK_KEYWORDS} {ADD_TASK_KEYWORDS}",
    asks_in_chat=True,
)
async def add_task(params: AddTaskParams, context: SkillContext) -> Task:
    """Save a task for the user, with an optional due day."""
    tasks = context.abilities.tasks
    return await asyncio.to_thread(
        tasks.add_task, params.title, params.text, params.tags, params.due
    )


@REGISTRY.skill(
    "tasks",
    "Find tasks",
    "core",
    "productivity",
    skill_title="Tasks",
    keywords=f"{TASK_KEYWORDS} {FIND_TASKS_KEYWORDS}",
    idempotent=True,
    origin=TASKS_ORIGIN,
)
async def find_tasks(params: FindTasksParams, context: SkillContext) -> FoundTasks:
    """List the user's tasks, or search them by words, tag or due day."""
    return FoundTasks(tasks=await asyncio.to_thread(_query_tasks, params, context))


@REGISTRY.skill(
    "tasks",
    "Change task",
    "core",
    "productivity",
    skill_title="Tasks",
    keywords=f"{TASK_KEYWORDS} edit update complete finish done check off",
    asks_in_chat=True,
)
async def change_task(params: ChangeTaskParams, context: SkillContext) -> Task:
    """Change a task, or mark it as done."""
    return await asyncio.to_thread(_change_task, params, context)


@REGISTRY.skill(
    "tasks",
    "Delete task",
    "core",
    "productivity",
    skill_title="Tasks",
    keywords=f"{TASK_KEYWORDS} remove",
    requires_approval=True,
)
async def delete_task(params: TaskIdParams, context: SkillContext) -> Task:
    """Delete a task permanently. The user is asked first."""
    return await asyncio.to_thread(context.abilities.tasks.delete_task, params.task_id)


def _query_tasks(params: FindTasksParams, context: SkillContext) -> tuple[Task, ...]:
    return context.abilities.tasks.find_tasks(
        params.query,
        params.tag,
        done=params.done,
        due_until=params.due_until,
        limit=params.limit,
    )


def _change_task(params: ChangeTaskParams, context: SkillContext) -> Task:
    changes = params.model_dump(exclude={"task_id"}, exclude_unset=True, exclude_none=True)
    if not changes:
        raise InvalidParams(
            "there is nothing to change: give title, text, due, no_due, done or tags"
        )
    return context.abilities.tasks.change_task(params.task_id, **changes)
