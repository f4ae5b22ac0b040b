"""`python -m sdykit.cli` is `sdykit`."""

import sys

from sdykit.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
