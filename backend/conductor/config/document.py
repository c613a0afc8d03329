"""Edits the text of config.toml and leaves comments, order and formatting of everything unchanged as it was.

The text is split into blocks; only the blocks that change are parsed with tomlkit and rewritten, so an edit
costs the same in a long file as in a short one. Each edited block is parsed again. If a fine-grained edit
does not have the intended result, for example because a key has an older name, the whole block is rewritten.
"""

from bisect import bisect_right
from functools import lru_cache
from typing import Any, NamedTuple

from conductor.base.json_types import JsonObject
from conductor.config.blocks import (
    TomlBlock,
    insert_blocks_after,
    insert_blocks_before,
    join_blocks,
    remove_blocks,
    split_blocks,
)
from conductor.config.chunk import edit_row_text, edit_toml_text
from conductor.config.difference import (
    KeyEdit,
    RowPair,
    align_rows,
    find_edits,
    has_same_text,
    to_comparison_text,
)
from conductor.config.lines import KeyPath, KeyPositions
from conductor.config.migrations import migrate_tables
from conductor.config.parse import parse_config, read_raw_tables
from conductor.config.render import (
    ARRAY_SECTIONS,
    TABLE_SECTIONS,
    convert_config_to_tables,
    render_config,
    render_header,
    render_pairs,
    render_row,
)
from conductor.domain.config import Config, Mapping, Mode, Profile
from conductor.domain.devices import DeviceIdentity
from conductor.domain.value import Value
from conductor.errors import ConfigError

__all__ = ["edit_document", "render_config"]

ROW_MODEL_BY_SECTION: dict[str, type[Value]] = {
    "devices": DeviceIdentity,
    "bindings": DeviceIdentity,
    "modes": Mode,
    "profiles": Profile,
    "mappings": Mapping,
    "global_mappings": Mapping,
}
NAME_FIELD_BY_SECTION = {
    "devices": "alias",
    "bindings": "alias",
    "modes": "name",
    "profiles": "name",
}
CONFIG_SECTIONS = ("version", *ARRAY_SECTIONS, *TABLE_SECTIONS)


def edit_document(text: str, old: Config, new: Config) -> str:
    """Return the text of config `old`, edited so that it parses as config `new`.

    If an edit is not possible, the whole text is rendered again, and comments are lost.
    """
    rows = _ROW_CACHE.get_rows(old)
    before, after = convert_config_to_tables(old, rows), convert_config_to_tables(new, rows)
    raw, migrated, notes = _parse_tables(text)
    if not notes and has_same_text(before, after):
        return text
    try:
        current = _Document(text, raw).apply_changes(raw, migrated) if notes else text
        result = _Document(current, migrated).apply_changes(before, after)
        if has_same_text(convert_config_to_tables(parse_config(result), rows), after):
            return result
    except (ConfigError, ValueError, LookupError, TypeError, AttributeError):
        pass
    return render_config(new)


class _RowCache:
    """Caches the last edited config as plain data, because several plans are usually made from the same
    config.
    """

    def __init__(self) -> None:
        self._last: tuple[Config, dict[int, JsonObject]] | None = None

    def get_rows(self, config: Config) -> dict[int, JsonObject]:
        """Return the plain data of each model in a config, keyed by the `id` of the model; the caller may
        change the dict.
        """
        last = self._last
        if last is None or last[0] is not config:
            rows: dict[int, JsonObject] = {}
            convert_config_to_tables(config, rows)
            last = self._last = config, rows
        return dict(last[1])


_ROW_CACHE = _RowCache()


class _Tables(NamedTuple):
    raw: JsonObject
    migrated: JsonObject
    notes: tuple[str, ...]


# Several plans are usually made for the same text, so the parsed text is cached.
@lru_cache(maxsize=1)
def _parse_tables(text: str) -> _Tables:
    raw = read_raw_tables(text)
    return _Tables(raw, *migrate_tables(raw))


@lru_cache(maxsize=1)
def _split_document(text: str) -> tuple[KeyPositions, list[TomlBlock]]:
    places = KeyPositions(text, within_rows=False)
    return places, split_blocks(text, places)


