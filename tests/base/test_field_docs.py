"""The docstrings of fields: read from the source, from the class that declares the field."""

from conductor.base.field_docs import find_field_doc
from conductor.domain.value import Value


class Lamp(Value):
    """A lamp."""

    pin: int
    """The pin
    of the lamp.
    """
    colour: str = "red"
    is_on: bool = False
    """Whether it is on."""

    class Socket(Value):
        watts: int
        """The power."""


class NamedLamp(Lamp):
    pin: int = 1
    name: str
    """Its name."""


def test_a_docstring_is_that_of_the_class_that_declares_the_field() -> None:
    assert find_field_doc(Lamp, "pin") == "The pin\nof the lamp."
    assert find_field_doc(Lamp, "colour") is None
    assert find_field_doc(Lamp.Socket, "watts") == "The power."
    assert find_field_doc(NamedLamp, "is_on") == "Whether it is on."
    assert find_field_doc(NamedLamp, "pin") is None, "declared again without one"
    assert find_field_doc(NamedLamp, "nothing") is None


def test_a_class_in_a_function_has_docstrings_too() -> None:
    class Local(Value):
        size: int
        """The size."""

    assert find_field_doc(Local, "size") == "The size."


def test_a_class_without_source_code_has_none() -> None:
    made = type("Made", (), {"__annotations__": {"size": int}, "__module__": "nowhere"})
    assert find_field_doc(made, "size") is None


def test_the_schema_of_a_record_has_the_docstrings_of_its_fields() -> None:
    class Lamps(Value):
        first: Lamp
        """The first lamp."""
        last: Lamp
        """A lamp."""

    properties = Lamps.model_json_schema()["properties"]
    assert properties["first"] == {"$ref": "#/$defs/Lamp", "description": "The first lamp."}
    assert properties["last"] == {"$ref": "#/$defs/Lamp"}, "the class says the same"
