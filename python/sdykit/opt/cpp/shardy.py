"""The passes and pipelines of Shardy that are C++ inside jaxlib; see `passes`."""

from __future__ import annotations

from sdykit.core.upstream import UpstreamOption, UpstreamPass

_MODULE = "builtin.module"
_FUNCTION = "func.func"
_Option = UpstreamOption

_PROPAGATION = (
    _Option("conservative-propagation", "false", "Propagate no sub-axes and no uneven shardings"),
    _Option(
        "debug-propagation-edge-sharding", "false", "Record the origin of each axis at each op"
    ),
    _Option("debug-sharding-origins", "false", "Record where each axis was first set"),
    _Option("keep-sharding-rules", "false", "Keep the sharding rules of ops"),
    _Option("module-dump-directory", "", "Write the module before and after to this directory"),
)
_STRATEGY = _Option(
    "propagation-strategy", "aggressive", "How conflicts are resolved: aggressive or basic"
)
_OP_PRIORITY = _Option("run-op-priority-propagation", "true", "Go by the priorities of ops too")
_DEDUPLICATE = _Option(
    "dedup-functions-fully",
    "false",
    "Use one copy of a function for callers that shard it differently",
)

PIPELINES = {
    "sdy-export-pipeline": UpstreamPass(
        "sdy-export-pipeline",
        "Run the passes that follow propagation: close shardings, insert reshards, clean up",
        (
            _Option("avoid-export-for-partitioning", "false", "Keep the module fit to propagate"),
            _Option("avoid-reshards-on-calls", "false", "Insert no reshards around calls"),
            _Option("dump-directory", "", "Write the module between passes to this directory"),
            _Option("dump-propagation-edges", "false", "Keep the edges that propagation recorded"),
            _Option("dump-sharding-origins", "false", "Keep the origins that propagation recorded"),
            _Option("enable-insert-explicit-collectives", "false", "Reshards become collectives"),
            _Option("keep-sharding-rules", "false", "Keep the sharding rules of ops"),
            _Option(
                "remove-all-gather-reduce-scatter-for-cmv1",
                "false",
                "With collectives, drop those that collective matmul replaces",
            ),
            _Option(
                "update-non-divisible-input-output-shardings",
                "true",
                "Shard arguments and results of public functions evenly",
            ),
        ),
        _MODULE,
    ),
    "sdy-import-pipeline": UpstreamPass(
        "sdy-import-pipeline", "Run the passes that precede propagation", (_DEDUPLICATE,), _MODULE
    ),
    "sdy-propagation-pipeline": UpstreamPass(
        "sdy-propagation-pipeline",
        "Import, propagate shardings by the priorities of users, and export",
        (_DEDUPLICATE,),
        _MODULE,
    ),
}
"""MLIR does not print the options of pipelines: a test compares what they expand to."""

