"""The tutorial as Jupyter meets it: where its notebooks are, which kernel runs them, how JupyterLab behaves."""
