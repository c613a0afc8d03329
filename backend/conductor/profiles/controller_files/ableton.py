"""Reads remote scripts of Ableton Live, and finds the control elements that their syntax tree contains."""

import ast
import warnings
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any, NamedTuple

from conductor.base.json_types import JsonObject
from conductor.domain.device_profile import ControlMessage, ControlRole, ValueEncoding
from conductor.profiles.controller_files.constants import (
    build_named_controls,
    describe_unknown_constants,
    list_named_numbers,
)
from conductor.profiles.controller_files.controls import (
    MAX_IMPORTED_CONTROLS,
    ControllerFile,
    FoundControl,
    build_control,
    build_device_name,
    build_import_error,
    clean_imported_name,
    drop_repeated_controls,
    format_count,
    format_identifier_as_name,
)
from conductor.profiles.controller_files.python_constants import (
    UNKNOWN_VALUE,
    collect_module_constants,
    evaluate_expression,
)

PROGRAM_NAME = "Ableton Live"
MAX_ELEMENTS = 4 * MAX_IMPORTED_CONTROLS
_MESSAGE_BY_TYPE_NAME: dict[str, ControlMessage] = {
    "MIDI_NOTE_TYPE": "note",
    "MIDI_CC_TYPE": "cc",
    "MIDI_PB_TYPE": "pitch_bend",
}
_MESSAGE_BY_TYPE_NUMBER: dict[Any, ControlMessage] = {0: "note", 1: "cc", 2: "pitch_bend"}
_ENCODING_BY_MAP_MODE: dict[str, ValueEncoding] = {
    "absolute": "absolute",
    "relative_two_compliment": "twos_complement",
    "relative_smooth_two_compliment": "twos_complement",
    "relative_binary_offset": "offset_64",
    "relative_smooth_binary_offset": "offset_64",
    "LinearTwoCompliment": "twos_complement",
    "AccelTwoCompliment": "twos_complement",
    "LinearBinaryOffset": "offset_64",
    "AccelBinaryOffset": "offset_64",
}
"""Map modes that state a coding with its direction. Those with a signed bit leave the direction open."""
_TYPE_POSITION_BY_ELEMENT = {"ButtonElement": 1, "EncoderElement": 0, "SliderElement": 0}
"""The position of the message type in the arguments of a control element; channel and number follow it."""
_ELEMENT_ADDING_METHODS = {"add_button", "add_encoder", "add_button_matrix", "add_encoder_matrix"}
_LABEL_BY_GENERIC_SETTING: dict[str, str] = {
    "DEVICE_CONTROLS": "Device",
    "VOLUME_CONTROLS": "Volume",
}
"""The settings of Live's generic scripts that list CCs, each with the name of its controls. An entry of a
list is a number, or a pair of number and channel."""


class _ElementFactory(NamedTuple):
    """A function of a script that only returns a control element, which it builds from its parameters."""

    call: ast.Call
    parameters: tuple[str, ...]
    defaults: dict[str, ast.expr]


def read_remote_script(sources: Mapping[str, str], name: str) -> ControllerFile:
    """Return the controls of a remote script. `sources` are the texts of its modules by file name.

    Raises:
        InvalidParams: a module is not Python 3, or no control is given by constants.
    """
    trees = [_parse_module(text, file) for file, text in sources.items()]
    constants: JsonObject = {}
    # Evaluated twice, because a module may use constants of a module that follows.
    for tree in (*trees, *trees):
        constants |= collect_module_constants(tree, constants)
    factories = {key: factory for tree in trees for key, factory in _find_element_factories(tree)}
    inside = {id(factory.call) for factory in factories.values()}
    found = (_read_elements(tree, constants, factories, inside) for tree in trees)
    elements = list(islice(chain.from_iterable(found), MAX_ELEMENTS))
    channel = _get_midi_channel(constants)
    generic = _read_generic_controls(constants, channel)
    known = [*(control for control in elements if control is not None), *generic]
    named, unknown = build_named_controls(
        list_named_numbers(_select_named_constants(constants)), channel
    )
    controls, _ = drop_repeated_controls(known or named)
    if not controls:
        raise build_import_error(
            name,
            "none of its controls is given by constants, and scripts are not run; choose the folder with all "
            "its *.py files, or make the profile by playing",
        )
    identity = _read_device_identity(trees, constants)
    return ControllerFile(
        PROGRAM_NAME,
        clean_imported_name(identity.model) or build_device_name(name),
        tuple(controls[:MAX_IMPORTED_CONTROLS]),
        (
            *format_count(
                elements.count(None),
                "One control is computed by the script, which is not run.",
                "{} controls are computed by the script, which is not run.",
            ),
            *([] if known else describe_unknown_constants(unknown)),
        ),
        _list_port_names(constants),
        identity.usb,
    )


