"""Parses `SKILL.md`: YAML front matter between two lines of `---`, followed by a Markdown body.

As in the reference validator, every value of the YAML is text, and unusual features (anchors, tags, flow
style, duplicate keys) are rejected. The size is limited before the YAML library reads it.
"""

from typing import Any, NamedTuple

import yaml

from conductor.base.json_types import JsonObject
from conductor.errors import BadSkill

MAX_FRONT_MATTER_CHARACTERS = 16_384
"""The maximum length of the front matter in characters."""
MAX_YAML_DEPTH = 4
FRONT_MATTER_DELIMITER = "---"
REJECTED_YAML_TOKENS = {
    yaml.AnchorToken: "an anchor (&)",
    yaml.AliasToken: "an alias (*)",
    yaml.TagToken: "a tag (!)",
    yaml.FlowMappingStartToken: "a table in braces",
    yaml.FlowSequenceStartToken: "a list in brackets",
    yaml.DirectiveToken: "a directive (%)",
    yaml.DocumentEndToken: "a second document",
}
YAML_BLOCK_START_TOKENS = (yaml.BlockMappingStartToken, yaml.BlockSequenceStartToken)


class SkillDocument(NamedTuple):
    """The front matter and the body of a `SKILL.md` file."""

    fields: JsonObject
    body: str


def parse_skill_document(content: bytes) -> SkillDocument:
    """Parse the content of a `SKILL.md` file.

    Raises:
        BadSkill: The content is not text, or its front matter is invalid.
    """
    front_matter, body = _split_front_matter(decode_skill_text(content))
    try:
        _check_yaml_tokens(front_matter)
        node = yaml.compose(front_matter, Loader=yaml.BaseLoader)
        fields = None if node is None else _convert_yaml_node(node)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise BadSkill(
            f"SKILL.md: the front matter is not valid YAML: {_format_on_one_line(error)}"
        ) from None
    if not isinstance(fields, dict):
        raise BadSkill("SKILL.md: the front matter must be `key: value` lines")
    return SkillDocument(fields, body.strip())


def decode_skill_text(content: bytes) -> str:
    """Return the text of a file with uniform line endings.

    Raises:
        BadSkill: The content is not UTF-8 text.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise BadSkill("SKILL.md is not UTF-8 text") from None
    if "\0" in text:
        raise BadSkill("SKILL.md is not text: it has NUL bytes")
    return text.replace("\r\n", "\n")


def _split_front_matter(text: str) -> tuple[str, str]:
    first, _, rest = text.partition("\n")
    if first.rstrip() != FRONT_MATTER_DELIMITER:
        raise BadSkill("SKILL.md must begin with a line of `---`, then `name:` and `description:`")
    lines = rest.split("\n")
    end = next((i for i, line in enumerate(lines) if line.rstrip() == FRONT_MATTER_DELIMITER), None)
    if end is None:
        raise BadSkill("SKILL.md: the front matter is not closed by a line of `---`")
    front_matter = "\n".join(lines[:end]) + "\n"
    if len(front_matter) > MAX_FRONT_MATTER_CHARACTERS:
        raise BadSkill(
            f"SKILL.md: the front matter is over {MAX_FRONT_MATTER_CHARACTERS} characters long"
        )
    if FRONT_MATTER_DELIMITER in front_matter:
        raise BadSkill(
            "SKILL.md: the front matter must not contain `---`, because some parsers would end there"
        )
    return front_matter, "\n".join(lines[end + 1 :])


def _check_yaml_tokens(front_matter: str) -> None:
    depth = 0
    for token in yaml.scan(front_matter, Loader=yaml.BaseLoader):
        for kind, words in REJECTED_YAML_TOKENS.items():
            if isinstance(token, kind):
                raise BadSkill(
                    f"SKILL.md: the front matter has {words}; write plain `key: value` lines"
                )
        depth += isinstance(token, YAML_BLOCK_START_TOKENS) - isinstance(token, yaml.BlockEndToken)
        if depth > MAX_YAML_DEPTH:
            raise BadSkill("SKILL.md: the front matter is nested too deeply")


def _convert_yaml_node(node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return _convert_yaml_mapping(node)
    if isinstance(node, yaml.SequenceNode):
        return [_convert_yaml_node(item) for item in node.value]
    str(node.value).encode()  # an escape may stand for half of a character, which cannot be stored
    return node.value


def _convert_yaml_mapping(node: yaml.MappingNode) -> JsonObject:
    found: JsonObject = {}
    for key, value in node.value:
        name = str(_convert_yaml_node(key))
        if name in found:
            raise BadSkill(f"SKILL.md: `{name}` occurs twice in the front matter")
        found[name] = _convert_yaml_node(value)
    return found


def _format_on_one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
