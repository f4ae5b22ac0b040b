"""Train a click model whose embedding tables lie on simulated SparseCores: `make demo`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from examples.click_model.options import Options, parse  # noqa: E402
from sdykit.opt.process import prepare_streams, reporting  # noqa: E402


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    prepare_streams()
    options = parse(arguments)
    return reporting("train.py", lambda: _train(options))


def _train(options: Options) -> int:
    import jax

    # Before JAX starts its backend, which fixes the number of devices. sdykit, imported next, makes
    # JAX start enough threads for all of them.
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", options.devices)
    from examples.click_model.job import run

    run(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
