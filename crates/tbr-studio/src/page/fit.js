// The Fit tab: the form, and how the fit goes.

import { openTarget, startFit } from "./actions.js";
import { attribute, fill, h, say, show, whenOther } from "./dom.js";
import { button, checkbox, choice, field, number, numberIn, tick } from "./controls.js";
import { FitStatus } from "./fit-status.js";
import { atWork, current, program, server, set, ui } from "./store.js";

const HEX_LIST = "#1d3f73, #b4532a, #ede8d9";

export class FitTab {
  constructor(play) {
    this.status = new FitStatus(play);
    this.form = new FitForm();
    this.heading = h("h2", {});
    this.again = h("section", { class: "part" }, this.heading, this.form.el);
    this.without = h("section", { class: "part" }, noTarget());
    this.el = h("div", {}, this.status.el, this.again, this.without);
  }

  update() {
    const piece = current();
    if (!piece) return;
    this.status.update(piece);
    show(this.again, Boolean(piece.target) && !atWork(piece));
    show(this.without, !piece.target);
    say(this.heading, piece.fit ? "Fit again" : "Turn the picture into strokes");
    this.form.update(piece);
  }
}

/** A program alone: a fit needs to know what it should look like. */
function noTarget() {
  const input = h("input", {
    type: "file",
    accept: "image/*",
    class: "unseen",
    tabindex: -1,
    "aria-label": "The picture to compare with",
  });
  input.addEventListener("change", () => {
    if (input.files[0]) openTarget(input.files[0]);
    input.value = "";
  });
  return [
    h("h2", {}, "No picture to fit"),
    h(
      "p",
      { class: "soft" },
      "This is a program alone. Give it a picture of the same shape, to compare it with and to fit it to.",
    ),
    button("Choose a picture…", { kind: "primary", onclick: () => input.click() }),
    input,
  ];
}

/** The browser can only point at a field that is seen. (The event does not bubble.) */
function showInvalid(event) {
  const folded = event.target.closest("details");
  if (folded) folded.open = true;
}

class FitForm {
  constructor() {
    this.presets = h("div", {
      class: "cards",
      role: "radiogroup",
      "aria-label": "How much time to take",
    });
    this.fillPresets = whenOther((presets) => this.makePresets(presets));
    this.strokes = number(2000, 1, 2000, { "data-testid": "fit-strokes" });
    this.seed = number(0, 0, Number.MAX_SAFE_INTEGER);
    this.size = number("", 16, 2048, { placeholder: "its own" });
    this.drops = checkbox();
    this.straight = checkbox({ "data-testid": "fit-straight" });
    this.bare = checkbox();
    this.from = checkbox({ onchange: () => this.showFrom() });
    this.makeColours();
    this.showFrom();
    this.submit = button("Fit this picture", {
      kind: "primary wide",
      testid: "fit-button",
      type: "submit",
    });
    this.el = h("form", { class: "form", onsubmit: (event) => this.send(event) }, ...this.parts());
    this.el.addEventListener("invalid", showInvalid, { capture: true });
  }

  parts() {
    this.bareRow = tick("Leave transparent parts bare", this.bare);
    this.fromRow = tick("Start from the present program", this.from);
    return [
      this.presets,
      h("div", { class: "row" }, field("Strokes", this.strokes), field("Seed", this.seed)),
      field("Colours", this.colours),
      this.colourNumberRow,
      this.rareRow,
      this.colourListRow,
      h(
        "details",
        { class: "more" },
        h("summary", {}, "More"),
        field("Longer side that is fitted, in pixels", this.size),
        tick("Drops only, no lines", this.drops),
        tick("Straight strokes only", this.straight),
        this.bareRow,
        this.fromRow,
      ),
      this.submit,
    ];
  }

