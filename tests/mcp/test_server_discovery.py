"""Servers of other programs, each in the very format that its program writes."""

import json
from pathlib import Path
from typing import Any

import pytest

from conductor.errors import InvalidParams
from conductor.mcp.registry.discovery import (
    TITLE_BY_CLIENT,
    SettingsSource,
    find_settings_path,
    find_settings_sources,
    read_settings_source,
)
from conductor.mcp.registry.entry import parse_server_entry
from conductor.mcp.registry.views import build_importable_server

GITHUB: dict[str, Any] = {
    "command": "npx",
    "args": ["-y", "@modelcontextprotocol/server-github"],
    "env": {"GITHUB_PERSONAL_ACCESS_TOKEN": "ghp_0123456789abcdefghij"},
}
CLAUDE_DESKTOP = {"globalShortcut": "", "mcpServers": {"github": GITHUB}}
CLAUDE_CODE = {
    "numStartups": 7,
    "mcpServers": {
        "sentry": {
            "type": "http",
            "url": "https://mcp.sentry.dev/mcp",
            "headers": {"X-Key": "k" * 12},
        },
        "conductor": {"type": "stdio", "command": "conductor", "args": ["mcp"]},
    },
    "projects": {
        "/home/ada/shop": {
            "allowedTools": [],
            "mcpServers": {
                "db": {"type": "stdio", "command": "uvx", "args": ["db==1.0"], "env": {}},
                "sentry": {"type": "sse", "url": "https://mcp.sentry.dev/sse"},
            },
        },
        "/home/ada/blog": {"mcpServers": {"db": {"command": "uvx", "args": ["other==2.0"]}}},
    },
}
CURSOR = """{
  // mine
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "x@1.0.0", "${workspaceFolder}"], "envFile": ".env" },
    "notes": { "command": "${userHome}/bin/notes", "args": [] },
    "remote": { "url": "https://example.org/mcp", "headers": { "Authorization": "Bearer ${env:MY_TOKEN}" } },
  },
}"""
VSCODE = """{
  "inputs": [{ "type": "promptString", "id": "perplexity-key", "description": "Key", "password": true }],
  "servers": {
    "Perplexity Ask": {
      "type": "stdio", "command": "npx", "args": ["-y", "server-perplexity-ask@0.1.3"],
      "env": { "PERPLEXITY_API_KEY": "${input:perplexity-key}" }, "dev": { "watch": "src/**" }
    }
  }
}"""
GEMINI = {
    "theme": "Default",
    "mcpServers": {
        "http": {"httpUrl": "http://localhost:3000/mcp", "timeout": 5000, "trust": True},
        "py": {"command": "python", "args": ["-m", "s"], "cwd": "./x", "excludeTools": ["drop"]},
    },
}
WINDSURF = {"mcpServers": {"figma": {"serverUrl": "https://mcp.figma.com/mcp", "disabled": True}}}
CODEX = """
model = "o5"
[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp@1.0.0"]
startup_timeout_sec = 20
tool_timeout_sec = 45
enabled = false
[mcp_servers.context7.env]
MY_ENV = "1"
[mcp_servers.figma]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA_TOKEN"
http_headers = { "X-Region" = "eu" }
env_http_headers = { "X-Org" = "FIGMA_ORG" }
"""
CORPUS: dict[str, str] = {
    "claude-desktop": json.dumps(CLAUDE_DESKTOP),
    "claude-code": json.dumps(CLAUDE_CODE),
    "cursor": CURSOR,
    "vscode": VSCODE,
    "gemini": json.dumps(GEMINI),
    "windsurf": json.dumps(WINDSURF),
    "codex": CODEX,
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home folder in which every program has its settings."""
    for client, text in CORPUS.items():
        path = find_settings_path(client, {"HOME": str(tmp_path)})
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.fixture
def found(home: Path) -> dict[str, SettingsSource]:
    return {one.client: one for one in find_settings_sources({"HOME": str(home)})}


def raws(source: SettingsSource) -> dict[str, Any]:
    return {one.name: one.raw for one in source.servers}


def notes(source: SettingsSource, name: str) -> str:
    return "\n".join(next(one.notes for one in source.servers if one.name == name))


def test_every_program_that_has_settings_is_found(found: dict[str, SettingsSource]) -> None:
    assert list(found) == list(TITLE_BY_CLIENT)
    assert all(one.problem is None for one in found.values())


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    assert find_settings_sources({"HOME": str(tmp_path)}) == []
    with pytest.raises(InvalidParams, match="choose one of claude-code"):
        find_settings_path("emacs")


def test_claude_desktop(found: dict[str, SettingsSource]) -> None:
    assert raws(found["claude-desktop"]) == {"github": GITHUB}


def test_claude_code_has_the_users_servers_and_those_of_projects_but_not_conductor_itself(
    found: dict[str, SettingsSource],
) -> None:
    source = found["claude-code"]
    assert list(raws(source)) == ["sentry", "db", "sentry-2", "db-2"]
    assert raws(source)["db-2"]["args"] == ["other==2.0"]
    assert "from the project shop" in notes(source, "db")
    assert "SSE transport" in notes(source, "sentry-2")


def test_cursor_has_comments_and_places_of_its_own(found: dict[str, SettingsSource]) -> None:
    source = found["cursor"]
    assert raws(source)["notes"]["command"] == str(Path.home() / "bin" / "notes")
    assert raws(source)["remote"]["headers"] == {"Authorization": "Bearer ${env:MY_TOKEN}"}
    assert "`${workspaceFolder}` is not supported" in notes(source, "files")
    assert "`envFile` is not read" in notes(source, "files")


def test_vs_code_would_ask_for_what_has_to_be_filled_in(found: dict[str, SettingsSource]) -> None:
    source = found["vscode"]
    assert list(raws(source)) == ["Perplexity-Ask"]
    assert "`perplexity-key`, which VS Code asks for" in notes(source, "Perplexity-Ask")


def test_gemini_and_windsurf_name_addresses_their_way(found: dict[str, SettingsSource]) -> None:
    http = parse_server_entry(raws(found["gemini"])["http"])
    assert (http.url, http.timeout_s) == ("http://localhost:3000/mcp", 5)
    assert "`trust` has no effect" in notes(found["gemini"], "http")
    assert parse_server_entry(raws(found["gemini"])["py"]).disabled_tools == ("drop",)
    figma = parse_server_entry(raws(found["windsurf"])["figma"])
    assert (figma.url, figma.disabled) == ("https://mcp.figma.com/mcp", True)


def test_codex_writes_toml(found: dict[str, SettingsSource]) -> None:
    servers = raws(found["codex"])
    first, second = parse_server_entry(servers["context7"]), parse_server_entry(servers["figma"])
    assert (first.timeout_s, first.disabled, dict(first.env)) == (45, True, {"MY_ENV": "1"})
    assert dict(second.headers) == {
        "Authorization": "Bearer ${FIGMA_TOKEN}",
        "X-Region": "eu",
        "X-Org": "${FIGMA_ORG}",
    }


@pytest.mark.parametrize("client", CORPUS)
def test_what_is_shown_before_an_import_has_no_secret(
    found: dict[str, SettingsSource], client: str
) -> None:
    for one in found[client].servers:
        shown = build_importable_server(one.name, one.raw, one.notes, None).model_dump_json()
        assert "ghp_" not in shown
        assert "kkkkkkkkkkkk" not in shown


def test_what_only_names_where_a_secret_comes_from_is_shown() -> None:
    def shown(value: str) -> Any:
        return build_importable_server("a", {"url": "x", "headers": {"A": value}}, (), None).entry[
            "headers"
        ]["A"]

    assert shown("Bearer ${env:MY_TOKEN}") == "Bearer ${env:MY_TOKEN}"
    assert shown("${MY_TOKEN}") == "${MY_TOKEN}"
    assert shown("abc${MY_TOKEN}") == "[hidden]"
    assert shown("plain") == "[hidden]"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"mcpServers": {"a": ', "cannot be parsed: line 1, column 22"),
        ("[1]", "it is not an object"),
        ('{"mcpServers": 7, "servers": null, "projects": [], "mcp": 1}', ""),
        ("", ""),
        ("{" * 5000, "cannot be parsed"),
    ],
)
def test_broken_settings_of_others_are_told_and_harm_nothing(
    tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(text)
    found = read_settings_source("cursor", path)
    assert found.servers == ()
    assert (found.problem is None) == (words == "")
    assert words in (found.problem or "")


def test_odd_entries_are_listed_with_the_reason_and_cannot_be_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    odd = {"a": 7, "b": {}, "c": {"command": []}, "": {"command": "x"}, "d": {"http_headers": 1}}
    path.write_text(json.dumps({"mcpServers": odd}))
    found = read_settings_source("cursor", path)
    assert [one.name for one in found.servers] == ["a", "b", "c", "unnamed", "d"]
    assert all("cannot be imported" in notes(found, one.name) for one in found.servers)


def test_a_file_that_is_not_there_or_is_a_folder_is_told(tmp_path: Path) -> None:
    assert "does not exist" in (read_settings_source("file", tmp_path / "x.json").problem or "")
    assert "cannot be read" in (read_settings_source("file", tmp_path).problem or "")
