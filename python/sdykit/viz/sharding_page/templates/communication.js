// The collectives of the partitioned program, those that move most first.

const timeText = (seconds) => (seconds >= 1 ? `${seconds.toPrecision(3)} s` : seconds >= 1e-3 ? `${(seconds * 1e3).toPrecision(3)} ms` : `${(seconds * 1e6).toPrecision(3)} us`);

function communicationTable() {
  const {collectives, totals, assumption, uncounted, compiled} = DATA.communication;
  if (!collectives.length) return [el("p", "", "The partitioned program has no collectives."), ...uncountedTable(uncounted), ...(compiled ? compiledTable(compiled) : [])];
  const shown = collectives.length < DATA.communication.count ? ` The ${collectives.length} largest of ${DATA.communication.count} are below.` : "";
  return [
    el("p", "", `What a device receives in a run, and why.${shown}`),
    table(["along", "collectives", "operands", "received"], totals.map(([axes, count, operands, bytes]) => el("tr", "",
      el("td", "", ...axes.map((axis) => chip(axis))), el("td", "", count.toLocaleString("en")), el("td", "number", bytesText(operands)), el("td", "number", bytesText(bytes))))),
    el("h3", "", "Each collective"),
    table(["collective", "along", "operand", "received"], collectives.map(collectiveRow), "stacked"),
    assumption ? el("p", "legend", `Times: ${assumption}.`) : "",
    ...uncountedTable(uncounted),
    ...(compiled ? compiledTable(compiled) : []),
  ];
}

function uncountedTable(rows) {
  if (!rows.length) return [];
  return [el("h3", "", "Not counted"), el("p", "", "The partitioner decides how devices exchange what these ops need."),
    table(["op", "along"], rows.map(([text, number, axes, from]) => el("tr", "",
      el("td", "", number < 0 ? text : link(text, tensors[number], axes[0]), source(from)?.code ? el("code", "code", source(from).code) : null),
      el("td", "", ...axes.map((axis) => chip(axis))))))];
}

function collectiveRow([kind, number, axes, from, bytes, operand, often, change, reasons, seconds]) {
  const tensor = number < 0 ? null : tensors[number];
  const what = tensor === null ? kind : link(`${kind} of ${nameText(tensor)}`, tensor, axes[0] ?? null);
  return el("tr", "",
    el("td", "", what, place(source(from)), often ? el("div", "op", often) : null, change ? el("div", "op", change) : null,
      ...reasons.map(([text, at, axis]) => el("div", "reason", at < 0 ? text : link(text, tensors[at], axis)))),
    el("td", "", ...axes.map((axis) => chip(axis))), labelled("operand", bytesText(operand)),
    labelled("received", bytesText(bytes), seconds > 0 ? el("div", "", timeText(seconds)) : null));
}

// On a phone there are no titles: the label takes their place.
function labelled(label, ...children) {
  const made = el("td", "number", ...children);
  made.dataset.label = label;
  return made;
}

function compiledTable({text, kinds, differences}) {
  return [
    el("h3", "", "Beside the program that XLA compiles for CPU devices"), el("p", "", text),
    table(["operands in a run", "here", "compiled"], kinds.map(([kind, ...amounts]) => el("tr", "", el("td", "", kind),
      ...amounts.map(([count, bytes]) => el("td", "number", count ? `${count.toLocaleString("en")} of ${bytesText(bytes)}` : "none"))))),
    differences.length ? table(["where they differ"], differences.map(([from, difference, count]) => el("tr", "",
      el("td", "", source(from)?.text ?? "Somewhere", source(from)?.code ? el("code", "code", source(from).code) : null,
        el("div", "reason", difference, count > 1 ? ` (${count} times)` : ""))))) : "",
  ];
}
