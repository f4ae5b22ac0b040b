// The state of the page, and its parts around the picture.

const by = (id) => document.getElementById(id);
const picture = by("picture"), scroll = by("scroll"), tip = by("tip"), aside = by("details");
const programs = DATA.programs.map(readProgram);
const first = Math.max(0, programs.findIndex((program) => program.public));
const view = {program: programs[first], hidden: new Set(), order: "program", zoom: 1, scale: 1, picked: null, focus: null, found: []};
const MOVES = {between: "between meshes", host: "from or to hosts", within: "within one mesh"};
let layout = null;

const element = (key) => by("part-" + key);
const all = (selector) => picture.querySelectorAll(selector);

function render() {
  layout = layOut(view);
  picture.setAttribute("viewBox", `0 0 ${px(layout.width)} ${layout.height}`);
  picture.setAttribute("width", px(layout.width * view.scale));
  picture.setAttribute("height", px(layout.height * view.scale));
  picture.innerHTML = draw(view, layout);
  picture.classList.toggle("far", view.zoom < 0.25);
  drawHeaders();
  drawMap();
  pick(view.picked);
  search();
  focusOn(element(view.focus) ? view.focus : (layout.shown[0]?.key ?? null), false);
}

function drawHeaders() {
  const headers = [...layout.lanes.values()].map((lane) => {
    const steps = view.program.steps.filter((step) => step.kind === "fragment" && step.on.includes(lane.name));
    const devices = lane.axes.reduce((product, [, size]) => product * size, 1);
    const peak = Math.max(0, ...steps.map((step) => step.reserved ?? 0));
    const axes = lane.axes.map(([name, size]) => el("span", "axis", name + " ", el("b", "", String(size))));
    const header = el("div", "lane" + (lane.cpu ? " cpu" : ""), el("strong", "", laneName(lane.name)),
      lane.cpu ? el("span", "cpu", "CPU") : null,
      axes.length ? el("p", "", ...axes) : null,
      el("p", "", (lane.name === "" ? "" : plural(devices, "device") + ", ")
        + (view.program.seconds ? `busy ${busyPart(steps)}%` : plural(steps.length, "fragment"))),
      peak ? el("p", "", `reserves up to ${bytesText(peak)}`) : null);
    header.style.top = lane.y * view.scale + "px";
    header.style.height = lane.height * view.scale + "px";
    return header;
  });
  by("lanes").replaceChildren(...headers);
  by("lanes").style.height = layout.height * view.scale + "px";
  by("lanes").classList.toggle("low", view.scale < 0.8);
}

// The part of a run, in percent, in which one of the steps was running; on a mesh they do not overlap.
function busyPart(steps) {
  const busy = steps.reduce((sum, step) => sum + step.end - step.start, 0);
  return Math.round((100 * busy) / view.program.seconds);
}

function summarise() {
  const {program} = view, counts = countBy(program.steps, (step) => step.kind);
  const moves = countBy(program.steps.filter((step) => step.kind === "transfer"), (step) => moveKind(step, program.lanes));
  const inferred = program.steps.filter((step) => step.phase === "inferred").length;
  const texts = [
    `@${program.name}${program.public ? "" : " (private)"}`, plural(program.lanes.filter((lane) => lane.name).length, "mesh", "meshes"),
    plural(counts.get("fragment") ?? 0, "fragment") + (inferred ? `, ${inferred} of them inferred` : ""),
    plural(counts.get("transfer") ?? 0, "transfer") + (moves.size ? ` (${Object.keys(MOVES).filter((kind) => moves.has(kind))
      .map((kind) => `${moves.get(kind)} ${MOVES[kind]}`).join(", ")})` : ""),
    counts.has("other") ? plural(counts.get("other"), "other op") : null,
    program.callers.size ? plural(program.callers.size, "function") : null,
    program.seconds ? `ran in ${timeText(program.seconds)}` : null,
    program.peak ? `maximum reserved: ${exactBytes(program.peak)}` : null,
  ];
  by("summary").textContent = texts.filter((text) => text).join(" \u00b7 ");
}

function drawMap() {
  const map = by("map"), canvas = map.firstElementChild, box = map.getBoundingClientRect();
  map.hidden = layout.width * view.scale <= scroll.clientWidth;
  if (map.hidden) return;
  const width = map.clientWidth || box.width, lanes = [...layout.lanes.keys()];
  const scale = window.devicePixelRatio || 1, row = Math.max(3, Math.min(9, 40 / lanes.length));
  map.style.height = row * lanes.length + "px";
  canvas.width = width * scale;
  canvas.height = row * lanes.length * scale;
  const context = canvas.getContext("2d"), styles = getComputedStyle(document.documentElement);
  context.scale(scale, scale);
  for (const step of layout.shown) {
    const place = layout.at.get(step.key), x = (place.x / layout.width) * width;
    if (step.kind === "transfer") continue;
    context.fillStyle = styles.getPropertyValue("--" + (step.phase || "other") + "-edge");
    for (const lane of step.on) {
      const at = lanes.indexOf(lane);
      if (at >= 0) context.fillRect(x, at * row + 0.5, Math.max(1, (place.w / layout.width) * width), row - 1);
    }
  }
  moveMap();
}

function moveMap() {
  const map = by("map"), frame = map.lastElementChild, whole = scroll.scrollWidth;
  frame.style.left = (100 * scroll.scrollLeft) / whole + "%";
  frame.style.width = (100 * scroll.clientWidth) / whole + "%";
}

// Select a part: its producers and consumers are marked, and the rest is dimmed.
function pick(key) {
  for (const each of all(".picked, .source, .user, .on")) each.classList.remove("picked", "source", "user", "on");
  view.picked = key !== null && view.program.parts.has(key) ? key : null;
  picture.classList.toggle("picking", view.picked !== null);
  aside.hidden = view.picked === null;
  if (view.picked === null) return aside.replaceChildren();
  const before = neighbours(view.program, key, "before"), after = neighbours(view.program, key, "after");
  element(key)?.classList.add("picked");
  for (const each of before) element(each)?.classList.add("source");
  for (const each of after) element(each)?.classList.add("user");
  const mine = (from, to) => (before.has(from) && (before.has(to) || to === key)) || ((after.has(from) || from === key) && after.has(to));
  for (const flow of all(".flow")) flow.classList.toggle("on", mine(flow.dataset.from, flow.dataset.to));
  const close = el("button", "close", "\u00d7");
  close.setAttribute("aria-label", "Close");
  close.onclick = () => pick(null);
  aside.replaceChildren(close, details(view.program, view.program.parts.get(key)));
}

