"""A person looks up what the assistant knows, leaves a source out, brings a profile along, and installs a skill."""

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.journeys.stage import NARROW, WIDE, Stage, Theme, go, toast
from tests.journeys.test_looks import AXE, FITS, LOOK
from tests.support.llm_server import LlmServer
from tests.support.running import REPOSITORY, running_conductor

pytestmark = pytest.mark.timeout(300)

INDEX_WITHIN_MS = 200_000
"""Without an index to begin from, every section goes through the language model."""
LIBRARIES_WITHIN_MS = 100_000
"""The first answer imports the providers' libraries, which is slow on a busy machine."""
CONFIG = """[[modes]]
name = "Default"

[[modes.mappings]]
trigger = { type = "Note", note = 36 }
action = { type = "Keystroke", keys = ["a"] }
"""
PROFILE = """id = "acme-zoggler-9"
maker = "Acme"
model = "Zoggler 9"
kind = "pads"
summary = "Nine pads in three rows."
revision = "2026-11-20"

[[sources]]
id = "mine"
title = "Played on my own device"
kind = "measured"

[[matchers]]
type = "NameContains"
pattern = "Zoggler"

[[variants]]
id = "factory"
name = "As it comes"
when = "After it is switched on"

[[variants.groups]]
id = "pads"
role = "pad"
name = "Pad {n}"
message = "note"
numbers = ["60-68"]
channel = 7
columns = 3
grade = "one_source"
sources = ["mine"]
"""
SKILL = """---
name: looper-pedals
description: Set up a looper with foot switches. Use when the user wants to loop.
---
# Looper pedals

## Scope

Foot switches of a looper.

## Safety

Change nothing without a plan.
"""


ANSWER = {
    "match": {"userMessage": "sustain pedal"},
    "response": {"content": "The sustain pedal is **CC 64** [K1]. It is not purple [K99]."},
}


@pytest.fixture(scope="module")
def server(server_of_all: LlmServer) -> LlmServer:
    server_of_all.reset()
    server_of_all.add(ANSWER)
    return server_of_all


@pytest.fixture(scope="module")
def library(browser: Browser) -> Generator[Stage]:
    with running_conductor(CONFIG, with_page=True, own_process=True) as conductor:
        stage = Stage(browser, conductor)
        if not stage.call("knowledge.status")["status"]["built"]:
            stage.call("knowledge.update_index")
        yield stage


@pytest.fixture
def page(library: Stage) -> Generator[Page]:
    library.conductor.use(CONFIG)
    with library.open() as page:
        yield page


def sources(page: Page) -> Locator:
    """Show Settings, Knowledge Sources, with an index."""
    view = go(page, "Settings")
    page.get_by_role("tab", name="Knowledge sources").click()
    expect(view.get_by_text("Index status")).to_be_visible()
    return view


def look_up(page: Page, words: str) -> Locator:
    """Show the Knowledge view with what words find, and give the view."""
    view = go(page, "Knowledge")
    view.get_by_role("searchbox").fill(words)
    return view


def test_the_index_is_updated_and_says_how_large_it_is(page: Page) -> None:
    view = sources(page)
    update = view.get_by_role("button", name="Update index")
    update.click()
    expect(view.get_by_role("progressbar", name="Updating the index")).to_be_visible()
    expect(update).to_be_enabled(timeout=INDEX_WITHIN_MS)
    expect(view.get_by_role("status")).to_contain_text("sections indexed in 7 domains")
    expect(view).to_contain_text("Last updated")
    expect(view).to_contain_text("MB on disk")


def test_a_question_finds_a_section_that_says_why_and_from_where(page: Page) -> None:
    view = look_up(page, "which cc is the sustain pedal")
    best = view.get_by_role("listbox", name="Results").get_by_role("option").first
    expect(best).to_contain_text("CC 64")
    expect(best).to_contain_text("strong")
    text = view.get_by_role("article")
    expect(text).to_contain_text("Matching words:")
    expect(text.locator(".why mark").filter(has_text="sustain")).to_be_visible()
    expect(text).to_contain_text("MIDI 1.0 Detailed Specification")
    page.keyboard.press("Enter")
    expect(view.get_by_role("listbox", name="Results")).to_be_focused()
    page.keyboard.press("End")
    last = view.get_by_role("option").last
    expect(last).to_have_attribute("aria-selected", "true")
    expect(last).to_have_css("outline-style", "solid")
    page.keyboard.press("Enter")
    expect(view.get_by_role("region", name="Text")).to_be_focused()
    text.get_by_role("button", name="Show document").click()
    expect(view.get_by_role("list", name="Sections")).to_be_visible()


