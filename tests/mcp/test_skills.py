"""Skills and the core reference as resources of Conductor's own server, in both eras of the protocol."""

import asyncio
import hashlib
from pathlib import Path

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError
from tests.conformance.serve_skills import deps
from tests.mcp.clients import ERAS, Era
from tests.skills.making import good, lay

from conductor.domain.settings import SkillsSettings
from conductor.mcp.server.protocol import build_mcp_server
from conductor.mcp.server.resources import ResourceUpdates
from mcp import Client


def ask(home: Path, era: Era, uri: str) -> types.ReadResourceResult:
    async def run() -> types.ReadResourceResult:
        async with Client(build_mcp_server(deps(home), ResourceUpdates()), mode=era) as client:
            return await client.read_resource(uri)

    return asyncio.run(run())


def listed(home: Path, era: Era) -> dict[str, str]:
    async def run() -> types.ListResourcesResult:
        async with Client(build_mcp_server(deps(home), ResourceUpdates()), mode=era) as client:
            return await client.list_resources()

    return {item.uri: item.mime_type or "" for item in asyncio.run(run()).resources}


@pytest.mark.parametrize("era", ERAS)
def test_every_skill_and_the_reference_are_resources(era: Era, tmp_path: Path):
    lay(tmp_path / "skills" / "stage-lighting", good())
    found = listed(tmp_path, era)
    assert found["conductor://reference"] == "text/markdown"
    assert {uri for uri in found if uri.startswith("skill://")} == {
        "skill://conductor-device-setup/SKILL.md",
        "skill://conductor-diagram/SKILL.md",
        "skill://conductor-lights/SKILL.md",
        "skill://conductor-midi-learn/SKILL.md",
        "skill://conductor-midi-mapping/SKILL.md",
        "skill://conductor-profile-manager/SKILL.md",
        "skill://stage-lighting/SKILL.md",
    }


@pytest.mark.parametrize("era", ERAS)
def test_a_skill_that_the_user_switched_off_is_neither_listed_nor_read(era: Era, tmp_path: Path):
    off = SkillsSettings(disabled=("conductor-midi-mapping",))
    uri = "skill://conductor-midi-mapping/SKILL.md"

    async def run() -> set[str]:
        server = build_mcp_server(deps(tmp_path, lambda: off), ResourceUpdates())
        async with Client(server, mode=era) as client:
            with pytest.raises(MCPError, match="Resource not found"):
                await client.read_resource(uri)
            return {item.uri for item in (await client.list_resources()).resources}

    assert uri not in asyncio.run(run())


@pytest.mark.parametrize("era", ERAS)
def test_the_reference_and_the_files_of_a_skill_can_be_read(era: Era, tmp_path: Path):
    for uri, part in (
        ("conductor://reference", "# Conductor: core reference"),
        ("skill://conductor-midi-mapping/SKILL.md", "# Mapping controls"),
        ("skill://conductor-midi-mapping/references/TRIGGERS.md", "## LongPress"),
    ):
        row = ask(tmp_path, era, uri).contents[0]
        assert isinstance(row, types.TextResourceContents)
        assert row.mime_type == "text/markdown"
        assert part in row.text


@pytest.mark.parametrize(
    "uri",
    [
        "skill://nothing/SKILL.md",
        "skill://conductor-midi-mapping/../../etc/passwd",
        "skill://conductor-midi-mapping/%2e%2e/%2e%2e/LICENSE",
        "skill://../SKILL.md",
        "skill://conductor-midi-mapping//etc/passwd",
        "skill://",
    ],
)
def test_a_file_outside_a_skill_is_not_found(uri: str, tmp_path: Path):
    async def run() -> None:
        async with Client(
            build_mcp_server(deps(tmp_path), ResourceUpdates()), mode="2026-07-28"
        ) as client:
            with pytest.raises(MCPError, match="Resource not found"):
                await client.read_resource(uri)

    asyncio.run(run())


def test_a_file_has_the_digest_that_is_promised(tmp_path: Path):
    from conductor.mcp.server.skills import SkillHandlers
    from conductor.skills.library import SkillLibrary

    library = SkillLibrary(tmp_path)
    promised = {item.path: item.digest for item in library.list_resources("conductor-midi-mapping")}
    read = asyncio.run(
        SkillHandlers(library).read_skill_file("skill://conductor-midi-mapping/SKILL.md")
    ).contents[0]
    assert isinstance(read, types.TextResourceContents)
    digest = hashlib.sha256(read.text.encode()).hexdigest()
    assert promised["SKILL.md"] == f"sha256:{digest}"
