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

NO_DAY = "must be a day such as 2026-12-25, tomorrow or next friday"


def _parse_day(said: Any) -> Any:
    """Parse a day such as "tomorrow", which is relative to today."""
    if not isinstance(said, str):
        return said
    today = datetime.now(UTC).astimezone().date()
    try:
        found = parse_day(said.lower(), today, today)
    except (ValueError, OverflowError, InvalidParams, StopIteration):
        found = None
    if found is None:
        raise ValueError(NO_DAY)
    return found


Day = Annotated[
    date,
    BeforeValidator(_parse_day),
    WithJsonSchema({"type": "string", "description": "2026-12-25, tomorrow, next friday..."}),
]
Id = Annotated[str, Field(min_length=1, max_length=40)]
Title = Annotated[str, Field(min_length=1, max_length=TITLE, pattern=r"\S")]
ABOUT = "task tasks todo to-do reminder"
KEPT = "tasks that were kept"
ADD = "new create remind due deadline buy day"
FIND = "open search due deadline agenda today week"


class AddTaskParams(Params):
    title: Title
    text: str = Field(default="", max_length=TEXT)
    due: Day | None = None
    tags: Tags = ()


class FindTasksParams(Params):
    query: str = Field(default="", max_length=500)
    """Words; left out: all."""
    tag: Tag | None = None
    done: bool | None = False
    """False: what is open; true: what is done; null: both."""
    due_until: Day | None = None
    limit: int = Field(default=20, ge=1, le=100)


class TaskIdParams(Params):
    task_id: Id


class ChangeTaskParams(TaskIdParams):
    title: Title | None = None
    text: str | None = Field(default=None, max_length=TEXT)
    due: Day | None = None
    no_due: bool = False
    """Take its day away."""
    done: bool | None = None
    tags: Tags | None = None


class FoundTasks(Value):
    tasks: tuple[Task, ...]
    """What is due first comes first."""


@REGISTRY.skill(
    "tasks",
    "Add task",
    "core",
    "productivity",
    skill_title="Tasks",
    keywords=f"{ABOUT} {ADD}",
    asks_in_chat=True,
)
async def add_task(params: AddTaskParams, context: SkillContext) -> Task:
    """Keep a task for the user, with the day it is due."""
    tasks = context.abilities.tasks
    return await asyncio.to_thread(tasks.add, params.title, params.text, params.tags, params.due)


@REGISTRY.skill(
    "tasks",
    "Find tasks",
    "core",
    "productivity",
    skill_title="Tasks",
    keywords=f"{ABOUT} {FIND}",
    idempotent=True,
    origin=KEPT,
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
    keywords=f"{ABOUT} edit update complete finish done check off",
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
    keywords=f"{ABOUT} remove",
    requires_approval=True,
)
async def delete_task(params: TaskIdParams, context: SkillContext) -> Task:
    """Delete a task for good. The user is asked."""
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
