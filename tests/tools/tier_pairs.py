# pyright: reportUnnecessaryTypeIgnoreComment=true
"""Which context a tool of a tier may receive. Never run: `make lint` fails if a wrong pair is no type error."""

from conductor.domain.config import Config
from conductor.domain.plan import Proposal
from conductor.tools.catalog.status import MessageResult
from conductor.tools.context import HardwareContext, ReadContext, RuntimeContext
from conductor.tools.params import NoParams
from conductor.tools.registry import ToolRegistry

registry = ToolRegistry()


@registry.tool("read_only", "status", title="Wrong")  # pyright: ignore[reportArgumentType]
async def read_with_runtime(params: NoParams, context: RuntimeContext) -> MessageResult:
    raise NotImplementedError


@registry.tool("read_only", "status", title="Wrong")  # pyright: ignore[reportArgumentType]
async def read_with_hardware(params: NoParams, context: HardwareContext) -> MessageResult:
    raise NotImplementedError


@registry.tool("stateful", "status", title="Wrong")  # pyright: ignore[reportArgumentType]
async def switch_with_hardware(params: NoParams, context: HardwareContext) -> MessageResult:
    raise NotImplementedError


@registry.tool("config_change", "status", title="Wrong")  # pyright: ignore[reportArgumentType]
async def change_with_runtime(params: NoParams, context: RuntimeContext) -> MessageResult:
    raise NotImplementedError


@registry.tool("read_only", "status", title="Right")
async def read(params: NoParams, context: ReadContext) -> MessageResult:
    raise NotImplementedError


@registry.tool("stateful", "status", title="Right")
async def switch(params: NoParams, context: ReadContext) -> MessageResult:
    raise NotImplementedError


@registry.tool("privileged", "status", title="Right")
def change(params: NoParams, config: Config) -> Proposal:
    raise NotImplementedError
