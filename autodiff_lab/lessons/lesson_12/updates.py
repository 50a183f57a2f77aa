"""The exercises of notebook 12 about steps: parameters that stay leaves, a network by hand, the first step of Adam."""

from __future__ import annotations

from autodiff_lab.lessons.lesson_12.sandbox import expected_w2_gradients, run_updates

# 5. the growing tape


def _update(
    b: str = "b[i].value -= rate * b[i].sensitivity", w: str = "w[i][j].value -= rate * w[i][j].sensitivity"
) -> str:
    return f"""\
def update(w, b, rate):
    for i in range(3):
        {b}
        for j in range(4):
            {w}"""


def _by(scope_source: str) -> dict[str, tuple[float, ...]]:
    scope: dict[str, object] = {}
    exec(scope_source, scope)
    return run_updates(scope["update"])


_RIGHT = _by(_update())


# 6. a gradient by hand


_W2 = expected_w2_gradients()


# 7. the first step of Adam
