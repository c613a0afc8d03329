"""Tools that list the versions of the config, undo, redo, and restore a version."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from pydantic import Field

from conductor.domain.config import Config
from conductor.domain.plan import HistoryStep, Proposal, RestoreVersion
from conductor.domain.value import Value
from conductor.domain.versions import VersionKind
from conductor.tools.context import ConfigVersion, ReadContext
from conductor.tools.params import Params, PlanningParams
from conductor.tools.registry import REGISTRY
from conductor.tools.versions import describe_changes

MAX_VERSION_ID = 2**63 - 1
"""The largest row number in SQLite."""


class ListVersionsParams(Params):
    limit: int = Field(default=10, ge=1, le=100)
    before: int | None = Field(default=None, ge=1, le=MAX_VERSION_ID)
    """List only versions that are older than this version"""


class VersionRow(Value):
    version: int
    at: datetime
    """When the version became the current config."""
    reason: str
    kind: VersionKind
    by: str | None
    """The author; null for a change found in the file."""
    current: bool
    changed: tuple[str, ...]
    """The differences from the previous version."""


class Versions(Value):
    versions: tuple[VersionRow, ...]


class RestoreParams(PlanningParams):
    version: int = Field(ge=1, le=MAX_VERSION_ID)


@REGISTRY.tool("read_only", "plans", title="List versions")
async def list_versions(params: ListVersionsParams, context: ReadContext) -> Versions:
    """List the history: the stored versions of the config, newest first, with time, author, reason and
    changes.
    """
    versions = await context.list_versions(params.limit + 1, params.before)
    # in a thread, because comparing two configs with a thousand mappings takes half a second
    return await asyncio.to_thread(_build_version_rows, versions, params.limit)


def _build_version_rows(versions: Sequence[ConfigVersion], limit: int) -> Versions:
    rows: list[VersionRow] = []
    for index, version in enumerate(versions[:limit]):
        older = versions[index + 1] if index + 1 < len(versions) else None
        rows.append(
            VersionRow(
                version=version.id,
                at=version.at.replace(microsecond=0),
                reason=version.reason,
                kind=version.kind,
                by=version.by,
                current=version.current,
                changed=() if older is None else describe_changes(older.text, version.text),
            )
        )
    return Versions(versions=tuple(rows))


@REGISTRY.tool("config_change", "plans", title="Restore version")
def restore_version(params: RestoreParams, config: Config) -> Proposal:
    """Plan to restore the config of any version in conductor_list_versions."""
    return RestoreVersion(params.version)


@REGISTRY.tool("config_change", "plans", title="Undo")
def undo(params: PlanningParams, config: Config) -> Proposal:
    """Plan to undo the last change of the config."""
    return HistoryStep("undo")


@REGISTRY.tool("config_change", "plans", title="Redo")
def redo(params: PlanningParams, config: Config) -> Proposal:
    """Plan to redo the last change that was undone."""
    return HistoryStep("redo")
