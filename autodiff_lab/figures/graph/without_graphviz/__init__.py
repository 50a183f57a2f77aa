"""Layout and drawing of DOT text where there is no Graphviz, as in a browser (JupyterLite)."""
