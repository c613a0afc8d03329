"""The tool that reads the files of an Agent Skill."""

from pydantic import Field

from conductor.domain.value import Value
from conductor.tools.context import ReadContext
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY


class ReadSkillParams(Params):
    skill: str = Field(min_length=1, max_length=64)
    file: str = Field(default="SKILL.md", min_length=1, max_length=200)
    """Such as references/TRIGGERS.md"""
    start: int = Field(default=0, ge=0)
    """Character offset at which to start"""


class SkillText(Value):
    text: str
    next_start: int | None
    """The `start` at which reading continues, or null at the end."""


@REGISTRY.tool("read_only", "knowledge", title="Read skill")
async def read_skill(params: ReadSkillParams, context: ReadContext) -> SkillText:
    """Read a file of an Agent Skill."""
    text, next_start = await context.read_skill(params.skill, params.file, params.start)
    return SkillText(text=text, next_start=next_start)
