// The details of a part, shown while the pointer is on it, and beside the picture when it is
// selected. Text is always inserted as text, never as HTML.

const PASSES = {
  memory: "mpmd-mark-offloaded-input-output",
  layout: "mpmd-mark-input-output-with-layouts",
  sharing: "mpmd-mark-aliasing-and-donation",
  reserved: "mpmd-mark-fragment-reserved-memory",
  callee: "mpmd-lower-to-fragment-calls",
};

function el(name, style, ...content) {
  const element = document.createElement(name);
  if (style) element.className = style;
  element.append(...content.filter((each) => each !== null));
  return element;
}

// The tables of inputs and outputs have at most `rows` rows each.
function details(program, part, rows = Infinity) {
  const content = part.kind === "argument" || part.kind === "result" ? portDetails(program, part)
    : part.kind === "transfer" ? moveDetails(program, part) : boxDetails(program, part, rows);
  return el("div", "card " + part.kind, ...content);
}

function title(text, kind, where) {
  return el("div", "title", el("h2", "", text), el("span", "kind", kind), el("p", "where", where));
}

function whereOf(step) {
  const lanes = step.lanes.map(laneName);
  const on = step.kind === "transfer" ? lanes.join(" \u2192 ") : lanes.join(", ");
  return [`step ${step.number}`, on, step.place].filter((each) => each).join(" \u00b7 ");
}

function facts(pairs) {
  const shown = pairs.filter(([, value]) => value !== null && value !== "");
  if (!shown.length) return null;
  return el("dl", "facts", ...shown.flatMap(([name, value]) => [el("dt", "", name), el("dd", "", value)]));
}

function times(count) {
  return count === 0 ? "" : count === 1 ? " (transposed)" : ` (transposed ${count} times)`;
}

const PHASES = {forward: "forward", backward: "backward", mixed: "forward and backward", inferred: "inferred"};

function ranText(program, {start, end}) {
  return start === null ? null : `${timeText(end - start)}, from ${timeText(start)} to ${timeText(end)} of ${timeText(program.seconds)}`;
}

function boxDetails(program, step, rows) {
  const origins = step.origins.map(([name, count]) => name + times(count)).join(", ");
  const calls = step.callee === null ? 0 : program.callers.get(step.callee);
  const pairs = step.kind !== "fragment" ? [] : [
    ["origin", origins || "none (added by the compiler)"],
    ["inferred by", step.inferred_by.join(", ")],
    ["phase", origins ? PHASES[step.phase] : null],
    ["stage", step.stage],
    ["call counter", step.call_counter],
    ["body", bodyText(step.body)],
  ];
  return [
    title(step.label, step.kind === "fragment" ? PHASES[step.phase] + " fragment" : step.op, whereOf(step)),
    facts([["ran", ranText(program, step)], ...pairs, ...step.others.filter(() => step.kind === "other")]),
    ...markGroups(step, calls),
    ports(program, step, "inputs", rows), ports(program, step, "outputs", rows),
  ];
}

function bodyText({ops = 0, frequent = []}) {
  const names = frequent.map(([name, count]) => `${name.replace(/^stablehlo\./, "")} ${count}`);
  const rest = ops - frequent.reduce((sum, [, count]) => sum + count, 0);
  return plural(ops, "op") + (names.length ? ": " + names.join(", ") + (rest ? ", ..." : "") : "");
}

// One group of marks for each pass.
function markGroups(step, calls) {
  if (step.kind !== "fragment") return [];
  const inputs = portLines(step.inputs, "input"), outputs = portLines(step.outputs, "output");
  const both = (test) => [...inputs(test), ...outputs(test)];
  const reserved = step.reserved === null ? [] : [`${exactBytes(step.reserved)} on each device, ${step.reserved_attribute}`];
  const rest = [...(step.remat ? ["remat"] : []), ...step.others.map(([name, text]) => `${name} = ${text}`),
                ...both((marks) => marks.others.map(([name, text]) => `${name} = ${text}`).join(", ") || null)];
  return [
    markGroup("Aliasing and donation", PASSES.sharing, [
      ...inputs((marks) => marks.aliases === null ? null : `shares its buffer with output #${marks.aliases}`),
      ...inputs((marks) => marks.donated ? "donated" : null)]),
    markGroup("Host memory", PASSES.memory, both((marks) => marks.memory_kind)),
    markGroup("Layouts", PASSES.layout, both((marks) => marks.layout)),
    markGroup("Reserved memory", PASSES.reserved, reserved),
    markGroup("Function", PASSES.callee, step.callee === null ? [] : ["@" + step.callee + (calls > 1 ? `, called ${calls} times` : "")]),
    markGroup("Other marks", "", rest),
  ];
}

// Lines such as "inputs #0, #3: donated"; equal marks share a line.
function portLines(list, kind) {
  return (textOf) => {
    const numbers = new Map();
    list.forEach((port, number) => {
      const text = textOf(port.marks);
      if (text !== null) numbers.set(text, [...(numbers.get(text) ?? []), "#" + number]);
    });
    return [...numbers].map(([text, found]) => `${kind}${found.length > 1 ? "s" : ""} ${found.join(", ")}: ${text}`);
  };
}

