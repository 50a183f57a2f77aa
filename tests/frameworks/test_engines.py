"""Which engine runs a function, where a framework is installed and where it is not; these tests need none."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.frameworks import engines
from autodiff_lab.frameworks.engines import FrameworkError
from autodiff_lab.widgets.player.link import LinkError
from autodiff_lab.widgets.player.widget import play_trace


@pytest.fixture
def _no_frameworks(monkeypatch):
    """A Python without PyTorch and JAX, also where they are installed."""
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name in ("torch", "jax") else find_spec(name, *rest),
    )
    for name in ("torch", "jax"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.usefixtures("_no_frameworks")
@pytest.mark.parametrize(
    ("engine", "said"), [("pytorch", "pip install torch"), ("jax", "pip install jax")]
)
def test_a_framework_that_is_missing_is_named_with_its_command(engine, said):
    with pytest.raises(FrameworkError, match=f"is not installed here: {said}"):
        ad.play(lambda x: x * x, 2.0, engine=engine)


@pytest.mark.usefixtures("_no_frameworks")
def test_watch_without_pytorch_says_how_to_get_it():
    with pytest.raises(FrameworkError, match=r"PyTorch is not installed here: pip install torch"):
        ad.watch()


def test_watch_before_pytorch_is_imported_says_so(monkeypatch):
    monkeypatch.setattr(engines, "is_installed", lambda engine: True)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    with pytest.raises(FrameworkError, match="torch has not been imported"):
        ad.watch()


def test_an_engine_that_there_is_not_is_told_from_those_that_there_are():
    with pytest.raises(
        FrameworkError, match=r"no engine 'theano'; .*engine='pytorch' or engine='jax'"
    ):
        ad.play(lambda x: x * x, 2.0, engine="theano")


def test_numbers_and_arrays_are_run_by_our_own_engine():
    for x in (2.0, np.ones(2), [1.0, 2.0]):
        assert engines.find_engine(np.sum, [x], None) is None
    assert ad.play(lambda x: x * x, 2.0).trace.engine == ""


def test_no_framework_is_loaded_before_it_is_asked_for():
    """Also where both are installed: the import of the package, a player and an error load neither."""
    code = """
import sys
import autodiff_lab as ad
assert not [name for name in sys.modules if name.startswith("autodiff_lab.frameworks")], "the package alone"
ad.play(lambda x: x * x, 2.0)
try:
    ad.watch()
except ad.frameworks.engines.FrameworkError:
    pass
loaded = {name.partition(".")[0] for name in sys.modules}
assert not loaded & {"torch", "jax"}, loaded & {"torch", "jax"}
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_run_that_only_its_trace_is_left_of_has_no_link():
    saved = ad.Trace.of(lambda x: x * x, 2.0)
    with pytest.raises(LinkError, match="save_html"):
        play_trace(saved).link()
