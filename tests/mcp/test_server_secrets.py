"""What `${...}` is replaced by when a server starts, and how secrets get into the keychain and out again."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.key_files import keys_in_file

from conductor.errors import NotAvailable, UnknownServer
from conductor.mcp.client.oauth_client import OAuthClient
from conductor.mcp.client.values import ConsentedServer
from conductor.mcp.registry.discovery import read_settings_source
from conductor.mcp.registry.entry import parse_server_entry
from conductor.mcp.registry.file import ServersFile
from conductor.mcp.registry.importer import (
    import_server_entries,
    remove_server_entry,
    save_server_entry,
)
from conductor.mcp.registry.secrets import (
    build_keychain_name,
    looks_like_secret,
    resolve_server_entry,
)
from conductor.mcp.registry.views import build_importable_server
from conductor.storage.keys import Keys

GITHUB: dict[str, Any] = {
    "command": "npx",
    "args": ["-y", "x@1.0.0"],
    "env": {"GITHUB_TOKEN": "ghp_0123456789abcdefghij", "LANG": "de", "MODE": "${MODE}"},
}
REMOTE: dict[str, Any] = {
    "url": "https://example.org/mcp",
    "headers": {"Authorization": "Bearer abcdefghijkl", "Accept-Language": "de"},
}


def no_key(_name: str) -> str | None:
    return None


def resolved(raw: dict[str, Any], **environment: str) -> ConsentedServer:
    return resolve_server_entry("x", parse_server_entry(raw), no_key, environment)


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    """Return keys that are kept in an encrypted file."""
    return keys_in_file(tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> ServersFile:
    return ServersFile(tmp_path / "mcp.json")


def test_variables_are_replaced_by_those_of_the_environment_everywhere() -> None:
    raw = {
        "command": "${TOOL}",
        "args": ["${env:A}-${B:-b}", "$A", "${C:-}"],
        "cwd": "${HERE}",
        "env": {"X": "${A}"},
    }
    server = resolved(raw, TOOL="npx", A="1", HERE="/tmp")
    assert server.argv == ("npx", "1-b", "$A", "")
    assert (server.cwd, dict(server.env)) == ("/tmp", {"X": "1"})
    remote = resolved({"url": "https://${HOST}/", "headers": {"A": "Bearer ${A}"}}, HOST="h", A="1")
    assert (remote.url, dict(remote.headers)) == ("https://h/", {"A": "Bearer 1"})


def test_what_a_variable_holds_is_not_looked_into_again() -> None:
    assert resolved({"command": "x", "args": ["${A}"]}, A="${B}", B="no").argv == ("x", "${B}")


def test_without_a_folder_it_runs_in_the_home_folder() -> None:
    assert resolved({"command": "~/x"}).argv == (str(Path.home() / "x"),)
    assert resolved({"command": "x"}).cwd == str(Path.home())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("${NOT_SET}", "the environment variable NOT_SET is not set"),
        ("${input:token}", "`token` must be filled in"),
        ("${key:TOKEN}", "its secret `TOKEN` is not in the keychain"),
        ("${workspaceFolder}/x", "not set"),
        ("${a b}", "is not supported"),
        ("${}", "is not supported"),
    ],
)
def test_what_cannot_be_looked_up_says_what_to_do(text: str, words: str) -> None:
    with pytest.raises(NotAvailable) as refused:
        resolved({"command": "x", "env": {"A": text}})
    assert words in str(refused.value)


def test_a_folder_that_is_gone_and_a_header_that_cannot_be_are_told() -> None:
    with pytest.raises(NotAvailable, match="/no/such does not exist"):
        resolved({"command": "x", "cwd": "/no/such"})
    with pytest.raises(NotAvailable, match="header A contains a character"):
        resolved({"url": "https://x", "headers": {"A": "${A}"}}, A="1\r\nB: 2")


def test_secrets_go_into_the_keychain_and_come_out_for_their_server_alone(
    file: ServersFile, keys: Keys
) -> None:
    notes = save_server_entry(file, "github", GITHUB, keys, is_new=True)
    assert notes == ["GITHUB_TOKEN of github is now stored in the keychain"]
    assert "ghp_" not in file.path.read_text()
    entry = file.read_servers().servers["github"].entry
    assert entry is not None
    assert dict(entry.env) == {
        "GITHUB_TOKEN": "${key:GITHUB_TOKEN}",
        "LANG": "de",
        "MODE": "${MODE}",
    }
    server = resolve_server_entry("github", entry, keys.get_key, {"MODE": "1"})
    assert server.env["GITHUB_TOKEN"] == "ghp_0123456789abcdefghij"
    with pytest.raises(NotAvailable, match="not in the keychain"):
        resolve_server_entry("another", entry, keys.get_key, {"MODE": "1"})


@pytest.mark.parametrize(
    ("table", "client", "secret"),
    [("oauth", "clientId", "clientSecret"), ("auth", "CLIENT_ID", "CLIENT_SECRET")],
)
def test_the_secret_of_a_client_id_is_kept_and_hidden_like_others(
    file: ServersFile, keys: Keys, table: str, client: str, secret: str
) -> None:
    raw = {"url": "https://x", table: {client: "an-id", secret: "abcdefghijkl"}}
    shown = build_importable_server("far", raw, (), None).entry[table]
    assert shown == {client: "an-id", secret: "[hidden]"}
    assert save_server_entry(file, "far", raw, keys, is_new=True)
    listed = file.read_servers().servers["far"]
    assert "abcdefghijkl" not in file.path.read_text()
    assert build_importable_server("far", raw, (), listed).same
    assert listed.entry is not None
    assert "abcdefghijkl" not in repr(parse_server_entry(raw))
    oauth = resolve_server_entry("far", listed.entry, keys.get_key, {}).oauth
    assert oauth == OAuthClient("an-id", "abcdefghijkl")
    remove_server_entry(file, "far", keys)
    assert keys.get_key(build_keychain_name("far", f"{table}.{secret}")) is None


def test_a_client_id_may_come_from_the_environment() -> None:
    raw = {
        "url": "https://x",
        "oauth": {"clientId": "${ID}", "clientSecret": "${env:SECRET}", "scopes": ["${MORE}"]},
    }
    oauth = resolved(raw, ID="an-id", SECRET="s", MORE="a b").oauth
    assert oauth == OAuthClient("an-id", "s", ("a", "b"))
    with pytest.raises(NotAvailable, match="SECRET is not set"):
        resolved(raw, ID="an-id", MORE="a")
    with pytest.raises(NotAvailable, match="the client id is empty"):
        resolved(raw, ID="", SECRET="s", MORE="a")
    with pytest.raises(NotAvailable, match="a character that scopes cannot have"):
        resolved(raw, ID="an-id", SECRET="s", MORE='a"b')


def test_a_removed_server_takes_its_secrets_along(file: ServersFile, keys: Keys) -> None:
    save_server_entry(file, "github", GITHUB, keys, is_new=True)
    remove_server_entry(file, "github", keys)
    assert keys.get_key(build_keychain_name("github", "GITHUB_TOKEN")) is None
    assert file.read_servers().servers == {}
    with pytest.raises(UnknownServer):
        remove_server_entry(file, "github", keys)


def test_no_server_gets_the_key_of_a_provider(keys: Keys) -> None:
    keys.store_key("openai", "sk-0123456789abcdef")
    entry = parse_server_entry({"command": "x", "env": {"A": "${key:openai}"}})
    with pytest.raises(NotAvailable, match="not in the keychain"):
        resolve_server_entry("x", entry, keys.get_key, {})
    assert build_keychain_name("x", "openai") != "openai"


def test_the_secret_of_a_header_keeps_its_kind_before_it(file: ServersFile, keys: Keys) -> None:
    save_server_entry(file, "far", REMOTE, keys, is_new=True)
    entry = file.read_servers().servers["far"].entry
    assert entry is not None
    assert dict(entry.headers) == {
        "Authorization": "Bearer ${key:Authorization}",
        "Accept-Language": "de",
    }
    assert (
        resolve_server_entry("far", entry, keys.get_key, {}).headers["Authorization"]
        == "Bearer abcdefghijkl"
    )


def test_where_there_is_no_keychain_the_file_keeps_them_and_it_is_said(
    file: ServersFile, tmp_path: Path
) -> None:
    notes = save_server_entry(file, "github", GITHUB, Keys(tmp_path, environment={}), is_new=True)
    assert notes == [
        "GITHUB_TOKEN of github is stored in mcp.json, which only you can read: there is no open keychain"
    ]
    assert file.read_servers().servers["github"].raw == GITHUB


def test_servers_are_taken_over_by_name_and_none_is_replaced_unasked(
    file: ServersFile, keys: Keys, tmp_path: Path
) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"mcpServers": {"a": {"command": "new"}, "bad": {}, "c": {"command": "c"}}}')
    file.add_server("a", {"command": "old"})
    found = read_settings_source("file", other)
    done, notes = import_server_entries(file, found, ["a", "bad", "c"], keys, replace=False)
    assert done == ["c"]
    assert "a was not imported" in notes[0]
    assert "bad: cannot be imported" in notes[1]
    assert file.read_servers().servers["a"].raw == {"command": "old"}
    done, _ = import_server_entries(file, found, ["a"], keys, replace=True)
    assert (done, file.read_servers().servers["a"].raw) == (["a"], {"command": "new"})


def test_what_looks_like_a_secret_is_one() -> None:
    assert looks_like_secret("GITHUB_TOKEN", "0123456789")
    assert looks_like_secret("X", "sk-0123456789abcdef")
    assert not looks_like_secret("GITHUB_TOKEN", "${TOKEN}")
    assert not looks_like_secret("GITHUB_TOKEN", "short")
    assert not looks_like_secret("LANG", "de_DE.UTF-8")
