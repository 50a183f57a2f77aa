"""What PyTorch, JAX and TensorFlow print: shown in the notebooks as text, with version and date.

    python -m tests.notebooks.frameworks             run all that is installed here, write said.json
    python -m tests.notebooks.frameworks memory      one notebook

None of them is a dependency. `memory.py` has a function for each thing that the notebook `memory` shows; its name
begins with the package that it needs, and its body is, word for word, the code in the notebook. What it printed when
it was last run stands in `said.json`, and the test beside this folder compares both with the notebook.
"""
