// The program's colours themselves, and the bare canvas's.

import { latest } from "./api.js";
import { dragNumber, edit } from "./actions.js";
import { fill, h, plural, say, show, whenOther } from "./dom.js";
import { button, field, number, numberIn } from "./controls.js";
import { program } from "./store.js";

// Fields whose picker is open: they show what the hand chooses, all others what the program has.
const picking = new WeakSet();

/**
 * A colour field of which every shade that the picker passes through is sent, as one step.
 * `change` makes the edit of a colour.
 */
function colourInput(label, change) {
  let drag = null;
  const send = latest((colour, number) => edit({ ...change(colour), drag: number }));
  // The next time it is opened is another step. (A picker that is given up tells nothing, but
  // while it is open the field gets neither clicks nor keys.)
  const settle = ({ target }) => {
    drag = null;
    picking.delete(target);
  };
  const pick = ({ target }) => {
    drag ??= dragNumber();
    picking.add(target);
    send(target.value, drag);
  };
  const heard = { oninput: pick, onchange: settle, onclick: settle, onkeydown: settle };
  return h("input", { type: "color", "aria-label": label, ...heard });
}

function keep(input, hex) {
  if (!picking.has(input)) input.value = hex;
}

/** A palette for a program that has none. */
function reducing() {
  const many = number(8, 2, 64, { oninput: () => say(go.querySelector(".words"), words()) });
  const words = () => `Reduce to ${plural(numberIn(many, 8), "colour")}`;
  const reduce = () => edit({ op: "reduce", colours: numberIn(many, 8) });
  const go = button(words(), { kind: "small", testid: "reduce", onclick: reduce });
  return h(
    "div",
    { class: "stack" },
    h("p", { class: "soft small" }, "Every stroke has a colour of its own."),
    h("div", { class: "joined" }, field("Colours", many), go),
  );
}

export class PalettePart {
  constructor() {
    this.colours = h("div", { class: "palette" });
    this.fillColours = whenOther((palette) =>
      fill(
        this.colours,
        palette.map((_, i) => this.entry(i)),
      ),
    );
    this.own = h("p", { class: "soft small" });
    this.background = colourInput("Background", (colour) => ({ op: "background", colour }));
    this.backgroundHex = h("code", {});
    this.reduce = reducing();
    this.el = h(
      "section",
      { class: "part" },
      h("h2", {}, "Palette"),
      this.colours,
      this.own,
      this.reduce,
      h(
        "label",
        { class: "colour-row" },
        h("span", { class: "field-label" }, "Background"),
        this.background,
        this.backgroundHex,
      ),
    );
  }

  entry(i) {
    const change = (colour) => ({ op: "palette", colours: program().palette.with(i, colour) });
    const input = colourInput(`Palette colour ${i}`, change);
    return h("label", { class: "palette-entry", title: `Colour ${i}` }, input, h("code", {}));
  }

  update({ palette, own_colours, background }) {
    this.fillColours(palette.length, palette);
    palette.forEach((hex, i) => {
      const [input, code] = this.colours.children[i].children;
      keep(input, hex);
      say(code, hex);
    });
    show(this.reduce, palette.length === 0);
    show(this.own, palette.length > 0 && own_colours > 0);
    say(this.own, `${plural(own_colours, "stroke")} with a colour of their own`);
    keep(this.background, background);
    say(this.backgroundHex, background);
  }
}
