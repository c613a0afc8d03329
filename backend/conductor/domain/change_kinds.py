"""Defines the kinds of config changes, which are proposed as plans and stored.

A change of a mapping names the mode or profile that contains the mapping. Without a mode and profile, the
change refers to the mappings of all modes.
"""

from typing import Annotated, Literal

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from typing_extensions import TypeAliasType

from conductor.base.json_types import JsonObject
from conductor.domain.actions import TopLevelAction
from conductor.domain.config import Config, Mapping, Profile, ProfileMatch
from conductor.domain.devices import DeviceIdentity, Matcher
from conductor.domain.triggers import Trigger
from conductor.domain.value import Value

ListIndex = Annotated[int, Field(ge=0)]


class ChangeBase(Value):
    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Return a schema in which the tag `change_type` is required, as `Value` does for `type`."""
        schema = super().__get_pydantic_json_schema__(core_schema, handler)
        target = handler.resolve_ref_schema(schema)
        required: list[str] = target.setdefault("required", [])
        if "change_type" in target.get("properties", {}) and "change_type" not in required:
            required.insert(0, "change_type")
        return schema


class MappingChange(ChangeBase):
    mode: str | None = None
    """The mode that contains it. Without `mode` and `profile`: the mappings of all modes."""
    profile: str | None = None

    def describe_scope(self) -> str:
        """Return the mode or the profile that contains the mapping as text, such as `mode Default`."""
        if self.mode is not None:
            return f"mode {self.mode}"
        return "all modes" if self.profile is None else f"profile {self.profile}"

    @model_validator(mode="after")
    def _require_one_place(self) -> "MappingChange":
        if self.mode is not None and self.profile is not None:
            raise ValueError("give `mode` or `profile`, not both")
        return self


class CreateMapping(MappingChange):
    """Adds a mapping, at the end or at an index."""

    change_type: Literal["CreateMapping"] = "CreateMapping"
    index: ListIndex | None = None
    mapping: Mapping


class UpdateMapping(MappingChange):
    """Changes the given parts of a mapping."""

    change_type: Literal["UpdateMapping"] = "UpdateMapping"
    index: ListIndex
    trigger: Trigger | None = None
    action: TopLevelAction | None = None
    description: str | None = None
    """The new description; an empty text removes it."""
    enabled: bool | None = None


class DeleteMapping(MappingChange):
    """Deletes a mapping."""

    change_type: Literal["DeleteMapping"] = "DeleteMapping"
    index: ListIndex


class MoveMapping(MappingChange):
    """Moves a mapping within its list, or to another list."""

    change_type: Literal["MoveMapping"] = "MoveMapping"
    index: ListIndex
    to_index: ListIndex | None = None
    """The new index. Left out: the end of the list."""
    to_mode: str | None = None
    to_profile: str | None = None
    to_global: bool = False


class CreateMode(ChangeBase):
    """Adds a mode, at the end or at an index."""

    change_type: Literal["CreateMode"] = "CreateMode"
    name: str = Field(min_length=1)
    color: str | None = None
    mappings: tuple[Mapping, ...] = ()
    index: ListIndex | None = None


class UpdateMode(ChangeBase):
    """Renames or recolours a mode; references to its name are updated."""

    change_type: Literal["UpdateMode"] = "UpdateMode"
    name: str
    new_name: str | None = None
    color: str | None = None
    """The new colour; an empty text removes it."""


class DeleteMode(ChangeBase):
    """Deletes a mode with its mappings."""

    change_type: Literal["DeleteMode"] = "DeleteMode"
    name: str


class CreateDevice(ChangeBase):
    """Assigns an alias to a device."""

    change_type: Literal["CreateDevice"] = "CreateDevice"
    device: DeviceIdentity


class UpdateDevice(ChangeBase):
    """Changes the given parts of a device; references to its alias are updated."""

    change_type: Literal["UpdateDevice"] = "UpdateDevice"
    alias: str
    new_alias: str | None = None
    matchers: tuple[Matcher, ...] | None = None
    description: str | None = None
    """The new description; an empty text removes it."""
    enabled: bool | None = None


class DeleteDevice(ChangeBase):
    """Deletes a device's alias."""

    change_type: Literal["DeleteDevice"] = "DeleteDevice"
    alias: str


class CreateProfile(ChangeBase):
    """Adds a profile for an app."""

    change_type: Literal["CreateProfile"] = "CreateProfile"
    profile: Profile


class UpdateProfile(ChangeBase):
    """Changes the given parts of a profile."""

    change_type: Literal["UpdateProfile"] = "UpdateProfile"
    name: str
    new_name: str | None = None
    match: ProfileMatch | None = None
    mode: str | None = None
    """The mode that the profile switches to; an empty text removes it."""
    enabled: bool | None = None


class DeleteProfile(ChangeBase):
    """Deletes a profile with its mappings."""

    change_type: Literal["DeleteProfile"] = "DeleteProfile"
    name: str


class UpdateSettings(ChangeBase):
    """Changes the settings that are given: `{"engine": {"allow_shell": true}}`; null: default.

    Sections are engine, ui and learn of `[settings]`, and llm, knowledge and skills.
    """

    change_type: Literal["UpdateSettings"] = "UpdateSettings"
    settings: JsonObject


class ReplaceConfig(ChangeBase):
    """Replaces the whole config."""

    change_type: Literal["ReplaceConfig"] = "ReplaceConfig"
    config: Config


Change = TypeAliasType(
    "Change",
    Annotated[
        CreateMapping
        | UpdateMapping
        | DeleteMapping
        | MoveMapping
        | CreateMode
        | UpdateMode
        | DeleteMode
        | CreateDevice
        | UpdateDevice
        | DeleteDevice
        | CreateProfile
        | UpdateProfile
        | DeleteProfile
        | UpdateSettings
        | ReplaceConfig,
        Field(discriminator="change_type"),
    ],
)
