// What the page tells of a tensor, and of one of its axes; and the tables.

const details = by("details"), tables = by("tables");

function link(text, tensor, axis = null) {
  const made = el("button", "plain", text);
  made.type = "button";
  made.addEventListener("click", () => pick(tensor, axis));
  return made;
}

const place = (from) => (from ? el("span", "", ` at ${from.text}`, from.code ? el("code", "code", from.code) : null) : null);
const dimensionText = (dim) => `dimension ${dim}`;

function showDetails() {
  const {picked: tensor, axis} = view;
  details.hidden = tensor === null;
  if (tensor === null) return;
  const close = el("button", "close", "\u00d7");
  close.type = "button";
  close.setAttribute("aria-label", "Close details");
  close.addEventListener("click", () => pick(null));
  const missing = missingAxes(tensor);
  details.replaceChildren(close, el("h2", "", tensor.label || tensor.name),
    el("p", "", `${bytesText(tensor.bytes)}, ${tensor.kind} of @${tensor.inside}`, tensor.label ? `, ${tensor.name}` : ""),
    el("p", "", shapeOf(tensor, finalAxes(tensor))),
    el("p", "op", tensor.final ? tensor.final.text : "no sharding"),
    tensor.source ? el("p", "", "Made", place(tensor.source)) : "",
    tensor.op && tensor.kind === "value" ? el("pre", "op", DATA.lines[tensor.op.line - 1].trim()) : "",
    ...axisButtons("Divided along", [...new Set(finalAxes(tensor).flat())], false),
    ...axisButtons("Not divided along", missing, true),
    ...(axis === null ? [el("p", "legend", "Choose an axis: why, or why not.")] : missing.includes(nameOf(axis)) ? refused(tensor, axis) : chain(tensor, axis)));
  details.scrollTop = 0;
}

function axisButtons(title, axes, isMissing) {
  if (!axes.length) return [];
  const buttons = axes.map((axis) => {
    const made = chip(axis, "button");
    made.type = "button";
    made.classList.toggle("none", isMissing);
    made.setAttribute("aria-pressed", String(axis === view.axis));
    made.addEventListener("click", () => pick(view.picked, axis));
    return made;
  });
  return [el("p", "", `${title} `, ...buttons)];
}

function chain(tensor, axis) {
  const links = chainOf(tensor, axis);
  const items = links.map(({tensor: at, dim, axis: part, step, given}) => {
    const name = link(nameText(at), at, part);
    if (step === null) {
      const made = el("li", "given", name, ` ${dimensionText(dim)}: given by ${given.by}`, place(given.source ?? at.source));
      return made;
    }
    return el("li", "", name, ` ${dimensionText(dim)}: step ${step.number}, priority ${step.priority}, through ${step.op.name}`, place(step.op.source));
  });
  const reached = reachOf(tensor, axis).size;
  return [el("h3", "", `Why along ${axis}`), items.length ? el("ol", "chain", ...items) : el("p", "", "It was written there by no step."),
    el("p", "legend", reached ? `From here it came to ${plural(reached, "other tensor")}.` : "From here it came to no other tensor."), ...around(tensor, axis)];
}

// What did not take this axis, though the tensor has it.
function around(tensor, axis) {
  const found = refusals.filter((each) => each.op === tensor.op && each.tensor !== tensor.number && overlap(each.axis, axis));
  return found.length ? [el("h3", "", "Not taken by"), refusalList(found, true)] : [];
}

function refused(tensor, axis) {
  const found = tensor.refusals.filter((each) => overlap(each.axis, axis));
  return [el("h3", "", `Why not along ${axis}`), found.length ? refusalList(found, false) : el("p", "", `Around it, no dimension that it shares is divided along ${axis}.`)];
}

const refusalList = (found, isNamed) => el("ol", "chain", ...found.slice(0, 50).map((each) =>
  el("li", "", isNamed ? link(nameText(tensors[each.tensor]), tensors[each.tensor], each.axis) : "", isNamed ? ": " : "", each.text,
    each.source?.code ? el("code", "code", each.source.code) : null)));

function showTables() {
  const shown = {obstacles: obstacleTable, replicated: replicatedTable, communication: communicationTable}[view.tab];
  tables.replaceChildren(...shown());
}

function obstacleTable() {
  const rows = DATA.obstacles.map(([text, tensor, from, bytes, axes]) => el("tr", "",
    el("td", "", link(text, tensors[tensor], axes[0]), source(from)?.code ? el("code", "code", source(from).code) : null),
    el("td", "", ...axes.map((axis) => chip(axis))), el("td", "number", bytesText(bytes))));
  return [el("p", "", rows.length ? "What stands in the way of axes, with what a device would hold less without it." : "Nothing stands in the way of an axis."),
    rows.length ? table(["in the way", "of", "per device"], rows) : ""];
}

function replicatedTable() {
  const rows = DATA.replicated.map(([number, axes, bytes]) => el("tr", "",
    el("td", "", link(nameText(tensors[number]), tensors[number], axes[0]), place(tensors[number].source)),
    el("td", "", ...axes.map((axis) => chip(axis))), el("td", "number", bytesText(bytes))));
  return [el("p", "", "The largest tensors on a device that have copies: the axes along which they are not divided."), table(["tensor", "copies along", "per device"], rows)];
}

// Titles stand above their column: at the right if it holds numbers.
const table = (titles, rows, name = "") => el("table", name,
  el("thead", "", el("tr", "", ...titles.map((title, at) => el("th", rows[0].children[at]?.classList.contains("number") ? "number" : "", title)))),
  el("tbody", "", ...rows));
