"""The course's notebooks in order, each by its slug, and the number that a slug has in a file name.

A slug names a notebook, its lesson's package, its tests and the links to it, so one row here adds or moves a
notebook: `python -m tests.generate numbers` then renames the files and writes the new numbers into every link.
"""

SLUGS = (
    "start_here",
    "differentiation",
    "dual_numbers",
    "tape",
    "adjoint_flow",
    "dag_or_tape",
    "printing_tape",
    "ways_to_remember",
    "static_graphs",
    "tensorflow",
    "control_flow",
    "jacobians",
    "higher_order",
    "arrays",
    "learning",
    "training_trouble",
    "verification",
    "memory",
    "compilation",
    "implicit",
    "linearize",
    "time",
    "chance",
    "own_model",
)


def number_of(slug: str) -> str:
    """Return the number of a notebook in the course's order, as in its file name.

    Raises
    ------
    ValueError
        If no notebook has this slug.

    Examples
    --------
    >>> number_of("tape")
    '03'
    """
    return f"{SLUGS.index(slug):02}"


def file_name(slug: str) -> str:
    """Return the file name of a notebook of the course.

    Raises
    ------
    ValueError
        If no notebook has this slug.

    Examples
    --------
    >>> file_name("tape")
    '03_tape.ipynb'
    """
    return f"{number_of(slug)}_{slug}.ipynb"
