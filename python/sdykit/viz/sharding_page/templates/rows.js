// The program as rows; only those in view are in the document, so that long programs scroll smoothly.

const ROW = 24;
const by = (id) => document.getElementById(id);
const program = by("program"), holder = by("rows");

function el(tag, name, ...children) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const axisNames = [...new Set(Object.values(DATA.meshes).flatMap((axes) => Object.keys(axes)))];
const colorOf = (axis) => `var(--a${axisNames.indexOf(nameOf(axis)) % 6})`;

function chip(axis, kind = "span") {
  const made = el(kind, "axis", axis);
  made.style.setProperty("--ax", colorOf(axis));
  return made;
}

function shapeOf(tensor, dims) {
  const parts = tensor.shape.map((size, at) => el("span", "dim", String(size), ...dims[at].map((axis) => chip(axis))));
  return el("span", "type", el("span", "dtype", tensor.dtype), ...parts);
}

const nameText = (tensor) => {
  if (tensor.kind === "argument") return tensor.label || tensor.name;
  if (tensor.kind === "result") return `return ${tensor.label || tensor.name}`;
  if (tensor.isArgument) return `${tensor.name} of ${tensor.op.name}`;
  return `${tensor.name} = ${tensor.op ? tensor.op.name.replace(/^stablehlo\./, "") : ""}`;
};

// Rows in the order of the program, a heading for each function.
function programRows(shown) {
  const rows = [];
  let inside = null;
  for (const tensor of shown) {
    if (tensor.inside !== inside) rows.push({heading: `func @${(inside = tensor.inside)}`, code: ""});
    rows.push({tensor});
  }
  return rows;
}

// Rows under the lines of the user's program that they come from, file by file.
function lineRows(shown) {
  const groups = new Map();
  for (const tensor of shown) {
    const key = tensor.source?.text ?? "";
    if (!groups.has(key)) groups.set(key, {source: tensor.source, tensors: []});
    groups.get(key).tensors.push(tensor);
  }
  const order = ({source}) => [source ? source.file : "\uffff", source ? source.line : 0];
  const sorted = [...groups.values()].sort((one, other) => {
    const [a, x] = order(one), [b, y] = order(other);
    return a < b ? -1 : a > b ? 1 : x - y;
  });
  return sorted.flatMap(({source, tensors: members}) => [
    {heading: source ? source.text : "without a source line", code: source?.code ?? ""},
    ...members.map((tensor) => ({tensor})),
  ]);
}

function fill(row, at) {
  if (row.heading !== undefined) {
    const made = el("div", "row heading", el("span", "name", row.heading), el("code", "", row.code));
    made.style.top = `${at * ROW}px`;
    return made;
  }
  const {tensor} = row, count = view.step;
  const made = el("div", "row",
    el("span", "name", nameText(tensor)),
    shapeOf(tensor, count === steps.length ? finalAxes(tensor) : axesAt(tensor, count)),
    el("span", "place", tensor.source && !view.byLine ? tensor.source.short : ""));
  made.style.top = `${at * ROW}px`;
  made.dataset.tensor = tensor.number;
  made.id = `row-${tensor.number}`;
  made.setAttribute("role", "option");
  made.setAttribute("aria-selected", String(tensor === view.picked));
  made.title = `${tensor.name}: ${bytesText(tensor.bytes)}${tensor.source ? `, ${tensor.source.text}` : ""}`;
  made.classList.toggle("erased", tensor.op?.erased === true);
  made.classList.toggle("changed", count > 0 && count < steps.length && isChanged(tensor, count));
  made.classList.toggle("lit", view.lit.has(tensor.number));
  made.classList.toggle("picked", tensor === view.picked);
  return made;
}

function draw() {
  holder.style.height = `${view.rows.length * ROW}px`;
  const first = Math.max(0, Math.floor(program.scrollTop / ROW) - 10);
  const last = Math.min(view.rows.length, Math.ceil((program.scrollTop + program.clientHeight) / ROW) + 10);
  holder.replaceChildren(...view.rows.slice(first, last).map((row, at) => fill(row, first + at)));
  if (view.picked) program.setAttribute("aria-activedescendant", `row-${view.picked.number}`);
  else program.removeAttribute("aria-activedescendant");
}

function bringIntoView(tensor) {
  const at = view.rows.findIndex((row) => row.tensor === tensor);
  if (at < 0) return;
  const top = at * ROW, bottom = top + ROW;
  if (top < program.scrollTop || bottom > program.scrollTop + program.clientHeight) program.scrollTop = Math.max(0, top - program.clientHeight / 3);
}
