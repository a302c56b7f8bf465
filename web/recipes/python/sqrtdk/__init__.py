"""Live figures about attention and its 1/sqrt(d_k), computed in the browser."""

from __future__ import annotations

import pathlib
from typing import Any

import anywidget
import traitlets

__all__ = ["Figure"]
__version__ = "1.0.0"


class Figure(anywidget.AnyWidget):
    """A live figure, e.g. ``Figure("score_variance", d=[32, 128])``.

    ``params`` follows what the reader sets, ``result`` what was computed: a dictionary with the ``params``, ``lines``,
    ``scalars``, ``figures``, ``verdict`` and ``hash`` of the run, or None before the first.
    """

    _esm = pathlib.Path(__file__).parent / "static" / "anywidget.js"

    experiment = traitlets.Unicode("score_variance").tag(sync=True)
    params = traitlets.Dict().tag(sync=True)
    lang = traitlets.Unicode("en").tag(sync=True)
    controls = traitlets.Enum(["all", "few", "none"], default_value="all").tag(sync=True)
    charts = traitlets.Unicode("").tag(sync=True)
    result = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)

    def __init__(
        self,
        experiment: str = "score_variance",
        *,
        lang: str = "en",
        controls: str = "all",
        charts: str = "",
        **params: Any,
    ) -> None:
        texts = {name: _text(value) for name, value in params.items()}
        super().__init__(experiment=experiment, params=texts, lang=lang, controls=controls, charts=charts)

    def set(self, **params: Any) -> None:
        """Sets these parameters and leaves the others as they are."""
        self.params = {**self.params, **{name: _text(value) for name, value in params.items()}}


def _text(value: Any) -> str:
    """A parameter's text form: lists with commas, as in addresses and attributes."""
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, value))
    return str(value)
