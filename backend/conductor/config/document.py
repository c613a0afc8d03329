"""Edits the text of a config so that unchanged parts keep their bytes, comments and order.

The text is split into blocks; only the blocks that change are parsed with tomlkit and rewritten, so an edit
costs the same in a long file as in a short one. Each edited block is parsed again: if a fine-grained edit does
not have the intended result (for example because a key has an older name), a coarser one is made.
"""

from bisect import bisect_right
from functools import lru_cache
from typing import Any, NamedTuple

from conductor.base.json_types import JsonObject
from conductor.config.blocks import Block, insert_after, insert_before, join, remove, split
from conductor.config.chunk import edit_row, edit_text
from conductor.config.difference import Op, Pair, align, differences, spelled, spells_the_same
from conductor.config.lines import KeyPositions, Path
from conductor.config.migrations import migrate
from conductor.config.parse import parse, raw_tables
from conductor.config.render import ARRAYS, TABLES, header, pairs, render, row, tree_of
from conductor.domain.config import Config, Mapping, Mode, Profile
from conductor.domain.devices import DeviceIdentity
from conductor.domain.value import Value
from conductor.errors import ConfigError

__all__ = ["edit", "render"]

MODELS: dict[str, type[Value]] = {
    "devices": DeviceIdentity,
    "bindings": DeviceIdentity,
    "modes": Mode,
    "profiles": Profile,
    "mappings": Mapping,
    "global_mappings": Mapping,
}
NAMES = {"devices": "alias", "bindings": "alias", "modes": "name", "profiles": "name"}
SECTIONS = ("version", *ARRAYS, *TABLES)


def edit(text: str, old: Config, new: Config) -> str:
    """Return the text of `old` edited so that it parses as `new`; render `new` from scratch if that fails."""
    rows: dict[int, JsonObject] = {}
    before, after = tree_of(old, rows), tree_of(new, rows)
    raw, migrated, notes = _tables(text)
    if not notes and spells_the_same(before, after):
        return text
    try:
        current = _Document(text, raw).sync(raw, migrated) if notes else text
        result = _Document(current, migrated).sync(before, after)
        if spells_the_same(tree_of(parse(result), rows), after):
            return result
    except (ConfigError, ValueError, LookupError, TypeError, AttributeError):
        pass
    return render(new)


class _Tables(NamedTuple):
    raw: JsonObject
    migrated: JsonObject
    notes: tuple[str, ...]


# Several plans are usually made for the same text, so its parsed form is kept.
@lru_cache(maxsize=1)
def _tables(text: str) -> _Tables:
    raw = raw_tables(text)
    return _Tables(raw, *migrate(raw))


@lru_cache(maxsize=1)
def _split(text: str) -> tuple[KeyPositions, list[Block]]:
    places = KeyPositions(text, within_rows=False)
    return places, split(text, places)


