"""The tool that proposes an alias for a device."""

from typing import Annotated

from pydantic import AfterValidator, Field

from conductor.domain.change_kinds import CreateDevice
from conductor.domain.config import Config
from conductor.domain.devices import DeviceIdentity
from conductor.domain.plan import Proposal
from conductor.tools.names import ConfigName
from conductor.tools.params import PlanningParams
from conductor.tools.registry import REGISTRY
from conductor.tools.schema import Matchers


def _reject_device_id_as_alias(alias: str) -> str:
    if ":" in alias:
        raise ValueError("an alias must not have a colon")
    return alias


class CreateDeviceParams(PlanningParams):
    alias: Annotated[ConfigName, AfterValidator(_reject_device_id_as_alias)]
    matchers: Matchers
    description: str | None = Field(default=None, max_length=500)


@REGISTRY.tool("config_change", "devices", title="Create device identity")
def create_device_identity(params: CreateDeviceParams, config: Config) -> Proposal:
    """Plan an alias for a device, so that mappings can name it."""
    device = DeviceIdentity(
        alias=params.alias, matchers=params.matchers, description=params.description
    )
    return (CreateDevice(device=device),)