PASSES = {
    "sdy-add-data-flow-edges": UpstreamPass(
        "AddDataFlowEdgesPass", "Insert data flow edges around region ops", (), _MODULE
    ),
    "sdy-add-func-data-flow-edges": UpstreamPass(
        "AddFuncDataFlowEdgesPass", "Insert data flow edges at functions and calls", (), _MODULE
    ),
    "sdy-aggressive-propagate": UpstreamPass(
        "AggressivePropagationPass",
        "Propagate shardings, and resolve conflicts between factors",
        (*_PROPAGATION, _STRATEGY),
        _MODULE,
    ),
    "sdy-apply-sharding-constraints": UpstreamPass(
        "ApplyShardingConstraintsPass",
        "Copy sharding constraints to what they constrain",
        _PROPAGATION[1:3],
        _MODULE,
    ),
    "sdy-basic-propagate": UpstreamPass(
        "BasicPropagationPass",
        "Propagate shardings as far as factors agree",
        _PROPAGATION,
        _MODULE,
    ),
    "sdy-close-shardings": UpstreamPass(
        "CloseShardingsPass", "Close all shardings and drop replicated axes", (), _MODULE
    ),
    "sdy-constant-or-scalar-merger": UpstreamPass(
        "ConstantOrScalarMergerPass",
        "Merge equal constants and scalar expansions with equal shardings",
        (),
        _FUNCTION,
    ),
    "sdy-constant-or-scalar-splitter": UpstreamPass(
        "ConstantOrScalarSplitterPass",
        "Split constants and scalar expansions, one for each use",
        (),
        _MODULE,
    ),
    "sdy-convert-global-to-local": UpstreamPass(
        "ConvertGlobalToLocalPass",
        "Turn a module on global shapes into the program of one device",
        (
            _Option(
                "combine-multi-dimension-reduce-scatter",
                "false",
                "One reduce-scatter for several dimensions",
            ),
            _Option("enable-rgv3", "false", "Write replica groups as meshes and axes"),
            _Option("per-dim-all-gather", "false", "An all-gather for each dimension"),
        ),
        _MODULE,
    ),
    "sdy-drop-sharding-and-mesh": UpstreamPass(
        "DropShardingAndMeshPass", "Erase all shardings and meshes", (), _MODULE
    ),
    "sdy-drop-sharding-rules": UpstreamPass(
        "DropShardingRulesPass", "Drop the sharding rules of ops", (), _FUNCTION
    ),
    "sdy-explicit-gather-scatter-batching": UpstreamPass(
        "ExplicitGatherScatterBatchingPass",
        "Make implicit batch dimensions of gather and scatter explicit",
        (),
        _FUNCTION,
    ),
    "sdy-export-named-computations": UpstreamPass(
        "ExportNamedComputationsPass", "Turn named computations into functions", (), _MODULE
    ),
    "sdy-flatten-call-graph": UpstreamPass(
        "FlattenCallGraphPass", "Copy functions so that each call has one of its own", (), _MODULE
    ),
    "sdy-import-func-calls": UpstreamPass(
        "ImportFuncCallsPass",
        "Turn calls of functions into named computations",
        (_Option("add-data-flow-edges-on-named-computations", "true", "With data flow edges"),),
        _MODULE,
    ),
    "sdy-inline-meshes": UpstreamPass(
        "InlineMeshesPass", "Replace the names of meshes in shardings by the meshes", (), _MODULE
    ),
    "sdy-insert-explicit-reshards": UpstreamPass(
        "InsertExplicitReshardsPass",
        "Insert reshards so that the shardings of each op are compatible",
        (_Option("enable-full-version", "false", "For all ops, not only where XLA needs it"),),
        _FUNCTION,
    ),
    "sdy-insert-func-call-reshards": UpstreamPass(
        "InsertFuncCallReshardsPass",
        "Insert reshards where calls and functions are sharded differently",
        (),
        _MODULE,
    ),
    "sdy-lift-inlined-meshes": UpstreamPass(
        "LiftInlinedMeshesPass", "Replace inlined meshes by symbols of meshes", (), _MODULE
    ),
    "sdy-manual-axes-cleanup": UpstreamPass(
        "ManualAxesCleanupPass", "Sort and complete the axes of manual computations", (), _MODULE
    ),
    "sdy-op-priority-propagate": UpstreamPass(
        "OpPriorityPropagationPass",
        "Propagate shardings first through the ops that forward them best",
        (*_PROPAGATION, _STRATEGY, _OP_PRIORITY),
        _MODULE,
    ),
    "sdy-pad-for-divisibility": UpstreamPass(
        "PadForDivisibilityPass", "Pad dimensions that axes do not divide", (), _FUNCTION
    ),
    "sdy-populate-op-sharding-rules": UpstreamPass(
        "PopulateOpShardingRulesPass",
        "Put sharding rules on all ops",
        _PROPAGATION[:1],
        _FUNCTION,
    ),
    "sdy-pre-order-funcs": UpstreamPass(
        "PreOrderFuncsPass", "Put each function before those that it calls", (), _MODULE
    ),
    "sdy-propagate-sharding-from-func-to-call": UpstreamPass(
        "PropagateShardingFromFuncToCallPass",
        "Copy the result shardings of functions to their calls",
        (),
        _MODULE,
    ),
    "sdy-propagate-to-func-results": UpstreamPass(
        "PropagateToFuncResultsPass", "Copy the shardings of returns to functions", (), _MODULE
    ),
    "sdy-remove-all-gather-reduce-scatter-for-cmv1": UpstreamPass(
        "RemoveAllGatherReduceScatterForCMV1Pass",
        "Drop all-gathers and reduce-scatters that collective matmul replaces",
        (),
        _FUNCTION,
    ),
    "sdy-remove-propagation-debug-info": UpstreamPass(
        "RemovePropagationDebugInfoPass", "Erase the debug information of propagation", (), _MODULE
    ),
    "sdy-remove-sharding-groups": UpstreamPass(
        "RemoveShardingGroupsPass", "Erase sharding groups", (), _MODULE
    ),
    "sdy-remove-size-one-axes": UpstreamPass(
        "RemoveSizeOneAxesPass", "Remove axes of size one from meshes and shardings", (), _MODULE
    ),
    "sdy-remove-sub-axes-in-input-output-shardings": UpstreamPass(
        "RemoveSubAxesInInputOutputShardingsPass",
        "Remove sub-axes from arguments and results of public functions",
        (),
        _MODULE,
    ),
    "sdy-reshard-to-collectives": UpstreamPass(
        "ReshardToCollectivesPass",
        "Turn reshards into collectives",
        (_Option("keep-redundant-reshards", "false", "Keep reshards that change nothing"),),
        _FUNCTION,
    ),
    "sdy-resolve-permutation-factors": UpstreamPass(
        "ShardyResolvePermutationFactorsPass",
        "Make ops that permute a sharded dimension work on single devices",
        (_Option("enable-halo-exchange", "true", "Exchange borders where that is enough"),),
        _MODULE,
    ),
    "sdy-sharding-constraint-to-reshard": UpstreamPass(
        "ShardingConstraintToReshardPass", "Turn sharding constraints into reshards", (), _FUNCTION
    ),
    "sdy-sharding-group-import": UpstreamPass(
        "ShardingGroupImportPass", "Merge, renumber and check sharding groups", (), _MODULE
    ),
    "sdy-sink-data-flow-edges": UpstreamPass(
        "SinkDataFlowEdgesPass",
        "Erase data flow edges; their shardings go to what they stood at",
        (
            _Option(
                "sink-debug-propagation-edge-sharding",
                "false",
                "Keep the edges that propagation recorded",
            ),
            _Option(
                "sink-debug-sharding-origins", "false", "Keep the origins that propagation recorded"
            ),
        ),
        _FUNCTION,
    ),
    "sdy-sink-func-data-flow-edges": UpstreamPass(
        "SinkFuncDataFlowEdgesPass", "Erase data flow edges at functions and calls", (), _FUNCTION
    ),
    "sdy-unflatten-call-graph": UpstreamPass(
        "UnflattenCallGraphPass",
        "Let calls share a function again where flattening made copies",
        (_Option("dedup-functions-fully", "false", "Also where their shardings differ"),),
        _MODULE,
    ),
    "sdy-update-non-divisible-input-output-shardings": UpstreamPass(
        "UpdateNonDivisibleInputOutputShardingsPass",
        "Shard arguments and results of public functions evenly",
        (),
        _MODULE,
    ),
    "sdy-user-priority-propagate": UpstreamPass(
        "UserPriorityPropagationPass",
        "Propagate shardings in the order of the priorities in them",
        (*_PROPAGATION, _STRATEGY, _OP_PRIORITY),
        _MODULE,
    ),
    "xla-sdy-round-trip-import-shardy-attrs": UpstreamPass(
        "SdyRoundTripImportShardyAttrsPass",
        "Read shardings and meshes from frontend attributes of XLA",
        (),
        _MODULE,
    ),
}
