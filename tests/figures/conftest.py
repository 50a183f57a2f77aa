"""The function that the founding documents, the literature and our tests all use."""

import numpy as np
import pytest

from autodiff_lab import Trace


def example(x1, x2):
    a = np.log(x1)
    b = x1 * x2
    s = a + b
    c = np.sin(x2)
    return s - c


@pytest.fixture(scope="session")
def example_function():
    return example


@pytest.fixture(scope="session")
def example_trace():
    return Trace.of(example, 2.0, 5.0)
