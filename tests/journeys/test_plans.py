"""What an agent proposes from outside: I see it, I decide, and I can take it back."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.journeys.conftest import CONFIG
from tests.journeys.hands import expect_key, tap
from tests.journeys.stage import Stage, go, rail, toast
from tests.support.jack import MidiPeer
from tests.support.running import running_conductor, wait_for
from tests.support.xserver import KeyWindow

pytestmark = [pytest.mark.x11, pytest.mark.jack, pytest.mark.timeout(300)]


def propose(stage: Stage, note: int, key: str, **more: Any) -> dict[str, Any]:
    """Ask for a mapping as an agent does, over the socket."""
    return stage.conductor.call(
        "conductor_create_mapping",
        mode="Default",
        trigger={"type": "Note", "note": note, "device": "pads"},
        action={"type": "Keystroke", "keys": [key]},
        **more,
    )


def review(page: Page, title: str) -> Locator:
    """Return the newest plan with these words in its title, opened."""
    view = go(page, "Plans")
    # The view may open with an older plan, just before the list has the new one.
    view.get_by_role("option").filter(has_text=title).first.click()
    plan = page.get_by_role("article")
    expect(plan).to_contain_text(title)
    return plan


def test_a_plan_stays_where_it_is_when_it_is_applied_and_undone(page: Page, stage: Stage) -> None:
    control = {"note": 36, "device": "virtual", "channel": 10}
    stage.conductor.call(
        "conductor_create_mapping",
        mode="Default",
        trigger={"type": "LongPress", **control},
        action={"type": "Keystroke", "keys": ["w"]},
    )
    plan = review(page, "Hold Pad 1")
    expect(plan.get_by_role("region", name="Affected controls")).to_be_visible()
    for button in ("Apply", "Undo", "Redo", "Undo"):
        plan.get_by_role("button", name=re.compile(f"^{button}")).first.click()
        expect(plan.get_by_role("button", name=re.compile(f"^{button}"))).to_have_count(0)
        expect(page.locator(":focus")).to_have_count(1)
        assert plan.locator("> .body").evaluate("body => body.scrollTop") == 0


def test_a_plan_of_an_agent_pops_up_and_once_applied_the_next_note_presses_its_key(
    page: Page, stage: Stage, pads: MidiPeer, window: KeyWindow
) -> None:
    propose(stage, 42, "q", description="quiet")
    expect(page.get_by_role("region", name="Notifications")).to_contain_text("proposes: Note 42")
    expect(rail(page).get_by_role("button", name=re.compile("^Plans, .* pending"))).to_be_visible()
    plan = review(page, "Note 42")
    expect(plan).to_contain_text("Note 42")
    assert "quiet" not in stage.conductor.config_path.read_text()
    plan.get_by_role("button", name=re.compile("^Apply")).click()
    expect(plan).to_contain_text("Applied")
    tap(pads, 42)
    expect_key(window, "q")


def test_undo_takes_an_applied_plan_back(page: Page, stage: Stage) -> None:
    propose(stage, 43, "w", description="while we wait")
    plan = review(page, "Note 43")
    plan.get_by_role("button", name=re.compile("^Apply")).click()
    expect(plan).to_contain_text("Applied")
    assert "while we wait" in stage.conductor.config_path.read_text()
    plan.get_by_role("button", name="Undo").click()
    expect(toast(page, "Undone")).to_be_visible()
    assert "while we wait" not in stage.conductor.config_path.read_text()


def test_a_discarded_plan_does_nothing_and_its_agent_reads_why(page: Page, stage: Stage) -> None:
    asked = propose(stage, 44, "w")
    before = stage.conductor.config_path.read_text()
    plan = review(page, "Note 44")
    plan.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name=re.compile("with a reason")).click()
    page.get_by_role("textbox", name="Reason").fill("use the lower row")
    page.get_by_role("dialog").get_by_role("button", name="Discard").click()
    expect(plan).to_contain_text("Discarded")
    told = stage.call("plans.get", plan_id=asked["plan_id"])["plan"]
    assert (told["status"], "use the lower row" in told["reason"]) == ("rejected", True)
    assert stage.conductor.config_path.read_text() == before


def test_a_plan_that_the_config_overtook_cannot_be_applied(page: Page, stage: Stage) -> None:
    propose(stage, 45, "w")
    plan = review(page, "Note 45")
    expect(plan.get_by_role("button", name=re.compile("^Apply"))).to_be_enabled()
    stage.conductor.use(stage.conductor.config_path.read_text().replace("say h", "say it"))
    expect(plan).to_contain_text("changed since this plan was proposed")
    expect(plan.get_by_role("button", name=re.compile("^Apply"))).to_be_disabled()


def ask_in_chat(page: Page, command: str) -> Locator:
    """Type a slash command that proposes a plan, and return the plan, opened in Plans."""
    go(page, "Chat")
    page.get_by_role("textbox", name="Message").fill(command)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Show in Plans").last.click()
    plan = page.get_by_role("region", name="Plans", exact=True).get_by_role("article")
    expect(plan.get_by_role("button", name="Apply")).to_be_enabled()
    return plan


def list_new_activity(stage: Stage, since: str) -> list[tuple[str, str]]:
    entries = stage.call("activity.list")["entries"]
    return [(one["tool"], one["outcome"]) for one in entries if one["at"] > since]


def test_a_plan_that_is_finished_in_the_editor_was_applied_in_edited_form(
    page: Page, stage: Stage
) -> None:
    plan = ask_in_chat(page, "/map pad 71 to cmd+v")
    since = stage.call("activity.list")["entries"][0]["at"]
    plan.get_by_role("button", name="Edit").click()
    page.get_by_role("button", name=re.compile("^Add mapping")).click()
    expect(toast(page, "Mapped")).to_be_visible()
    go(page, "Plans")
    page.get_by_role("option").filter(has_text="Edited by you").click()
    expect(plan).to_contain_text("You applied its changes as your own edit.")
    expect(plan).to_contain_text("Edited by you")
    expect(plan.get_by_role("button", name="Undo")).to_be_visible()
    expect(plan.get_by_role("button", name="Use these changes")).to_have_count(0)
    done = list_new_activity(stage, since)
    assert sorted(done) == [("config.commit", "ok"), ("plans.mark_edited", "ok")]


def test_a_command_whose_plan_is_out_of_date_is_repeated_without_a_model(
    page: Page, stage: Stage
) -> None:
    ask_in_chat(page, "/map pad 73 to cmd+j")
    mapping = {"trigger": {"type": "Note", "note": 73}, "action": {"type": "Text", "text": "j"}}
    change = {"change_type": "CreateMapping", "mode": "Default", "mapping": mapping}
    base_hash = stage.call("config.get")["hash"]
    stage.call("config.commit", changes=[change], base_hash=base_hash, reason="as the user")
    go(page, "Chat")
    page.get_by_role("button", name="Ask again").click()
    plans = page.get_by_role("article", name=re.compile("^Plan: "))
    expect(plans.last.get_by_role("button", name="Apply")).to_be_enabled()
    expect(plans).to_have_count(2)
    expect(page.get_by_role("group", name="No API key")).to_have_count(0)


def test_two_plans_of_the_chat_are_applied_one_after_the_other(page: Page, stage: Stage) -> None:
    ask_in_chat(page, "/map pad 77 to cmd+m")
    plan = ask_in_chat(page, "/map pad 78 to cmd+n")
    plan.get_by_role("button", name=re.compile("^Apply")).click()
    expect(plan).to_contain_text("The plan was applied.")
    view = page.get_by_role("region", name="Plans", exact=True)
    view.get_by_role("option").filter(has_text="Pending").first.click()
    plan.get_by_role("button", name=re.compile("^Apply")).click()
    expect(plan).to_contain_text("The plan was applied.")
    text = stage.conductor.config_path.read_text()
    assert ("note = 77" in text, "note = 78" in text) == (True, True)


def test_a_plan_that_is_higher_than_the_chat_is_shown_from_its_title_on(stage: Stage) -> None:
    with stage.open((640, 400)) as page:
        go(page, "Chat")
        page.get_by_role("textbox", name="Message").fill("/map pad 74 to cmd+k")
        page.keyboard.press("Enter")
        plan = page.get_by_role("article", name=re.compile("^Plan: "))
        expect(plan).to_contain_text("Gestures tried")
        expect(plan.get_by_role("heading", level=3).first).to_be_in_viewport()
        page.get_by_role("region", name="Conversation").press("End")
        expect(plan.get_by_text("config.toml, line by line")).to_be_in_viewport()


def test_the_changes_of_a_discarded_plan_are_applied_after_all(page: Page, stage: Stage) -> None:
    plan = ask_in_chat(page, "/map pad 72 to cmd+b")
    plan.get_by_role("button", name="Discard", exact=True).click()
    expect(plan).to_contain_text("You discarded this plan.")
    plan.get_by_role("button", name="Use these changes").click()
    page.get_by_role("dialog").get_by_role("button", name="Apply changes").click()
    expect(plan).to_contain_text("The plan was applied.")
    expect(plan.get_by_role("button", name="Use these changes")).to_have_count(0)
    version = stage.call("history.list")["versions"][0]
    assert "(edited)" not in version["reason"]
    plan.get_by_role("button", name="Undo").click()
    expect(plan).to_contain_text("then undone")


def test_what_i_played_shows_what_a_plan_would_have_done(
    page: Page, stage: Stage, pads: MidiPeer
) -> None:
    def recent_notes() -> list[int | None]:
        events = stage.conductor.call("conductor_get_recent_events", limit=9)["events"]
        return [event.get("note") for event in events]

    tap(pads, 47)
    wait_for(recent_notes, lambda notes: notes.count(47) == 2)  # a plan replays what has arrived
    propose(stage, 47, "w")
    plan = review(page, "Note 47")
    moment = plan.get_by_role("slider", name=re.compile("^Position in your input"))
    expect(moment).to_be_visible()
    expect(plan.get_by_role("list", name="Legend")).to_contain_text("new")
    moment.focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(moment).to_have_attribute("aria-valuetext", re.compile("47"))


def test_a_plan_says_what_it_can_affect_and_what_gestures_show(page: Page, stage: Stage) -> None:
    propose(stage, 49, "w")
    plan = review(page, "Note 49")
    impact = plan.get_by_role("group", name="What may change")
    expect(impact).to_contain_text("note 49 (C#2)")
    expect(impact).to_contain_text("All other controls stay the same")
    impact.get_by_text("Why").click()
    expect(impact).to_contain_text("is new")
    plan.locator("summary").filter(has_text="Gestures tried").click()
    tried = plan.get_by_role("group", name="Gestures tried")
    expect(tried.get_by_role("progressbar")).to_have_count(0)
    expect(tried).to_contain_text(
        re.compile(r"Tried \d+ gestures? with the affected controls; \d+ now do")
    )
    differing = tried.get_by_role("list", name="Gestures that now do something else")
    expect(differing).to_contain_text("note 49 (C#2)")
    expect(plan.get_by_role("button", name=re.compile("^Apply"))).to_be_in_viewport()


def test_a_plan_that_nobody_answers_runs_out(browser: Browser) -> None:
    with running_conductor(
        CONFIG,
        environment={"CONDUCTOR_PLAN_TTL_SECONDS": "2"},
        with_page=True,
        own_process=True,
    ) as conductor:
        stage = Stage(browser, conductor)
        with stage.open() as page:
            propose(stage, 48, "w")
            plan = review(page, "Note 48")
            expect(plan).to_contain_text("Expired")
            expect(plan.get_by_role("button", name=re.compile("^Apply"))).to_have_count(0)
