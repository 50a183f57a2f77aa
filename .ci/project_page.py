"""The project's page in a package index, which hatchling makes from the README when it builds a wheel or an sdist.

The README is for readers of the repository: in an index, its links and pictures would be broken. So the page has
only what a stranger needs: an introduction, the film, one command and ten lines of code. Every link is made absolute
with `[project.urls]`, and links to files lead to the release that the page describes.
"""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface


def project_page(readme: str, name: str, urls: dict[str, str], version: str) -> str:
    """Return the page, in Markdown."""
    about = re.match(r"# .*?\n\n.*?(?=\n\n)", readme, re.DOTALL)[0]
    film, alt = re.search(r'<img src="([^"]+)" alt="([^"]+)"', readme).groups()
    lines = re.search(r"^## Ten lines\n.*?(?=\n## )", readme, re.DOTALL | re.MULTILINE)[0]
    page = f"""{about}

![{alt}]({urls["Repository"]}/raw/v{version}/{film})

```
pip install {name} && {name}
```

opens the tutorial in JupyterLab, and `{name} check` says how to install what is missing. On the
[website]({urls["Homepage"]}) you read and step through all of it with nothing to install; it has the
[reference]({urls["Documentation"]}), too.

{lines}"""
    return re.sub(r"(?<=\]\()(?!https?://)", f"{urls['Repository']}/blob/v{version}/", page)


class ProjectPage(MetadataHookInterface):
    """The metadata hook that hatchling calls."""

    def update(self, metadata: dict) -> None:
        """Set the page as the project's readme."""
        root = Path(self.root)
        source = (root / "autodiff_lab/__init__.py").read_text(encoding="utf-8")
        version = re.search(r'^__version__ = "(.*)"$', source, re.MULTILINE)[1]
        readme = (root / "README.md").read_text(encoding="utf-8")
        page = project_page(readme, metadata["name"], metadata["urls"], version)
        metadata["readme"] = {"content-type": "text/markdown", "text": page}
