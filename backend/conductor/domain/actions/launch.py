"""Launch: opens an app, a file or a link."""

from typing import Any, Literal

from pydantic import Field, model_validator

from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.ports import Ports


class LaunchAction(ActionBase):
    """Opens an app by its name or path, a file, or a link."""

    blocking = True
    type: Literal["Launch"] = "Launch"
    app: str = Field(min_length=1, max_length=1024, pattern=r"^[^\x00]+$")
    """The app, file or link."""
    args: tuple[str, ...] = Field(default=(), max_length=64)
    """Arguments for the app, one text each."""

    @model_validator(mode="before")
    @classmethod
    def _older(cls, raw: Any) -> Any:
        """Read `application` and `path` for `app`."""
        if isinstance(raw, dict) and "app" not in raw:
            for older in ("application", "path"):
                if older in raw:
                    rest = {key: item for key, item in raw.items() if key != older}
                    return {**rest, "app": raw[older]}
        return raw

    def run(self, fire: Fire, ports: Ports) -> None:
        ports.programs.launch(self.app, self.args)
