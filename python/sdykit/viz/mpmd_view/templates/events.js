// What happens when the user points, clicks, types or scrolls.

const keyAt = (event) => event.target.closest?.("[data-key]")?.dataset.key ?? null;

picture.addEventListener("pointerover", (event) => {
  const key = keyAt(event);
  if (key) showTip(key);
  else hideTip();
});
picture.addEventListener("pointerleave", hideTip);
picture.addEventListener("click", (event) => {
  const key = keyAt(event);
  hideTip();
  pick(key === view.picked ? null : key);
  if (key) focusOn(key, false);
});
picture.addEventListener("focusout", hideTip);
picture.addEventListener("focusin", (event) => {
  const key = keyAt(event);
  if (key && element(key).matches(":focus-visible")) focusOn(key);
});
picture.addEventListener("keydown", (event) => {
  const key = keyAt(event);
  if (!key || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key.startsWith("Arrow")) {
    const next = step(key, event.key);
    if (next) focusOn(next);
  } else if (event.key === "Enter" || event.key === " ") {
    pick(key === view.picked ? null : key);
    hideTip();
  } else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { hideTip(); pick(null); }
  if (event.key === "/" && event.target !== by("find")) { by("find").focus(); event.preventDefault(); }
});
scroll.addEventListener("scroll", () => { hideTip(); moveMap(); }, {passive: true});
let wheel = null;
scroll.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  const factor = Math.exp(-event.deltaY / 400), centre = event.clientX - scroll.getBoundingClientRect().left;
  if (!wheel) requestAnimationFrame(() => { const {by: f, at} = wheel; wheel = null; zoomTo(view.zoom * f, at); });
  wheel = {by: (wheel?.by ?? 1) * factor, at: centre};
}, {passive: false});
by("map").addEventListener("pointerdown", (event) => {
  const box = by("map").getBoundingClientRect();
  const go = (each) => { scroll.scrollLeft = ((each.clientX - box.left) / box.width) * scroll.scrollWidth - scroll.clientWidth / 2; };
  go(event);
  by("map").setPointerCapture(event.pointerId);
  by("map").onpointermove = go;
  by("map").onpointerup = () => { by("map").onpointermove = null; };
});
by("in").onclick = () => zoomTo(view.zoom * 1.4);
by("out").onclick = () => zoomTo(view.zoom / 1.4);
by("fit").onclick = fit;
by("order").onchange = (event) => { view.order = event.target.value; render(); };
by("ends").onchange = (event) => picture.classList.toggle("ends", event.target.checked);
by("find").oninput = search;
by("find").onkeydown = (event) => {
  if (event.key !== "Enter" || !view.found.length) return;
  const at = view.found.indexOf(view.picked), next = view.found[(at + 1) % view.found.length];
  pick(next);
  reveal(next);
};
by("program").onchange = (event) => open(Number(event.target.value));
addEventListener("resize", () => drawMap());

function open(number) {
  Object.assign(view, {program: programs[number], hidden: new Set(), picked: null, focus: null, zoom: 1, scale: 1});
  by("run").hidden = !view.program.seconds;
  if (view.program.seconds) view.order = "run";
  else if (view.order === "run") view.order = "program";
  by("order").querySelector(`[value="${view.order}"]`).checked = true;
  const boxes = view.program.lanes.map((lane) => {
    const box = el("input", "");
    box.type = "checkbox";
    box.checked = true;
    box.value = lane.name;
    box.onchange = () => { view.hidden[box.checked ? "delete" : "add"](lane.name); render(); };
    return el("label", "", box, " " + laneName(lane.name));
  });
  by("meshes").replaceChildren(by("meshes").firstElementChild, ...boxes);
  summarise();
  render();
}

by("choice").hidden = programs.length < 2;
by("program").append(...programs.map((program, number) => new Option("@" + program.name, number, number === first, number === first)));
open(first);
