"""The tutorial inside Jupyter, in three parts: the notebooks, the kernel, the settings of JupyterLab."""
