// Icons as lines on a field of 20 x 20, in the colour of the text around them.

import { svg } from "./dom.js";

const PATHS = {
  select: "M5 3l10.5 6.2-4.7 1.2-2 4.6z",
  lasso:
    "M10 4c4 0 7 1.9 7 4.5S14 13 10 13s-7-1.9-7-4.5S6 4 10 4zM6.2 12.4c-1 .5-1.4 1.4-.7 2.2.8.9.4 2-.9 2.4",
  hand: "M10 2.5v15M2.5 10h15M10 2.5L8 4.7M10 2.5l2 2.2M10 17.5l-2-2.2M10 17.5l2-2.2M2.5 10l2.2-2M2.5 10l2.2 2M17.5 10l-2.2-2M17.5 10l-2.2 2",
  drop: "M10 2.8c2.9 3.5 4.7 6 4.7 8.7a4.7 4.7 0 0 1-9.4 0c0-2.7 1.8-5.2 4.7-8.7z",
  stroke: "M4.3 12.5l8.2-8.2a2.26 2.26 0 0 1 3.2 3.2l-8.2 8.2a2.26 2.26 0 0 1-3.2-3.2z",
  compare: "M10 3v14M7.5 5.5H4v9h3.5M12.5 5.5H16v9h-3.5",
  minus: "M5 10h10",
  plus: "M5 10h10M10 5v10",
  fit: "M3.5 7.5v-4h4M12.5 3.5h4v4M16.5 12.5v4h-4M7.5 16.5h-4v-4",
  play: "M6.5 4l9 6-9 6z",
  pause: "M7 4.5v11M13 4.5v11",
  stop: "M5.5 5.5h9v9h-9z",
  back: "M13 5l-5.5 5 5.5 5M5.5 5v10",
  forward: "M7 5l5.5 5L7 15M14.5 5v10",
  undo: "M7.5 4L4 7.5 7.5 11M4.5 7.5H12a4.2 4.2 0 0 1 0 8.4H8",
  redo: "M12.5 4L16 7.5 12.5 11M15.5 7.5H8a4.2 4.2 0 0 0 0 8.4h4",
  close: "M5.5 5.5l9 9M14.5 5.5l-9 9",
  open: "M3 15.5v-11h5l1.6 2H17v9z",
  down: "M6 8.5l4 4 4-4",
  light:
    "M10 6.6a3.4 3.4 0 1 1 0 6.8 3.4 3.4 0 0 1 0-6.8zM10 2.3v1.4M10 16.3v1.4M2.3 10h1.4M16.3 10h1.4M4.6 4.6l1 1M14.4 14.4l1 1M15.4 4.6l-1 1M5.6 14.4l-1 1",
  dark: "M15.8 11.8A6.4 6.4 0 0 1 8.2 4.2a6.4 6.4 0 1 0 7.6 7.6z",
  system: "M3.5 4.5h13v9h-13zM7 16.5h6M10 13.5v3",
  help: "M7.4 7.6A2.6 2.6 0 1 1 10 10.4v1.4M10 14.6v.2",
  picture: "M3.5 4.5h13v11h-13zM4 13l3.6-3.6 2.8 2.6 2.4-2.2 3.4 3.2M12.7 7.6v.2",
  drawing: "M4 15.5C6 6.5 13.5 13 16 4.5M3 15.5h2.2M15 4.5h2.2",
  film: "M3.5 4.5h13v11h-13zM6.5 4.5v11M13.5 4.5v11M3.5 8.2h3M3.5 11.8h3M13.5 8.2h3M13.5 11.8h3",
  program: "M6 3.5h5.5L15 7v9.5H6zM8.2 9h4.6M8.2 11.4h4.6M8.2 13.8h3",
  report: "M4 16.5h12M6 13.5v-4M10 13.5v-8M14 13.5v-6",
  download: "M10 3.5v8.5M6.5 9l3.5 3.5L13.5 9M4 16.5h12",
  left: "M15.5 10h-11M8.5 6l-4 4 4 4",
  right: "M4.5 10h11M11.5 6l4 4-4 4",
  up: "M10 15.5v-11M6 8.5l4-4 4 4",
  under: "M10 4.5v11M6 11.5l4 4 4-4",
};

const SOLID = new Set(["play", "stop"]);

export function icon(name) {
  const path = svg("path", { d: PATHS[name], class: SOLID.has(name) ? "solid" : "line" });
  return svg("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" }, path);
}

/** Swaps the icon of a button that has one. */
export function changeIcon(button, name) {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  button.querySelector("svg.icon")?.replaceWith(icon(name));
}
