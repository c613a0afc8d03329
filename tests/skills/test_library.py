"""The three levels of a skill, as models get them."""

from pathlib import Path

import pytest
from tests.skills.making import good, lay

from conductor.domain.settings import SkillsSettings
from conductor.errors import UnknownSkill
from conductor.skills.library import SkillLibrary


@pytest.fixture
def library(tmp_path: Path) -> SkillLibrary:
    lay(tmp_path / "skills" / "stage-lighting", good())
    return SkillLibrary(tmp_path)


def test_the_catalogue_has_a_line_for_each_skill_and_stays_short(library: SkillLibrary):
    text = library.render_catalog()
    assert text.count("\n- ") == 7
    assert "- stage-lighting (installed by the user): Plans stage lighting" in text
    assert "# Mapping controls" not in text
    assert len(text) / 4 < 500


def test_activating_a_skill_loads_its_text_and_names_its_files(library: SkillLibrary):
    shown = library.render_content("conductor-midi-mapping")
    assert shown.startswith('<skill_content name="conductor-midi-mapping">\n# Mapping controls')
    assert "- references/TRIGGERS.md\n" in shown
    assert "duration_ms` | whole number" not in shown
    assert "untrusted" not in shown


def test_a_file_is_read_when_it_is_asked_for(library: SkillLibrary):
    assert b"## LongPress" in library.read_skill_file(
        "conductor-midi-mapping", "references/TRIGGERS.md"
    )
    found = {one.path: one for one in library.list_resources("stage-lighting")}
    assert found["references/CUES.md"].size == len(b"# Cues\n")


def test_a_model_reads_a_long_file_piece_by_piece_and_misses_nothing(tmp_path: Path):
    text = "".join(f"line {number}\n" for number in range(4_000))
    lay(tmp_path / "skills" / "stage-lighting", good() | {"references/LONG.md": text.encode()})
    library, start, read = SkillLibrary(tmp_path), 0, ""
    while start is not None:
        piece, start = library.render_file("stage-lighting", "references/LONG.md", start)
        assert len(piece) < 10_000
        read += piece.partition("has said.\n\n")[2].removesuffix("\n</skill_content>")
    assert read == text


@pytest.mark.parametrize("path", ["../stage-lighting/SKILL.md", "/etc/passwd", "references", "", "references/../SKILL.md"])  # fmt: skip
def test_no_path_leads_out_of_a_skill(path: str, library: SkillLibrary):
    with pytest.raises(UnknownSkill):
        library.read_skill_file("conductor-midi-mapping", path)


@pytest.mark.parametrize(
    "name", ["", "..", "../skills", "no-such", "conductor-midi-mapping/references"]
)
def test_no_name_leads_out_of_the_shelf(name: str, library: SkillLibrary):
    with pytest.raises(UnknownSkill):
        library.get_skill(name)


def test_a_skill_that_is_installed_while_running_is_there_at_once(
    library: SkillLibrary, tmp_path: Path
):
    lay(tmp_path / "skills" / "another", good("another"))
    assert library.get_skill("another").origin == "user"


def test_a_skill_that_the_user_switched_off_is_not_offered(tmp_path: Path):
    off = SkillsSettings(disabled=("conductor-midi-mapping",))
    library = SkillLibrary(tmp_path, settings=lambda: off)
    assert "conductor-midi-mapping" not in library.render_catalog()
    assert library.choose_for_message("make pad 36 copy") == ()
    assert len(library.list_skills()) == 5


def test_the_whole_library_has_also_what_is_switched_off_for_the_page_to_switch_it_on(
    tmp_path: Path,
):
    off = SkillsSettings(disabled=("conductor-midi-mapping",))
    library = SkillLibrary(tmp_path, settings=lambda: off)
    assert library.include_disabled().get_skill("conductor-midi-mapping").origin == "conductor"
    assert len(library.include_disabled().list_skills()) == 6
    assert not library.is_enabled("conductor-midi-mapping")
    with pytest.raises(UnknownSkill):
        library.render_content("conductor-midi-mapping")


def test_many_skills_of_others_do_not_fill_the_prompt(library: SkillLibrary, tmp_path: Path):
    for number in range(60):
        text = good(f"skill-{number}")["SKILL.md"].replace(b"Plans", b"Plans " * 150)
        lay(tmp_path / "skills" / f"skill-{number}", {"SKILL.md": text})
    text = library.render_catalog()
    assert len(text) < 7_000
    assert "- conductor-profile-manager" in text


def test_a_skill_that_is_edited_while_running_is_read_again(library: SkillLibrary, tmp_path: Path):
    assert library.get_skill("stage-lighting").description.startswith("Plans stage")
    text = good()["SKILL.md"].replace(b"Plans stage", b"Draws up stage")
    lay(tmp_path / "skills" / "stage-lighting", {"SKILL.md": text})
    assert library.get_skill("stage-lighting").description.startswith("Draws up stage")