def test_a_recipe_becomes_a_new_mapping(page: Page) -> None:
    view = look_up(page, "push to talk: hold a key while a pad is held")
    recipe = view.get_by_role("list", name="Use in a new mapping")
    recipe.get_by_role("button", name="push to talk").click()
    expect(page.get_by_role("textbox", name="Name")).to_have_value("push to talk")


def test_nothing_is_found_where_nothing_is_relevant(page: Page) -> None:
    view = look_up(page, "sourdough bread with rosemary")
    expect(view).to_contain_text("No relevant results")
    view.get_by_role("button", name="Clear the search").click()
    expect(view.get_by_role("listbox", name="Documents")).to_be_visible()


def test_a_source_that_is_left_out_is_found_no_more(page: Page, library: Stage) -> None:
    words = "Art-Net universe sub-net port address"
    view = look_up(page, words)
    expect(view.get_by_role("option").first).to_contain_text("Art-Net")
    settings = sources(page)
    artnet = settings.get_by_role("switch", name="ArtNet Spec")
    artnet.click()
    expect(artnet).to_have_attribute("aria-checked", "false")
    assert library.call("config.get")["config"]["knowledge"]["disabled_sources"] == ["artnet"]
    view = look_up(page, words)
    expect(view.get_by_role("status").or_(view.get_by_text("No relevant results"))).to_be_visible()
    expect(view.get_by_role("option").locator(".domain", has_text="Art-Net")).to_have_count(0)
    settings = sources(page)
    settings.get_by_role("switch", name="ArtNet Spec").click()
    view = look_up(page, words)
    expect(view.get_by_role("option").locator(".domain", has_text="Art-Net").first).to_be_visible()


def test_one_document_is_left_out_by_itself(page: Page, library: Stage) -> None:
    settings = sources(page)
    settings.get_by_role("button", name="MIDI Spec").click()
    documents = settings.get_by_role("list", name="Documents of MIDI Spec")
    documents.get_by_role("switch").first.click()
    expect(settings.get_by_role("button", name="MIDI Spec")).to_contain_text(" of ")
    hidden = library.call("config.get")["config"]["knowledge"]["disabled_sources"]
    assert len(hidden) == 1
    assert hidden[0].startswith("midi/")


def test_a_profile_that_is_brought_along_is_found(page: Page, tmp_path: Path) -> None:
    broken, good = tmp_path / "broken.toml", tmp_path / "zoggler.toml"
    broken.write_text(PROFILE.replace('kind = "pads"', 'kind = "toaster"', 1))
    good.write_text(PROFILE)
    view = sources(page)
    field = page.get_by_label("Device profile", exact=True)
    field.set_input_files(broken)
    expect(view.get_by_role("alert")).to_contain_text("kind")
    field.set_input_files(good)
    done = toast(page, "Added Acme Zoggler 9")
    expect(done).to_be_visible(timeout=INDEX_WITHIN_MS)
    done.get_by_role("button", name="Show").click()
    expect(page.get_by_role("article", name="Acme Zoggler 9")).to_contain_text("one source")
    view = look_up(page, "which notes does the Zoggler send")
    expect(view.get_by_role("option").first).to_contain_text("Zoggler 9")
    expect(view.get_by_role("article")).to_contain_text("60")


def test_a_controller_file_of_another_program_is_shown_and_then_saved(
    page: Page, tmp_path: Path
) -> None:
    files = REPOSITORY / "tests" / "data" / "controller_files"
    view = sources(page)
    field = page.get_by_label("Device profile", exact=True)
    binary = tmp_path / "photo.map"
    binary.write_bytes(b"\x89PNG\x00")
    field.set_input_files(binary)
    expect(view.get_by_role("alert")).to_contain_text("not a text file")
    field.set_input_files(files / "acme-deck.midi.xml")
    found = view.get_by_role("region", name="Controls found")
    expect(found).to_contain_text("Acme Deck 2: 7 controls, from a file for Mixxx")
    expect(found).to_contain_text("Crossfader: CC 31 on channel 7.")
    expect(found.get_by_role("list", name="Notes")).to_contain_text("acme-deck.midi.js")
    found.get_by_role("button", name="Discard").click()
    expect(found).to_be_hidden()
    field.set_input_files(files / "acme-deck.midi.xml")
    found.get_by_role("button", name="Save profile").click()
    expect(toast(page, "Added Acme Deck 2")).to_be_visible(timeout=INDEX_WITHIN_MS)
    expect(found).to_be_hidden()


