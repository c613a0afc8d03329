"""Skills in the window: what is switched on, calls that wait for the user's word, and the log of both."""

import csv
import io
import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.bridge.test_chat import CONFIG, settled, text
from tests.support.llm_server import LlmServer, llm_server
from tests.support.page import CommandFailed, Page, running_page
from tests.support.running import WITH_ABILITIES, RunningConductor, wait_for

from conductor.bridge.commands.activity import format_csv_cell
from conductor.errors import ConductorError

DELETE = "conductor_delete_note"
AGENTS = f"{WITH_ABILITIES}approval = 'gui'\n"


@pytest.fixture(scope="module")
def server() -> Generator[LlmServer]:
    with llm_server() as server:
        yield server


@pytest.fixture(scope="module")
def running(server: LlmServer) -> Generator[tuple[RunningConductor, Page]]:
    config = CONFIG.format(url=server.base_url("custom")) + AGENTS
    with running_page(config) as both:
        yield both


@pytest.fixture
def conductor(running: tuple[RunningConductor, Page]) -> RunningConductor:
    return running[0]


@pytest.fixture
def page(running: tuple[RunningConductor, Page]) -> Page:
    _, page = running
    for grant in page.call("grants.list")["grants"]:
        page.call("grants.revoke", grant_id=grant["grant_id"])
    page.news.clear()
    return page


def note(conductor: RunningConductor) -> str:
    return conductor.call("conductor_add_note", title="mine", text="x")["note_id"]


def is_kept(conductor: RunningConductor, note_id: str) -> bool:
    try:
        return conductor.call("conductor_read_note", note_id=note_id)["note_id"] == note_id
    except ConductorError:
        return False


def begin(server: LlmServer, page: Page, note_id: str) -> tuple[str, dict[str, Any]]:
    """Make the model delete a note, and return the conversation and the question that it leads to."""
    words = f"delete {note_id}"
    call = {"id": f"call_{note_id}", "name": DELETE, "arguments": {"note_id": note_id}}
    server.add(
        {
            "match": {"userMessage": words, "hasToolResult": False},
            "response": {"toolCalls": [call]},
        },
        {"match": {"userMessage": words, "hasToolResult": True}, "response": {"content": "Done."}},
    )
    sent = page.call("chat.send", parts=text(words))
    asked = page.wait_news(
        "approval",
        lambda one: one["arguments"] == {"note_id": note_id} and one["state"] == "pending",
    )
    return sent["conversation_id"], asked


def results(page: Page, conversation_id: str) -> list[dict[str, Any]]:
    view = settled(page, conversation_id)
    parts = [part for one in view["messages"] for part in one["message"]["parts"]]
    return [part for part in parts if part["type"] == "tool_result"]


def decide(page: Page, asked: dict[str, Any], decision: str) -> dict[str, Any]:
    return page.call("approvals.decide", approval_id=asked["approval_id"], decision=decision)


def test_a_call_of_the_chat_waits_for_the_window_and_goes_on_after_a_yes(
    server: LlmServer, page: Page, conductor: RunningConductor
) -> None:
    note_id = note(conductor)
    conversation_id, asked = begin(server, page, note_id)
    assert (asked["tool"], asked["conversation_id"]) == (DELETE, conversation_id)
    assert asked["choices"] == ["once", "conversation", "always", "deny", "never"]
    assert asked["shape"] == "only exactly these arguments"
    assert is_kept(conductor, note_id), "nothing is done before the yes"
    assert page.call("approvals.list")["approvals"] == [asked]
    assert decide(page, asked, "once")["state"] == "allowed"
    assert [one["ok"] for one in results(page, conversation_id)] == [True]
    assert not is_kept(conductor, note_id)
    assert page.call("approvals.list")["approvals"] == []
    with pytest.raises(CommandFailed) as over:
        decide(page, asked, "once")
    assert over.value.code == "approval_not_found"
    newest = page.call("activity.list", tool=DELETE, limit=1)["entries"][0]
    assert (newest["permission"], newest["outcome"], newest["tier"]) == ("once", "ok", "skill")
    assert newest["duration_ms"] > 0


def test_a_no_is_the_end_of_the_call_and_the_model_is_told(
    server: LlmServer, page: Page, conductor: RunningConductor
) -> None:
    note_id = note(conductor)
    conversation_id, asked = begin(server, page, note_id)
    assert decide(page, asked, "deny")["state"] == "denied"
    (result,) = results(page, conversation_id)
    assert not result["ok"]
    assert "does not allow this call" in result["content"]
    assert is_kept(conductor, note_id)


