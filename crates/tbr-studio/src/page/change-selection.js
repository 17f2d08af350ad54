// Which strokes are meant, and what is done to them.

import {
  deleteSelection,
  duplicate,
  editSelection,
  recolour,
  selectAll,
  selectBy,
  selectSameColour,
  strokeFacts,
} from "./actions.js";
import { attribute, h, plural, say, show } from "./dom.js";
import { button, field, iconButton, number, numberIn, swatch } from "./controls.js";
import { currentHex, program, select, ui } from "./store.js";

export class SelectionPart {
  constructor() {
    this.count = h("span", { "data-testid": "selection-count" });
    this.clear = button("Clear", { kind: "small", onclick: () => select([]) });
    this.same = button("Same colour", {
      kind: "small",
      testid: "select-same",
      title: "All of the colour of the first selected stroke",
      "aria-label": "Same colour as selection",
      onclick: selectSameColour,
    });
    const all = button("All", { kind: "small", onclick: selectAll });
    this.rules = new Rules();
    this.actions = new Actions();
    this.hint = h(
      "p",
      { class: "soft small" },
      "Click paint on the canvas, draw a lasso around it, or name strokes here.",
    );
    this.el = h(
      "section",
      { class: "part" },
      h("h2", {}, this.count),
      this.hint,
      h("div", { class: "row buttons" }, all, this.same, this.clear),
      this.rules.el,
      this.actions.el,
    );
  }

  update(program) {
    const chosen = ui.selection.length;
    say(this.count, chosen === 0 ? "Selection: none" : `Selection: ${plural(chosen, "stroke")}`);
    show(this.hint, chosen === 0);
    this.same.disabled = chosen === 0;
    this.clear.disabled = chosen === 0;
    this.rules.update(program);
    this.actions.update(chosen);
  }
}

/** Selecting by numbers and by rules, with what is wrong with them right below. */
class Rules {
  constructor() {
    this.from = number(1, 1, 1, { "aria-label": "From stroke" });
    this.to = number(1, 1, 1, { "aria-label": "To stroke" });
    this.rule = h("input", {
      type: "text",
      placeholder: "last 20% and colour 2",
      spellcheck: "false",
      autocomplete: "off",
      "aria-describedby": "rule-error",
      "data-testid": "rule",
    });
    this.error = h("p", {
      class: "bad small",
      id: "rule-error",
      role: "alert",
      "data-testid": "rule-error",
      hidden: true,
    });
    const range = h(
      "form",
      { class: "joined", onsubmit: (event) => this.byRange(event) },
      h("span", { class: "soft" }, "Strokes"),
      this.from,
      h("span", { class: "soft" }, "to"),
      this.to,
      button("Select", { kind: "small", type: "submit" }),
    );
    const rule = h(
      "form",
      { class: "joined", onsubmit: (event) => this.byRule(event) },
      field("Rule", this.rule),
      button("Select", { kind: "small", type: "submit", testid: "rule-select" }),
    );
    this.el = h("div", { class: "stack" }, range, rule, this.error);
  }

  update({ strokes }) {
    for (const input of [this.from, this.to]) attribute(input, "max", strokes);
    if (this.among === strokes) return;
    this.among = strokes;
    this.to.value = String(strokes);
  }

  byRange(event) {
    const [from, to] = [numberIn(this.from, 1), numberIn(this.to, 1)];
    this.find(event, `${Math.min(from, to)}..${Math.max(from, to)}`);
  }

  byRule(event) {
    this.find(event, this.rule.value.trim() || "all");
  }

  async find(event, rule) {
    event.preventDefault();
    try {
      await selectBy({ rule });
      show(this.error, false);
    } catch (error) {
      say(this.error, [error.message, error.hint].filter(Boolean).join(" "));
      show(this.error, true);
    }
  }
}

