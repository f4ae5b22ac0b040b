// The positions of all parts. Lanes are stacked from top to bottom, program order goes to the right.

const BOX = 118, GAP = 22, MOVE = 26, OTHER = 74, PORT = 10, EDGE = 16;
const RULER = 22, HEAD = 30, HEIGHT = 54, STRIP = 18, FOOT = 14, SMALL = 28;

// view: {program, zoom, hidden (names of lanes), order}
function layOut(view) {
  const {program, hidden} = view;
  const strip = program.peak > 0 ? STRIP : 0;
  const boxes = new Set(program.steps.filter((s) => s.kind === "fragment").flatMap((s) => s.on));
  const lanes = new Map();
  let y = RULER;
  for (const lane of program.lanes.filter((each) => !hidden.has(each.name))) {
    const height = HEAD + (boxes.has(lane.name) ? HEIGHT + strip : SMALL) + FOOT;
    lanes.set(lane.name, {...lane, y, height, box: y + HEAD, middle: y + HEAD + (boxes.has(lane.name) ? HEIGHT : SMALL) / 2});
    y += height;
  }
  const layout = {lanes, height: y, at: new Map(), zoom: view.zoom, strip};
  const left = placePorts(layout, program.arguments, EDGE);
  const shown = program.steps.filter((step) => step.on.some((lane) => lanes.has(lane)));
  layout.columns = [];
  const end = ORDERS[view.order](layout, shown, left, program);
  layout.width = placePorts(layout, program.results, end) + EDGE;
  layout.shown = shown;
  number(layout, shown);
  return layout;
}

// Arguments or results as small squares, in columns as high as their lane.
function placePorts(layout, ports, x) {
  const counts = new Map();
  let right = x;
  for (const port of ports) {
    const lane = layout.lanes.get(port.lane);
    if (!lane) continue;
    const rows = Math.max(1, Math.floor((lane.height - 16) / (PORT + 2)));
    const index = counts.get(port.lane) ?? 0;
    counts.set(port.lane, index + 1);
    const left = x + Math.floor(index / rows) * (PORT + 2);
    layout.at.set(port.key, {x: left, y: lane.y + 8 + (index % rows) * (PORT + 2), w: PORT, h: PORT});
    right = Math.max(right, left + PORT);
  }
  return right === x ? x : right + GAP;
}

function widthOf(step, zoom) {
  return step.kind === "fragment" ? BOX * zoom : step.kind === "other" ? OTHER * zoom : 0;
}

function gapOf(zoom) {
  return Math.min(GAP, GAP * zoom);
}

function inProgramOrder(layout, steps, x) {
  const {zoom} = layout;
  for (const step of steps) {
    layout.columns.push({x, text: step.number});
    const w = widthOf(step, zoom);
    layout.at.set(step.key, {x: step.kind === "transfer" ? x + (MOVE * zoom) / 2 : x, w});
    x += step.kind === "transfer" ? MOVE * zoom : w + gapOf(zoom);
  }
  return x + GAP;
}

// A column for each tick, then its transfers; transfers that do not overlap share a column.
function sideBySide(layout, steps, x) {
  const {zoom} = layout;
  const ticks = new Map();
  for (const step of steps) {
    if (!ticks.has(step.tick)) ticks.set(step.tick, {boxes: [], moves: []});
    ticks.get(step.tick)[step.kind === "transfer" ? "moves" : "boxes"].push(step);
  }
  for (const [tick, {boxes, moves}] of [...ticks].sort((a, b) => a[0] - b[0])) {
    const width = Math.max(0, ...boxes.map((step) => widthOf(step, zoom)));
    if (boxes.length) layout.columns.push({x, text: tick});
    for (const step of boxes) layout.at.set(step.key, {x, w: widthOf(step, zoom)});
    x += width + (boxes.length ? gapOf(zoom) : 0);
    const columns = [];
    for (const step of moves) {
      const [top, bottom] = span(layout, step);
      let column = columns.findIndex((taken) => taken.every(([a, b]) => bottom < a || top > b));
      if (column < 0) column = columns.push([]) - 1;
      columns[column].push([top, bottom]);
      layout.at.set(step.key, {x: x + (column + 0.5) * MOVE * zoom, w: 0});
    }
    x += columns.length * MOVE * zoom;
  }
  return x + GAP;
}

// The times of a run on a scale. A transfer goes from its start in one lane to its end in the other.
function asItRan(layout, steps, x, program) {
  const count = Math.max(...[...layout.lanes.keys()].map((lane) => steps.filter((step) => step.on.includes(lane)).length), 1);
  const scale = (Math.min(20000, Math.max(800, BOX * count)) / program.seconds) * layout.zoom;
  for (const step of steps) {
    const from = x + step.start * scale, to = x + step.end * scale;
    layout.at.set(step.key, step.kind === "transfer" ? {x: from, to, w: 0} : {x: from, w: to - from});
  }
  const tick = niceTick(90 / scale);
  for (let at = 0; at * tick <= program.seconds; at++) layout.columns.push({x: x + at * tick * scale, text: timeText(at * tick)});
  return x + program.seconds * scale + GAP;
}

// The least of 1, 2, 5, 10, 20, ... that is not below a number.
function niceTick(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((each) => each * power >= least * 0.999);
}

const ORDERS = {program: inProgramOrder, parallel: sideBySide, run: asItRan};

// The top and bottom of a step: the middles of its lanes that are not hidden.
function span(layout, step) {
  const heights = step.lanes.map((name) => layout.lanes.get(name)?.middle).filter((y) => y !== undefined);
  return [Math.min(...heights), Math.max(...heights)];
}

// The number of boxes before a step in each lane, from which neighbours are found.
function number(layout, steps) {
  const boxes = new Map();
  const sorted = [...steps].sort((a, b) => layout.at.get(a.key).x - layout.at.get(b.key).x);
  for (const step of sorted) {
    const place = layout.at.get(step.key);
    place.rank = new Map(step.on.map((lane) => [lane, boxes.get(lane) ?? 0]));
    if (step.kind === "transfer") continue;
    for (const lane of step.on) boxes.set(lane, (boxes.get(lane) ?? 0) + 1);
  }
}
