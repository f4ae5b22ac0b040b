// The state of the page, and what users do with it.

const view = {tab: "program", step: steps.length, picked: null, axis: null, lit: new Set(), rows: [], byLine: false, query: ""};
const slider = by("step");
const TABS = ["program", "lines", "obstacles", "replicated", "communication"];

function show(tab) {
  view.tab = tab;
  for (const each of TABS) by(`tab-${each}`).setAttribute("aria-selected", String(each === tab));
  const isProgram = tab === "program" || tab === "lines";
  program.hidden = !isProgram;
  tables.hidden = isProgram;
  if (isProgram) arrange(tab === "lines");
  else showTables();
}

function matches(tensor, query) {
  const axes = finalAxes(tensor).flat().join(" ");
  return `${nameText(tensor)} ${tensor.name} ${tensor.dtype}[${tensor.shape}] ${tensor.source?.text ?? ""} ${tensor.source?.code ?? ""} ${axes}`.toLowerCase().includes(query);
}

function arrange(byLine) {
  view.byLine = byLine;
  const shown = view.query ? tensors.filter((tensor) => matches(tensor, view.query)) : tensors;
  view.rows = byLine ? lineRows(shown) : programRows(shown);
  by("found").textContent = view.query ? plural(shown.length, "tensor") : "";
  draw();
}

function pick(tensor, axis = null) {
  view.picked = tensor;
  view.axis = axis;
  const isGiven = tensor !== null && axis !== null;
  view.lit = new Set(isGiven ? chainOf(tensor, axis).map((each) => each.tensor.number) : []);
  if (tensor !== null && !["program", "lines"].includes(view.tab)) show("program");
  showDetails();
  if (tensor !== null) bringIntoView(tensor);
  draw();
}

function goTo(step) {
  view.step = Math.max(0, Math.min(steps.length, step));
  slider.value = String(view.step);
  by("back").disabled = view.step === 0;
  by("next").disabled = view.step === steps.length;
  by("now").textContent = by("now").title = nowText();
  const first = view.step > 0 && view.step < steps.length ? steps[view.step - 1].changes[0] : null;
  if (first && !program.hidden) bringIntoView(tensors[first.tensor]);
  draw();
}

function nowText() {
  if (view.step === 0) return `as given; ${plural(steps.length, "step")}`;
  if (view.step === steps.length) return `after all ${plural(steps.length, "step")}`;
  const {number, op, user, priority, strategy, changes} = steps[view.step - 1];
  const [{tensor, dim, gains}] = changes;
  const from = gains.length ? ` from ${tensors[gains[0][1]].name}` : "";
  const more = changes.length > 1 ? ` and ${changes.length - 1} more` : "";
  const what = gains.map(([axis]) => axis).join(", ");
  return `step ${number} of ${steps.length}: ${tensors[tensor].name}, ${dimensionText(dim)}, gets ${what}${from}${more}; ${op.name}${op.source ? ` at ${op.source.short}` : ""}; ${
    user ? `user priority ${user}, ` : ""}op priority ${priority}, ${strategy}`;
}

// A part of the track for each run of steps of one priority.
function drawPriorities() {
  const runs = [];
  for (const {user, priority} of steps) {
    const text = user ? `${user}/${priority}` : String(priority);
    if (runs.at(-1)?.text === text) runs.at(-1).count += 1;
    else runs.push({text, count: 1});
  }
  by("priorities").replaceChildren(...runs.map(({text, count}) => {
    const part = el("span", "", `p${text}`);
    part.style.flex = `${count} 1 0`;
    part.title = `op priority ${text}: ${plural(count, "step")}`;
    return part;
  }));
}

let player = null;
function play() {
  if (player !== null) {
    clearInterval(player);
    player = null;
  } else {
    if (view.step === steps.length) goTo(0);
    player = setInterval(() => (view.step === steps.length ? play() : goTo(view.step + 1)), 400);
  }
  by("play").textContent = player === null ? "\u25b6" : "\u23f8";
  by("play").setAttribute("aria-label", player === null ? "Play the propagation" : "Pause");
}

function moveBy(rows) {
  const shown = view.rows.filter((row) => row.tensor);
  const at = shown.findIndex((row) => row.tensor === view.picked);
  const to = shown[Math.max(0, Math.min(shown.length - 1, at + rows))];
  if (to) pick(to.tensor);
}

slider.max = String(steps.length);
slider.disabled = by("play").disabled = steps.length === 0;
for (const tab of TABS) by(`tab-${tab}`).addEventListener("click", () => show(tab));
by("tab-lines").hidden = DATA.sources.length === 0;
by("tab-obstacles").lastElementChild.textContent = DATA.obstacles.length;
by("tab-replicated").lastElementChild.textContent = DATA.replicated.length;
by("tab-communication").hidden = DATA.communication === null;
by("tab-communication").lastElementChild.textContent = DATA.communication?.count ?? "";
by("axes").replaceChildren(...axisNames.map((name) => chip(name)));
for (const each of by("axes").children) each.append(` ${Object.values(DATA.meshes).find((axes) => each.textContent in axes)[each.textContent]}`);
const divided = tensors.filter((tensor) => finalAxes(tensor).some((axes) => axes.length)).length;
by("summary").textContent = `${plural(tensors.length, "tensor")}, ${divided.toLocaleString("en")} divided; ${plural(steps.length, "step")}; ${plural(DATA.obstacles.length, "thing")} in the way`;

program.addEventListener("scroll", () => requestAnimationFrame(draw));
window.addEventListener("resize", draw);
holder.addEventListener("click", (event) => {
  const row = event.target.closest(".row[data-tensor]");
  if (!row) return;
  const axis = event.target.closest(".axis");
  pick(tensors[row.dataset.tensor], axis ? axis.textContent : null);
});
slider.addEventListener("input", () => goTo(Number(slider.value)));
by("back").addEventListener("click", () => goTo(view.step - 1));
by("next").addEventListener("click", () => goTo(view.step + 1));
by("play").addEventListener("click", play);
by("find").addEventListener("input", () => {
  view.query = by("find").value.trim().toLowerCase();
  show(view.tab === "lines" ? "lines" : "program");
});
program.addEventListener("keydown", (event) => {
  const rows = {ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20}[event.key];
  if (rows === undefined) return;
  event.preventDefault();
  moveBy(rows);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") pick(null);
  if (event.key !== "/" || event.target === by("find")) return;
  event.preventDefault();
  by("find").focus();
});
drawPriorities();
show("program");
goTo(steps.length);
