"""`python -m autodiff_lab` runs the command `autodiff-lab`."""

import sys

from .cli.main import main

if __name__ == "__main__":
    sys.exit(main())
