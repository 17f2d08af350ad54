// The slider that divides the view: the paint on its left, the target on its right.

import { attribute, h, say, show } from "./dom.js";
import { shownLayer } from "./store.js";

const KEY_STEP = 0.02;

export class Compare {
  constructor(view) {
    this.view = view;
    this.leftName = h("span", { class: "compare-name left" });
    this.handle = h(
      "div",
      {
        class: "compare-handle",
        role: "slider",
        tabindex: 0,
        "aria-label": "Compare: paint on the left, target on the right",
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        "aria-orientation": "horizontal",
        "data-testid": "compare-slider",
        onpointerdown: (event) => this.down(event),
        onpointermove: (event) => this.move(event),
        onkeydown: (event) => this.key(event),
      },
      h("span", { class: "compare-grip" }),
      this.leftName,
      h("span", { class: "compare-name right" }, "target"),
    );
    this.el = h("div", { class: "compare", hidden: true }, this.handle);
  }

  update(on) {
    show(this.el, on);
    if (!on) return;
    say(this.leftName, shownLayer());
    this.place();
  }

  place() {
    const { split } = this.view;
    this.handle.style.left = `${split * 100}%`;
    attribute(this.handle, "aria-valuenow", Math.round(split * 100));
  }

  to(split) {
    this.view.split = Math.min(1, Math.max(0, split));
    this.place();
    this.view.invalidate();
  }

  down(event) {
    if (event.button !== 0) return;
    this.handle.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.handle.hasPointerCapture(event.pointerId)) return;
    const box = this.el.getBoundingClientRect();
    this.to((event.clientX - box.left) / box.width);
  }

  key(event) {
    const steps = { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP, Home: -1, End: 1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.to(this.view.split + steps[event.key]);
  }
}