def test_a_skill_is_read_installed_switched_off_and_removed(page: Page, tmp_path: Path) -> None:
    folder = tmp_path / "looper-pedals"
    folder.mkdir()
    (folder / "SKILL.md").write_text(SKILL)
    go(page, "Settings")
    page.get_by_role("tab", name="Skills").click()
    page.get_by_role("button", name="Install skill").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill(str(folder))
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog).to_contain_text("Change nothing without a plan.")
    dialog.get_by_role("button", name="Install").click()
    mine = page.locator('[data-skill="looper-pedals"]')
    expect(mine).to_contain_text(f"Installed from {folder}")
    switch = mine.get_by_role("switch")
    switch.click()
    expect(switch).to_have_attribute("aria-checked", "false")
    mine.get_by_role("button", name="looper-pedals").click()
    expect(mine.get_by_role("region", name="Text of looper-pedals")).to_contain_text(
        "Foot switches"
    )
    mine.get_by_role("button", name="Remove…").click()
    page.get_by_role("alertdialog").or_(page.get_by_role("dialog")).get_by_role(
        "button", name="Remove"
    ).click()
    expect(mine).to_have_count(0)
    expect(page.locator('[data-skill="conductor-midi-mapping"]')).to_contain_text(
        "Included with Conductor"
    )


def test_an_answer_names_its_sources_and_each_leads_to_its_text(
    library: Stage, server: LlmServer
) -> None:
    model = f'\n[llm.providers.sim]\nkind = "custom"\nbase_url = "{server.base_url("custom")}"\n'
    library.conductor.use(CONFIG + model + 'model = "gpt-sim"\n')
    with library.open() as page:
        go(page, "Chat")
        page.get_by_role("textbox", name="Message").fill("Which CC is the sustain pedal?")
        page.get_by_role("textbox", name="Message").press("Enter")
        answer = page.get_by_role("article", name="Answer")
        sources = answer.get_by_role("list", name="Sources")
        expect(sources).to_be_visible(timeout=LIBRARIES_WITHIN_MS)
        expect(answer).not_to_contain_text("K99")
        mark = answer.get_by_role("paragraph").get_by_role("button", name="Source 1: ")
        expect(mark).to_have_text("1")
        chip = sources.get_by_role("button", name="Source 1: ")
        expect(chip).to_contain_text("CC 64")
        chip.focus()
        expect(page.get_by_role("tooltip")).to_contain_text("0-63")
        chip.click()
        text = page.get_by_role("region", name="Knowledge").get_by_role("article")
        expect(text).to_contain_text("CC 64")
        expect(text).to_contain_text("MIDI 1.0 Detailed Specification")


@pytest.mark.parametrize(("theme", "size"), [("dark", WIDE), ("light", NARROW)])
def test_knowledge_and_skills_are_open_to_everybody(
    library: Stage, theme: Theme, size: tuple[int, int]
) -> None:
    with library.open(size, theme) as page:
        page.evaluate(AXE)
        found: list[str] = []
        view = go(page, "Knowledge")
        view.get_by_role("listbox", name="Documents").focus()
        page.keyboard.press("ArrowDown")
        expect(view.get_by_role("article")).to_be_visible()
        found += look_at(page)
        look_up(page, "launchpad pad colours")
        expect(view.get_by_role("listbox", name="Results")).to_be_visible()
        expect(view.get_by_role("article")).to_contain_text("Matching words:")
        found += look_at(page)
        settings = sources(page)
        settings.get_by_role("button", name="Device Profiles").click()
        found += look_at(page)
        page.get_by_role("tab", name="Skills").click()
        page.get_by_role("button", name="conductor-midi-mapping").click()
        expect(page.get_by_role("region", name="Text of")).to_be_visible()
        found += look_at(page)
    assert found == [], "\n".join(found)


def look_at(page: Page) -> list[str]:
    return [*page.evaluate(LOOK), *page.evaluate(FITS)]
