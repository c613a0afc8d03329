"""Tools that list the versions of the config, undo, redo, and restore any version."""

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

NEWEST = 2**63 - 1
"""The largest number that SQLite has for a row."""


class ListVersionsParams(Params):
    limit: int = Field(default=10, ge=1, le=100)
    before: int | None = Field(default=None, ge=1, le=NEWEST)
    """A version; list older ones only"""


class VersionRow(Value):
    version: int
    at: datetime
    """When it came into force; it was replaced when the next one did."""
    reason: str
    kind: VersionKind
    by: str | None
    """Who had it made; null for what was found in the file."""
    current: bool
    changed: tuple[str, ...]
    """Against the version before it."""


class Versions(Value):
    versions: tuple[VersionRow, ...]


class RestoreParams(PlanningParams):
    version: int = Field(ge=1, le=NEWEST)


@REGISTRY.tool("read_only", "plans", title="List versions")
async def list_versions(params: ListVersionsParams, context: ReadContext) -> Versions:
    """History: the kept versions of the config, newest first: when, by whom, why, what each changed."""
    found = await context.list_versions(params.limit + 1, params.before)
    # Configs are read and compared: with a thousand mappings half a second for each.
    return await asyncio.to_thread(_to_rows, found, params.limit)


def _to_rows(found: Sequence[ConfigVersion], limit: int) -> Versions:
    rows: list[VersionRow] = []
    for at, one in enumerate(found[:limit]):
        older = found[at + 1] if at + 1 < len(found) else None
        rows.append(
            VersionRow(
                version=one.id,
                at=one.at.replace(microsecond=0),
                reason=one.reason,
                kind=one.kind,
                by=one.by,
                current=one.current,
                changed=() if older is None else describe_changes(older.text, one.text),
            )
        )
    return Versions(versions=tuple(rows))


@REGISTRY.tool("config_change", "plans", title="Restore version")
def restore_version(params: RestoreParams, config: Config) -> Proposal:
    """Plan to bring the config back as it was in any version of conductor_list_versions."""
    return RestoreVersion(params.version)


@REGISTRY.tool("config_change", "plans", title="Undo")
def undo(params: PlanningParams, config: Config) -> Proposal:
    """Plan to go back to the config before the last change."""
    return HistoryStep("undo")


@REGISTRY.tool("config_change", "plans", title="Redo")
def redo(params: PlanningParams, config: Config) -> Proposal:
    """Plan to redo what was undone."""
    return HistoryStep("redo")
