"""The body of a function while it is written: its values, and what statements share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from support.generators.choices import Choices
from support.mpmd.programs.bodies import Body
from support.mpmd.programs.callees import Callee, Callees
from support.mpmd.programs.features import Features
from support.mpmd.programs.topology import Topology, random_sharding
from support.mpmd.programs.types import Mesh, MeshTensor, Tensor, Value

_TENSORS = (
    Tensor((4, 8)),
    Tensor((4, 8)),
    Tensor((8, 8)),
    Tensor((8,)),
    Tensor(()),
    Tensor((4, 8), "bf16"),
    Tensor((4, 8), "i32"),
    Tensor((8,), "i8"),
    Tensor((4, 8), "i1"),
    Tensor((3, 5), "f32"),
    Tensor((2, 4), "complex<f32>"),
)
_PARAMETERS = (
    "params['transformer']['w']",
    "params['transformer_0']",
    "params['embedder']",
    "opt_state[0].mu['transformer']",
    "x",
)
"""Names of arguments in JAX programs; the first two match the usual pattern."""

_LOCATIONS = (
    '"{}"',
    '"{}"',
    '"{}"("model.py":3:7)',
    'callsite("{}" at "model.py":5:1)',
    'fused["{}", "model.py":2:1]',
    "unknown",
)


def random_tensors(choices: Choices, features: Features) -> tuple[Tensor, ...]:
    """Draw the few types that the values of one program have, so that operands are found."""
    # The C++ passes crash where they count the bytes of complex numbers.
    found = [t for t in _TENSORS if not (features.oracle and t.kind == "complex")]
    count = choices.pick((1, 2, 2, 3)) if features.large else 1
    tensors = tuple(choices.pick(found) for _ in range(count))
    if features.elements:
        return tensors
    return tuple(tensor.of("f32") for tensor in tensors)


@dataclass
class Family:
    """Fragments with one body."""

    body: Body
    seed: int
    """The seed of origins and stage, which most of them share."""
    members: int = 0


@dataclass
class Program:
    """What the statements of one function share."""

    features: Features
    topology: Topology
    tensors: Sequence[Tensor]
    manual: bool = False
    """Whether there may be manual computations."""
    callees: Callees = field(default_factory=Callees)
    """The functions that bodies can call."""
    called: dict[Callee, None] = field(default_factory=dict)
    """Those that fragments do call, in order."""
    arguments: list[Value] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    """All of them, arguments too."""
    tokens: list[str] = field(default_factory=list)
    families: list[Family] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    meshes_named: set[Mesh] = field(default_factory=set)
    """Those that a sharding names."""
    _written: set[object] = field(default_factory=set)

    @property
    def propagated(self) -> bool:
        """Whether the oracle propagates shardings anew: all must be the same, then."""
        return self.manual and self.features.oracle

    def is_new(self, key: object) -> bool:
        """Return whether an op is new, and note it: CSE would merge equal ops."""
        if key in self._written and self.features.oracle:
            return False
        self._written.add(key)
        return True

    def mesh(self, choices: Choices) -> Mesh:
        """Pick a mesh, rather not one of a CPU."""
        mesh = choices.pick(self.topology.meshes)
        return choices.pick(self.topology.meshes) if mesh.is_cpu else mesh

    def type(self, choices: Choices, mesh: Mesh, tensor: Tensor) -> MeshTensor:
        """Draw the type of a tensor on a mesh: one of few, so that equal ones are found."""
        features = self.features
        sharding = self.sharding(choices, mesh, tensor) if features.shardings else None
        kind = None
        if features.host_types and choices.chance(0.12):
            kind = choices.pick(("pinned_host", "pinned_host", "device"))
        return MeshTensor(mesh, tensor, sharding, kind)

    def sharding(self, choices: Choices, mesh: Mesh, tensor: Tensor) -> str | None:
        """Draw one of few shardings, or none."""
        drawn = choices.between(0, 1)
        if self.propagated:
            return self.first_axis(mesh)
        sharding = random_sharding(Choices(drawn), mesh, tensor)
        if sharding:
            self.meshes_named.add(mesh)
        return sharding

    def first_axis(self, mesh: Mesh) -> str:
        """Return the sharding of a matrix over the first axis of a mesh."""
        self.meshes_named.add(mesh)
        return f'@{mesh.symbol}, [{{"{mesh.axes[0][0]}"}}, {{}}]'

    def add(self, value: Value) -> Value:
        self.values.append(value)
        return value

    def new_name(self) -> str:
        return f"%u{len(self.values)}"

    def argument(self, choices: Choices, mesh: Mesh, tensor: Tensor | None = None) -> Value:
        """Add an argument to the function."""
        type_ = self.type(choices, mesh, tensor or choices.pick(self.tensors))
        return self.argument_of(choices, type_)

    def argument_of(self, choices: Choices, type_: MeshTensor) -> Value:
        value = Value(f"%arg{len(self.arguments)}", type_, choices.seed())
        self.arguments.append(value)
        return self.add(value)

    def operand(
        self,
        choices: Choices,
        mesh: Mesh,
        tensor: Tensor | None,
        allowed: Callable[[Value], bool],
        taken: Sequence[Value] = (),
    ) -> Value:
        """Pick a value on a mesh, or make an argument; one not taken, if that matters."""
        found = [
            value
            for value in self.values
            if value.type.mesh == mesh
            and (tensor is None or value.type.tensor == tensor)
            and allowed(value)
            and not (self.features.oracle and value in taken)
        ]
        if not found or choices.chance(0.15):
            return self.argument(choices, mesh, tensor)
        unused = [value for value in found if not value.used and value.producer != "argument"]
        if unused and choices.chance(0.6):
            return choices.pick(unused)
        return choices.pick(found)

    def location(self, choices: Choices) -> str:
        """Return a location with a name, or an empty text."""
        if not self.features.locations or not choices.chance(0.3):
            return ""
        name = choices.pick(_PARAMETERS)
        return f" loc({choices.pick(_LOCATIONS).format(name)})"
