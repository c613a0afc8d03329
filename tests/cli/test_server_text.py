"""What the terminal says of the tools of servers."""

import json
from pathlib import Path
from typing import Any

import pytest

from conductor.cli.server_text import format_tool
from conductor.domain.settings import SkillsSettings
from conductor.mcp.client.values import ClientView, ToolView
from conductor.mcp.registry.file import ServersFile
from conductor.mcp.registry.views import UNCHECKED_CONSENT, ServerStatus, build_server_view

LOOK = ToolView(
    name="look",
    skill_id="mcp:it:look",
    title="Look Tool",
    description="",
    state="ok",
    digest="x",
    parameters={},
)


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"tiers": {"integration": True}}, "(on)"),
        ({}, "(off for the assistant because Integrations are off; mappings can call it)"),
        ({"tools": {"mcp:it:look": False}}, "(off)"),
        ({"tools": {"mcp:it:look": True}}, "(on)"),
    ],
)
def test_a_tool_is_on_or_off_with_the_reason(
    tmp_path: Path, settings: dict[str, Any], word: str
) -> None:
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"it": {"command": "true"}}}))
    listed = ServersFile(tmp_path / "mcp.json").read_servers().servers["it"]
    assert listed.entry is not None
    host = ClientView(name="it", state="ready", tools=(LOOK,))
    said = SkillsSettings.model_validate(settings)
    standing = ServerStatus(True, listed.entry.digest, False, None, host, said, UNCHECKED_CONSENT)
    tool = build_server_view(listed, standing).model_dump(mode="json")["tools"][0]
    assert format_tool(tool)[0] == f"look  {word}  Look Tool"
