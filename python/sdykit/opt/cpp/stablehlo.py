"""The passes on StableHLO, CHLO, VHLO and MHLO that are C++ inside jaxlib; see `passes`."""

from __future__ import annotations

from sdykit.core.upstream import UpstreamOption, UpstreamPass

_MODULE = "builtin.module"
_FUNCTION = "func.func"
_Option = UpstreamOption

_TRIGONOMETRY = ("acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh")

CONVERSIONS = {
    "chlo-legalize-to-high-level-mhlo": UpstreamPass(
        "ChloLegalizeToHighLevelMhloPass",
        "Turn CHLO ops into the MHLO ops of the same name",
        tuple(_Option(f"enable-{name}", "false", f"Also {name}") for name in _TRIGONOMETRY),
        _FUNCTION,
    ),
    "chlo-legalize-to-hlo": UpstreamPass(
        "ChloLegalizeToHloPass", "Turn CHLO ops into MHLO ops", (), _FUNCTION
    ),
    "chlo-legalize-to-stablehlo": UpstreamPass(
        "ChloLegalizeToStablehloPass", "Turn CHLO ops into StableHLO ops", (), _FUNCTION
    ),
    "expand-hlo-tuples": UpstreamPass(
        "ExpandHloTuplesPass",
        "Replace tuples among arguments and results by their elements",
        (_Option("entry-function", "main", "The function that is changed"),),
        _MODULE,
    ),
    "hlo-legalize-to-stablehlo": UpstreamPass(
        "HloLegalizeToStablehloPass",
        "Turn MHLO ops into StableHLO ops",
        (
            _Option(
                "allow-experimental-features", "false", "Wrap ops that StableHLO does not have yet"
            ),
            _Option("allow-xla-features", "false", "Keep ops that only XLA has"),
        ),
        _MODULE,
    ),
    "shape-legalize-to-stablehlo": UpstreamPass(
        "ShapeLegalizeToStablehloPass",
        "Turn computations on shapes into StableHLO ops",
        (),
        _FUNCTION,
    ),
    "stablehlo-legalize-to-hlo": UpstreamPass(
        "StablehloLegalizeToHloPass",
        "Turn StableHLO ops into MHLO ops",
        (
            _Option(
                "convert-xla-supported-stablehlo", "true", "Also the ops that XLA takes as they are"
            ),
        ),
        _MODULE,
    ),
    "stablehlo-legalize-to-linalg": UpstreamPass(
        "StablehloLegalizeToLinalgPass",
        "Turn StableHLO ops into linalg ops",
        (
            _Option("capture-scalar-inputs", "true", "Let bodies use scalars from outside"),
            _Option("enable-primitive-ops", "false", "Use linalg's own ops instead of generic"),
            _Option("enable-sparse-ops", "false", "Use the ops of sparse tensors"),
        ),
    ),
    "stablehlo-legalize-to-vhlo": UpstreamPass(
        "StablehloLegalizeToVhloPass",
        "Turn StableHLO ops into VHLO ops, which keep their meaning across versions",
        (_Option("allow-other-dialects", "false", "Leave ops of other dialects as they are"),),
        _MODULE,
    ),
    "vhlo-legalize-to-stablehlo": UpstreamPass(
        "VhloLegalizeToStablehloPass", "Turn VHLO ops into StableHLO ops", (), _MODULE
    ),
    "vhlo-to-version": UpstreamPass(
        "VhloToVersionPass",
        "Convert VHLO ops to another version",
        (_Option("target", "", "The version, such as 1.0.0; must be given"),),
    ),
    "xla-prepare-for-export": UpstreamPass(
        "PrepareForExportPass",
        "Rewrite StableHLO into the form that is translated to HLO",
        (),
        _FUNCTION,
    ),
}