class _Document:
    """A config text during an edit: its blocks, the positions of its keys, and the blocks of each row."""

    def __init__(self, text: str, raw: JsonObject) -> None:
        self.raw = raw
        self.crlf = "\r\n" in text and text.count("\r\n") == text.count("\n")
        self.places, blocks = _split_document(text)
        self.blocks = [block.copy() for block in blocks]
        self.original = list(self.blocks)
        self.starts = [0, *(header.start for header in self.places.headers)]
        self.headed = {header.path for header in self.places.headers}
        self.owned: dict[KeyPath, list[TomlBlock]] = {}
        for block in self.blocks:
            for end in {2, 4} & set(range(len(block.path) + 1)):
                self.owned.setdefault(block.path[:end], []).append(block)

    def apply_changes(self, old: JsonObject, new: JsonObject) -> str:
        """Apply the differences between two trees and return the edited text."""
        before, after = dict(old), dict(new)
        arrays: list[tuple[KeyPath, list[JsonObject], list[JsonObject]]] = []
        for name in ARRAY_SECTIONS:
            written = "bindings" if name == "devices" and "bindings" in self.raw else name
            if self._can_write_blocks((written,)):
                key = written if written in old else name
                rows, wanted = before.pop(key, []), after.pop(key, [])
                kept = rows if self.raw.get(written) else []
                arrays.append(((written,), kept, self._list_rows_to_write(name, wanted)))
        for op in find_edits(before, after):
            self._apply_key_edit(op)
        for base, rows, wanted in arrays:
            self._update_rows(base, rows, wanted)
        return self._convert_newlines(join_blocks(self.blocks))

    def _list_rows_to_write(self, name: str, rows: list[JsonObject]) -> list[JsonObject]:
        """Return the rows of an array that must be written; a mode "Default" that the file only implies is
        left out.
        """
        return (
            []
            if name == "modes" and not self.raw.get("modes") and rows == [{"name": "Default"}]
            else rows
        )

    def _can_write_blocks(self, base: KeyPath) -> bool:
        """Return whether rows can be written as `[[array]]` blocks.

        They cannot if the text already contains the array in another form, such as an inline list.
        """
        items: Any = self.raw
        for step in base:
            items = items[step] if isinstance(step, int) else items.get(step)
        if isinstance(items, list) and not items:
            self._apply_key_edit(KeyEdit(base, delete=True))
        return not items or (*base, 0) in self.headed

    # rows of arrays

    def _update_rows(self, base: KeyPath, old: list[JsonObject], new: list[JsonObject]) -> None:
        name = NAME_FIELD_BY_SECTION.get(str(base[-1]))
        matched = align_rows(
            [_get_row_key(item, name) for item in old], [_get_row_key(item, name) for item in new]
        )
        stays = [pair.old for pair in matched if pair.old is not None and not pair.moved]
        for index in set(range(len(old))).difference(stays):
            remove_blocks(self.blocks, self.owned[(*base, index)])
        anchor: TomlBlock | None = None
        first = self.owned[(*base, stays[0])][0] if stays else None
        for pair in matched:
            blocks = self._get_row_blocks(base, pair, new[pair.new])
            if pair.old is not None and not pair.moved:
                pass
            elif anchor is not None:
                insert_blocks_after(self.blocks, anchor, blocks)
            elif first is not None:
                insert_blocks_before(self.blocks, first, blocks)
            else:
                insert_blocks_after(self.blocks, self._find_anchor_block(base), blocks)
            anchor = blocks[-1]
        for pair in matched:
            if pair.old is not None:
                self._update_row_content(base, pair.old, old[pair.old], new[pair.new])

    def _get_row_blocks(self, base: KeyPath, pair: RowPair, item: JsonObject) -> list[TomlBlock]:
        if pair.old is not None:
            return self.owned[(*base, pair.old)]
        text = self._convert_newlines(
            render_row([step for step in base if isinstance(step, str)], item)
        )
        return [TomlBlock((*base, -1), array=True, lead="", body=text, tail="")]

    def _find_anchor_block(self, base: KeyPath) -> TomlBlock:
        """Return the block after which the first row of a new array is inserted, in the usual order of the
        sections.
        """
        if len(base) > 1:
            return [block for block in self.owned[base[:-1]] if block in self.blocks][-1]
        top = next(str(step) for step in base)
        before = CONFIG_SECTIONS[
            : CONFIG_SECTIONS.index("devices" if top == "bindings" else top) + 1
        ]
        fitting = [block for block in self.blocks if {*block.path[:1]} & {*before}]
        return fitting[-1] if fitting else self.blocks[0]

    def _update_row_content(
        self, base: KeyPath, index: int, old: JsonObject, new: JsonObject
    ) -> None:
        if has_same_text(old, new):
            return
        path = (*base, index)
        rows = (*path, "mappings")
        if str(base[-1]) in ("modes", "profiles") and self._can_write_blocks(rows):
            self._update_rows(rows, old.get("mappings", []), new.get("mappings", []))
            old = {key: item for key, item in old.items() if key != "mappings"}
            new = {key: item for key, item in new.items() if key != "mappings"}
        own = [block for block in self.owned[path] if block.path[: len(rows)] != rows]
        if not has_same_text(old, new):
            self._rewrite_own_content(
                [step for step in base if isinstance(step, str)], own, old, new
            )

    def _rewrite_own_content(
        self, names: list[str], own: list[TomlBlock], old: JsonObject, new: JsonObject
    ) -> None:
        first, *rest = own
        text = "".join(block.text + (block.tail if block is not own[-1] else "") for block in own)
        model = ROW_MODEL_BY_SECTION[names[-1]]

        def is_correct(raw: JsonObject) -> bool:
            return has_same_text(raw, new) or has_same_text(
                model.model_validate(raw).to_plain(), new
            )

        result = edit_row_text(text, names, old, new, is_correct)
        if result is None:
            result = first.lead + render_row(names, new)
        first.lead, first.body, first.tail = "", self._convert_newlines(result), own[-1].tail
        for block in rest:
            self.blocks.remove(block)

    # single keys

    def _apply_key_edit(self, op: KeyEdit) -> None:
        holder = self._find_containing_block(op.path)
        if op.delete and holder is None:
            below = [block for block in self.blocks if block.path[: len(op.path)] == op.path]
            remove_blocks(self.blocks, below)
        elif holder is not None:
            self._edit_block(holder, op)
        else:
            self._add_key(op)

    def _find_containing_block(self, path: KeyPath) -> TomlBlock | None:
        """Return the block that contains the line `key = value` of a path, or None if the path is a header
        or missing.
        """
        offset = self.places.offsets.get(path)
        if offset is None or path in self.headed:
            return None
        block = self.original[bisect_right(self.starts, offset) - 1]
        return block if block in self.blocks else None

    def _add_key(self, op: KeyEdit) -> None:
        parent = op.path[:-1]
        block = next((block for block in self.blocks if block.path == parent), None)
        holder = next(
            (
                h
                for end in range(len(parent), 0, -1)
                if (h := self._find_containing_block(parent[:end]))
            ),
            None,
        )
        if block is not None and op.value != {}:
            self._edit_block(block, op)
        elif holder is not None:
            self._edit_block(holder, op)
        else:
            path = op.path if op.value == {} else parent
            lines = [] if op.value == {} else render_pairs({str(op.path[-1]): op.value})
            text = "\n".join([f"[{render_header([str(step) for step in path])}]", *lines]) + "\n"
            new = TomlBlock(path, array=False, lead="", body=self._convert_newlines(text), tail="")
            same = [block for block in self.blocks if block.path[:1] == path[:1]]
            insert_blocks_after(
                self.blocks, same[-1] if same else self._find_anchor_block(path[:1]), [new]
            )

    def _edit_block(self, block: TomlBlock, op: KeyEdit) -> None:
        block.body = self._convert_newlines(edit_toml_text(block.text, [op._replace(known=False)]))
        block.lead = ""

    def _convert_newlines(self, text: str) -> str:
        return text.replace("\r\n", "\n").replace("\n", "\r\n") if self.crlf else text


def _get_row_key(item: JsonObject, name: str | None) -> str:
    return str(item.get(name)) if name else to_comparison_text(item)
