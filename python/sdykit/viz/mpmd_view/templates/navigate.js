// Finding parts, moving between them, and zooming.

const TIP_ROWS = 6;

function textOf(part) {
  const words = [part.kind, part.label, part.op, part.name, part.phase, part.callee && "@" + part.callee, ...part.on];
  if (part.inputs) {
    words.push(...part.origins.map(([name]) => name), ...part.outputs.map((port) => port.name), ...part.inferred_by);
    words.push(...Object.entries(marksOf(part)).filter(([, count]) => count).map(([mark]) => ({alias: "aliased", donor: "donated"}[mark] ?? mark)));
    if (part.stage !== null) words.push("stage " + part.stage);
  }
  return words.filter((word) => word).join("\n").toLowerCase();
}

function search() {
  const query = by("find").value.trim().toLowerCase();
  for (const each of all(".match")) each.classList.remove("match");
  view.found = !query ? [] : view.program.order.filter((key) => layout.at.has(key) && textOf(view.program.parts.get(key)).includes(query));
  for (const key of view.found) element(key).classList.add("match");
  picture.classList.toggle("finding", query !== "");
  by("found").textContent = query ? `${view.found.length} found` : "";
}

function focusOn(key, move = true) {
  if (view.focus && element(view.focus)) element(view.focus).setAttribute("tabindex", "-1");
  view.focus = key;
  const target = key && element(key);
  if (!target) return;
  target.setAttribute("tabindex", "0");
  if (!move) return;
  target.focus({preventScroll: true});
  reveal(key);
  showTip(key);
}

function reveal(key) {
  const place = layout.at.get(key), left = by("lanes").offsetWidth;
  const from = place.x * view.scale, to = (place.x + place.w) * view.scale;
  if (from < scroll.scrollLeft + 20 || to > scroll.scrollLeft + scroll.clientWidth - left - 20)
    scroll.scrollLeft = from - (scroll.clientWidth - left) / 3;
  element(key).scrollIntoView({block: "nearest", inline: "nearest"});
}

// Below the part if there is room, or above, or beside it.
function showTip(key) {
  if (view.picked === key) return hideTip();
  tip.replaceChildren(details(view.program, view.program.parts.get(key), TIP_ROWS));
  tip.hidden = false;
  element(key).setAttribute("aria-describedby", "tip");
  const near = element(key).getBoundingClientRect(), {width, height} = tip.getBoundingClientRect();
  let left = Math.max(8, Math.min(near.left, innerWidth - width - 8)), top = near.bottom + 8;
  if (top + height > innerHeight - 8) top = near.top - height - 8;
  if (top < 8) {
    top = Math.max(8, Math.min(near.top, innerHeight - height - 8));
    left = near.right + 12 + width < innerWidth ? near.right + 12 : Math.max(8, near.left - width - 12);
  }
  tip.style.left = left + "px";
  tip.style.top = top + "px";
}

function hideTip() {
  tip.hidden = true;
}

// Zooming makes steps narrower or wider; zooming in also undoes the scaling of fit().
function zoomTo(zoom, centre = scroll.clientWidth / 2) {
  const left = by("lanes").offsetWidth, before = layout.width * view.scale;
  const at = (scroll.scrollLeft + centre - left) / before;
  view.scale = Math.min(1, view.scale * Math.max(1, zoom / view.zoom));
  view.zoom = Math.max(0.005, Math.min(view.order === "run" ? 50 : 2.5, zoom));
  render();
  scroll.scrollLeft = at * layout.width * view.scale - centre + left;
}

// Scale the whole picture until all lanes are visible, then make the steps narrower.
function fit() {
  const [whole, half] = [1, 0.5].map((zoom) => layOut({...view, zoom}).width);
  view.scale = Math.max(0.1, Math.min(1, scroll.clientHeight / layout.height));
  const room = (scroll.clientWidth - by("lanes").offsetWidth - 4) / view.scale;
  const growing = 2 * (whole - half);  // Up to 1, the width is linear in the zoom.
  view.zoom = Math.max(0.005, Math.min(1, (room - whole + growing) / growing || 1));
  render();
}

// Left and right in program order; up and down to the nearest box or port in the next lane,
// from a transfer to the lane at that end.
function step(key, code) {
  const keys = view.program.order.filter((each) => layout.at.has(each)), part = view.program.parts.get(key);
  if (code === "ArrowRight" || code === "ArrowLeft")
    return keys[keys.indexOf(key) + (code === "ArrowRight" ? 1 : -1)];
  const lanes = [...layout.lanes.keys()], down = code === "ArrowDown";
  const own = part.on.map((lane) => lanes.indexOf(lane)).filter((at) => at >= 0);
  const at = (down ? Math.max : Math.min)(...own) + (part.kind === "transfer" ? 0 : down ? 1 : -1);
  const x = layout.at.get(key).x, distance = (each) => Math.abs(layout.at.get(each).x - x);
  return keys.map((each) => view.program.parts.get(each))
    .filter((each) => each.kind !== "transfer" && each.on.includes(lanes[at])).map((each) => each.key)
    .reduce((best, each) => (best === null || distance(each) < distance(best) ? each : best), null);
}