SIMPLIFICATIONS = {
    "mhlo-collapse-elementwise-map": UpstreamPass(
        "CollapseElementwiseMapPass",
        "Replace maps of one elementwise op by that op",
        (),
        _FUNCTION,
    ),
    "mhlo-legalize-dot-to-dot-general": UpstreamPass(
        "LegalizeDotToDotGeneralPass", "Turn dot into dot_general", (), _FUNCTION
    ),
    "mhlo-legalize-einsum-to-dot-general": UpstreamPass(
        "LegalizeEinsumToDotGeneralPass", "Turn einsum into dot_general", (), _FUNCTION
    ),
    "mhlo-legalize-torch-index-select-to-gather": UpstreamPass(
        "LegalizeTorchIndexSelectToGatherPass",
        "Turn torch_index_select into gather",
        (),
        _FUNCTION,
    ),
    "mhlo-legalize-trigonometric-to-approximation": UpstreamPass(
        "LegalizeTanhToApproximationPass", "Approximate tanh by arithmetic", (), _FUNCTION
    ),
    "mhlo-sink-constants-to-control-flow": UpstreamPass(
        "SinkConstantsToControlFlowPass",
        "Copy constants into the regions that use them",
        (),
        _FUNCTION,
    ),
    "mhlo-test-infer-shaped-type-methods": UpstreamPass(
        "TestInferShapedTypeMethodsPass", "Test the inference of types", (), _FUNCTION
    ),
    "mhlo-test-materialize-broadcasts": UpstreamPass(
        "TestMaterializeBroadcastsPass", "Make implicit broadcasts explicit", (), _FUNCTION
    ),
    "mhlo-test-unfuse-batch-norm": UpstreamPass(
        "TestUnfuseBatchNormPass", "Replace batch norms by arithmetic", (), _FUNCTION
    ),
    "stablehlo-canonicalize-dynamism": UpstreamPass(
        "StablehloCanonicalizeDynamismPass",
        "Replace dynamic ops by static ones where shapes are known",
        (),
        _FUNCTION,
    ),
    "stablehlo-check-shape-assertions": UpstreamPass(
        "StablehloCheckShapeAssertionsPass",
        "Check the custom calls that assert shapes, and erase those that hold",
        (_Option("enable-shape-assertions", "true", "Check; otherwise only erase"),),
        _FUNCTION,
    ),
    "stablehlo-compatibility-expander": UpstreamPass(
        "StablehloCompatibilityExpanderPass",
        "Replace ops that an older version of StableHLO lacks",
        (_Option("target", "", "The version, such as 1.0.0; must be given"),),
        _MODULE,
    ),
    "stablehlo-complex-math-expander": UpstreamPass(
        "StablehloComplexMathExpanderPass",
        "Replace functions of complex numbers by functions of real ones",
        (),
        _FUNCTION,
    ),
    "stablehlo-convert-to-signless": UpstreamPass(
        "StablehloConvertToSignlessPass", "Drop the signs of integer types", (), _MODULE
    ),
    "stablehlo-legalize-composite-to-call": UpstreamPass(
        "StablehloLegalizeCompositeToCallPass",
        "Replace composites by calls of their decompositions",
        (_Option("except", "", "Names of composites that stay"),),
        _FUNCTION,
    ),
    "stablehlo-legalize-deprecated-ops": UpstreamPass(
        "StablehloLegalizeDeprecatedOpsPass",
        "Replace deprecated ops by those that took their place",
        (_Option("fail-on-unused", "true", "Fail on deprecated ops that nothing replaces"),),
        _FUNCTION,
    ),
    "stablehlo-legalize-qdq-to-quantized-op": UpstreamPass(
        "StablehloLegalizeQDQToQuantizedOpPass",
        "Fuse dequantization, op and quantization into a quantized op",
        (),
        _FUNCTION,
    ),
    "stablehlo-legalize-quant-to-math": UpstreamPass(
        "StablehloLegalizeQuantToMathPass",
        "Replace quantized ops by integer arithmetic",
        (),
        _FUNCTION,
    ),
    "stablehlo-legalize-quantized-op-to-qdq": UpstreamPass(
        "StablehloLegalizeQuantizedOpToQDQPass",
        "Split quantized ops into dequantization, op and quantization",
        (),
        _FUNCTION,
    ),
    "stablehlo-refine-arguments": UpstreamPass(
        "StablehloRefineArgumentsPass",
        "Change the types of the arguments of main",
        (_Option("types", "", "The types, separated by commas"),),
        _MODULE,
    ),
    "stablehlo-refine-shapes": UpstreamPass(
        "StablehloRefineShapesPass",
        "Infer static shapes from those of the arguments of main",
        (),
        _MODULE,
    ),
    "stablehlo-wrap-in-composite": UpstreamPass(
        "StablehloWrapInCompositePass",
        "Put ops into composites",
        (
            _Option("op-names", "", "The ops, separated by commas"),
            _Option("version", "0", "The version that the composites carry"),
        ),
        _MODULE,
    ),
}
