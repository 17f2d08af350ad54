// Light, dark, or as the system has it.

import { attribute } from "./dom.js";
import { iconButton } from "./controls.js";
import { changeIcon } from "./icons.js";

const THEMES = ["system", "light", "dark"];
const KEY = "tbr-theme";

function stored() {
  try {
    const theme = localStorage.getItem(KEY);
    return THEMES.includes(theme) ? theme : "system";
  } catch {
    return "system"; // a browser that keeps nothing
  }
}

function store(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It lasts until the page is closed, then.
  }
}

/** A button that goes from one theme to the next. */
export function themeButton() {
  let theme = stored();
  const button = iconButton("Theme", theme, { testid: "theme" });
  const apply = () => {
    attribute(document.documentElement, "data-theme", theme === "system" ? null : theme);
    changeIcon(button, theme);
    attribute(button, "aria-label", `Theme: ${theme}`);
    attribute(button, "title", `Theme: ${theme}`);
  };
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    store(theme);
    apply();
  });
  apply();
  return button;
}
