"""Finds the valid keys at the location of a pydantic error, by following that location through the config
models.
"""

from collections.abc import Iterator, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from typing_extensions import TypeAliasType

from conductor.domain.config import Config


def list_allowed_keys(loc: Sequence[str | int]) -> list[str]:
    """Return the valid keys of the table at the location of a pydantic error.

    The list is empty if several types of table are possible there.
    """
    annotation: Any = Config
    for step in loc:
        annotation = _step_into(annotation, step)
    models = list(_list_models(annotation))
    if len(models) != 1:
        return []
    return [field.alias or name for name, field in models[0].model_fields.items()]


def _unwrap_annotation(annotation: Any) -> Any:
    while True:
        if isinstance(annotation, TypeAliasType):
            annotation = annotation.__value__
        elif get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        else:
            return annotation


def _list_models(annotation: Any) -> Iterator[type[BaseModel]]:
    annotation = _unwrap_annotation(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) in (Union, UnionType):
        for member in get_args(annotation):
            yield from _list_models(member)


def _step_into(annotation: Any, step: str | int) -> Any:
    annotation = _unwrap_annotation(annotation)
    origin = get_origin(annotation)
    if isinstance(step, int):
        lists = (_unwrap_annotation(member) for member in _list_union_members(annotation))
        return next(
            (get_args(kind)[0] for kind in lists if get_origin(kind) in (tuple, list)), None
        )
    if origin is dict:
        return get_args(annotation)[1]
    models = list(_list_models(annotation))
    if origin in (Union, UnionType):
        tagged = [model for model in models if step in (_get_type_tag(model), model.__name__)]
        if tagged:
            return tagged[0]
    for model in models:
        for name, field in model.model_fields.items():
            if step in (name, field.alias):
                return field.annotation
    return annotation


def _list_union_members(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)


def _get_type_tag(model: type[BaseModel]) -> str | None:
    field = model.model_fields.get("type")
    return None if field is None else field.default
