"""The text of a function in LLVM IR, instruction by instruction.

It is text, not objects of `llvmlite.ir`: LLVM parses text in either case, and those objects do not
cover all of LLVM's current IR.
"""

from __future__ import annotations

from collections.abc import Sequence

INNER_LOOP, OUTER_LOOP = "!1", "!2"
METADATA = (
    "!0 = !{i32 1}\n"
    "!1 = distinct !{!1, !3}\n"
    "!2 = distinct !{!2, !4}\n"
    '!3 = !{!"llvm.loop.unroll.runtime.disable"}\n'
    '!4 = !{!"llvm.loop.unroll.disable"}'
)
"""The operand of `!nontemporal`, and the metadata of loops."""
ONCE = "noinline optnone nounwind"
"""Attributes of functions that run once in a call: optimizing takes longer than it saves."""


class Emitter:
    """The body of one LLVM function, with a current block.

    Args:
        declarations: the declarations at the top of the module, by name of the function; `call`
            adds to them.
    """

    def __init__(self, declarations: dict[str, str]) -> None:
        self.label = "entry"
        self.has_nontemporal = False
        self.loop_count = 0
        self._lines = ["entry:"]
        self._known: dict[str, str] = {}
        self._declarations = declarations
        self._registers = 0
        self._labels = 0

    @property
    def text(self) -> str:
        """All instructions so far."""
        return "\n".join(line for line in self._lines if line)

    def register(self) -> str:
        """Return a new name for a register."""
        self._registers += 1
        return f"%v{self._registers}"

    def set(self, instruction: str) -> str:
        """Add an instruction with a result and return its register."""
        name = self.register()
        self._lines.append(f"  {name} = {instruction}")
        return name

    def once(self, instruction: str) -> str:
        """Return the register of an instruction without side effects, added once in a block."""
        found = self._known.get(instruction)
        if found is None:
            found = self._known[instruction] = self.set(instruction)
        return found

    def do(self, instruction: str) -> None:
        """Add an instruction without a result."""
        self._lines.append(f"  {instruction}")

    def labels(self, *names: str) -> list[str]:
        """Return labels with a common new number."""
        self._labels += 1
        return [f"{name}{self._labels}" for name in names]

    def start(self, label: str) -> None:
        """Begin a block; the one before must have ended in a branch."""
        self._lines.append(f"{label}:")
        self.label = label
        self._known.clear()

    def jump(self, label: str) -> None:
        """End the block with a branch."""
        self.do(f"br label %{label}")

    def jump_back(self, head: str, loops_before: int) -> None:
        """End the last block of a loop.

        LLVM unrolls innermost loops with a known count only; the rest is left to the authors of
        programs: copies of whole nests took most of the compile time, and ran no faster.

        Args:
            head: the label of the first block of the loop.
            loops_before: the value of `loop_count` at the head.
        """
        kind = INNER_LOOP if self.loop_count == loops_before else OUTER_LOOP
        self.loop_count += 1
        self.do(f"br label %{head}, !llvm.loop {kind}")

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        """End the block with a conditional branch."""
        self.do(f"br i1 {condition}, label %{then}, label %{otherwise}")

    def reserve(self) -> int:
        """Reserve a line for instructions that `fill` writes, and return its number."""
        self._lines.append("")
        return len(self._lines) - 1

    def fill(self, line: int, instructions: Sequence[str]) -> None:
        """Write the instructions of a reserved line."""
        self._lines[line] = "\n".join(f"  {instruction}" for instruction in instructions)

    def call(
        self,
        name: str,
        result: str,
        arguments: Sequence[str],
        types: Sequence[str],
        flags: str = "",
        *,
        attributes: str = "",
    ) -> str:
        """Call a function, declaring it if it is new.

        Args:
            name: the name of an intrinsic, or of a function of libm or of the runtime.
            result: the LLVM type of the result.
            arguments: the type, attributes and operand of each argument.
            types: the LLVM type of each argument.
            flags: the fast-math flags of the call.
            attributes: the attributes of the function.

        Returns:
            The register of the result; "" if the result is `void`.
        """
        declaration = f"declare {result} @{name}({', '.join(types)}) {attributes}".rstrip()
        self._declarations.setdefault(name, declaration)
        words = " ".join(word for word in ("call", flags, result) if word)
        instruction = f"{words} @{name}({', '.join(arguments)})"
        if result == "void":
            self.do(instruction)
            return ""
        return self.set(instruction)

    def add(self, a: str, b: str) -> str:
        """Return the sum of two `i64`; constants are folded."""
        if a == "0":
            return b
        if b == "0":
            return a
        if is_constant(a) and is_constant(b):
            return str(int(a) + int(b))
        return self.once(f"add nsw i64 {a}, {b}")

    def multiply(self, a: str, b: str) -> str:
        """Return the product of two `i64`; constants are folded."""
        if "0" in (a, b):
            return "0"
        if a == "1":
            return b
        if b == "1":
            return a
        if is_constant(a) and is_constant(b):
            return str(int(a) * int(b))
        return self.once(f"mul nsw i64 {a}, {b}")


def is_constant(text: str) -> bool:
    """Return whether an operand is an integer constant."""
    return text.lstrip("-").isdigit()
