"""The validator: agrees with the reference validator on a corpus, and sees what that one does not."""

from pathlib import Path

import pytest
from skills_ref.validator import validate as reference  # pyright: ignore[reportMissingTypeStubs]
from tests.skills.making import good, lay

from conductor.skills.validator import SkillProblem, find_skill_problems, validate_skill_folder

HEAD = "name: a-skill\ndescription: Does a thing. Use when asked.\n"
CORPUS = {
    "plain": (True, HEAD),
    "all fields": (True, HEAD + 'license: MIT\ncompatibility: Linux\nallowed-tools: Read Write\nmetadata:\n  version: "1.0"\n'),
    "folded": (True, "name: a-skill\ndescription: >-\n  Does a thing.\n  Use when asked.\n"),
    "literal": (True, "name: a-skill\ndescription: |\n  Does a thing.\n  Use when asked.\n"),
    "comment": (True, "# about it\n" + HEAD),
    "quoted": (True, "name: \"a-skill\"\ndescription: 'It''s: a thing'\n"),
    "longest description": (True, f"name: a-skill\ndescription: {'x' * 1024}\n"),
    "longest compatibility": (True, HEAD + f"compatibility: {'x' * 500}\n"),
    "number as text": (True, HEAD + "metadata:\n  version: 1.0\n"),
    "no name": (False, "description: x\n"),
    "no description": (False, "name: a-skill\n"),
    "empty description": (False, "name: a-skill\ndescription: ''\n"),
    "other folder": (False, "name: b-skill\ndescription: x\n"),
    "capitals": (False, "name: A-skill\ndescription: x\n"),
    "underscore": (False, "name: a_skill\ndescription: x\n"),
    "double hyphen": (False, "name: a--skill\ndescription: x\n"),
    "hyphen at the end": (False, "name: a-skill-\ndescription: x\n"),
    "long name": (False, f"name: {'a' * 65}\ndescription: x\n"),
    "long description": (False, f"name: a-skill\ndescription: {'x' * 1025}\n"),
    "long compatibility": (False, HEAD + f"compatibility: {'x' * 501}\n"),
    "unknown field": (False, HEAD + "version: 1\n"),
    "flow table": (False, HEAD + "metadata: {a: b}\n"),
    "flow list": (False, HEAD + "allowed-tools: [Read]\n"),
    "anchor": (False, HEAD + "license: &a MIT\n"),
    "tag": (False, HEAD + "license: !!python/object:os.system MIT\n"),
    "a key twice": (False, HEAD + "license: MIT\nlicense: GPL\n"),
    "dashes inside": (False, "name: a-skill\nlicense: MIT --- or so\ndescription: x\n"),
    "a list": (False, "- name\n- description\n"),
    "colon in a plain text": (False, "name: a-skill\ndescription: does: things\n"),
    "tab": (False, "name: a-skill\n\tdescription: x\n"),
    "empty": (False, ""),
    "description as a list": (False, "name: a-skill\ndescription:\n  - x\n"),
}  # fmt: skip


def errors(found: list[SkillProblem]) -> list[str]:
    return [one.message for one in found if one.level == "error"]


@pytest.mark.parametrize("case", CORPUS)
def test_it_judges_as_the_reference_validator_does(case: str, tmp_path: Path):
    is_good, front = CORPUS[case]
    text = f"---\n{front}---\n\n# A skill\n"
    folder = lay(tmp_path / "a-skill", {"SKILL.md": text.encode()})
    assert (reference(folder) == []) is is_good
    assert (errors(validate_skill_folder(folder)) == []) is is_good


@pytest.mark.parametrize(
    "text", [b"", b"# no front matter\n", b"---\nname: a-skill\n", b"\xff\xfe---\n"]
)
def test_what_has_no_front_matter_is_no_skill(text: bytes, tmp_path: Path):
    assert errors(validate_skill_folder(lay(tmp_path / "a-skill", {"SKILL.md": text})))


@pytest.mark.parametrize(
    ("addition", "part"),
    [
        ("[x](../../etc/passwd)", "out of the skill's folder"),
        ("[x](/etc/passwd)", "out of the skill's folder"),
        ("[x](%2e%2e/%2e%2e/secret)", "out of the skill's folder"),
        ("[x](file:///etc/passwd)", "outside of the skill"),
    ],
)
def test_a_link_that_leads_out_is_an_error(addition: str, part: str):
    files = good("a-skill")
    files["SKILL.md"] += addition.encode()
    assert part in errors(find_skill_problems(files, "a-skill"))[0]


def test_advice_is_no_error():
    files = good("a-skill")
    files["SKILL.md"] += b"\n[gone](references/GONE.md)\n" + b"many words\n" * 600
    found = find_skill_problems(files, "a-skill")
    assert errors(found) == []
    assert any("which does not exist" in one.message for one in found)
    assert any("lines; aim at" in one.message for one in found)


def test_a_value_that_readers_take_for_a_number_is_told():
    front = HEAD + "metadata:\n  version: 1.10\n"
    found = find_skill_problems({"SKILL.md": f"---\n{front}---\n".encode()}, "a-skill")
    assert any("put quotes around `1.10`" in one.message for one in found)


def test_empty_optional_fields_and_metadata_that_is_no_text_are_errors():
    for addition in ("compatibility: ''\n", "license:\n  a: b\n", "metadata:\n  a:\n    b: c\n"):
        text = f"---\n{HEAD}{addition}---\n".encode()
        assert errors(find_skill_problems({"SKILL.md": text}, "a-skill")), addition


@pytest.mark.parametrize("piece", ["[", "](", "[a](", "](<", "`references/", "\n", "a[b](c) "])
def test_a_text_made_to_be_slow_is_judged_all_the_same(piece: str):
    text = f"---\n{HEAD}---\n{piece * (250_000 // len(piece))}"
    assert errors(find_skill_problems({"SKILL.md": text.encode()}, "a-skill")) == []


def test_a_link_out_of_the_skill_is_seen_in_every_form():
    for link in (
        "[a](../../x)",
        "[![b](../../x)](y)",
        '[a](<../../x> "title")',
        "[a\nb]( ../../x )",
    ):
        files = {"SKILL.md": f"---\n{HEAD}---\n{link}\n".encode()}
        assert (
            "links out of the skill's folder: '../../x'"
            in errors(find_skill_problems(files, "a-skill"))[0]
        )
