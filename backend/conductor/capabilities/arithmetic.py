"""Evaluates arithmetic expressions.

Each expression is checked before its evaluation, so that it cannot run for long or have side effects.
"""

import ast
import math
import operator
import re
from collections.abc import Callable
from typing import Any

from simpleeval import InvalidExpression, SimpleEval

from conductor.capabilities.words import (
    NUMBER_PATTERN,
    TO_PATTERN,
    CalculatorAnswer,
    build_calculator_answer,
)
from conductor.errors import InvalidParams

MAX_RESULT_BITS = 1_023
"""The maximum number of bits of a whole number; a larger number does not fit into a float."""
MAX_EXPRESSION_NODES = 200
MAX_EXPRESSION_DEPTH = 60
MAX_FACTORIAL = 170
TOO_LARGE_MESSAGE = "the result is too large; the limit is about 10^308"
_UNSIGNED_NUMBER = NUMBER_PATTERN.removeprefix("[+-]?")
_EXPRESSION_REWRITES = (
    (re.compile(r"\bper ?cent\b"), "%"),
    (re.compile(rf"^({_UNSIGNED_NUMBER}) is what % of ({_UNSIGNED_NUMBER})$"), r"\1 / \2 * 100"),
    (re.compile(rf"^what % of ({_UNSIGNED_NUMBER}) is ({_UNSIGNED_NUMBER})$"), r"\2 / \1 * 100"),
    (
        re.compile(rf"^% change from ({NUMBER_PATTERN}) to ({NUMBER_PATTERN})$"),
        r"((\2) / (\1) - 1) * 100",
    ),
    (re.compile(rf"^({_UNSIGNED_NUMBER}) ?% off (.+)$"), r"(\2) * (1 - \1 / 100)"),
    (re.compile(rf"({_UNSIGNED_NUMBER}) ?% of\b"), r"(\1 / 100) *"),
    (re.compile(rf"^(.+[\d)]) ?([+-]) ?({_UNSIGNED_NUMBER}) ?%$"), r"(\1) * (1 \2 \3 / 100)"),
    (re.compile(rf"({_UNSIGNED_NUMBER}) ?%(?! ?[\w(.+-])"), r"(\1 / 100)"),
    (re.compile(r"(?<=[\d)])(?!(?<=\b0)x[\da-f]) ?x ?(?=[\d(.])"), " * "),
    (re.compile(r"\b(\d{1,4})!"), r"factorial(\1)"),
    (re.compile(r"\bsqrt (\d+(?:\.\d+)?)"), r"sqrt(\1)"),
    (re.compile(rf"({_UNSIGNED_NUMBER}) ?deg(?:rees?)?\b"), r"radians(\1)"),
    (re.compile(r"\bmod\b(?! ?\()"), "%"),
    (re.compile(r"\bplus\b"), "+"),
    (re.compile(r"\bminus\b"), "-"),
    (re.compile(r"\b(?:times|multiplied by)\b"), "*"),
    (re.compile(r"\b(?:divided by|over)\b"), "/"),
    (re.compile(r"\bto the power of\b"), "**"),
    (re.compile(r"\bsquared\b"), "**2"),
    (re.compile(r"\bcubed\b"), "**3"),
    (re.compile(r"\^"), "**"),
)
_NUMBER_WITH_LETTERS = re.compile(
    r"(?<![a-z0-9_.])(?:0[xbo][\da-f]*[g-z_]|(?!0[xbo])[\d._]+(?:e[+-]?\d+[a-z]|(?!e[+-]?\d)[a-z]))"
)
"""Matches a number with a word directly after it. Python's parser would read `1or 2` as
two tokens, with a warning."""
_THOUSANDS_PATTERN = re.compile(r"\b\d{1,3}(?:,\d{3})+\b")
_BASE_CONVERSION = re.compile(rf"^(.+){TO_PATTERN}(hex|hexadecimal|binary|decimal|octal)$")
_FORMAT_SPEC_BY_BASE = {
    "hex": "#x",
    "hexadecimal": "#x",
    "binary": "#b",
    "decimal": "d",
    "octal": "#o",
}
_PERCENT_QUESTION = re.compile(r"^(?:.+ is what % of .+|what % of .+ is .+|% change from .+)$")


