// A button with a list of things to do under it.

import { attribute, fill, h, show } from "./dom.js";
import { icon } from "./icons.js";

export class Menu {
  constructor(label, testid) {
    this.button = h(
      "button",
      {
        type: "button",
        class: "button quiet",
        "aria-haspopup": "menu",
        "aria-expanded": "false",
        "data-testid": testid,
        onclick: () => this.toggle(),
      },
      h("span", { class: "words" }, label),
      icon("down"),
    );
    this.list = h("div", {
      class: "menu-list",
      role: "menu",
      "aria-label": label,
      hidden: true,
      onkeydown: (event) => this.key(event),
    });
    this.el = h("div", { class: "menu" }, this.button, this.list);
    document.addEventListener(
      "pointerdown",
      (event) => this.el.contains(event.target) || this.toggle(false),
    );
    this.el.addEventListener(
      "focusout",
      (event) => this.el.contains(event.relatedTarget) || this.toggle(false),
    );
  }

  /** `items` are `{label, about, act}`. */
  fill(items) {
    const item = ({ label, about, act }) =>
      h(
        "button",
        {
          type: "button",
          role: "menuitem",
          class: "menu-item",
          tabindex: -1,
          onclick: () => {
            this.toggle(false);
            act();
          },
        },
        h("b", {}, label),
        h("span", { class: "soft" }, about),
      );
    fill(this.list, items.map(item));
  }

  toggle(open = this.list.hidden) {
    show(this.list, open);
    attribute(this.button, "aria-expanded", String(open));
    if (open) this.list.firstElementChild?.focus();
  }

  key(event) {
    const items = [...this.list.children];
    const at = items.indexOf(document.activeElement);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
    if (event.key === "Escape") {
      this.toggle(false);
      this.button.focus();
    } else if (event.key in steps) {
      items.at(steps[event.key] % items.length).focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
