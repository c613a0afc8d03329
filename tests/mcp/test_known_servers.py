"""The list of known servers: complete entries, pinned packages, and secrets that never reach `mcp.json`."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.architecture.test_page_sentences import list_english_sentences
from tests.support.key_files import keys_in_file

from conductor.base.redact import REDACTED_TEXT
from conductor.domain.servers import KnownServer
from conductor.errors import InvalidParams
from conductor.mcp.registry.entry import parse_server_entry
from conductor.mcp.registry.file import ServersFile
from conductor.mcp.registry.importer import save_server_entry
from conductor.mcp.registry.known_servers import (
    TEMPLATES,
    build_known_entry,
    list_known_servers,
)
from conductor.mcp.registry.secrets import resolve_server_entry
from conductor.mcp.registry.warnings import find_entry_warnings
from conductor.tools.arguments import redact_arguments

SERVERS = [one.server for one in TEMPLATES]
each_server = pytest.mark.parametrize("server", SERVERS, ids=lambda one: one.id)
SAMPLES = {"address": "http://ha.local:8123/", "folders": "/tmp\n/", "folder": "/tmp", "file": "/f"}


def fill(server: KnownServer) -> dict[str, str]:
    return {field.name: SAMPLES.get(field.kind, "x1y2") for field in server.fields}


@each_server
def test_a_filled_in_form_becomes_a_valid_entry_without_placeholders(server: KnownServer):
    known = build_known_entry(server.id, fill(server))
    entry = parse_server_entry(known.entry)
    assert not re.search(r"\{[a-z_]+\}", json.dumps(known.entry))
    assert (entry.transport == "stdio") == (server.program is not None)
    assert entry.transport == "http" or entry.command == server.program


@each_server
def test_nothing_runs_in_a_version_that_nobody_has_checked(server: KnownServer):
    entry = parse_server_entry(build_known_entry(server.id, fill(server)).entry)
    warnings = find_entry_warnings(entry)
    assert [one for one in warnings if "newest version" in one or "at that time" in one] == []


@each_server
def test_a_form_without_its_required_values_says_which_one_is_missing(server: KnownServer):
    required = [field for field in server.fields if field.required and not field.default]
    for field in required:
        values = {**fill(server), field.name: " "}
        with pytest.raises(InvalidParams, match=re.escape(f"{field.label} is missing")):
            build_known_entry(server.id, values)


@each_server
def test_the_audit_log_shows_no_secret_of_a_form(server: KnownServer):
    secrets = [field.name for field in server.fields if field.kind == "secret"]
    logged = redact_arguments({"id": server.id, "values": dict.fromkeys(secrets, "pw")})
    assert logged["values"] == dict.fromkeys(secrets, REDACTED_TEXT)


@each_server
def test_every_text_of_a_form_is_translated(server: KnownServer):
    texts = {server.summary, server.prepare}
    texts |= {text for field in server.fields for text in (field.label, field.help)}
    assert texts - {""} <= set(list_english_sentences())


@each_server
def test_each_entry_names_the_documentation_that_it_follows(server: KnownServer):
    assert re.fullmatch(r"https://[\w.-]+/[\w./-]+", server.source)


def test_several_folders_become_several_arguments():
    entry = build_known_entry("files", {"folders": "/a b\n\n /c "}).entry
    assert entry["args"][-2:] == ["/a b", "/c"]


def test_a_value_that_is_left_out_leaves_its_argument_out():
    assert build_known_entry("time", {}).entry["args"] == ["mcp-server-time==2026.10.19"]
    with_zone = build_known_entry("time", {"zone": "Europe/Berlin"}).entry
    assert with_zone["args"][1:] == ["--local-timezone=Europe/Berlin"]


def test_an_address_is_an_address_and_may_end_with_a_slash():
    entry = build_known_entry("home-assistant", {"address": "http://ha:8123/", "token": "t"}).entry
    assert entry["url"] == "http://ha:8123/api/mcp"
    with pytest.raises(InvalidParams, match="must begin with https"):
        build_known_entry("home-assistant", {"address": "ha:8123", "token": "t"})


def test_only_folders_may_have_several_lines():
    with pytest.raises(InvalidParams, match="more than one line"):
        build_known_entry("github", {"token": "a\nb"})


def test_an_unknown_server_gets_a_suggestion():
    with pytest.raises(InvalidParams, match="did you mean `github`"):
        build_known_entry("githb", {})


def test_a_missing_program_is_reported():
    known = {
        one.id: one for one in list_known_servers(lambda name: None if name == "uvx" else "/n")
    }
    assert (known["git"].program_found, known["files"].program_found) == (False, True)
    assert known["notion"].program_found
    assert (known["git"].program_address or "").startswith("https://docs.astral.sh/")


@pytest.mark.parametrize(
    ("server_id", "values", "secret"),
    [
        ("obs", {"password": "1234"}, "1234"),
        ("github", {"token": "ghx"}, "ghx"),
        ("spotify", {"client": "abc", "client_secret": "tiny"}, "tiny"),
    ],
)
def test_a_secret_goes_to_the_keychain_however_short_it_is(
    server_id: str, values: dict[str, str], secret: str, tmp_path: Path
):
    keys = keys_in_file(tmp_path)
    file = ServersFile(tmp_path / "mcp.json")
    known = build_known_entry(server_id, values)
    notes = save_server_entry(
        file, server_id, known.entry, keys, is_new=True, known_secrets=known.secrets
    )
    text = (tmp_path / "mcp.json").read_text()
    assert f'"{secret}"' not in text
    assert f" {secret}" not in text
    assert ["is now stored in the keychain" in note for note in notes] == [True]
    written: dict[str, Any] = json.loads(text)["mcpServers"][server_id]
    started = resolve_server_entry(server_id, parse_server_entry(written), keys.get_key)
    given = {**started.env, **started.headers}
    assert secret in {value.removeprefix("Bearer ") for value in given.values()}