def calculate_expression(text: str) -> CalculatorAnswer:
    """Return the value of an arithmetic expression as an answer, with the unit % if it asks for a percentage.

    The text must be in lower case.
    """
    is_percent = _PERCENT_QUESTION.match(text.replace("percent", "%").replace("per cent", "%"))
    value = evaluate_expression(text)
    return build_calculator_answer(value, "%") if is_percent else build_calculator_answer(value)


def convert_number_base(text: str) -> CalculatorAnswer | None:
    """Return a whole number in the base that a question asks for, or None if the text is another question."""
    found = _BASE_CONVERSION.match(text)
    if found is None:
        return None
    value, base = evaluate_expression(found[1]), found[2]
    if value != int(value):
        raise InvalidParams(f"only whole numbers have a {base} spelling")
    whole = int(value)
    return CalculatorAnswer(
        format(whole, _FORMAT_SPEC_BY_BASE[base]), float(whole), (str(whole), format(whole, "#x"))
    )


def evaluate_expression(text: str) -> float:
    """Return the value of an arithmetic expression.

    Raises:
        InvalidParams: the expression is invalid, or its value would be too large.
    """
    if "(" not in text:
        text = _THOUSANDS_PATTERN.sub(lambda found: found[0].replace(",", ""), text)
    for pattern, replacement in _EXPRESSION_REWRITES:
        text = pattern.sub(replacement, text)
    if "#" in text or _NUMBER_WITH_LETTERS.search(text):
        raise InvalidParams(_describe_unreadable(text))
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise InvalidParams(_describe_unreadable(text)) from None
    _check_expression_tree(tree)
    try:
        value = SimpleEval(CALCULATOR_OPERATORS, CALCULATOR_FUNCTIONS, MATH_CONSTANTS).eval(
            text, previously_parsed=tree
        )
    except ZeroDivisionError:
        raise InvalidParams("this divides by zero") from None
    except OverflowError:
        raise InvalidParams(TOO_LARGE_MESSAGE) from None
    except (ValueError, TypeError, InvalidExpression) as error:
        raise InvalidParams(f"this cannot be calculated: {str(error)[:120]}") from None
    return _require_finite(value)


def _describe_unreadable(text: str) -> str:
    return (
        f"`{text[:60]}` cannot be read as a calculation; write it like (3 + 4) * 2.5, 15% of 847,"
        " 5 km to miles, days between 2026-11-22 and Christmas, A4 to Hz, or 120 bpm to ms"
    )


def _check_expression_tree(tree: ast.expr) -> None:
    """Raise `InvalidParams` if an expression contains anything but numbers, operators and known functions."""
    pending: list[tuple[ast.AST, int]] = [(tree, 1)]
    count = 0
    while pending:
        node, depth = pending.pop()
        count += 1
        if count > MAX_EXPRESSION_NODES * 3 or depth > MAX_EXPRESSION_DEPTH:
            raise InvalidParams("the expression has too many parts; split it")
        _raise_unsupported_node(node)
        pending += [(child, depth + 1) for child in ast.iter_child_nodes(node)]


def _raise_unsupported_node(node: ast.AST) -> None:
    match node:
        case ast.Constant(value=value):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InvalidParams("only numbers can be calculated, not text")
            _require_finite(value)
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in CALCULATOR_FUNCTIONS:
            pass
        case ast.Call(func=ast.Name(id=name)):
            raise InvalidParams(
                f"there is no function {name[:40]}; known: {', '.join(CALCULATOR_FUNCTIONS)}"
            )
        case ast.Name(id=name):
            if name not in CALCULATOR_FUNCTIONS and name not in MATH_CONSTANTS:
                raise InvalidParams(
                    f"`{name[:40]}` is unknown here; known are numbers, {', '.join(MATH_CONSTANTS)} and"
                    " functions such as sqrt"
                )
        case ast.BinOp() | ast.UnaryOp() | ast.expr_context():
            pass
        case ast.operator() | ast.unaryop():
            if type(node) not in CALCULATOR_OPERATORS:
                raise InvalidParams(f"the operator {type(node).__name__} is not supported")
        case ast.Tuple():
            raise InvalidParams(
                "separate the arguments of a function with commas; write decimals with a point"
            )
        case _:
            raise InvalidParams(
                f"{type(node).__name__} is not supported in a calculation; use numbers, + - * / ^"
            )