class Actions {
  constructor() {
    this.colour = h("span", { class: "current" });
    this.recolour = button("Recolour", { kind: "small", testid: "recolour", onclick: recolour });
    this.recolour.prepend(this.colour);
    this.factor = number(1.25, 0.01, 100, { step: "any", "aria-label": "Scale by" });
    this.degrees = number(15, -360, 360, { step: "any", "aria-label": "Turn by degrees" });
    this.step = number(0.01, 0, 10, {
      step: "any",
      "aria-label": "Move by, where the canvas is 1 wide",
    });
    this.bend = h("input", {
      type: "range",
      min: -2,
      max: 2,
      step: 0.01,
      value: "0",
      "aria-label": "Bend",
      "data-testid": "bend",
      oninput: () => this.sayBend(),
      onchange: () => editSelection("bend", { bend: this.bend.valueAsNumber }),
    });
    this.bendText = h("output", { class: "soft" }, "0");
    const main = h(
      "div",
      { class: "row buttons" },
      this.recolour,
      button("Duplicate", { kind: "small", testid: "duplicate", onclick: duplicate }),
      button("Delete", { kind: "small", testid: "delete", onclick: deleteSelection }),
    );
    this.el = h(
      "fieldset",
      { class: "bare stack" },
      h("legend", { class: "unseen" }, "Change the selection"),
      main,
      this.scaling(),
      this.turning(),
      this.moving(),
      h(
        "div",
        { class: "joined" },
        h("span", { class: "joined-name" }, "Bend"),
        this.bend,
        this.bendText,
      ),
    );
  }

  scaling() {
    const scale = (factor) => editSelection("scale", { factor });
    return h(
      "div",
      { class: "joined" },
      h("span", { class: "joined-name" }, "Scale"),
      iconButton("Smaller, by 0.8", "minus", { onclick: () => scale(0.8) }),
      iconButton("Larger, by 1.25", "plus", { onclick: () => scale(1.25) }),
      this.factor,
      button("Scale", { kind: "small", onclick: () => scale(numberIn(this.factor, 1)) }),
    );
  }

  turning() {
    const turn = (sign) => editSelection("rotate", { degrees: sign * numberIn(this.degrees, 0) });
    return h(
      "div",
      { class: "joined" },
      h("span", { class: "joined-name" }, "Turn"),
      iconButton("Turn anticlockwise", "undo", { onclick: () => turn(-1) }),
      iconButton("Turn clockwise", "redo", { onclick: () => turn(1) }),
      this.degrees,
      h("span", { class: "soft" }, "degrees"),
    );
  }

  moving() {
    const move = (x, y) => () => {
      const step = numberIn(this.step, 0);
      return editSelection("translate", { by: [x * step, y * step] });
    };
    return h(
      "div",
      { class: "joined" },
      h("span", { class: "joined-name" }, "Move"),
      iconButton("Move left", "left", { onclick: move(-1, 0) }),
      iconButton("Move right", "right", { onclick: move(1, 0) }),
      iconButton("Move up", "up", { onclick: move(0, -1) }),
      iconButton("Move down", "under", { onclick: move(0, 1) }),
      this.step,
    );
  }

  sayBend() {
    say(this.bendText, String(this.bend.valueAsNumber));
  }

  /** Puts the slider where the first selected stroke is, when that or the program is another. */
  async showBend() {
    const [first] = ui.selection;
    const shown = `${ui.piece} ${program()?.revision} ${first}`;
    if (this.shown === shown) return;
    this.shown = shown;
    // A stroke that has just gone has no bend; the next update knows of another.
    const facts = first === undefined ? null : await strokeFacts(first).catch(() => null);
    if (this.shown !== shown) return;
    this.bend.value = String(facts?.bend ?? 0);
    this.sayBend();
  }

  update(chosen) {
    this.el.disabled = chosen === 0;
    this.showBend();
    const hex = currentHex();
    if (this.hex === hex) return;
    this.hex = hex;
    this.colour.replaceChildren(swatch(hex));
    attribute(this.recolour, "title", `To ${hex}`);
  }
}