def test_to_stop_the_answer_takes_the_question_away(
    server: LlmServer, page: Page, conductor: RunningConductor
) -> None:
    note_id = note(conductor)
    conversation_id, asked = begin(server, page, note_id)
    page.call("chat.stop", conversation_id=conversation_id)
    page.wait_news(
        "approval",
        lambda one: (one["approval_id"], one["state"]) == (asked["approval_id"], "denied"),
    )
    assert is_kept(conductor, note_id)


def test_a_page_that_is_closed_takes_nothing_along_while_another_is_open(
    server: LlmServer, conductor: RunningConductor, page: Page
) -> None:
    conversation_id, asked = begin(server, page, note(conductor))
    with Page(page.origin, page.session) as other:
        page.session = other.session
        assert other.call("approvals.list")["approvals"] == [asked]
    assert page.call("approvals.list")["approvals"] == [asked]
    page.call("chat.stop", conversation_id=conversation_id)


def test_never_and_always_are_listed_and_can_be_taken_back(
    server: LlmServer, page: Page, conductor: RunningConductor
) -> None:
    note_id = note(conductor)
    conversation_id, asked = begin(server, page, note_id)
    decide(page, asked, "never")
    results(page, conversation_id)
    (grant,) = page.call("grants.list")["grants"]
    assert (grant["verdict"], grant["tool"], grant["shape"]) == (
        "never",
        DELETE,
        "any call of this tool",
    )
    with pytest.raises(ConductorError, match="never allows"):
        conductor.call(DELETE, note_id=note_id)
    assert page.call("grants.revoke", grant_id=grant["grant_id"])["grants"] == []
    with pytest.raises(CommandFailed) as gone:
        page.call("grants.revoke", grant_id=grant["grant_id"])
    assert gone.value.code == "approval_not_found"


def test_what_was_allowed_in_a_conversation_goes_with_it(
    server: LlmServer, page: Page, conductor: RunningConductor
) -> None:
    conversation_id, asked = begin(server, page, note(conductor))
    decide(page, asked, "conversation")
    assert [one["ok"] for one in results(page, conversation_id)] == [True]
    (grant,) = page.call("grants.list")["grants"]
    assert (grant["scope"], grant["conversation_id"]) == ("conversation", conversation_id)
    page.call("chat.delete", conversation_id=conversation_id)
    assert page.call("grants.list")["grants"] == []


def test_the_call_of_a_program_is_allowed_in_the_window_and_comes_again(
    page: Page, conductor: RunningConductor
) -> None:
    note_id = note(conductor)
    with pytest.raises(ConductorError, match="conductor approvals allow"):
        conductor.call(DELETE, note_id=note_id)
    asked = page.wait_news("approval", lambda one: one["state"] == "pending")
    assert asked["choices"] == ["once", "deny", "never"]
    with pytest.raises(CommandFailed) as wrong:
        decide(page, asked, "conversation")
    assert wrong.value.code == "params_invalid"
    decide(page, asked, "once")
    assert conductor.call(DELETE, note_id=note_id)["note_id"] == note_id
    assert not is_kept(conductor, note_id)


def tier(view: dict[str, Any], name: str) -> bool:
    return next(one["enabled"] for one in view["tiers"] if one["tier"] == name)


def skill(view: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in view["skills"] if one["skill_id"] == name)


def test_skills_are_switched_by_kind_and_singly_and_the_config_keeps_it(
    page: Page, conductor: RunningConductor
) -> None:
    view = page.call("abilities.list")
    assert [tier(view, one) for one in ("core", "enhanced", "network", "integration")] == [
        True,
        True,
        False,
        False,
    ]
    assert skill(view, "web_fetch")["requires_approval"]
    assert not skill(view, "web_fetch")["enabled"]
    view = page.call("abilities.set_tier", tier="network", enabled=True)
    assert (skill(view, "web_fetch")["enabled"], skill(view, "web_fetch")["because"]) == (
        True,
        "tier",
    )
    view = page.call("abilities.set", skill_id="web_fetch", enabled=False)
    assert (skill(view, "web_fetch")["enabled"], skill(view, "web_fetch")["because"]) == (
        False,
        "single",
    )
    with pytest.raises(ConductorError, match="switched off"):
        conductor.call("conductor_web_fetch", url="https://example.org/")
    page.call("abilities.set", skill_id="web_fetch", enabled=None)
    assert page.call("config.undo")["reason"] == "Skill web_fetch follows its tier"
    page.call("abilities.set", skill_id="web_fetch", enabled=None)
    view = page.call("abilities.set_tier", tier="network", enabled=False)
    assert not skill(view, "web_fetch")["enabled"]
    with pytest.raises(CommandFailed, match="there is no skill `web_ftch`"):
        page.call("abilities.set", skill_id="web_ftch", enabled=True)


