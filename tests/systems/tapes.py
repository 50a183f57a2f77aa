"""How tests read what a gradient tape returns."""

from __future__ import annotations

from typing import Any

import numpy as np


def plain(x: Any) -> Any:
    """Gradients as numbers and lists, in their structure."""
    if isinstance(x, dict):
        return {key: plain(entry) for key, entry in x.items()}
    if isinstance(x, list | tuple):
        return type(x)(plain(entry) for entry in x)
    return None if x is None else np.asarray(x.numpy()).tolist()
