// The programs from the JSON of the page, with default values for the fields that it leaves out,
// and the links between their parts. A part is a step ("s12"), an argument ("a3") or a result ("r0").

const DATA = JSON.parse(document.getElementById("data").textContent);

const NO_MARKS = {donated: false, aliases: null, layout: null, memory_kind: null, others: []};

function readPort(port, lane) {
  const type = {lane: "", sharding: null, memory_kind: null, local: null, bytes: null,
                ...DATA.types[port.type]};
  const source = port.source ?? null;
  const from = source && (source.step === null ? "a" : "s") + (source.step ?? source.index);
  return {name: port.name, label: port.label ?? null, type, lane: type.lane, from,
          result: source && source.index, marks: {...NO_MARKS, ...port.marks}};
}

function readStep(step, number) {
  const whole = {
    place: null, tick: 0, start: null, end: null, origins: [], stage: null, call_counter: null, callee: null,
    body: null, reserved: null, reserved_attribute: null, inferred_by: [], remat: false,
    others: [], ...step,
  };
  const lanes = [...new Set(whole.lanes)];
  return {...whole, key: "s" + number, number, on: lanes, phase: phaseOf(whole),
          inputs: step.inputs.map(readPort), outputs: step.outputs.map(readPort)};
}

function phaseOf(step) {
  if (step.kind !== "fragment") return "";
  if (!step.origins.length) return "inferred";
  const backward = step.origins.filter(([, count]) => count > 0).length;
  return !backward ? "forward" : backward === step.origins.length ? "backward" : "mixed";
}

function readProgram(program) {
  const steps = program.steps.map(readStep);
  const ends = (ports, letter, kind) => ports.map((port, number) =>
    ({...readPort(port), key: letter + number, number, kind, on: [readPort(port).lane]}));
  const whole = {
    name: program.name, public: program.public ?? true, place: program.place ?? null, steps,
    lanes: program.lanes.map((lane) => ({axes: [], cpu: false, ...lane})),
    arguments: ends(program.arguments, "a", "argument"),
    results: ends(program.results, "r", "result"),
    loops: program.loops ?? [],
  };
  whole.parts = new Map([...whole.arguments, ...steps, ...whole.results].map((p) => [p.key, p]));
  whole.flows = flowsOf(whole);
  whole.order = [...whole.parts.keys()];
  whole.seconds = Math.max(0, ...steps.map((step) => step.end ?? 0));
  whole.peak = Math.max(0, ...steps.map((step) => step.reserved ?? 0));
  whole.callers = countBy(steps.filter((step) => step.kind === "fragment" && step.callee !== null), (step) => step.callee);
  return whole;
}

// One flow for each pair of parts with values between them, with their number.
function flowsOf(program) {
  const flows = new Map();
  const add = (port, to) => {
    if (port.from === null) return;
    const key = port.from + "-" + to;
    if (flows.has(key)) flows.get(key).count += 1;
    else flows.set(key, {from: port.from, to, count: 1});
  };
  for (const step of program.steps) for (const port of step.inputs) add(port, step.key);
  for (const result of program.results) add(result, result.key);
  for (const part of program.parts.values()) Object.assign(part, {before: [], after: []});
  for (const {from, to} of flows.values()) {
    program.parts.get(from).after.push(to);
    program.parts.get(to).before.push(from);
  }
  return [...flows.values()];
}

// The producers ("before") or consumers ("after") of a part, followed through transfers.
function neighbours(program, key, side) {
  const found = new Set(), pending = [...program.parts.get(key)[side]];
  while (pending.length) {
    const next = pending.pop();
    if (found.has(next)) continue;
    found.add(next);
    if (program.parts.get(next).kind === "transfer") pending.push(...program.parts.get(next)[side]);
  }
  return found;
}

function countBy(items, keyOf) {
  const counts = new Map();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

// The number of inputs and outputs of a step with each mark.
function marksOf(step) {
  const ports = [...step.inputs, ...step.outputs];
  const count = (test) => ports.filter((port) => test(port.marks)).length;
  return {
    alias: count((marks) => marks.aliases !== null),
    donor: count((marks) => marks.donated),
    host: count((marks) => marks.memory_kind !== null && marks.memory_kind !== "device"),
    layout: count((marks) => marks.layout !== null),
    remat: step.remat ? 1 : 0,
  };
}

function plural(count, word, words = word + "s") {
  return `${count.toLocaleString("en")} ${count === 1 ? word : words}`;
}

function laneName(name) {
  return name === "" ? "no mesh" : name;
}

// The kind of a transfer: between meshes, from or to a host, or within one mesh.
function moveKind(step, lanes) {
  const kinds = [step.inputs[0].type.memory_kind, step.outputs[0].type.memory_kind];
  const hosts = step.lanes.map((lane, at) =>
    kinds[at] === "pinned_host" || lanes.some((each) => each.name === lane && each.cpu));
  if (hosts[0] !== hosts[1]) return "host";
  return step.lanes[0] === step.lanes[1] ? "within" : "between";
}

function bytesText(bytes) {
  if (bytes < 1024) return bytes + (bytes === 1 ? " byte" : " bytes");
  const power = Math.min(4, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0) + " " + ["", "K", "M", "G", "T"][power] + "iB";
}

function timeText(seconds) {
  if (seconds === 0) return "0";
  const [unit, scale] = seconds >= 1 ? ["s", 1] : seconds >= 1e-3 ? ["ms", 1e3] : ["\u00b5s", 1e6];
  return Number((seconds * scale).toPrecision(3)) + " " + unit;
}

function exactBytes(bytes) {
  return bytes < 1024 ? bytesText(bytes) : `${bytesText(bytes)} (${bytes.toLocaleString("en")} bytes)`;
}
