"""What a player shares with its page in the browser: each is kept equal on both sides, and checked here."""

from __future__ import annotations

from typing import Any

import traitlets

from autodiff_lab.widgets.defaults import SCALES
from autodiff_lab.widgets.live import Live
from autodiff_lab.widgets.player import page, views


class Shared(Live):
    """The state of a player that the browser sees; `Player` says what each means, and knows the run."""

    _esm = page.SCRIPT
    _css = page.STYLE

    payload = traitlets.Dict().tag(sync=True)
    beside = traitlets.Dict().tag(sync=True)
    mode = traitlets.Unicode("reverse").tag(sync=True)
    direction = traitlets.Unicode("").tag(sync=True)
    custom = traitlets.List(traitlets.CFloat()).tag(sync=True)
    predict = traitlets.Bool(False).tag(sync=True)
    details = traitlets.Bool(False).tag(sync=True)
    scale = traitlets.Enum(SCALES, "normal").tag(sync=True)
    score = traitlets.Dict({"right": 0, "asked": 0, "mistakes": {}}).tag(sync=True)
    step = traitlets.Int(-1).tag(sync=True)
    inputs = traitlets.List(traitlets.CFloat()).tag(sync=True)
    controls = traitlets.List(traitlets.Dict()).tag(sync=True)
    error = traitlets.Unicode("").tag(sync=True)

    @traitlets.validate("inputs")
    def _right_number(self, proposal: Any) -> list[float]:
        names = getattr(self, "_names", None)
        if names is not None and len(proposal["value"]) != len(names):
            raise traitlets.TraitError(
                f"inputs takes {len(names)} numbers ({', '.join(names) or 'no input is a scalar'}), "
                f"and these are {len(proposal['value'])}."
            )
        return proposal["value"]

    @traitlets.validate("step")
    def _existing_step(self, proposal: Any) -> int:
        return max(-1, min(proposal["value"], self._last()))

    @traitlets.validate("mode")
    def _existing_mode(self, proposal: Any) -> str:
        if proposal["value"] not in views.MODES:
            raise views.ModeError(f"There is no mode {proposal['value']!r}; the modes are {', '.join(views.MODES)}.")
        if proposal["value"] != "reverse" and not self.forward:
            raise views.ModeError(f"This run has no forward mode. {self._views.why}".strip())
        return proposal["value"]

    @traitlets.validate("direction")
    def _existing_direction(self, proposal: Any) -> str:
        wanted, there = proposal["value"], list(self.forward)
        if wanted == "all" and len(there) == 1:
            return there[0]  # of one input, that is all
        if wanted and wanted not in there:
            why = " All at once is for two to four inputs that are numbers, in a short run." if wanted == "all" else ""
            raise views.ModeError(f"There is no direction {wanted!r}; there are {', '.join(there) or 'none'}.{why}")
        return wanted

    @traitlets.validate("custom")
    def _right_rates(self, proposal: Any) -> list[float]:
        if proposal["value"] and len(proposal["value"]) != len(self._names):
            raise traitlets.TraitError(f"custom takes one rate for each of {', '.join(self._names)}, or none at all.")
        return proposal["value"]
