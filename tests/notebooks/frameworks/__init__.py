"""What PyTorch, JAX and TensorFlow print: shown in the notebooks as text, with version and date.

    python -m tests.notebooks.frameworks             run all that is installed here, write said.json
    python -m tests.notebooks.frameworks 05          one notebook

None of them is a dependency. `notebook_NN.py` holds a function for each thing that notebook NN shows; its name begins
with the package that it needs, and its body is, word for word, the code in the notebook. What it printed when it was
last run stands in `said.json`, and the test beside this folder compares both with the notebook.
"""
