"""The named pipelines of the `mpmd` passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from sdykit.core import Pipeline

_DEFAULT_PATTERN = "params['transformer"

_Compat = Literal["documented", "jaxlib"]
_FORMER_COMPAT = {"today": "jaxlib"}


@dataclass(frozen=True)
class ExportPipeline(Pipeline):
    """Turn a partitioned MPMD program into calls of functions that run on one mesh each.

    Takes a program of fragments and transfers, after sharding propagation. Inputs and
    outputs are marked with memory kinds, layouts, aliasing and donation; work that the
    compiler added is delayed until it is needed; and each fragment becomes a function that
    can be compiled by itself, with the bytes of memory to leave free while it runs.
    `--dump-pass-pipeline` shows the passes and their options.
    """

    name = "mpmd-export-pipeline"

    compat: _Compat = field(default="documented", metadata={"former_values": _FORMER_COMPAT})
    """Do what the documents of the dialect say, or what the C++ passes in jaxlib 0.10.2 do.

    `jaxlib` sets the options of the passes accordingly. It sets `transfer-layouts=operands`,
    although a Shardy newer than that in jaxlib 0.10.2 does what `keep-unless-cpu` selects.
    """

    fail_on_reshard_only_fragments: bool = False
    """Make a fragment that only reshards an error instead of a warning."""

    fail_on_backward_deps: bool = False
    """Make a dependency on a later mesh an error instead of a warning. For forward-only
    programs: one with transposed fragments, such as a training step, is then an error."""

    fail_on_inferred_fragments: bool | None = None
    """Make a remaining inferred fragment an error instead of a warning (default: true with
    `compat=jaxlib`, otherwise false)."""

    fail_on_param_transfers: bool = False
    """Make a transfer of a parameter an error instead of a warning."""

    param_transfer_pattern: str = _DEFAULT_PATTERN
    """Text that marks a parameter if the location name of a transferred value contains it."""

    def __post_init__(self) -> None:
        # The class is frozen, and Python code may still use the former name.
        object.__setattr__(self, "compat", _FORMER_COMPAT.get(self.compat, self.compat))
        if self.compat not in get_args(_Compat):
            raise ValueError(
                f"option 'compat' expects one of {', '.join(get_args(_Compat))}, found"
                f" '{self.compat}'"
            )
        if '"' in self.param_transfer_pattern:
            raise ValueError(
                "option 'param-transfer-pattern' expects a text without double quotes, found"
                f" '{self.param_transfer_pattern}'"
            )

    def passes(self) -> Sequence[str]:
        as_jaxlib = self.compat == "jaxlib"
        fail_on_inferred = self.fail_on_inferred_fragments
        if fail_on_inferred is None:
            fail_on_inferred = as_jaxlib
        return [
            # Before aliasing and reserved memory, which skip values in host memory.
            _call("mpmd-mark-offloaded-input-output", mark_entry_point=not as_jaxlib),
            # Before aliasing, which compares layouts.
            _call(
                "mpmd-mark-input-output-with-layouts",
                transfer_layouts="operands" if as_jaxlib else "default",
            ),
            # Before aliasing and reserved memory, which depend on the order of ops.
            "mpmd-delay-inferred-fragments",
            # After inferred fragments, since one of them may be the consumer.
            "mpmd-delay-transfers-from-cpu",
            # A fragment call takes no tokens, and a token has no buffer. Ops that created the
            # tokens stay: `trivial-dce` erases unused `create_token` ops.
            "mpmd-sink-create-token-into-fragments",
            "mpmd-mark-aliasing-and-donation",
            # After aliasing; before lowering, which takes the maximum over fragments of a function.
            _call(
                "mpmd-mark-fragment-reserved-memory",
                attribute="reserved_hbm_bytes" if as_jaxlib else "xla_tpu_user_reserved_hbm_bytes",
                aliased_counts_as_donated=not as_jaxlib,
            ),
            # These check fragments and transfers ...
            _call(
                "mpmd-validate-no-param-transfers",
                fail_on_param_transfers=self.fail_on_param_transfers,
                param_pattern=f'"{self.param_transfer_pattern}"',
            ),
            _call(
                "mpmd-validate-no-inferred-fragments",
                fail_on_inferred_fragments=fail_on_inferred,
                require_inferred_by=as_jaxlib,
            ),
            _call(
                "mpmd-lower-to-fragment-calls",
                naming="program" if as_jaxlib else "origins",
                manual_shardings="keep" if as_jaxlib else "rename",
                reserved_bytes="reserved_hbm_bytes" if as_jaxlib else "both",
            ),
            # ... and these check functions and calls.
            _call(
                "mpmd-validate-no-reshards",
                fail_on_reshard_only_fragments=self.fail_on_reshard_only_fragments,
            ),
            _call(
                "mpmd-validate-no-backward-deps",
                fail_on_backward_deps=self.fail_on_backward_deps,
            ),
        ]


def _call(name: str, **options: str | bool) -> str:
    """Write a pass with its options as pipeline text."""
    texts = [
        f"{key.replace('_', '-')}={str(value).lower() if isinstance(value, bool) else value}"
        for key, value in options.items()
    ]
    return f"{name}{{{' '.join(texts)}}}"
