"""Words the problems of a config for plans, which name mappings as the window does."""

import re

from conductor.domain.config import Config
from conductor.domain.mapping_names import format_place_name
from conductor.domain.scopes import format_mode_scope, format_profile_scope
from conductor.domain.validate import Problem

MAPPING_PATH = re.compile(r"(?:(modes|profiles)\[(\d+)\]\.|global_)mappings\[(\d+)\]")


def format_problem(problem: Problem, config: Config) -> str:
    """Return a problem as one line of text that begins with its mapping, such as `Mapping 2 of mode Live: ...`.

    A problem of something else begins with its path in the file.
    """
    found = MAPPING_PATH.match(problem.path)
    if found is None:
        return problem.format()
    kind, number, index = found.groups()
    match kind:
        case "modes":
            scope = format_mode_scope(config.modes[int(number)].name)
        case "profiles":
            scope = format_profile_scope(config.profiles[int(number)].name)
        case _:
            scope = "global"
    place = format_place_name(scope, int(index))
    return f"{place[0].upper()}{place[1:]}: {problem.message}"
