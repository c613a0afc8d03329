"""The chunker: nothing is lost, parts are short, fences are whole, ids are stable."""

import re

from hypothesis import given
from hypothesis import strategies as st

from conductor.knowledge.chunker import split_front_matter, split_into_sections, split_markdown_text

WORDS = st.text("abc <>|#*`-", min_size=1, max_size=40)
BLOCKS = st.one_of(
    st.lists(WORDS.filter(str.strip), min_size=1, max_size=30).map("\n".join),
    st.lists(WORDS, min_size=1, max_size=60).map(
        lambda rows: "\n".join(f"- {row}" for row in rows)
    ),
    st.lists(st.text("ab #", max_size=60), max_size=80).map(
        lambda rows: "```toml\n" + "\n".join(rows) + "\n```"
    ),
)


def inked(text: str) -> str:
    return re.sub(r"\s", "", text)


def test_each_heading_begins_a_section_and_its_path_holds_the_headings_above():
    found = split_into_sections("# A\nintro\n## B\nb\n### C\nc\n## D\nd\n")
    assert [(each.path, each.text) for each in found] == [
        (("A",), "intro"),
        (("A", "B"), "b"),
        (("A", "B", "C"), "c"),
        (("A", "D"), "d"),
    ]


def test_a_section_without_text_is_left_out():
    assert [each.path for each in split_into_sections("# A\n## B\n\n## C\ntext")] == [("A", "C")]


def test_an_underlined_heading_is_one_and_a_rule_is_not():
    assert [
        each.path
        for each in split_into_sections("Title\n=====\none\n\nPart\n----\ntwo\n\n---\nthree")
    ] == [
        ("Title",),
        ("Title", "Part"),
    ]


def test_a_hash_in_a_fence_is_no_heading():
    [only] = split_into_sections("# A\n~~~sh\n# a comment\n```\n~~~\nafter")
    assert only.text == "~~~sh\n# a comment\n```\n~~~\nafter"


def test_ways_to_ask_are_taken_out_of_the_text():
    [only] = split_into_sections("# A\n<!-- ask: one way | another -->\n<!-- a note -->\ntext")
    assert (only.questions, only.text) == (["one way", "another"], "text")


def test_the_front_matter_ends_at_its_second_line_of_dashes():
    assert split_front_matter("---\ntitle: x\n---\n# A\n---\n") == ("title: x", "# A\n---\n")
    assert split_front_matter("# A\ntext") == ("", "# A\ntext")


def test_parts_of_a_table_repeat_its_head():
    table = "| cc | name |\n|---|---|\n" + "\n".join(
        f"| {n} | controller {n} |" for n in range(200)
    )
    cut = split_markdown_text(table, 800)
    assert len(cut) > 3
    assert {"\n".join(part.split("\n")[:2]) for part in cut} == {"| cc | name |\n|---|---|"}
    rows = [row for part in cut for row in part.split("\n")[2:]]
    assert rows == table.split("\n")[2:]


def test_a_fence_that_is_cut_is_closed_and_opened_again():
    cut = split_markdown_text(
        "```toml\n" + "\n".join(f"line = {n}" for n in range(300)) + "\n```", 700
    )
    assert all(part.startswith("```toml\n") and part.endswith("\n```") for part in cut)


@given(st.lists(BLOCKS, min_size=1, max_size=8))
def test_no_part_is_too_long_and_nothing_is_lost(blocks: list[str]):
    text = "\n\n".join(blocks)
    cut = split_markdown_text(text, 600)
    assert all(len(part) <= 600 for part in cut)
    if "```" not in text:
        assert inked("".join(cut)) == inked(text)
    for line in filter(str.strip, text.split("\n")):
        assert inked(line) in inked("".join(cut))


@given(st.text(max_size=3_000))
def test_any_text_can_be_cut(text: str):
    for section in split_into_sections(split_front_matter(text)[1], "title"):
        assert all(len(part) <= 600 for part in split_markdown_text(section.text, 600))


@given(st.lists(st.sampled_from(["alpha", "beta", "gamma"]), min_size=3, max_size=3))
def test_a_section_is_the_same_whatever_another_one_says(texts: list[str]):
    def cut(last: str) -> list[tuple[tuple[str, ...], str]]:
        body = f"# T\n## A\n{texts[0]}\n## B\n{texts[1]}\n## C\n{last}"
        return [(each.path, each.text) for each in split_into_sections(body)]

    assert cut(texts[2])[:2] == cut("something else")[:2]
