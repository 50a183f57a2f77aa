"""The data sets that ship with the package: Fisher's iris measurements.

R. A. Fisher, *The use of multiple measurements in taxonomic problems* (1936); the corrected table, as in R and in
scikit-learn from version 0.20 on.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..engine.errors import AutodiffError

__all__ = ["Iris", "Sample", "load_iris"]

FILE = Path(__file__).with_name("iris.csv")
# The hash of the 150 lines ``sepal_length,…,label``, joined by line feeds, so that a file with other line ends or
# species names is still accepted.
SHA256 = "39f03d68cb1774ba478c11b2b26b881e069926d92a320f3e87be64f1567aa139"


class Sample(NamedTuple):
    """Rows of a data set that ships as a file: `features` of shape (n, 4) in cm, `labels` of shape (n,), 0 to 2."""

    features: np.ndarray
    labels: np.ndarray


class Iris(NamedTuple):
    """Fisher's iris data, split into training data and test data; every fourth row is a test row."""

    train: Sample
    test: Sample
    feature_names: tuple[str, ...]
    species: tuple[str, ...]


@cache
def load_iris(path: Path = FILE) -> Iris:
    """Load the data of the file iris.csv: 150 flowers; rows 0, 4, 8, … are test data, the others training data.

    Parameters
    ----------
    path : Path
        The file with the data; by default the one that comes with the package.

    Returns
    -------
    Iris
        112 flowers to train on and 38 to test with. The arrays cannot be written to, since every caller shares them.

    Raises
    ------
    AutodiffError
        If the file is not the one that the tutorial's numbers were computed from.

    See Also
    --------
    GradientDescent : Descend by the gradient alone.

    Examples
    --------
    >>> iris = load_iris()
    >>> iris.train.features.shape, iris.test.features.shape
    ((112, 4), (38, 4))
    >>> iris.species
    ('setosa', 'versicolor', 'virginica')
    """
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line.split(",") for line in lines]
    species = tuple(dict.fromkeys(row[-1] for row in rows))
    labelled = [[*row[:-1], str(species.index(row[-1]))] for row in rows]
    found = hashlib.sha256("\n".join(map(",".join, labelled)).encode()).hexdigest()
    if found != SHA256:
        raise AutodiffError(
            f"{path} is not this tutorial's iris table (its SHA-256 is {found[:8]}…, not {SHA256[:8]}…), so "
            "training on it would not give the numbers in the lessons. Install the package again, or restore the file."
        )
    table = np.array(labelled, dtype=float)
    is_test = np.arange(len(table)) % 4 == 0
    return Iris(
        _sample(table[~is_test]), _sample(table[is_test]), tuple(header.split(",")[:4]), species
    )


def _sample(rows: np.ndarray) -> Sample:
    sample = Sample(rows[:, :4].copy(), rows[:, 4].astype(int))
    for array in sample:
        array.setflags(write=False)
    return sample
