"""Every command once, on a real Conductor, with what comes of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.bridge.conftest import CONFIG, find_plan_position
from tests.support.page import CommandFailed, Page, running_page
from tests.support.running import RunningConductor, wait_for

from conductor.bridge.commands import COMMANDS

ADDED = {
    "change_type": "CreateMapping",
    "mode": "Default",
    "mapping": {
        "trigger": {"type": "Note", "note": 38},
        "action": {"type": "ModeChange", "mode": "Two"},
    },
}
called: set[str] = set()


@pytest.fixture(autouse=True)
def _note_calls(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    real = page.call

    def call(method: str, **params: Any) -> dict[str, Any]:
        called.add(method)
        return real(method, **params)

    monkeypatch.setattr(page, "call", call)


def tap(page: Page, control: str) -> None:
    page.call("virtual.play", do="press", control=control)
    page.call("virtual.play", do="release", control=control)


def test_hello_says_who_answers(page: Page, conductor: RunningConductor) -> None:
    hello = page.call("app.hello")
    assert hello["home"] == str(conductor.home)
    assert hello["features"] == {"tray": False, "native": False}
    assert hello["engine_running"]
    assert not hello["first_run"]


def test_the_config_comes_with_its_words_and_controls(page: Page) -> None:
    view = page.call("config.get")
    assert view["text"] == CONFIG
    assert view["start_mode"] == "Default"
    row = view["rows"]["mode:Two"][0]
    assert row["badges"] == ["hold"]
    assert row["controls"] == [
        {"device": None, "channel": None, "control_class": "note", "number": 36}
    ]
    assert view["rows"]["global"] == []
    assert view["config"]["settings"]["engine"]["allow_shell"] is False


def test_a_preview_proves_a_change_and_does_nothing(
    page: Page, conductor: RunningConductor
) -> None:
    tap(page, "pad3")
    before = page.call("config.get")["hash"]
    proof = wait_for(
        lambda: page.call("config.preview", changes=[ADDED], base_hash=before),
        lambda proof: proof["replay"]["appear"],  # once the tap has been recorded
    )
    assert [(row["kind"], row["scope"], row["index"]) for row in proof["before_after"]] == [
        ("added", "mode:Default", 1)
    ]
    assert "+" in proof["diff"]
    firing = [one for one in proof["timeline"]["new"] if one["change"] == "appears"]
    assert proof["timeline"]["inputs"][firing[0]["source"]]["text"].startswith("Pad 3, note 38")
    assert conductor.config_path.read_text() == CONFIG


def test_a_commit_runs_and_undo_and_redo_lead_back_and_forth(page: Page) -> None:
    first = page.call("config.get")["hash"]
    done = page.call("config.commit", changes=[ADDED], base_hash=first, reason="third pad")
    page.wait_news("config", lambda news: news["hash"] == done["hash"])
    wait_for(lambda: page.call("app.status"), lambda status: status["mappings"] == 3)
    assert page.call("config.undo") == {"hash": first, "reason": "third pad"}
    assert page.call("config.redo") == {"hash": done["hash"], "reason": "third pad"}


def test_a_commit_for_another_config_is_refused(page: Page, conductor: RunningConductor) -> None:
    with pytest.raises(CommandFailed) as refused:
        page.call("config.commit", changes=[ADDED], base_hash="sha256:0", reason="")
    assert refused.value.code == "config_stale"
    assert conductor.config_path.read_text() == CONFIG


def test_a_draft_is_described_or_its_mistakes_told_by_field(page: Page) -> None:
    words = page.call("config.describe", trigger={"type": "DoubleTap", "note": 40})
    assert words["badges"] == ["double"]
    assert words["action"] == ""
    with pytest.raises(CommandFailed) as wrong:
        page.call("config.describe", trigger={"type": "Note", "note": 200})
    assert wrong.value.code == "params_invalid"
    assert [one["path"] for one in wrong.value.data["fields"]] == ["trigger.note"]


def test_an_error_inside_of_a_sequence_is_reported_once(page: Page) -> None:
    action = {"type": "Sequence", "actions": [{"type": "Text", "text": ""}]}
    with pytest.raises(CommandFailed) as wrong:
        page.call("config.describe", trigger={"type": "Note", "note": 40}, action=action)
    assert [one["path"] for one in wrong.value.data["fields"]] == ["action.actions.0.text"]


def test_the_history_lists_shows_and_restores(page: Page) -> None:
    start = page.call("config.get")["hash"]
    page.call("config.commit", changes=[ADDED], base_hash=start, reason="third pad")
    newest, before = page.call("history.list", limit=2)["versions"]
    assert newest["is_current"]
    assert (newest["reason"], newest["author"]["caller"]) == ("third pad", "page")
    assert newest["summary"][0].startswith("added: ")
    older = page.call("history.list", limit=1, before_id=newest["id"])["versions"]
    assert older[0]["id"] == before["id"]
    view = page.call("history.get", id=before["id"])
    assert [row["kind"] for row in view["before_after"]] == ["removed"]
    mappings = [
        len(page.call("history.get", id=one["id"])["rows"]["mode:Default"])
        for one in (newest, before)
    ]
    assert mappings[0] == mappings[1] + 1
    compared = page.call("history.get", id=newest["id"], with_id=before["id"])
    assert [row["kind"] for row in compared["before_after"]] == ["added"]
    restored = page.call("history.restore", id=before["id"])
    assert (restored["hash"], restored["reason"][:24]) == (start, "restored the version of ")
    ways = {one["id"]: one["way"] for one in page.call("history.list")["versions"]}
    assert (ways[before["id"]], ways[newest["id"]]) == (None, "restore")
    entry = page.call("activity.list", limit=1)["entries"][0]
    assert (entry["tool"], entry["detail"]) == ("history.restore", restored["reason"])
    place = {"scope": "mode:Default", "index": 1}
    restored = page.call("history.restore_mapping", id=newest["id"], **place)["hash"]
    assert restored == newest["hash"]
    again = page.call("history.list", limit=1)["versions"][0]
    assert (again["hash"], again["author"]["caller"]) == (restored, "page")


def test_the_history_compares_with_the_version_it_was_made_from(page: Page) -> None:
    start = page.call("config.get")["hash"]
    page.call("config.commit", changes=[ADDED], base_hash=start, reason="third pad")
    page.call("config.undo")
    undone, before = page.call("history.list", limit=2)["versions"]
    assert (undone["reason"], undone["is_undone"], undone["is_current"]) == (
        "third pad",
        True,
        False,
    )
    assert (before["is_undone"], before["is_current"]) == (False, True)
    other = {"change_type": "CreateMode", "name": "Sibling"}
    page.call("config.commit", changes=[other], base_hash=start, reason="a mode")
    newest, left = page.call("history.list", limit=2)["versions"]
    assert undone["way"] == "redo"
    assert before["way"] != "restore"
    assert [one["way"] for one in (newest, left)] == ["undo", "restore"]
    made = page.call("history.get", id=newest["id"])
    assert [row["text"] for row in made["changes"]] == ["Mode Sibling"]
    assert 'name = "Sibling"' in made["changes_diff"]
    assert made["before_after"] == []
    assert (left["reason"], left["is_undone"]) == ("third pad", True)
    assert [line.split(":")[0] for line in newest["summary"]] == ["added"]
    page.call("config.undo")


def test_a_plan_of_an_agent_pops_up_and_is_applied(page: Page, conductor: RunningConductor) -> None:
    asked = conductor.call(
        "conductor_create_mapping",
        mode="Default",
        trigger={"type": "Note", "note": 40},
        action={"type": "ModeChange", "mode": "Two"},
        examples=[{"name": "pad 5", "gesture": "tap 40", "expect": [{"type": "ModeChange"}]}],
    )
    told = page.wait_news("plan", lambda plan: plan["plan_id"] == asked["plan_id"])
    assert told["status"] == "pending"
    view = page.call("plans.get", plan_id=asked["plan_id"])
    assert [row["kind"] for row in view["before_after"]] == ["added"]
    assert view["changes"][0]["change_type"] == "CreateMapping"
    assert page.call("plans.apply", plan_id=asked["plan_id"])["status"] == "applied"
    assert page.call("plans.list")["plans"][0]["approved_by"]["caller"] == "page"
    kept = page.call("examples.list")["examples"]
    assert [(one["example"]["name"], one["passed"]) for one in kept] == [("pad 5", True)]
    assert page.call("examples.run")["passed"] == 1
    page.call("examples.forget", name="pad 5")
    assert page.call("examples.list")["examples"] == []


def test_undone_plans_are_listed_also_those_that_the_user_applied_in_part(
    page: Page, conductor: RunningConductor
) -> None:
    part = conductor.call("conductor_create_mode", name="Whole")["plan_id"]
    done = page.call(
        "plans.apply_part",
        plan_id=part,
        selected=[0],
        base_hash=page.call("config.get")["hash"],
    )
    version = page.call("history.list")["versions"][0]
    assert version["reason"] == done["description"]
    assert version["author"]["caller"] not in ("window", "page")
    assert find_plan_position(page, part) == ("in_force", "undo")
    assert part not in page.call("plans.undone")["plan_ids"]
    page.call("config.undo")
    assert find_plan_position(page, part) == ("undone", "redo")
    assert part in page.call("plans.undone")["plan_ids"]


def test_the_activity_says_what_was_undone_and_redone(page: Page) -> None:
    seen = page.call("config.get")["hash"]
    made = {"change_type": "CreateMode", "name": "Encore"}
    page.call("config.commit", changes=[made], base_hash=seen, reason="Add mode Encore")
    page.call("config.undo")
    page.call("config.redo")
    page.call("config.undo")
    entries = page.call("activity.list", tool="config.")["entries"]
    assert [(entry["tool"], entry["detail"]) for entry in entries[:3]] == [
        ("config.undo", "Add mode Encore"),
        ("config.redo", "Add mode Encore"),
        ("config.undo", "Add mode Encore"),
    ]


def test_a_plan_is_rejected_for_good(page: Page, conductor: RunningConductor) -> None:
    asked = conductor.call("conductor_create_mode", name="Three")
    plan = page.call("plans.reject", plan_id=asked["plan_id"], reason="no")
    assert plan["status"] == "rejected"
    with pytest.raises(CommandFailed, match="rejected"):
        page.call("plans.apply", plan_id=asked["plan_id"])


def test_the_virtual_controller_plays_and_switches_the_mode(page: Page) -> None:
    layout = page.call("virtual.layout")
    assert {control["kind"] for control in layout["controls"]} == {"pad", "knob", "fader", "button"}
    tap(page, "pad1")
    assert page.wait_status(mode="Two")["modes"] == ["Default", "Two"]
    with pytest.raises(CommandFailed, match="turned, not pressed"):
        page.call("virtual.play", do="press", control="knob1")


def test_a_device_is_listed_muted_and_heard_again(page: Page) -> None:
    page.call("devices.rescan")
    found = page.call("devices.list")["devices"]
    assert "virtual" in [device["device_id"] for device in found]
    page.call("devices.set_enabled", device_id="virtual", enabled=False)
    page.wait_status(muted=["virtual"])
    page.call("devices.set_enabled", device_id="virtual", enabled=True)
    page.wait_status(muted=[])
    with pytest.raises(CommandFailed) as unknown:
        page.call("devices.set_enabled", device_id="nobody", enabled=False)
    assert unknown.value.code == "device_not_found"


def test_paused_nothing_fires_but_events_are_seen(page: Page) -> None:
    page.call("monitor.watch", on=True)
    page.call("engine.pause", paused=True)
    assert page.call("app.status")["paused"]
    page.wait_status(paused=True)
    tap(page, "pad1")
    seen = page.wait_news("trace", lambda one: one["event"]["kind"] == "note_on")
    assert (seen["note"], seen["outcome"]) == ("Conductor is paused", "unmatched")
    page.call("engine.pause", paused=False)
    assert page.call("app.status")["mode"] == "Default"
    tap(page, "pad1")
    page.wait_status(mode="Two", paused=False)
    page.call("monitor.watch", on=False)


def test_the_monitor_shows_and_explains_what_was_played(page: Page) -> None:
    page.call("monitor.watch", on=True)
    tap(page, "pad1")
    trace = page.wait_news("trace", lambda one: one["outcome"] == "mode")
    page.call("monitor.watch", on=False)
    assert trace["text"].startswith("Pad 1, note 36")
    assert trace["event"]["control"] == "Pad 1"
    recent = page.call("monitor.recent", limit=50)["traces"]
    assert trace["sequence"] in [one["sequence"] for one in recent]
    steps = page.call("monitor.explain", sequence=trace["sequence"])["steps"]
    assert [step["ok"] for step in steps if step["title"].startswith("go, mapping")] == [True]
    assert 36.0 in steps[0]["numbers"]


def test_the_explanation_of_a_release_counts_the_mapping_that_its_press_fired(page: Page) -> None:
    page.call("modes.switch", mode="Default")
    page.call("monitor.watch", on=True)
    page.news.clear()
    tap(page, "pad1")
    seen = page.wait_news("trace", lambda one: one["event"]["kind"] == "note_off")
    page.call("monitor.watch", on=False)
    steps = page.call("monitor.explain", sequence=seen["sequence"])["steps"]
    texts = {step["title"]: step["text"] for step in steps}
    assert (texts["Mode"], texts["App"]) == ("mode Two was active", "no profile was active")
    counted = next(step for step in steps if step["title"] == "Mappings")
    assert (counted["ok"], counted["text"]) == (True, "1 mapping for this control in this mode")


def test_the_explanation_of_a_hold_names_its_mapping_once(page: Page) -> None:
    page.call("modes.switch", mode="Two")
    page.call("monitor.watch", on=True)
    page.news.clear()
    page.call("virtual.play", do="press", control="pad1")
    seen = page.wait_news("trace", lambda one: one["event"]["kind"] == "note_on")
    page.wait_news("trace", lambda one: one.get("new_mode") == "Default")
    page.call("virtual.play", do="release", control="pad1")
    page.call("monitor.watch", on=False)
    steps = page.call("monitor.explain", sequence=seen["sequence"])["steps"]
    hold = next(step for step in steps if "mapping 1 of mode Two" in step["title"])
    assert hold["text"].startswith("did Mode Default (")


def test_learn_suggests_what_was_touched(page: Page) -> None:
    assert page.call("learn.start")["timeout_ms"] == 30_000
    tap(page, "pad7")
    heard = wait_for(lambda: page.call("learn.poll"), lambda learned: len(learned["events"]) == 2)
    best = page.call("learn.stop")["suggestions"][0]
    assert (best["trigger"]["type"], best["trigger"]["note"]) == ("Note", 42)
    assert best["words"]["controls"][0]["number"] == 42
    assert heard["suggestions"]


def test_a_silent_session_pauses_the_mappings_until_it_ends_or_the_user_resumes(
    page: Page, conductor: RunningConductor
) -> None:
    page.call("learn.start", is_silent=True)
    conductor.wait_status(lambda status: status["paused"])
    page.call("learn.stop")
    conductor.wait_status(lambda status: not status["paused"])

    page.call("learn.start", is_silent=True)
    conductor.wait_status(lambda status: status["paused"])
    page.call("engine.pause", paused=False)
    page.call("learn.poll")
    conductor.wait_status(lambda status: not status["paused"])
    page.call("learn.poll")
    assert not conductor.status()["paused"]
    page.call("learn.stop")


def test_the_page_hears_of_a_mode_that_a_client_switched_to(
    page: Page, conductor: RunningConductor
) -> None:
    conductor.call("conductor_switch_mode", mode="Two")
    switch = page.wait_news("mode_switch", lambda topic: topic["mode"] == "Two")
    assert (switch["previous_mode"], switch["caller"]) == ("Default", "bare")
    page.call("modes.switch", mode="Default")


def test_each_client_learns_by_itself_and_the_page_shows_who_is_capturing(
    page: Page, conductor: RunningConductor
) -> None:
    mine = page.call("learn.start")["session_id"]
    conductor.call("conductor_start_midi_learn", timeout_ms=60_000)
    both = page.wait_news("midi_learn", lambda topic: len(topic["sessions"]) == 2)["sessions"]
    (agents,) = [one for one in both if one["session_id"] != mine]
    assert [one["caller"] for one in both] == ["page", agents["caller"]]
    assert page.call("learn.sessions")["sessions"][1]["session_id"] == agents["session_id"]
    tap(page, "pad7")
    wait_for(lambda: page.call("learn.poll"), lambda learned: len(learned["events"]) == 2)

    page.call("learn.end", session_id=agents["session_id"])
    page.wait_news("midi_learn", lambda topic: len(topic["sessions"]) == 1)
    tap(page, "pad8")
    wait_for(lambda: page.call("learn.poll"), lambda learned: len(learned["events"]) == 4)

    of_agent = conductor.call("conductor_stop_midi_learn")
    assert [event["number"] for event in of_agent["events"]] == [42, 42]
    assert len(page.call("learn.stop")["events"]) == 4
    page.wait_news("midi_learn", lambda topic: not topic["sessions"])
    assert conductor.call("conductor_get_captured_events")["events"] == []


def test_an_action_is_tried_once_and_panic_is_taken(page: Page) -> None:
    page.call("actions.test", action={"type": "ModeChange", "mode": "Two"})
    page.wait_status(mode="Two")
    page.call("engine.panic")
    nowhere = {"type": "SendMidi", "port": "nowhere", "message_type": "NoteOn"}
    with pytest.raises(CommandFailed, match="nowhere") as failed:
        page.call("actions.test", action=nowhere)
    assert failed.value.code == "action_failed"
    assert page.wait_news("failure")["action"]["port"] == "nowhere"


def test_the_engine_restarts_in_the_state_it_had(page: Page) -> None:
    page.call("modes.switch", mode="Two")
    page.wait_status(mode="Two")
    before = page.call("app.status")["engine"]["pid"]
    page.call("engine.restart")
    after = wait_for(
        lambda: page.call("app.status"),
        lambda status: (
            status["engine"]["running"]
            and status["engine"]["pid"] != before
            and status["mode"] == "Two"
        ),
    )
    assert "died" not in " ".join(after["notices"])


def test_what_the_user_does_is_in_the_audit_log(page: Page) -> None:
    page.call("modes.switch", mode="Two")
    newest = page.call("activity.list", limit=1, search="MODES.switch")["entries"][0]
    assert (newest["caller"], newest["outcome"]) == ("page", "ok")
    assert newest["arguments"] == {"mode": "Two"}
    older = page.call("activity.list", limit=5, before_id=newest["id"])["entries"]
    assert all(one["id"] < newest["id"] for one in older)


def test_an_edit_of_the_file_is_in_the_audit_log(page: Page, conductor: RunningConductor) -> None:
    before = page.call("activity.list", tool="config.file")["entries"]
    conductor.use(f"{CONFIG}# by hand\n")
    newest, *older = wait_for(
        lambda: page.call("activity.list", tool="config.file", tier="changes")["entries"],
        lambda entries: len(entries) > len(before),
    )
    assert (newest["caller"], newest["client"], newest["outcome"]) == ("file", "config.toml", "ok")
    assert older == before


def test_the_app_in_front_is_known_or_it_is_said_why_not(page: Page) -> None:
    front = page.call("apps.front")
    assert front["supported"] == (front["reason"] is None)


def test_the_window_remembers_what_it_is_told(page: Page, conductor: RunningConductor) -> None:
    page.call("window.set_prefs", patch={"view": "monitor", "pane": 300})
    assert page.call("window.set_prefs", patch={"pane": None})["prefs"] == {"view": "monitor"}
    assert page.call("window.prefs")["prefs"] == {"view": "monitor"}
    assert json.loads((conductor.home / "window.json").read_text()) == {"view": "monitor"}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("shell.open_url", {"url": "https://example.org/"}),
        ("shell.save_file", {"name": "a.txt", "content": "x"}),
        ("shell.save_pdf", {"name": "a.pdf", "svg": "<svg/>"}),
        ("app.hide", {}),
    ],
)
def test_in_a_browser_the_page_itself_does_what_a_window_would(
    page: Page, method: str, params: dict[str, Any]
) -> None:
    with pytest.raises(CommandFailed) as refused:
        page.call(method, **params)
    assert refused.value.code == "not_available"


@pytest.mark.parametrize("url", ["file:///etc/passwd", "javascript:alert(1)", "//x", "http//x"])
def test_only_links_are_opened(page: Page, url: str) -> None:
    with pytest.raises(CommandFailed) as refused:
        page.call("shell.open_url", url=url)
    assert refused.value.code == "params_invalid"


def test_the_installed_apps_are_offered_by_the_names_that_open_them(page: Page) -> None:
    for app in page.call("apps.installed")["apps"]:
        action = {"type": "Launch", "app": app["launch"]}
        assert page.call("config.missing", action=action)["parts"] == []


def test_a_mapping_of_a_missing_program_is_marked_before_it_fails(
    page: Page, conductor: RunningConductor
) -> None:
    conductor.use(
        CONFIG.replace(
            'action = { type = "ModeChange", mode = "Default" }',
            'action = { type = "Launch", app = "no-such-app-anywhere" }',
        )
    )
    [part] = page.call("config.missing")["parts"]
    assert (part["scope"], part["index"]) == ("mode:Two", 0)
    assert "no program or app `no-such-app-anywhere`" in part["message"]
    draft = {"type": "Launch", "app": "no-such-app-either"}
    [part] = page.call("config.missing", action=draft)["parts"]
    assert (part["scope"], part["index"]) == (None, None)
    assert "no-such-app-either" in part["message"]
    assert page.call("config.missing", action={"type": "Text", "text": "x"})["parts"] == []


def test_the_app_ends_when_the_page_asks() -> None:
    called.add("app.quit")
    with running_page(own_process=True) as (conductor, page):
        page.call("app.quit")
        assert conductor.process.wait(20) == 0


def test_every_command_was_called() -> None:
    others = [path.read_text() for path in Path(__file__).parent.glob("test_*.py")]
    elsewhere = {name for name in COMMANDS if any(f'call("{name}"' in text for text in others)}
    assert set(COMMANDS) - called - elsewhere == set()


def test_what_was_played_is_counted_and_forgotten(page: Page):
    page.call("recording.clear")
    assert page.call("recording.status")["is_kept_on_disk"] is True
    assert page.call("recording.clear").keys() == page.call("recording.status").keys()