function markGroup(heading, pass, lines) {
  if (!lines.length) return null;
  return el("section", "marks", el("h3", "", heading, pass ? el("code", "", "-" + pass) : null),
    el("ul", "", ...lines.map((each) => el("li", "", each))));
}

function moveDetails(program, step) {
  const [from] = step.inputs, [to] = step.outputs, kind = moveKind(step, program.lanes);
  const what = {between: "between meshes", host: "from or to a host", within: "within one mesh"}[kind];
  const changes = (name, a, b) => [name, a === b ? a : `${a ?? "none"} \u2192 ${b ?? "none"}`];
  return [
    title(`${laneName(step.lanes[0])} \u2192 ${laneName(step.lanes[1])}`, `${step.op} ${what}`, whereOf(step)),
    facts([["ran", ranText(program, step)], ["value", `${from.name} \u2192 ${to.name}`], ["from", partName(program, from.from, from.result)],
           ["type", to.type.tensor], changes("sharding", from.type.sharding, to.type.sharding),
           changes("memory kind", from.type.memory_kind, to.type.memory_kind),
           changes("on one device", from.type.local, to.type.local),
           ["bytes per device", to.type.bytes === null ? null : exactBytes(to.type.bytes)],
           ["used by", users(program, step.key, 0)], ...step.others]),
  ];
}

function portDetails(program, port) {
  const lines = [port.marks.donated ? "donated" : null,
                 port.marks.aliases === null ? null : `shares its buffer with result #${port.marks.aliases}`,
                 port.marks.memory_kind && `memory kind ${port.marks.memory_kind}`,
                 port.marks.layout && `layout ${port.marks.layout}`,
                 ...port.marks.others.map(([name, text]) => `${name} = ${text}`)].filter((each) => each);
  const linked = port.kind === "argument" ? ["used by", users(program, port.key, port.number)]
    : ["from", partName(program, port.from, port.result)];
  return [
    title(`${port.kind} #${port.number}`, port.name, [port.label, laneName(port.lane)].filter((each) => each).join(" \u00b7 ")),
    facts([["type", port.type.tensor], ["sharding", port.type.sharding], ["memory kind", port.type.memory_kind],
           ["on one device", port.type.local], ["bytes per device", port.type.bytes === null ? null : exactBytes(port.type.bytes)],
           linked]),
    markGroup("Marks", "", lines),
  ];
}

function partName(program, key, result) {
  if (key === null) return null;
  const part = program.parts.get(key);
  if (part.kind === "argument") return `argument #${part.number}` + (part.label ? ` ${part.label}` : "");
  if (part.kind === "result") return `result #${part.number}`;
  const output = result === null || part.outputs.length < 2 ? "" : `, output #${result}`;
  return `${part.label} (step ${part.number}${output})`;
}

const MAX_NAMED = 6;

// The parts that use one of the values of a part.
function users(program, key, index) {
  const uses = (port) => port.from === key && port.result === index;
  const names = program.parts.get(key).after.filter((user) => {
    const part = program.parts.get(user);
    return part.inputs ? part.inputs.some(uses) : uses(part);
  }).map((user) => partName(program, user, null));
  if (!names.length) return "nothing";
  return names.slice(0, MAX_NAMED).join(", ") + (names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "");
}

function ports(program, step, side, rows) {
  const list = step[side];
  if (!list.length) return null;
  const last = side === "inputs" ? "from" : "to";
  const heads = ["#", "value", "type", "sharding", "on one device", "bytes", "memory", "marks", last];
  const texts = list.map((port, number) => [String(number), ...portCells(port),
    (side === "inputs" ? partName(program, port.from, port.result) : users(program, step.key, number)) ?? ""]);
  const used = heads.map((_, column) => texts.some((cells) => cells[column]));
  const row = (cells, number) => {
    const shown = el("tr", "", ...cells.filter((_, column) => used[column]).map((text) => el("td", "", text)));
    shown.title = list[number].type.text;
    return shown;
  };
  return el("section", "ports", el("h3", "", plural(list.length, side.slice(0, -1))),
    el("table", "", el("thead", "", el("tr", "", ...heads.filter((_, column) => used[column]).map((head) => el("th", "", head)))),
      el("tbody", "", ...texts.slice(0, rows).map(row))),
    list.length > rows ? el("p", "where", `and ${list.length - rows} more; click to see all`) : null);
}

// The parts of the type that differ between values; the title of the row has the whole type.
function portCells({name, type, marks}) {
  const shape = (text) => text?.replace(/^tensor<(.*)>$/, "$1") ?? "";
  return [name, shape(type.tensor), type.sharding?.replace(/^<@[^,]*, (.*)>$/, "$1") ?? "",
          type.local === type.tensor ? "" : shape(type.local), type.bytes?.toLocaleString("en") ?? "",
          type.memory_kind ?? "", markWords(marks).join(", ")];
}

function markWords(marks) {
  return [marks.aliases === null ? null : "= #" + marks.aliases, marks.donated ? "donated" : null,
          marks.memory_kind, marks.layout && "layout " + marks.layout].filter((word) => word);
}
