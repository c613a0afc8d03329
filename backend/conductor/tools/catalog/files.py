"""The skill that reads files in the folders that the user granted."""

from pydantic import Field

from conductor.domain.value import Value
from conductor.tools.context import SkillContext
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY


class ReadFileParams(Params):
    path: str = Field(default="", max_length=1_000)
    """A file, or a folder to list. Default: the granted folders"""
    find: str = Field(default="", max_length=200)
    """Return only the lines that contain these words, such as `CC 74` in a manual"""
    start: int = Field(default=0, ge=0)
    """`next_start` of the last result, to continue reading; for a PDF a page"""


class FileContent(Value):
    path: str
    kind: str
    """Kind of the file: folder, text, PDF, MIDI file, config of another program..."""
    content: str
    next_start: int | None
    """The `start` at which reading continues, or null at the end."""


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
    part = await context.abilities.files.read(params.path, params.start, params.find)
    return FileContent(
        path=part.path, kind=part.kind, content=part.text, next_start=part.next_start
    )