def test_a_folder_is_granted_by_its_real_path_and_the_whole_disk_never(
    page: Page, conductor: RunningConductor, tmp_path: Path
) -> None:
    real, link = tmp_path / "papers", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    granted = page.call("abilities.folder", path=str(link), granted=True)
    assert granted["folders"] == [str(real)]
    again = page.call("abilities.folder", path=str(real), granted=True)
    assert again["folders"] == [str(real)]
    assert page.call("abilities.folder", path=str(real), granted=False)["folders"] == []
    for wrong in (
        "/",
        "/etc",
        f"{tmp_path}/../../../../../../etc",
        "/usr",
        "/dev/shm",
        "papers",
        str(tmp_path / "none"),
        str(conductor.home),
        str(real),
        "/\0",
    ):
        with pytest.raises(CommandFailed) as refused:
            page.call("abilities.folder", path=wrong, granted=wrong != str(real))
        assert refused.value.code == "params_invalid", wrong


def test_the_log_is_filtered_and_exported_without_secrets_or_formulas(
    page: Page, conductor: RunningConductor
) -> None:
    odd = "=HYPERLINK(sk-abcdefghijklmnopqrstuvwx)"
    with pytest.raises(ConductorError):
        conductor.call("conductor_switch_mode", mode=odd)
    conductor.call("conductor_get_status")
    mine = {"tool": "switch_MODE", "outcome": "failed", "caller": "bare"}
    (entry,) = page.call("activity.list", **mine)["entries"]
    assert entry["outcome"] == "mode_not_found"
    assert page.call("activity.list", **mine, tier="read_only")["entries"] == []
    assert page.call("activity.list", **mine, since="2999-01-01T00:00:00Z")["entries"] == []
    assert page.call("activity.list", **mine, since=entry["at"])["entries"] == [entry]
    assert page.call("activity.list", **mine, before_id=entry["id"])["entries"] == []
    reads = page.call("activity.list", tier="read_only", limit=5, search="GET_STATUS")["entries"]
    assert {one["tier"] for one in reads} == {"read_only"}
    changes = page.call("activity.list", tier="changes", limit=50)["entries"]
    assert entry in changes
    assert not {one["tier"] for one in changes} & {"read_only", "skill"}
    assert entry in page.call("activity.list", caller="agents")["entries"]
    page.call("modes.switch", mode="Default")
    (mine_too,) = page.call("activity.list", caller="you", limit=1)["entries"]
    assert mine_too["tool"] == "modes.switch"
    for wrong in ({"since": "yesterday"}, {"since": "2026-01-01T00:00:00"}, {"limit": 0}):
        with pytest.raises(CommandFailed) as refused:
            page.call("activity.list", **wrong)
        assert refused.value.code == "params_invalid"

    whole = page.call("activity.export", format="json")
    assert whole["name"].startswith("conductor-activity-20")
    assert len(json.loads(whole["content"])) == whole["entries"]
    assert whole["left_out"] == 0
    assert "sk-abcdefghij" not in whole["content"]
    sheet = page.call("activity.export", format="csv", **mine)
    (row,) = csv.DictReader(io.StringIO(sheet["content"]))
    assert (row["tool"], row["outcome"]) == ("conductor_switch_mode", "mode_not_found")
    assert json.loads(row["arguments"]) == {"mode": "=HYPERLINK([hidden])"}
    assert page.call("activity.export", format="json", caller="nobody")["content"] == "[]\n"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r", "\n=", "  ="])
def test_no_cell_is_a_formula(start: str) -> None:
    assert format_csv_cell(f"{start}cmd|' /C calc'!A0").startswith("'")
    assert format_csv_cell(f"a{start}b") == f"a{start}b"
    assert (format_csv_cell(None), format_csv_cell(1.5)) == ("", "1.5")


def test_what_waits_is_denied_when_the_last_page_is_closed(server: LlmServer) -> None:
    with running_page(CONFIG.format(url=server.base_url("custom")) + WITH_ABILITIES) as (
        conductor,
        page,
    ):
        note_id = note(conductor)
        begin(server, page, note_id)
        page.__exit__()
        wait_for(
            lambda: log_of(conductor, DELETE),
            lambda found: [one["outcome"] for one in found] == ["not_allowed"],
        )
        assert is_kept(conductor, note_id)


def log_of(conductor: RunningConductor, tool: str) -> list[dict[str, Any]]:
    found = json.loads(conductor.cli("audit", "--json", "--limit", "30").stdout)
    return [one for one in found if one["tool"] == tool]
