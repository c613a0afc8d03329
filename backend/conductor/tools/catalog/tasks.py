"""Tools that store, find, change and delete the user's tasks."""

import asyncio
from datetime import UTC, date, datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from conductor.capabilities.day_phrases import parse_day
from conductor.domain.notes import TEXT, TITLE, Tag, Tags, Task
from conductor.domain.value import Value
from conductor.errors import InvalidParams
from conductor.tools.context import SkillContext
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY

INVALID_DAY = "must be a day such as 2026-12-25, tomorrow or next friday"


def _parse_due_day(value: Any) -> Any:
    """Parse a date or a phrase such as "tomorrow", relative to today. Return other types unchanged."""
    if not isinstance(value, str):
        return value
    today = datetime.now(UTC).astimezone().date()
    try:
        day = parse_day(value.lower(), today, today)
    except (ValueError, OverflowError, InvalidParams, StopIteration):
        day = None
    if day is None:
        raise ValueError(INVALID_DAY)
    return day


Day = Annotated[
    date,
    BeforeValidator(_parse_due_day),
    WithJsonSchema({"type": "string", "description": "2026-12-25, tomorrow, next friday..."}),
]
Id = Annotated[str, Field(min_length=1, max_length=40)]
Title = Annotated[str, Field(min_length=1, max_length=TITLE, pattern=r"\S")]
TOPIC_KEYWORDS = "task tasks todo to-do reminder"
ORIGIN = "tasks that were kept"
ADD_KEYWORDS = "new create remind due deadline buy day"
FIND_KEYWORDS = "open search due deadline agenda today week"


class AddTaskParams(Params):
    title: Title
    text: str = Field(default="", max_length=TEXT)
    due: Day | None = None
    tags: Tags = ()


class FindTasksParams(Params):
    query: str = Field(default="", max_length=500)
    """Words to search for. Default: all tasks"""
    tag: Tag | None = None
    done: bool | None = False
    """false: open tasks; true: done tasks; null: both"""
    due_until: Day | None = None
    limit: int = Field(default=20, ge=1, le=100)


class TaskIdParams(Params):
    task_id: Id


class ChangeTaskParams(TaskIdParams):
    title: Title | None = None
    text: str | None = Field(default=None, max_length=TEXT)
    due: Day | None = None
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
    keywords=f"{TOPIC_KEYWORDS} {ADD_KEYWORDS}",
    asks_in_chat=True,
)
async def add_task(params: AddTaskParams, context: SkillContext) -> Task:
    """Save a task for the user, with an optional due day."""
    tasks = context.abilities.tasks
    return await asyncio.to_thread(tasks.add, params.title, params.text, params.tags, params.due)


@REGISTRY.skill(
    "tasks",
    "Find tasks",
    "core",
    "productivity",
    skill_title="Tasks",
    keywords=f"{TOPIC_KEYWORDS} {FIND_KEYWORDS}",
    idempotent=True,
    origin=ORIGIN,
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
    keywords=f"{TOPIC_KEYWORDS} edit update complete finish done check off",
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
    keywords=f"{TOPIC_KEYWORDS} remove",
    requires_approval=True,
)
async def delete_task(params: TaskIdParams, context: SkillContext) -> Task:
    """Delete a task permanently. The user is asked first."""
    return await asyncio.to_thread(context.abilities.tasks.delete, params.task_id)


def _query_tasks(params: FindTasksParams, context: SkillContext) -> tuple[Task, ...]:
    return context.abilities.tasks.find(
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
    return context.abilities.tasks.change(params.task_id, **changes)
