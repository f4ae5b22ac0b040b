"""What is there before a program imports jax-tpu-embedding or keras-rs, and before JAX starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.jax_tpu_embedding.plugin_programs import run_with_plugin, start_with_plugin

LEVEL = "TF_CPP_MIN_LOG_LEVEL"


def test_a_start_of_python_imports_only_what_waits_for_the_library() -> None:
    program = "import sys; print(*[name for name in sys.modules if name.startswith('sdykit')])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "sdykit sdykit.bridge sdykit.bridge._early\n"


ASKS = """
import sys
from importlib.machinery import ModuleSpec

# A layer that asks as that of keras-rs does, which is too large a package to test with.
LAYER = '''
from types import SimpleNamespace
keras = SimpleNamespace(backend=SimpleNamespace(backend=lambda: "jax"))

class DistributedEmbedding:
    def _has_sparsecore(self):
        try:
            import jax
            return bool(jax.devices("tpu"))
        except RuntimeError:
            return False

    def _init_feature_configs_structures(self):
        return self._has_sparsecore()
'''

class Finder:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "keras_rs":
            return ModuleSpec(name, Finder, is_package=True)

    def create_module(spec):
        return None

    def exec_module(module):
        if module.__name__ == "keras_rs.src.layers.embedding.base_distributed_embedding":
            exec(LAYER, vars(module))

sys.meta_path.append(Finder)
from keras_rs.src.layers.embedding.base_distributed_embedding import DistributedEmbedding
layer = DistributedEmbedding()
print(layer._has_sparsecore(), layer._init_feature_configs_structures())
"""


def test_a_layer_that_starts_jax_has_sparse_cores(tmp_path: Path) -> None:
    assert run_with_plugin(tmp_path, ASKS) == "True False\n"
    assert run_with_plugin(tmp_path, ASKS, SDYKIT_PLUGIN="off") == "False False\n"


LOGS = f"""
import os
import numpy as np
{{before}}
from jax_tpu_embedding.sparsecore.lib.nn import embedding, embedding_spec
print(os.environ.get({LEVEL!r}))
import jax
table = embedding_spec.TableSpec(
    name="t", vocabulary_size=64, embedding_dim=8, initializer=jax.nn.initializers.zeros,
    optimizer=embedding_spec.SGDOptimizerSpec(learning_rate=0.5), combiner="sum",
)
feature = embedding_spec.FeatureSpec(
    name="f", table_spec=table, input_shape=(16, 2), output_shape=(16, 8)
)
embedding.prepare_feature_specs_for_training([feature], 1, num_sc_per_device=4)
embedding.preprocess_sparse_dense_matmul_input(
    [np.zeros((16, 2), np.int32)], [np.ones((16, 2), np.float32)], [feature], 1, 1,
    num_sc_per_device=4, sharding_strategy="MOD",
)
"""
FULLNESS = "No Coo Buffer Size provided"


@pytest.mark.parametrize("before", ["", "import jax"])
def test_the_library_logs_only_errors_unless_a_variable_is_set(
    tmp_path: Path, before: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = LOGS.format(before=before)
    after = run_with_plugin(tmp_path, program, **{LEVEL: "1"})
    assert after == "1\n", "what JAX has set in the process that started this one"
    monkeypatch.delenv(LEVEL, raising=False)
    after = run_with_plugin(tmp_path, program)
    assert after == "1\n", "what JAX sets"
    told = start_with_plugin(tmp_path, program, **{LEVEL: "0"})
    assert (told.returncode, told.stdout) == (0, "0\n")
    assert FULLNESS in told.stderr
    off = start_with_plugin(tmp_path, program, SDYKIT_PLUGIN="off")
    assert (off.returncode, off.stdout) == (0, "1\n")
    assert FULLNESS in off.stderr