  makeColours() {
    this.colours = choice(
      [
        { value: "free", label: "Free: each stroke its own" },
        { value: "number", label: "A number of colours" },
        { value: "list", label: "These colours" },
        { value: "keep", label: "As the program has them" },
      ],
      { "data-testid": "fit-colours", onchange: () => this.showColours() },
    );
    this.colourNumber = number(8, 2, 64, { "data-testid": "fit-colour-number" });
    this.colourList = h("input", {
      type: "text",
      placeholder: HEX_LIST,
      spellcheck: "false",
      autocomplete: "off",
      "data-testid": "fit-colour-list",
    });
    this.colourNumberRow = field("How many", this.colourNumber);
    this.rare = checkbox({ checked: true, "data-testid": "fit-rare" });
    this.rareRow = tick("Keep rare colours", this.rare);
    this.colourListRow = field("Hex colours, with commas between", this.colourList);
    this.showColours();
  }

  showColours() {
    show(this.colourNumberRow, this.colours.value === "number");
    show(this.rareRow, this.colours.value === "number" && this.preset() !== "paper");
    show(this.colourListRow, this.colours.value === "list");
    // A field that is not seen must not hold up the form.
    this.colourNumber.disabled = this.colours.value !== "number";
    this.colourList.required = this.colours.value === "list";
  }

  /** A fit from the present program keeps its strokes, and its colours unless others are wanted. */
  showFrom() {
    const from = this.from.checked;
    this.strokes.disabled = from;
    if (from) this.strokes.value = String(program().strokes);
    this.colours.querySelector("[value=keep]").hidden = !from;
    this.colours.value = from ? "keep" : "free";
    this.showPreset();
  }

  /** The paper's solver takes its colours from a palette. */
  showPreset() {
    const needsPalette = this.preset() === "paper";
    this.colours.querySelector("[value=free]").disabled = needsPalette;
    if (needsPalette && this.colours.value === "free") this.colours.value = "number";
    this.showColours();
  }

  preset() {
    return this.presets.querySelector("input:checked")?.value;
  }

  makePresets(presets) {
    const usual = presets.some((preset) => preset.name === "default")
      ? "default"
      : presets[0]?.name;
    const card = ({ name, about }) => {
      const input = h("input", {
        type: "radio",
        name: "preset",
        value: name,
        checked: name === usual,
        onchange: () => this.showPreset(),
      });
      const words = h(
        "span",
        { class: "card-words" },
        h("b", {}, name),
        h("span", { class: "soft" }, about),
      );
      return h("label", { class: "card" }, input, words);
    };
    fill(this.presets, presets.map(card));
  }

  update(piece) {
    const { presets, limits } = server();
    this.fillPresets(presets, presets);
    attribute(this.strokes, "max", limits.strokes);
    show(this.bareRow, Boolean(piece.target?.transparent));
    show(this.fromRow, Boolean(piece.program));
    if (!piece.program && this.from.checked) {
      this.from.checked = false;
      this.showFrom();
    }
    say(this.submit.querySelector(".words"), piece.fit ? "Fit again" : "Fit this picture");
    attribute(this.submit, "class", piece.program ? "button wide" : "button primary wide");
  }

  /** Undefined leaves it to the server. */
  palette() {
    if (this.colours.value === "keep") return undefined;
    if (this.colours.value === "number") return String(numberIn(this.colourNumber, 8));
    if (this.colours.value === "list")
      return this.colourList.value
        .split(/[\s,]+/)
        .filter(Boolean)
        .join(",");
    return "free";
  }

  /** Undefined leaves it to the server: rare colours are kept where that can be. */
  paletteBy() {
    return this.colours.value === "number" && !this.rare.checked ? "pixels" : undefined;
  }

  async send(event) {
    event.preventDefault();
    const piece = current();
    const wishes = {
      preset: this.preset(),
      strokes: this.from.checked ? undefined : numberIn(this.strokes, 2000),
      palette: this.palette(),
      palette_by: this.paletteBy(),
      seed: numberIn(this.seed, 0),
      size_px: numberIn(this.size, undefined),
      drops: this.drops.checked,
      straight: this.straight.checked,
      bare: this.bare.checked && Boolean(piece.target?.transparent),
      from: this.from.checked,
    };
    if (!(await startFit(wishes)) || ui.piece !== piece.id) return;
    set({ layer: "paint", time: null, compare: false, selection: [] });
  }
}
