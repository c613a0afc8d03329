"""Wrong answers, made from a right one: each has one thing that nobody asked for, or one thing that is not right."""

import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import ValidationError

from conductor.domain.config import Config, Mapping

Plain = dict[str, Any]
Place = tuple[str, int | None]
"""Where a list of mappings is: `modes` or `profiles` with an index, or `global_mappings`."""
WORDS = ("text", "app", "mode", "address", "port", "host", "tool", "server")
LONG_MS = 150
"""What a time is wrong by: far more than the tolerance of a check."""


class Mutant(NamedTuple):
    """A wrong config, and what is wrong."""

    kind: str
    words: str
    config: Config


def mutants(before: Config, after: Config) -> Iterator[Mutant]:
    """Yield every wrong config that is a config at all."""
    was, plain = _plain(before), _plain(after)
    made = [
        *_extras(plain),
        *_deleted(plain),
        *_moved(was, plain),
        *_numbers(was, plain),
        *_keys(was, plain),
        *_settings(was, plain),
        *_modes(was, plain),
    ]
    for kind, words, one in made:
        try:
            yield Mutant(kind, words, Config.model_validate(one))
        except ValidationError:
            continue


Made = Iterator[tuple[str, str, Plain]]


def _plain(config: Config) -> Plain:
    return config.model_dump(mode="json")


def _extras(plain: Plain) -> Made:
    action = {"type": "Keystroke", "keys": ["q"]}
    one = {"trigger": {"type": "Note", "note": 111}, "action": action}
    for place in _places(plain):
        changed = copy.deepcopy(plain)
        _rows(changed, place).append(one)
        yield "extra mapping", f"in {place}", changed
    changed = copy.deepcopy(plain)
    changed["modes"].append({"name": "Unasked"})
    yield "extra mode", "Unasked", changed


def _deleted(plain: Plain) -> Made:
    for place in _places(plain):
        for index in range(len(_rows(plain, place))):
            changed = copy.deepcopy(plain)
            row = _rows(changed, place).pop(index)
            yield "deleted row", f"{place} {row['trigger']}", changed


def _moved(was: Plain, plain: Plain) -> Made:
    for place, index in _new_rows(was, plain):
        others = [one for one in _places(plain) if one != place and one[0] != "profiles"]
        if len(plain["modes"]) == 1:  # every mode is then the same as this one
            others = []
        for other in others:
            changed = copy.deepcopy(plain)
            _rows(changed, other).append(_rows(changed, place).pop(index))
            yield "other mode", f"{place} {index} to {other}", changed
        changed = copy.deepcopy(plain)
        changed["modes"].append({"name": "Other", "mappings": [_rows(changed, place).pop(index)]})
        yield "other mode", f"{place} {index} to Other", changed


def _numbers(was: Plain, plain: Plain) -> Made:
    for place, index in _new_rows(was, plain):
        for path, number in _leaves(_written(_rows(plain, place)[index])):
            if isinstance(number, bool) or not isinstance(number, int | float):
                continue
            wrong = number + (LONG_MS if str(path[-1]).endswith("_ms") else 1)
            if wrong == 128:
                wrong = 126
            changed = copy.deepcopy(plain)
            _put(_rows(changed, place)[index], path, wrong)
            yield "wrong number", f"{place} {index} {path}: {number} -> {wrong}", changed


def _keys(was: Plain, plain: Plain) -> Made:
    for place, index in _new_rows(was, plain):
        row = _written(_rows(plain, place)[index])
        for path, word in _leaves(row["action"]):
            if "keys" in path[:-1] or path[-1] in WORDS:
                changed = copy.deepcopy(plain)
                wrong = "f24" if "keys" in path[:-1] else f"x{word}"
                _put(_rows(changed, place)[index]["action"], path, wrong)
                yield "wrong key", f"{place} {index} {path}: {word} -> {wrong}", changed


def _settings(was: Plain, plain: Plain) -> Made:
    for path, wrong in (
        (("ui", "theme"), "light"),
        (("ui", "note_names"), "C3"),
        (("engine", "allow_shell"), True),
        (("engine", "osc_port"), 9_999),
        (("learn", "timeout_ms"), 7_777),
    ):
        section, key = path
        if plain["settings"].get(section, {}).get(key, wrong) == wrong:
            continue
        changed = copy.deepcopy(plain)
        changed["settings"][section][key] = wrong
        yield "changed setting", f"{path} = {wrong}", changed
    for path, value in _leaves(plain["settings"]):
        if _at(was["settings"], path) != value:
            changed = copy.deepcopy(plain)
            _put(changed["settings"], path, _at(was["settings"], path))
            yield "setting left as it was", str(path), changed


def _modes(was: Plain, plain: Plain) -> Made:
    known = {one["name"]: one for one in was["modes"]}
    for index, mode in enumerate(plain["modes"]):
        changed = copy.deepcopy(plain)
        changed["modes"][index]["color"] = "pink"
        yield "wrong colour", mode["name"], changed
        if mode["name"] not in known:
            changed = copy.deepcopy(plain)
            changed["modes"][index]["name"] = "Misnamed"
            yield "wrong name", mode["name"], changed


def _written(row: Plain) -> Plain:
    """Return of a mapping what is written into a file: what is as it is by default is left out."""
    mapping = Mapping.model_validate(row)
    return {"trigger": mapping.trigger.to_plain(), "action": mapping.action.to_plain()}


def _places(plain: Plain) -> list[Place]:
    return [
        *(("modes", at) for at in range(len(plain["modes"]))),
        *(("profiles", at) for at in range(len(plain["profiles"]))),
        ("global_mappings", None),
    ]


def _rows(plain: Plain, place: Place) -> list[Plain]:
    kind, at = place
    return plain[kind] if at is None else plain[kind][at].setdefault("mappings", [])


def _new_rows(was: Plain, plain: Plain) -> list[tuple[Place, int]]:
    """Return where the mappings are that are not as they were before."""
    known = Counter(
        f"{_name(was, place)} {row}" for place in _places(was) for row in _rows(was, place)
    )
    found: list[tuple[Place, int]] = []
    for place in _places(plain):
        for index, row in enumerate(_rows(plain, place)):
            key = f"{_name(plain, place)} {row}"
            if known[key]:
                known[key] -= 1
            else:
                found.append((place, index))
    return found


def _name(plain: Plain, place: Place) -> str:
    kind, at = place
    return kind if at is None else f"{kind} {plain[kind][at]['name']}"


def _leaves(item: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    pairs: Any = ()
    if isinstance(item, dict):
        pairs = item.items()
    elif isinstance(item, list):
        pairs = enumerate(item)
    else:
        yield path, item
    for key, each in pairs:
        yield from _leaves(each, (*path, key))


def _at(item: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        item = item.get(key) if isinstance(item, dict) else None
    return item


def _put(item: Any, path: tuple[Any, ...], value: Any) -> None:
    for key in path[:-1]:
        item = item[key]
    item[path[-1]] = value
