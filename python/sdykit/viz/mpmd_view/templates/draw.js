// The picture as SVG text. All text from a program is escaped by esc().

const ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"};
const esc = (text) => String(text).replace(/[&<>"]/g, (char) => ESCAPES[char]);
const px = (value) => Math.round(value * 10) / 10;
const BADGES = {alias: "=", donor: "\u00d7", host: "H", layout: "L", remat: "R"};

function draw(view, layout) {
  const {program} = view;
  const flows = program.flows.map((flow) => drawFlow(program, layout, flow));
  const parts = [...program.arguments, ...layout.shown, ...program.results]
    .filter((part) => layout.at.has(part.key)).map((part) => drawPart(program, layout, part));
  return `<defs>${["flow", "move", "host"].map(arrow).join("")}</defs>`
    + drawLanes(layout) + drawRuler(layout) + drawLoops(program, layout)
    + `<g class="flows">${flows.join("")}</g><g class="parts">${parts.join("")}</g>`;
}

function arrow(name) {
  return `<marker id="arrow-${name}" class="arrow of-${name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"`
    + ` markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.5 8 4 0 7.5z"/></marker>`;
}

function drawLanes(layout) {
  return [...layout.lanes.values()].map((lane, at) =>
    `<rect class="lane${at % 2 ? " odd" : ""}" x="0" y="${lane.y}" width="${px(layout.width)}" height="${lane.height}"/>`).join("");
}

function drawRuler(layout) {
  let last = -Infinity;
  return layout.columns.map(({x, text}) => {
    if (x - last < 34) return "";
    last = x;
    return `<text class="ruler" x="${px(x)}" y="15">${text}</text>`;
  }).join("");
}

function drawLoops(program, layout) {
  return program.loops.map((loop) => {
    const places = program.steps.slice(loop.first, loop.stop)
      .map((step) => layout.at.get(step.key)).filter((place) => place);
    if (!places.length) return "";
    const left = Math.min(...places.map((place) => place.x)) - 8;
    const right = Math.max(...places.map((place) => place.x + place.w)) + 8;
    return `<g class="loop"><rect x="${px(left)}" y="${RULER + 3}" width="${px(right - left)}" height="${layout.height - RULER - 6}" rx="6"/>`
      + `<text x="${px(left + 8)}" y="${RULER + 15}">${esc(loop.label)}</text></g>`;
  }).join("");
}

function drawPart(program, layout, part) {
  if (part.kind === "argument" || part.kind === "result") return drawPort(layout, part);
  return part.kind === "transfer" ? drawMove(program, layout, part) : drawBox(program, layout, part);
}

function group(part, classes, content, label) {
  return `<g class="${classes}" id="part-${part.key}" data-key="${part.key}" role="button" tabindex="-1" aria-label="${esc(label)}">${content}</g>`;
}

function drawPort(layout, port) {
  const {x, y, w, h} = layout.at.get(port.key);
  const marks = port.marks.donated || port.marks.aliases !== null ? " donor" : "";
  const host = (port.marks.memory_kind ?? port.type.memory_kind) === "pinned_host" ? " host" : "";
  return group(port, `part port ${port.kind}${marks}${host}`,
    `<rect x="${px(x)}" y="${y}" width="${w}" height="${h}" rx="2"/>`,
    `${port.kind} ${port.number} on ${laneName(port.lane)}`);
}

function fitted(text, width, perChar) {
  const room = Math.floor(width / perChar);
  if (text.length <= room) return text;
  return room < 3 ? "" : text.slice(0, room - 1) + "\u2026";
}

function drawBox(program, layout, step) {
  const place = layout.at.get(step.key);
  const lanes = step.on.filter((lane) => layout.lanes.has(lane)).map((lane) => layout.lanes.get(lane));
  const small = step.kind === "other";
  const top = Math.min(...lanes.map((lane) => lane.middle)) - (small ? SMALL : HEIGHT) / 2;
  const bottom = Math.max(...lanes.map((lane) => lane.middle)) + (small ? SMALL : HEIGHT) / 2;
  Object.assign(place, {y: top, h: bottom - top});
  const w = Math.max(place.w, 0.8);
  let content = `<rect class="body" x="${px(place.x)}" y="${top}" width="${px(w)}" height="${bottom - top}" rx="${Math.min(5, w / 4)}"/>`;
  if (w > 30) content += small ? line(place.x + 6, top + 18, "sub", fitted(step.label, w - 10, 6.4)) : boxText(step, place, w);
  if (step.reserved !== null && step.reserved > 0 && layout.strip) {
    const height = Math.max(1.5, (STRIP - 5) * step.reserved / program.peak);
    content += `<rect class="memory" x="${px(place.x)}" y="${px(bottom + STRIP - height)}" width="${px(w)}" height="${px(height)}"/>`;
  }
  const label = `${small ? step.op : "fragment"} ${step.label} on ${step.on.map(laneName).join(", ")}, step ${step.number}`;
  return group(step, `part step ${small ? "other" : "fragment " + step.phase}`, content, label);
}

function line(x, y, style, text) {
  return text ? `<text class="${style}" x="${px(x)}" y="${px(y)}">${esc(text)}</text>` : "";
}

function boxText(step, place, w) {
  const x = place.x + 7, y = place.y;
  const facts = [step.callee === null || step.callee === step.label ? null : "@" + step.callee,
                 step.stage === null ? null : "stage " + step.stage,
                 step.call_counter === null ? null : "call " + step.call_counter];
  const reserves = step.reserved ? "reserves " + bytesText(step.reserved) : "";
  const below = facts.filter((fact) => fact !== null).join(" \u00b7 ") || (reserves.length * 6.1 < w - 12 ? reserves : "");
  let badges = "", left = x;
  for (const [mark, count] of Object.entries(marksOf(step)).filter(([, count]) => count)) {
    const text = BADGES[mark] + (mark === "remat" ? "" : count), width = 7 + 6 * text.length;
    if (left + width > place.x + w - 3) break;
    badges += `<g class="badge ${mark}"><rect x="${px(left)}" y="${y + 37}" width="${width}" height="13" rx="3"/>`
      + `<text x="${px(left + width / 2)}" y="${y + 47}">${text}</text></g>`;
    left += width + 4;
  }
  return line(x, y + 16, "name", fitted(step.label, w - 12, 7.3)) + line(x, y + 30, "sub", fitted(below, w - 12, 6.1)) + badges;
}

// A transfer: an arrow between lanes, or a diamond within one mesh. If one of the lanes is hidden,
// the arrow is a short stem.
function drawMove(program, layout, step) {
  const {x, to: end_x = x} = layout.at.get(step.key), kind = moveKind(step, program.lanes);
  const [from, to] = step.lanes.map((name) => layout.lanes.get(name)?.middle);
  const r = Math.max(1.2, Math.min(5, 5 * layout.zoom * 1.4));
  let shape;
  if (step.lanes[0] === step.lanes[1]) {
    shape = `<path class="dot" d="M${px(x)} ${from - r * 1.5}l${px(r * 1.5)} ${px(r * 1.5)} ${px(-r * 1.5)} ${px(r * 1.5)} ${px(-r * 1.5)} ${px(-r * 1.5)}z"/>`;
  } else {
    const names = [...layout.lanes.keys()], all = program.lanes.map((lane) => lane.name);
    const downwards = all.indexOf(step.lanes[0]) < all.indexOf(step.lanes[1]);
    const start = from ?? to - (downwards ? 34 : -34), end = to ?? from + (downwards ? 34 : -34);
    const marker = kind === "host" ? "host" : "move";
    shape = `<path class="stem" marker-end="url(#arrow-${marker})" d="M${px(x)} ${start}${end_x === x ? `V${end}` : `L${px(end_x)} ${end}`}"/>`
      + `<circle class="dot" cx="${px(x)}" cy="${start}" r="${px(r)}"/>`;
  }
  const [top, bottom] = span(layout, step), reach = Math.min(11, (MOVE / 2) * layout.zoom);
  const hit = `<rect class="hit" x="${px(x - reach)}" y="${top - 12}" width="${px(end_x - x + 2 * reach)}" height="${bottom - top + 24}"/>`;
  const label = `${step.op} from ${laneName(step.lanes[0])} to ${laneName(step.lanes[1])}, step ${step.number}`;
  return group(step, `part step transfer ${kind}`, hit + shape, label);
}

// The point where a flow leaves ("right") or enters ("left") a part, and the part's place.
function joint(layout, part, lane, side) {
  const place = layout.at.get(part.key);
  if (part.kind === "argument" || part.kind === "result")
    return {x: side === "right" ? place.x + PORT : place.x, y: place.y + PORT / 2, top: null};
  const middle = layout.lanes.get(lane).middle;
  if (part.kind === "transfer") return {x: side === "right" ? place.to ?? place.x : place.x, y: middle, top: null};
  const half = (part.kind === "other" ? SMALL : HEIGHT) / 2;
  const inset = Math.min(8, place.w / 3);
  return {x: side === "right" ? place.x + place.w : place.x, y: middle,
          top: middle - half, above: side === "right" ? place.x + place.w - inset : place.x + inset};
}

function drawFlow(program, layout, {from, to}) {
  const source = program.parts.get(from), target = program.parts.get(to);
  if (!layout.at.has(from) || !layout.at.has(to)) return "";
  const lane = laneBetween(source, target);
  if (!layout.lanes.has(lane)) return "";
  const a = joint(layout, source, lane, "right"), b = joint(layout, target, lane, "left");
  const ends = source.kind === "argument" || target.kind === "result";
  const direct = !ends && areNeighbours(layout, source, target, lane);
  const gap = target.kind === "transfer" ? 5 : 1;
  return `<path class="flow${ends ? " end" : ""}" data-from="${from}" data-to="${to}" marker-end="url(#arrow-flow)"`
    + ` d="${direct ? `M${px(a.x)} ${a.y}H${px(b.x - gap)}` : bow(layout, a, b, lane)}"/>`;
}

// The lane in which a value passes from one part to another.
function laneBetween(source, target) {
  if (source.kind === "transfer") return source.lanes[1];
  if (target.kind === "transfer") return target.lanes[0];
  return target.on.find((lane) => source.on.includes(lane)) ?? target.on[0];
}

function areNeighbours(layout, source, target, lane) {
  const before = layout.at.get(source.key).rank.get(lane), after = layout.at.get(target.key).rank.get(lane);
  return before !== undefined && after - before === (source.kind === "transfer" ? 0 : 1);
}

// A curve over the boxes between two parts; the longer, the higher.
function bow(layout, a, b, lane) {
  const {box} = layout.lanes.get(lane);
  const x1 = a.top === null ? a.x : a.above, x2 = b.top === null ? b.x : b.above;
  const y1 = a.top ?? a.y, y2 = (b.top ?? b.y - 6) - 1;
  const distance = Math.abs(x2 - x1), rise = Math.min(HEAD - 4, 9 + 2.6 * Math.log2(1 + distance / 30));
  const peak = box - rise * 1.25, bend = Math.min(distance / 2, 26);
  return `M${px(x1)} ${px(y1)}C${px(x1)} ${px(peak)} ${px(x1 + bend / 2)} ${px(box - rise)} ${px(x1 + bend)} ${px(box - rise)}`
    + `H${px(Math.max(x1 + bend, x2 - bend))}C${px(x2 - bend / 2)} ${px(box - rise)} ${px(x2)} ${px(peak)} ${px(x2)} ${px(y2)}`;
}
