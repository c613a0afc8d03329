"""Tools that propose changes to profiles for apps."""

from typing import Annotated

from pydantic import WithJsonSchema

from conductor.domain.change_kinds import CreateProfile, DeleteProfile, UpdateProfile
from conductor.domain.config import Config, Profile, ProfileMatch
from conductor.domain.plan import Proposal
from conductor.tools.names import ConfigName
from conductor.tools.params import PlanningParams
from conductor.tools.registry import REGISTRY

ProfileMatchParam = Annotated[
    ProfileMatch,
    WithJsonSchema(
        {"type": "object", "description": "At least one of bundle_id, executable, title_regex"}
    ),
]


class CreateProfileParams(PlanningParams):
    name: ConfigName
    match: ProfileMatchParam
    mode: str | None = None
    """Mode to activate while the app is in front"""


class UpdateProfileParams(PlanningParams):
    profile: str
    new_name: ConfigName | None = None
    match: ProfileMatchParam | None = None
    mode: str | None = None
    enabled: bool | None = None


class DeleteProfileParams(PlanningParams):
    profile: str


@REGISTRY.tool("config_change", "mappings", title="Create profile")
def create_profile(params: CreateProfileParams, config: Config) -> Proposal:
    """Plan a profile, which changes mappings and mode while an app is in front."""
    return (CreateProfile(profile=Profile(name=params.name, match=params.match, mode=params.mode)),)


@REGISTRY.tool("config_change", "mappings", title="Update profile")
def update_profile(params: UpdateProfileParams, config: Config) -> Proposal:
    """Plan a change of a profile."""
    return (
        UpdateProfile(
            name=params.profile,
            new_name=params.new_name,
            match=params.match,
            mode=params.mode,
            enabled=params.enabled,
        ),
    )


@REGISTRY.tool("privileged", "mappings", title="Delete profile")
def delete_profile(params: DeleteProfileParams, config: Config) -> Proposal:
    """Plan to delete a profile with its mappings. Window or terminal approval only."""
    return (DeleteProfile(name=params.profile),)
