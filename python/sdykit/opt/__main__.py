"""`python -m sdykit.opt` is `sdy-opt`."""

import sys

from sdykit.opt.main import sdy_opt

if __name__ == "__main__":
    sys.exit(sdy_opt())
