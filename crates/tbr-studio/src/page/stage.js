// The middle of the page: the canvas with its floating bars.

import { attribute, count, fill, h, plural, say, show, svg, whenOther } from "./dom.js";
import { button, iconButton, swatch } from "./controls.js";
import { Compare } from "./compare.js";
import { LAYERS, current, program, server, set, shownLayer, ui, whyNot } from "./store.js";
import { ZOOM_STEP } from "./tools.js";

export const TOOLS = [
  { name: "select", label: "Select", key: "V" },
  { name: "lasso", label: "Lasso", key: "L" },
  { name: "hand", label: "Move view", key: "H" },
  { name: "drop", label: "Drop", key: "D" },
  { name: "stroke", label: "Stroke", key: "S" },
];

const LAYER_ABOUT = {
  paint: "The paint as it lies",
  target: "The picture that is fitted (hold T to see it)",
  error: "Four times the difference from the target",
  owners: "Each stroke in a colour of its own",
  age: "When the paint was laid",
  changes: "What is other than when the program was opened or fitted",
};

const capital = (word) => word[0].toUpperCase() + word.slice(1);

/** The elements, before there is a view to put in them. */
export function stageElements() {
  const canvas = h("canvas", {
    class: "canvas",
    tabindex: 0,
    role: "application",
    "data-testid": "canvas",
    "aria-label": "Canvas",
    "aria-describedby": "readout",
  });
  const overlay = svg("svg", { class: "overlay", "aria-hidden": "true", "data-testid": "overlay" });
  const paper = h("div", { class: "paper" });
  const el = h("div", { class: "stage" }, paper, canvas, overlay);
  return { el, paper, canvas, overlay };
}

export class Stage {
  constructor(view, elements) {
    Object.assign(this, { view, ...elements });
    this.compare = new Compare(view);
    this.tools = TOOLS.map((tool) => this.toolButton(tool));
    this.layers = LAYERS.map((layer) => this.layerButton(layer));
    this.compareButton = iconButton("Compare with the target (C)", "compare", {
      testid: "compare",
      onclick: toggleCompare,
    });
    this.readout = h("div", { class: "readout", id: "readout" });
    this.showReadout = whenOther(() => this.fillReadout());
    this.el.append(this.compare.el, this.toolBar(), this.layerBar(), this.zoomBar(), this.readout);
    this.el.addEventListener("click", (event) => this.leaveButton(event));
    view.hooks.push(() => say(this.percent, zoomText(view.camera)));
  }

  toolButton({ name, label, key }) {
    return iconButton(`${label} (${key})`, name, {
      testid: `tool-${name}`,
      "data-name": name,
      onclick: () => set({ tool: name }),
    });
  }

  layerButton(layer) {
    const onclick = () => set({ layer });
    return button(capital(layer), {
      kind: "segment",
      testid: `layer-${layer}`,
      "data-name": layer,
      onclick,
    });
  }

  toolBar() {
    return h("div", { class: "float tool-bar", role: "group", "aria-label": "Tools" }, this.tools);
  }

  layerBar() {
    const segments = h(
      "div",
      { class: "segments", role: "group", "aria-label": "Layer" },
      this.layers,
    );
    return h("div", { class: "float layer-bar" }, segments, this.compareButton);
  }

  zoomBar() {
    this.percent = h("span", { class: "percent", "data-testid": "zoom" });
    return h(
      "div",
      { class: "float zoom-bar", role: "group", "aria-label": "Zoom" },
      iconButton("Zoom out (-)", "minus", { onclick: () => this.view.zoom(1 / ZOOM_STEP) }),
      this.percent,
      iconButton("Zoom in (+)", "plus", { onclick: () => this.view.zoom(ZOOM_STEP) }),
      iconButton("Fit the canvas in the view (0)", "fit", {
        testid: "zoom-fit",
        onclick: () => this.view.fitNow(),
      }),
    );
  }

  /** A button that was clicked gives the keyboard back to the canvas; Space plays. */
  leaveButton(event) {
    const byPointer = event.detail > 0;
    if (byPointer && event.target.closest(".float button"))
      this.canvas.focus({ preventScroll: true });
  }

  update() {
    const piece = current();
    for (const tool of this.tools)
      attribute(tool, "aria-pressed", String(tool.dataset.name === ui.tool));
    for (const layer of this.layers) this.updateLayer(piece, layer);
    const why = whyNot(piece, "target") ?? whyNot(piece, "paint");
    this.compareButton.disabled = Boolean(why);
    attribute(this.compareButton, "title", why ?? "Compare with the target (C)");
    attribute(this.compareButton, "aria-pressed", String(ui.compare && !why));
    this.compare.update(ui.compare && !why && shownLayer() !== "target");
    if (piece) attribute(this.canvas, "aria-label", canvasLabel(piece));
    const { hover } = ui;
    this.showReadout([hover, ui.selection.length, program()?.strokes]);
  }

  updateLayer(piece, layer) {
    const { name } = layer.dataset;
    const why = whyNot(piece, name);
    layer.disabled = Boolean(why);
    attribute(layer, "title", why ?? LAYER_ABOUT[name]);
    attribute(layer, "aria-pressed", String(name === shownLayer()));
  }

  fillReadout() {
    const { hover, selection } = ui;
    show(this.readout, Boolean(hover) || selection.length > 0);
    if (hover) fill(this.readout, swatch(hover.colour), strokeText(hover));
    else fill(this.readout, selectionText(selection.length));
  }
}

function selectionText(selected) {
  const { outlines } = server().limits;
  const part = selected > outlines ? `, outlines of the first ${count(outlines)}` : "";
  return `${plural(selected, "stroke")} selected${part}`;
}

function strokeText({ stroke, colour, half_width, bend }) {
  const share = Math.round((stroke / program().strokes) * 100);
  const bent = bend ? ` · bend ${Number(bend.toFixed(2))}` : "";
  return `stroke ${count(stroke)} · ${colour} · half-width ${Number(half_width.toPrecision(2))}${bent} · laid at ${share} %`;
}

export function toggleCompare() {
  const piece = current();
  if (whyNot(piece, "target") || whyNot(piece, "paint")) return;
  const layer = ui.layer === "target" ? "paint" : ui.layer;
  set({ compare: !ui.compare, layer });
}

function canvasLabel(piece) {
  const strokes = piece.program ? `, ${plural(piece.program.strokes, "stroke")}` : "";
  return `Canvas: ${piece.name}, layer ${shownLayer()}${strokes}`;
}

/** 100 % is the canvas fitted into the view. */
function zoomText({ scale, fitScale }) {
  const ratio = scale / fitScale;
  if (ratio < 9.995) return `${Math.round(ratio * 100)} %`;
  if (ratio < 1e6) return `${count(Math.round(ratio))} ×`;
  return `${ratio.toExponential(1).replace("e+", "e")} ×`;
}