def _parse_module(text: str, file: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(text)
    except SyntaxError as error:
        raise build_import_error(
            file,
            f"line {error.lineno or 1}: it is not valid Python 3; scripts of Live 10 and older, and compiled "
            "files (*.pyc), cannot be read",
        ) from None
    except (ValueError, RecursionError, MemoryError):
        raise build_import_error(
            file, "it is not a Python file, or its expressions are nested too deeply"
        ) from None


def _find_element_factories(tree: ast.Module) -> Iterator[tuple[str, _ElementFactory]]:
    """Yield the name of each function that only returns a control element, and what it returns."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or len(node.body) != 1:
            continue
        body = node.body[0]
        call = body.value if isinstance(body, ast.Return) else None
        if isinstance(call, ast.Call) and _get_function_name(call) in _TYPE_POSITION_BY_ELEMENT:
            positional = [argument.arg for argument in node.args.args]
            defaults = dict(zip(reversed(positional), reversed(node.args.defaults), strict=False))
            yield node.name, _ElementFactory(call, tuple(positional), defaults)


def _read_elements(
    tree: ast.Module,
    constants: Mapping[str, Any],
    factories: Mapping[str, _ElementFactory],
    inside: set[int],
) -> Iterator[FoundControl | None]:
    """Yield each control element in a module; yield None for an element whose values are not constant."""
    targets = _map_calls_to_targets(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or id(node) in inside:
            continue
        function, target = _get_function_name(node), targets.get(id(node), "")
        if function in _TYPE_POSITION_BY_ELEMENT:
            yield _read_element(node, function, constants, target)
        elif function in factories:
            factory = factories[function]
            bound = _bind_arguments(node, factory, constants)
            element = _get_function_name(factory.call)
            yield _read_element(factory.call, element, {**constants, **bound}, target)
        elif function in _ELEMENT_ADDING_METHODS:
            yield from _read_added_controls(node, function, constants)


def _bind_arguments(
    call: ast.Call, factory: _ElementFactory, constants: Mapping[str, Any]
) -> JsonObject:
    """Return the value that each parameter of a factory function has in a call of the function."""
    bound = {
        name: _evaluate_message_type(node, constants) for name, node in factory.defaults.items()
    }
    unknown = dict.fromkeys(factory.parameters, UNKNOWN_VALUE)
    given = dict(zip(factory.parameters, call.args, strict=False))
    given |= {word.arg: word.value for word in call.keywords if word.arg}
    return (
        unknown
        | bound
        | {name: _evaluate_message_type(node, constants) for name, node in given.items()}
    )


def _evaluate_message_type(node: ast.expr, constants: Mapping[str, Any]) -> Any:
    """Return the value of an argument; the names of Live's message types and map
    modes are returned as texts.
    """
    name = (
        node.id
        if isinstance(node, ast.Name)
        else node.attr
        if isinstance(node, ast.Attribute)
        else ""
    )
    if name in constants:
        return constants[name]
    return (
        name
        if name in _MESSAGE_BY_TYPE_NAME or name in _ENCODING_BY_MAP_MODE
        else evaluate_expression(node, constants)
    )


def _read_element(
    call: ast.Call, function: str, constants: Mapping[str, Any], target: str
) -> FoundControl | None:
    at = _TYPE_POSITION_BY_ELEMENT[function]
    words = {word.arg: word.value for word in call.keywords if word.arg}
    positional = [_evaluate_message_type(node, constants) for node in call.args[: at + 4]]

    def get_argument(position: int, *names: str) -> Any:
        named = next((words[name] for name in names if name in words), None)
        if named is not None:
            return _evaluate_message_type(named, constants)
        return positional[position] if position < len(positional) else UNKNOWN_VALUE

    name = _evaluate_message_type(words["name"], constants) if "name" in words else UNKNOWN_VALUE
    return _build_element_control(
        get_argument(at, "msg_type"),
        get_argument(at + 2, "identifier"),
        get_argument(at + 1, "channel"),
        name if isinstance(name, str) else target,
        get_argument(at + 3, "map_mode") if function == "EncoderElement" else UNKNOWN_VALUE,
        function,
    )


def _read_added_controls(
    call: ast.Call, function: str, constants: Mapping[str, Any]
) -> Iterator[FoundControl | None]:
    """Yield the controls of a call such as `add_button(41, "Play_Button",
    msg_type=…)` in an `Elements` class.
    """
    words = {word.arg: word.value for word in call.keywords if word.arg}
    first = [_evaluate_message_type(node, constants) for node in call.args[:2]]
    kind = (
        _evaluate_message_type(words["msg_type"], constants)
        if "msg_type" in words
        else UNKNOWN_VALUE
    )
    channel = _evaluate_message_type(words["channel"], constants) if "channel" in words else None
    mode = (
        _evaluate_message_type(words["map_mode"], constants)
        if "map_mode" in words
        else UNKNOWN_VALUE
    )
    if "channels" in words:
        channel = _evaluate_message_type(words["channels"], constants)
    name = first[1] if len(first) > 1 and isinstance(first[1], str) else ""
    numbers = list(islice(_flatten_identifiers(first[0]), MAX_IMPORTED_CONTROLS)) if first else []
    if not numbers:
        yield None
    for at, number in enumerate(numbers, 1):
        label = f"{name.removesuffix('s')}_{at}" if len(numbers) > 1 else name
        element = "EncoderElement" if "encoder" in function else "ButtonElement"
        yield _build_element_control(kind, number, channel, label, mode, element)


def _flatten_identifiers(value: Any) -> Iterator[int]:
    """Yield each control number in a list of numbers or in nested lists of them."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield value
    elif isinstance(value, list | tuple):
        for row in value[:MAX_IMPORTED_CONTROLS]:
            yield from (row if isinstance(row, list | tuple) else (row,))


def _build_element_control(
    kind: Any, number: Any, channel: Any, name: str, mode: Any, function: str
) -> FoundControl | None:
    message = _MESSAGE_BY_TYPE_NAME.get(kind) if isinstance(kind, str) else None
    if message is None and isinstance(kind, int) and not isinstance(kind, bool):
        message = _MESSAGE_BY_TYPE_NUMBER.get(kind)
    if message == "pitch_bend" and number in (UNKNOWN_VALUE, None):
        number = 0
    is_known = isinstance(number, int) and (channel is None or isinstance(channel, int))
    if message is None or not is_known:
        return None
    encoding = (
        _ENCODING_BY_MAP_MODE.get(mode) if isinstance(mode, str) and message == "cc" else None
    )
    return build_control(
        message,
        number,
        None if channel is None else channel + 1,
        format_identifier_as_name(name),
        role=_choose_role(function, message),
        encoding=encoding,
    )


def _choose_role(element: str, message: ControlMessage) -> ControlRole | None:
    if element == "SliderElement":
        return "fader"
    return "button" if element == "ButtonElement" and message == "cc" else None


def _read_generic_controls(constants: Mapping[str, Any], channel: int | None) -> list[FoundControl]:
    """Return the controls that the settings of Live's generic scripts list."""
    controls: list[FoundControl | None] = []
    for constant, label in _LABEL_BY_GENERIC_SETTING.items():
        for at, item in enumerate(_as_list(constants.get(constant)), 1):
            number, own = (item[0], item[1]) if _is_identifier_row(item, 2) else (item, -1)
            if isinstance(number, int) and isinstance(own, int):
                where = own + 1 if own >= 0 else channel
                controls.append(build_control("cc", number, where, f"{label} {at}"))
    transport = constants.get("TRANSPORT_CONTROLS")
    for key, number in transport.items() if isinstance(transport, dict) else ():
        if isinstance(number, int):
            name = format_identifier_as_name(str(key))
            controls.append(build_control("cc", number, channel, name, role="button"))
    for at, row in enumerate(_as_list(constants.get("PAD_TRANSLATION")), 1):
        if _is_identifier_row(row, 4) and all(isinstance(part, int) for part in row):
            controls.append(build_control("note", row[2], row[3] + 1, f"Pad {at}", role="pad"))
    return [control for control in controls if control is not None]


def _as_list(value: Any) -> list[Any]:
    return list(value[:MAX_IMPORTED_CONTROLS]) if isinstance(value, list | tuple) else []


def _is_identifier_row(value: Any, length: int) -> bool:
    return isinstance(value, list | tuple) and len(value) >= length


def _get_midi_channel(constants: Mapping[str, Any]) -> int | None:
    description = constants.get("CONTROLLER_DESCRIPTION")
    channel = description.get("CHANNEL") if isinstance(description, dict) else None
    return channel + 1 if isinstance(channel, int) and 0 <= channel < 16 else None


def _list_port_names(constants: Mapping[str, Any]) -> tuple[str, ...]:
    description = constants.get("CONTROLLER_DESCRIPTION")
    port = description.get("INPUTPORT") if isinstance(description, dict) else None
    return (
        (clean_imported_name(port),) if isinstance(port, str) and clean_imported_name(port) else ()
    )


def _select_named_constants(constants: Mapping[str, Any]) -> JsonObject:
    return {
        name: value
        for name, value in constants.items()
        if name not in _LABEL_BY_GENERIC_SETTING and name.isupper() and not name.startswith("_")
    }


class _DeviceIdentity(NamedTuple):
    model: str
    usb: tuple[tuple[Any, Any], ...]


def _read_device_identity(trees: list[ast.Module], constants: Mapping[str, Any]) -> _DeviceIdentity:
    """Return the model and the USB ids in `controller_id(vendor_id=…, product_ids=[…], model_name=…)`."""
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Call) and _get_function_name(node) == "controller_id":
            words = {
                word.arg: evaluate_expression(word.value, constants)
                for word in node.keywords
                if word.arg
            }
            models = words.get("model_name")
            model = models if isinstance(models, str) else next(iter(_as_list(models)), "")
            vendor, products = words.get("vendor_id"), _as_list(words.get("product_ids"))
            usb = [(vendor, product) for product in products[:16] if _is_usb_number(product)]
            return _DeviceIdentity(
                model if isinstance(model, str) else "",
                tuple(usb) if _is_usb_number(vendor) else (),
            )
    return _DeviceIdentity("", ())


def _is_usb_number(number: Any) -> bool:
    return isinstance(number, int) and 0 <= number <= 0xFFFF


def _get_function_name(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def _map_calls_to_targets(tree: ast.Module) -> dict[int, str]:
    """Return the variable that each call is assigned to, keyed by the `id()` of the call."""
    targets: dict[int, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            target = node.targets[0]
            name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
            targets[id(node.value)] = str(name).strip("_")
    return targets
