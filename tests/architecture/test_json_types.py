"""Arbitrary JSON objects have one name, and known ones have types."""

from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "backend" / "conductor"
HOME = PACKAGE / "base" / "json_types.py"


def test_only_the_alias_itself_says_dict_of_any():
    named = [path for path in PACKAGE.rglob("*.py") if "dict[str, Any]" in path.read_text("utf-8")]
    assert named == [HOME], (
        "use JsonObject for arbitrary JSON, and a TypedDict, a named tuple or a model where the fields are known"
    )
