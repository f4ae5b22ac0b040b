// What the page shows, read from DATA, in which numbers lead from one table into another:
//   meshes      {mesh: {axis: size}}
//   lines       the lines of the module
//   names, dtypes, functions, texts   texts that other tables refer to
//   sources     [file, line, code]; the code is "" if the file could not be read
//   shardings   [text, [[axes, closed, priority | null], ...]]
//   ops         [name, line, source | -1, erased]
//   tensors     [name, op | -1, kind, function, shape, dtype, bytes, label, source | -1, final | -1, given]
//               given: 0, or [text, sharding, op | -1, source | -1, like | -1]
//   steps       [op, user priority, op priority, strategy, changes]; a change: [tensor, dimension, axes after, gains];
//               a gain: [axis, tensor that it came from]
//   refusals    [tensor, op, axis, text, source | -1]: the source of what is in the way
//   obstacles   [text, tensor, source | -1, bytes, axes]
//   replicated  [tensor, axes, bytes]
//   communication  null, or {count: of all collectives, totals: [axes, count, operand bytes, bytes], assumption of the times,
//               collectives: [kind, tensor | -1, axes, source | -1, bytes, operand bytes, how often, shardings, reasons, seconds],
//                 a reason: [text, tensor | -1, axis]; bytes are those that a device receives in a run,
//               uncounted: [text, tensor | -1, axes, source | -1],
//               compiled: null, or {text, kinds: [kind, here, compiled] each [count, bytes], differences: [source | -1, text, count]}}

const DATA = JSON.parse(document.getElementById("data").textContent);
const KINDS = ["argument", "value", "result"];

const sourceOf = (at) => {
  if (at < 0) return null;
  const [file, line, code] = DATA.sources[at];
  return {at, file, line, code, text: `${file}:${line}`, short: `${file.split("/").pop()}:${line}`};
};
const sources = DATA.sources.map((_, at) => sourceOf(at));
const source = (at) => (at < 0 ? null : sources[at]);

const ops = DATA.ops.map(([name, line, from, erased], number) =>
  ({number, name: DATA.names[name], line, source: source(from), erased: erased === 1}));

const shardings = DATA.shardings.map(([text, dims]) =>
  ({text, dims: dims.map(([axes, closed, priority]) => ({axes, closed: closed === 1, priority}))}));

const tensors = DATA.tensors.map(([name, op, kind, inside, shape, dtype, bytes, label, from, final, given], number) => ({
  number, name, op: op < 0 ? null : ops[op], kind: KINDS[kind], inside: DATA.functions[inside], shape, dtype: DATA.dtypes[dtype], bytes, label,
  source: source(from), final: final < 0 ? null : shardings[final],
  given: given === 0 ? null : {by: given[0], sharding: shardings[given[1]], op: given[2] < 0 ? null : ops[given[2]], source: source(given[3]), like: given[4]},
  isArgument: op >= 0 && name.startsWith("%arg") && kind === 1, changes: [], refusals: [],
}));

const steps = DATA.steps.map(([op, user, priority, strategy, changes], at) => {
  const step = {number: at + 1, op: ops[op], user, priority, strategy, changes: changes.map(([tensor, dim, after, gains]) => ({tensor, dim, after, gains}))};
  for (const change of step.changes) tensors[change.tensor].changes.push({...change, step});
  return step;
});
const refusals = DATA.refusals.map(([tensor, op, axis, text, from]) => ({tensor, op: ops[op], axis, text, source: source(from)}));
for (const refusal of refusals) tensors[refusal.tensor].refusals.push(refusal);

// An axis, or a part of one, as numbers: `x:(2)4` is the part of size 4 after one of size 2.
const parsedAxis = (text) => {
  const found = /^(.*):\((\d+)\)(\d+)$/.exec(text);
  return found ? {name: found[1], from: Number(found[2]), to: found[2] * found[3]} : {name: text, from: 1, to: Infinity};
};
const nameOf = (axis) => parsedAxis(axis).name;
const overlap = (one, other) => {
  const a = parsedAxis(one), b = parsedAxis(other);
  return a.name === b.name && a.from < b.to && b.from < a.to;
};

// The axes of each dimension after a number of steps; the user's axes of a later priority are not there yet.
function axesAt(tensor, count) {
  const user = count === 0 ? 0 : steps[count - 1].user;
  const dims = tensor.shape.map((_, dim) => {
    const given = tensor.given?.sharding.dims[dim];
    return given && (given.priority ?? 0) <= user ? given.axes : [];
  });
  for (const {dim, after, step} of tensor.changes) if (step.number <= count) dims[dim] = after;
  return dims;
}
const isChanged = (tensor, count) => tensor.changes.some(({step}) => step.number === count);
const finalAxes = (tensor) => tensor.shape.map((_, dim) => tensor.final?.dims[dim]?.axes ?? []);

// The way of an axis to a tensor: from it back to who gave it.
function chainOf(tensor, axis, before = Infinity) {
  const links = [];
  while (true) {
    const arrival = arrivalOf(tensor, axis, before);
    if (arrival === null) break;
    links.push({tensor, dim: arrival.dim, axis: arrival.axis, step: arrival.step});
    [tensor, axis, before] = [tensors[arrival.source], arrival.axis, arrival.step.number];
  }
  for (let found = tensor; found?.given; found = found.given.like >= 0 ? tensors[found.given.like] : null) {
    const dim = found.given.sharding.dims.findIndex(({axes}) => axes.some((each) => overlap(each, axis)));
    // Inside of a manual computation no dimension has manual axes; what it comes from has them.
    const isManual = dim < 0 && links.length > 0 && found.given.by === "manual computation";
    if (dim >= 0 || isManual) links.push({tensor: found, dim: isManual ? links.at(-1).dim : dim, axis, step: null, given: found.given});
  }
  return links;
}

function arrivalOf(tensor, axis, before) {
  for (const {step, dim, gains} of tensor.changes) {
    if (step.number >= before) break;
    const gain = gains.find(([each]) => overlap(each, axis));
    if (gain) return {step, dim, axis: gain[0], source: gain[1]};
  }
  return null;
}

// All tensors that an axis of a tensor came to, at once or through others.
function reachOf(tensor, axis) {
  const reached = new Map([[tensor.number, 0]]);
  for (const step of steps) {
    for (const {tensor: to, gains} of step.changes) {
      if (reached.has(to)) continue;
      if (gains.some(([each, from]) => overlap(each, axis) && reached.has(from))) reached.set(to, step.number);
    }
  }
  reached.delete(tensor.number);
  return reached;
}

// The axes of the tensor's mesh that divide none of its dimensions.
function missingAxes(tensor) {
  const used = new Set(finalAxes(tensor).flat().map(nameOf));
  const meshes = Object.values(DATA.meshes);
  return tensor.shape.length === 0 || meshes.length === 0 ? [] : Object.keys(meshes[0]).filter((axis) => !used.has(axis));
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];
function bytesText(bytes) {
  const at = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** at;
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[at]}`;
}
const plural = (count, one) => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