def _require_finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidParams("this has no result among the usual numbers, such as the root of -1")
    if isinstance(value, int):
        if value.bit_length() > MAX_RESULT_BITS:
            raise InvalidParams(TOO_LARGE_MESSAGE)
    elif not math.isfinite(value):
        raise InvalidParams(TOO_LARGE_MESSAGE)
    return value


def _check_result(function: Callable[..., Any]) -> Callable[..., float]:
    def call(*given: float) -> float:
        return _require_finite(function(*map(_require_finite, given)))

    return call


def _compute_power(base: float, exponent: float) -> float:
    is_whole = isinstance(base, int) and isinstance(exponent, int) and abs(base) > 1
    if is_whole and int(base).bit_length() * exponent > 2 * MAX_RESULT_BITS:
        raise InvalidParams(TOO_LARGE_MESSAGE)
    return base**exponent


def _compute_factorial(number: float) -> int:
    if number != int(number) or not 0 <= number <= MAX_FACTORIAL:
        raise InvalidParams(f"a factorial needs a whole number from 0 to {MAX_FACTORIAL}")
    return math.factorial(int(number))


def _require_small_arguments(function: Callable[..., int]) -> Callable[..., int]:
    def call(*given: float) -> int:
        if any(one != int(one) or not 0 <= one <= 1_000 for one in given):
            raise InvalidParams("comb and perm need whole numbers from 0 to 1000")
        return function(*map(int, given))

    return call


def _count_permutations(total: int, chosen: int) -> int:
    return (
        math.perm(total, chosen)
        if total <= MAX_FACTORIAL or chosen <= 100
        else 1 << (MAX_RESULT_BITS + 1)
    )


def _round_value(value: float, digits: float = 0) -> float:
    if digits != int(digits) or abs(digits) > 15:
        raise InvalidParams("round takes up to 15 digits")
    return round(value, int(digits)) if digits else round(value)


def _compute_mean(*values: float) -> float:
    if not values:
        raise InvalidParams("a mean needs numbers")
    return sum(values) / len(values)


MATH_CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau, "phi": (1 + math.sqrt(5)) / 2}
_UNCHECKED_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sqrt": math.sqrt, "cbrt": math.cbrt, "exp": math.exp, "ln": math.log, "log": math.log,
    "log2": math.log2, "log10": math.log10, "sin": math.sin, "cos": math.cos, "tan": math.tan,
    "asin": math.asin, "acos": math.acos, "atan": math.atan, "atan2": math.atan2,
    "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "degrees": math.degrees,
    "radians": math.radians, "hypot": math.hypot, "abs": abs, "floor": math.floor,
    "ceil": math.ceil, "trunc": math.trunc, "round": _round_value, "min": min, "max": max,
    "mean": _compute_mean, "avg": _compute_mean, "pow": _compute_power, "mod": operator.mod, "gcd": math.gcd,
    "lcm": math.lcm, "factorial": _compute_factorial,
    "comb": _require_small_arguments(math.comb), "perm": _require_small_arguments(_count_permutations),
}  # fmt: skip
CALCULATOR_FUNCTIONS = {name: _check_result(work) for name, work in _UNCHECKED_FUNCTIONS.items()}
CALCULATOR_OPERATORS = {
    ast.Add: _check_result(operator.add), ast.Sub: _check_result(operator.sub),
    ast.Mult: _check_result(operator.mul), ast.Div: _check_result(operator.truediv),
    ast.FloorDiv: _check_result(operator.floordiv), ast.Mod: _check_result(operator.mod),
    ast.Pow: _check_result(_compute_power),
    ast.USub: _check_result(operator.neg), ast.UAdd: _check_result(operator.pos),
}  # fmt: skip
