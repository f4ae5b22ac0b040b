"""The random modules must cover the lines and branches of every pass."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import sdykit
from support.comparison import PIPELINES

WANTED = 95
"""The minimum coverage of the lines and branches of each file, in percent."""
MODULES = 500
PROPAGATED = 100
"""How many of them are propagated and exported, too."""
FLAT = "sdy-flatten-call-graph,symbol-dce,sdy-import-func-calls,symbol-dce,sdy-apply-sharding-constraints"
ONE_OPS = 300
"""How many random ops with rules of the user's are propagated through, and explained."""
EXTERNAL = """
sdy.mesh @mesh = <["x"=2]>
func.func private @f(tensor<8xf32>) -> tensor<8xf32>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = func.call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""
"""A call of a function without a body, which ends the process in C++: no random module has one."""
TUPLE = """
func.func @main(%x: tensor<8xf32>) -> tuple<tensor<8xf32>> {
  %0 = stablehlo.tuple %x : tuple<tensor<8xf32>>
  return %0 : tuple<tensor<8xf32>>
}
"""
PROPAGATION = (
    "sdy-propagation-pipeline",
    "sdy-propagation-pipeline{debug-sharding-origins=true}",
    "sdy-propagation-pipeline{debug-propagation-edge-sharding=true dump-directory=saved}",
    "sdy-propagation-pipeline{dedup-functions-fully=true}",
    "sdy-propagation-pipeline{debug-sharding-origins=true debug-propagation-edge-sharding=true}",
    "sdy-import-pipeline{dedup-functions-fully=true},sdy-op-priority-propagate,sdy-export-pipeline",
    "sdy-import-pipeline,sdy-basic-propagate{conservative-propagation=true},"
    "sdy-export-named-computations,sdy-insert-explicit-reshards{enable-full-version=true},"
    "sdy-inline-meshes,sdy-drop-sharding-and-mesh,sdy-inline-meshes",
    "sdy-propagation-pipeline{enable-insert-explicit-collectives=true "
    "remove-all-gather-reduce-scatter-for-cmv1=true}",
    f"sdy-import-pipeline,{FLAT},sdy-export-named-computations,"
    "sdy-unflatten-call-graph{dedup-functions-fully=true}",
    "sdy-import-pipeline,sdy-aggressive-propagate{propagation-strategy=basic-then-aggressive},"
    "sdy-populate-op-sharding-rules",
)

SWEEP = f"""
from support.comparison import PIPELINES
from support.explain.one_op import random_op
from support.generators import module_text, seeded_spec
from support.oracle import ours
from sdykit.explain import explain_text

for number in range({MODULES}):
    text = module_text(seeded_spec(number))
    for pipeline in (*PIPELINES, *({PROPAGATION} if number < {PROPAGATED} else ())):
        ours(text, pipeline)
for number in range({ONE_OPS}):
    text = random_op(number).text()
    ours(text, "sdy-basic-propagate")
    explain_text(text, conservative=number % 4 == 0)
ours({EXTERNAL!r}, "sdy-propagation-pipeline{{dedup-functions-fully=true}}")
ours({TUPLE!r}, "sdy-basic-propagate")
ours({EXTERNAL!r}, "sdy-basic-propagate{{module-dump-directory=none}}")
ours({EXTERNAL!r}, "sdy-save-module{{module-dump-directory=sweep.py}}")
"""
# What depends on kinds of ops, which the random modules lack, is covered by the tests of rules, of
# explicit reshards and of collectives, with models and with random pairs of shardings.
SETTINGS = """
[run]
branch = true
omit =
    */_sharding_rules/*
    */insert_explicit_reshards/*
    */reshard_to_collectives/*
    */remove_all_gather_reduce_scatter_for_cmv1.py
[report]
exclude_also =
    if TYPE_CHECKING:
    raise NotImplementedError
"""


def test_random_modules_reach_every_branch(tmp_path: Path) -> None:
    # In a process of its own, since coverage does not nest: this run may be measured too.
    roots = [str(Path(__file__).parents[1]), str(Path(sdykit.__file__).parents[1])]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
    environment["PYTHONPATH"] = os.pathsep.join(roots)

    def coverage(*words: str) -> None:
        command = [sys.executable, "-m", "coverage", *words]
        subprocess.run(command, cwd=tmp_path, env=environment, check=True)

    (tmp_path / "sweep.py").write_text(SWEEP)
    (tmp_path / ".coveragerc").write_text(SETTINGS)
    coverage("run", "--include=*/passes/sdy/*", "sweep.py")
    coverage("json", "--quiet")
    report = json.loads((tmp_path / "coverage.json").read_text())
    percent = report["totals"]["percent_covered"]
    print(f"{percent:.1f}% by {MODULES} modules in {len(PIPELINES)} pipelines each")
    low = {
        name: f"{found['summary']['percent_covered']:.0f}%, not lines {found['missing_lines']}"
        for name, found in report["files"].items()
        if found["summary"]["percent_covered"] < WANTED
    }
    assert not low