class _Document:
    """The blocks of a config text while it is edited."""

    def __init__(self, text: str, raw: JsonObject) -> None:
        self.raw = raw
        self.crlf = "\r\n" in text and text.count("\r\n") == text.count("\n")
        self.places, blocks = _split(text)
        self.blocks = [block.copy() for block in blocks]
        self.original = list(self.blocks)
        self.starts = [0, *(header.start for header in self.places.headers)]
        self.headed = {header.path for header in self.places.headers}
        self.owned: dict[Path, list[Block]] = {}
        for block in self.blocks:
            for end in {2, 4} & set(range(len(block.path) + 1)):
                self.owned.setdefault(block.path[:end], []).append(block)

    def sync(self, old: JsonObject, new: JsonObject) -> str:
        """Return the text with the differences between two trees applied."""
        before, after = dict(old), dict(new)
        arrays: list[tuple[Path, list[JsonObject], list[JsonObject]]] = []
        for name in ARRAYS:
            written = "bindings" if name == "devices" and "bindings" in self.raw else name
            if self._in_blocks((written,)):
                key = written if written in old else name
                rows, wanted = before.pop(key, []), after.pop(key, [])
                kept = rows if self.raw.get(written) else []
                arrays.append(((written,), kept, self._wanted(name, wanted)))
        for op in differences(before, after):
            self._key(op)
        for base, rows, wanted in arrays:
            self._rows(base, rows, wanted)
        return self._newlines(join(self.blocks))

    def _wanted(self, name: str, rows: list[JsonObject]) -> list[JsonObject]:
        """Return the rows to write, without the implicit mode of an empty file."""
        return (
            []
            if name == "modes" and not self.raw.get("modes") and rows == [{"name": "Default"}]
            else rows
        )

    def _in_blocks(self, base: Path) -> bool:
        """Return whether an array can be written as `[[...]]` blocks: it already is, or it is missing."""
        items: Any = self.raw
        for step in base:
            items = items[step] if isinstance(step, int) else items.get(step)
        if isinstance(items, list) and not items:
            self._key(Op(base, delete=True))
        return not items or (*base, 0) in self.headed

    # rows

    def _rows(self, base: Path, old: list[JsonObject], new: list[JsonObject]) -> None:
        name = NAMES.get(str(base[-1]))
        matched = align(
            [_row_key(item, name) for item in old], [_row_key(item, name) for item in new]
        )
        stays = [pair.old for pair in matched if pair.old is not None and not pair.moved]
        for index in set(range(len(old))).difference(stays):
            remove(self.blocks, self.owned[(*base, index)])
        anchor: Block | None = None
        first = self.owned[(*base, stays[0])][0] if stays else None
        for pair in matched:
            blocks = self._row(base, pair, new[pair.new])
            if pair.old is not None and not pair.moved:
                pass
            elif anchor is not None:
                insert_after(self.blocks, anchor, blocks)
            elif first is not None:
                insert_before(self.blocks, first, blocks)
            else:
                insert_after(self.blocks, self._place_for(base), blocks)
            anchor = blocks[-1]
        for pair in matched:
            if pair.old is not None:
                self._row_content(base, pair.old, old[pair.old], new[pair.new])

    def _row(self, base: Path, pair: Pair, item: JsonObject) -> list[Block]:
        if pair.old is not None:
            return self.owned[(*base, pair.old)]
        text = self._newlines(row([step for step in base if isinstance(step, str)], item))
        return [Block((*base, -1), array=True, lead="", body=text, tail="")]

    def _place_for(self, base: Path) -> Block:
        """Return the block after which the first row of an array goes."""
        if len(base) > 1:
            return [block for block in self.owned[base[:-1]] if block in self.blocks][-1]
        top = next(str(step) for step in base)
        before = SECTIONS[: SECTIONS.index("devices" if top == "bindings" else top) + 1]
        fitting = [block for block in self.blocks if {*block.path[:1]} & {*before}]
        return fitting[-1] if fitting else self.blocks[0]

    def _row_content(self, base: Path, index: int, old: JsonObject, new: JsonObject) -> None:
        if spells_the_same(old, new):
            return
        path = (*base, index)
        rows = (*path, "mappings")
        if str(base[-1]) in ("modes", "profiles") and self._in_blocks(rows):
            self._rows(rows, old.get("mappings", []), new.get("mappings", []))
            old = {key: item for key, item in old.items() if key != "mappings"}
            new = {key: item for key, item in new.items() if key != "mappings"}
        own = [block for block in self.owned[path] if block.path[: len(rows)] != rows]
        if not spells_the_same(old, new):
            self._own_content([step for step in base if isinstance(step, str)], own, old, new)

    def _own_content(
        self, names: list[str], own: list[Block], old: JsonObject, new: JsonObject
    ) -> None:
        first, *rest = own
        text = "".join(block.text + (block.tail if block is not own[-1] else "") for block in own)
        model = MODELS[names[-1]]

        def is_correct(raw: JsonObject) -> bool:
            return spells_the_same(raw, new) or spells_the_same(
                model.model_validate(raw).to_plain(), new
            )

        result = edit_row(text, names, old, new, is_correct)
        if result is None:
            result = first.lead + row(names, new)
        first.lead, first.body, first.tail = "", self._newlines(result), own[-1].tail
        for block in rest:
            self.blocks.remove(block)

    # keys

    def _key(self, op: Op) -> None:
        holder = self._holder(op.path)
        if op.delete and holder is None:
            below = [block for block in self.blocks if block.path[: len(op.path)] == op.path]
            remove(self.blocks, below)
        elif holder is not None:
            self._edit(holder, op)
        else:
            self._add(op)

    def _holder(self, path: Path) -> Block | None:
        """Return the block that contains a key as `key = value`, not as a header."""
        offset = self.places.offsets.get(path)
        if offset is None or path in self.headed:
            return None
        block = self.original[bisect_right(self.starts, offset) - 1]
        return block if block in self.blocks else None

    def _add(self, op: Op) -> None:
        parent = op.path[:-1]
        block = next((block for block in self.blocks if block.path == parent), None)
        holder = next(
            (h for end in range(len(parent), 0, -1) if (h := self._holder(parent[:end]))), None
        )
        if block is not None and op.value != {}:
            self._edit(block, op)
        elif holder is not None:
            self._edit(holder, op)
        else:
            path = op.path if op.value == {} else parent
            lines = [] if op.value == {} else pairs({str(op.path[-1]): op.value})
            text = "\n".join([f"[{header([str(step) for step in path])}]", *lines]) + "\n"
            new = Block(path, array=False, lead="", body=self._newlines(text), tail="")
            same = [block for block in self.blocks if block.path[:1] == path[:1]]
            insert_after(self.blocks, same[-1] if same else self._place_for(path[:1]), [new])

    def _edit(self, block: Block, op: Op) -> None:
        block.body = self._newlines(edit_text(block.text, [op._replace(known=False)]))
        block.lead = ""

    def _newlines(self, text: str) -> str:
        return text.replace("\r\n", "\n").replace("\n", "\r\n") if self.crlf else text


def _row_key(item: JsonObject, name: str | None) -> str:
    return str(item.get(name)) if name else spelled(item)
