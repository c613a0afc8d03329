"""The skill that runs code that a model has written."""

from pydantic import Field

from conductor.domain.code import MAX_CODE_CHARACTERS, CodeRun, Language
from conductor.tools.context import SkillContext
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY


class RunCodeParams(Params):
    language: Language
    code: str = Field(min_length=1, max_length=MAX_CODE_CHARACTERS)


@REGISTRY.skill(
    "code",
    "Run code",
    "enhanced",
    "developer",
    keywords="python javascript program script execute compute simulate parse json csv sandbox",
    origin="the code that it ran",
)
async def run_code(params: RunCodeParams, context: SkillContext) -> CodeRun:
    """Run Python 3 (standard library only) or JavaScript in a sandbox in the user's window, for exact results
    on data that you put into the code. No network, files, devices or further libraries; at most 10 s; each run
    starts empty. Returns the printed output and the value of the last expression.
    """
    return await context.abilities.code.run(params.language, params.code)
