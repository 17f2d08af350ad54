// The Change tab: colour and brush, the selection, the palette, and what has been changed.

import { selectBy } from "./actions.js";
import { attribute, fill, h, say, show, whenOther } from "./dom.js";
import { button, field, number, numberIn, swatch } from "./controls.js";
import { SelectionPart } from "./change-selection.js";
import { PalettePart } from "./change-palette.js";
import { StepsPart } from "./change-steps.js";
import { atWork, current, currentColour, currentHex, set, ui } from "./store.js";
import { attempt } from "./toast.js";

export class ChangeTab {
  constructor() {
    this.parts = [new BrushPart(), new SelectionPart(), new PalettePart(), new StepsPart()];
    this.busy = h(
      "p",
      { class: "notice", role: "status" },
      "A fit is at work on this piece; stop it to change strokes.",
    );
    this.none = h(
      "div",
      { class: "part" },
      h("h2", {}, "Nothing to change yet"),
      h(
        "p",
        { class: "soft" },
        "There is no program yet. Fit the picture first; then its strokes can be changed.",
      ),
      button("Go to Fit", { onclick: () => set({ tab: "fit" }) }),
    );
    this.all = h(
      "fieldset",
      { class: "bare" },
      h("legend", { class: "unseen" }, "Change"),
      this.parts.map((part) => part.el),
    );
    this.el = h("div", {}, this.busy, this.none, this.all);
  }

  update() {
    const piece = current();
    const program = piece?.program;
    const busy = atWork(piece);
    show(this.busy, busy);
    show(this.none, !program && !busy);
    show(this.all, Boolean(program));
    this.all.disabled = busy;
    if (program) for (const part of this.parts) part.update(program);
  }
}

/** The colour that new paint and recoloured strokes get, and how wide a stroke is. */
class BrushPart {
  constructor() {
    this.swatches = h("div", {
      class: "swatches",
      role: "radiogroup",
      "aria-label": "Current colour",
    });
    this.fillSwatches = whenOther((palette) =>
      fill(
        this.swatches,
        palette.map((hex, i) => this.radio(hex, i)),
      ),
    );
    this.picker = h("input", {
      type: "color",
      "data-testid": "current-colour",
      oninput: () => set({ colour: this.picker.value }),
    });
    this.hex = h("code", {});
    this.pickerRow = h(
      "label",
      { class: "colour-row" },
      h("span", { class: "field-label" }, "Current colour"),
      this.picker,
      this.hex,
    );
    this.same = button("Select all of this colour", {
      kind: "small",
      onclick: () => this.selectColour(),
    });
    this.halfWidth = number(ui.halfWidth, 0.0005, 0.5, {
      step: "any",
      "data-testid": "half-width",
      onchange: () => this.changeHalfWidth(),
    });
    this.el = h(
      "section",
      { class: "part" },
      h("h2", {}, "Paint"),
      this.swatches,
      this.pickerRow,
      h("div", { class: "row" }, this.same),
      field("Half-width of the brush (the canvas is 1 wide)", this.halfWidth),
    );
  }

  changeHalfWidth() {
    set({ halfWidth: numberIn(this.halfWidth, ui.halfWidth) });
    this.showHalfWidth();
  }

  showHalfWidth() {
    this.halfWidth.value = String(Number(ui.halfWidth.toPrecision(3)));
  }

  radio(hex, i) {
    const input = h("input", {
      type: "radio",
      name: "current-colour",
      value: i,
      "aria-label": `Colour ${i}, ${hex}`,
      onchange: () => set({ colour: i }),
    });
    return h(
      "label",
      { class: "swatch-choice", title: `Colour ${i}` },
      input,
      swatch(hex),
      h("code", {}, hex),
    );
  }

  selectColour() {
    const colour = currentColour();
    attempt(() => selectBy({ rule: `colour ${colour}` }));
  }

  update({ palette }) {
    const colour = currentColour();
    show(this.swatches, palette.length > 0);
    show(this.pickerRow, palette.length === 0);
    this.fillSwatches(palette, palette);
    // One hook for tests, wherever the current colour is chosen.
    attribute(this.swatches, "data-testid", palette.length > 0 ? "current-colour" : null);
    attribute(this.picker, "data-testid", palette.length > 0 ? null : "current-colour");
    for (const input of this.swatches.querySelectorAll("input"))
      input.checked = Number(input.value) === colour;
    const hex = currentHex();
    if (this.picker.value !== hex) this.picker.value = hex;
    say(this.hex, hex);
    if (document.activeElement !== this.halfWidth) this.showHalfWidth();
  }
}
