"""The skill that reads files in the folders that the user granted."""

from pydantic import Field

from conductor.domain.value import Value
from conductor.tools.context import SkillContext
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY


class ReadFileParams(Params):
    path: str = Field(default="", max_length=1_000)
    """A file, or a folder to list. Left out: the granted folders"""
    find: str = Field(default="", max_length=200)
    """Only the lines that have these words, such as `CC 74` in a manual"""
    start: int = Field(default=0, ge=0)
    """`next_start` of the last answer, to read on; of a PDF a page"""


class FileContent(Value):
    path: str
    kind: str
    """What it is: folder, text, PDF, MIDI file, set-up of another program..."""
    content: str
    next_start: int | None
    """Where to read on; null at the end."""


@REGISTRY.skill(
    "files",
    "File reading",
    "enhanced",
    "developer",
    keywords="open folder directory list document pdf manual csv json toml log markdown midi file mid"
    " syx import convert config bome companion realearn touchosc mixxx virtualdj traktor",
    idempotent=True,
    origin="a file of the user",
)
async def read_file(params: ReadFileParams, context: SkillContext) -> FileContent:
    """Read a file, or list a folder, of the folders that the user granted: text, PDF, MIDI files, configs
    of other mapping programs.
    """
    found = await context.abilities.files.read(params.path, params.start, params.find)
    return FileContent(
        path=found.path, kind=found.kind, content=found.text, next_start=found.next_start
    )
