// The score over time, as a small chart.

import { seconds, svg } from "./dom.js";

const WIDTH = 288;
const HEIGHT = 132;
const LEFT = 30;
const RIGHT = 8;
const TOP = 12;
const BOTTOM = 20;

/** A round step that divides a range into at most `most` parts. */
function niceStep(range, most) {
  const rough = range / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= rough);
}

function ticks(low, high, most) {
  const step = niceStep(high - low, most);
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(6)),
  );
}

/** A straight map from values to pixels. */
function axis(low, high, from, to) {
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}

function text(x, y, words, anchor) {
  return svg("text", { x, y, "text-anchor": anchor }, words);
}

/** The chart of `[[seconds, floor ratio], ..]`; `ceiling` is a line that cannot be crossed, or null. */
export function scoreCurve(points, ceiling, elapsed) {
  const last = points.at(-1);
  const label = last
    ? `Floor ratio ${last[1].toFixed(2)} after ${seconds(last[0])}`
    : "No score yet";
  const chart = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: "curve",
    role: "img",
    "aria-label": label,
  });
  const end = Math.max(1, elapsed, last?.[0] ?? 0);
  const ratios = points.map((p) => p[1]);
  const best = Math.max(1, ...ratios);
  const near = ceiling != null && ceiling < 2 * best;
  const high = (near ? Math.max(best, ceiling) : best) * 1.05;
  const low = 0.75 * Math.min(best, ...ratios);
  const x = axis(0, end, LEFT, WIDTH - RIGHT);
  const y = axis(low, high, HEIGHT - BOTTOM, TOP);
  chart.append(...grid(x, y, end, [low, high]));
  if (near) chart.append(...ceilingLine(y(ceiling)));
  if (last) chart.append(...line(points, x, y));
  return chart;
}

function grid(x, y, end, [low, high]) {
  const marks = [];
  for (const value of ticks(low, high, 5)) {
    marks.push(
      svg("line", { class: "level", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
    );
    marks.push(text(LEFT - 6, y(value) + 4, String(value), "end"));
  }
  for (const value of ticks(0, end, 5)) {
    const anchor = x(value) > WIDTH - 24 ? "end" : "middle";
    marks.push(text(x(value), HEIGHT - 4, value === 0 ? "0" : `${value} s`, anchor));
  }
  return marks;
}

function ceilingLine(y) {
  const rule = svg("line", { class: "ceiling", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y });
  return [rule, text(WIDTH - RIGHT, y - 4, "the most that these colours allow", "end")];
}

function line(points, x, y) {
  const at = ([s, ratio]) => `${x(s).toFixed(1)} ${y(ratio).toFixed(1)}`;
  const path = `M${points.map(at).join("L")}`;
  const [cx, cy] = at(points.at(-1)).split(" ");
  return [svg("path", { class: "line", d: path }), svg("circle", { class: "dot", cx, cy, r: 3 })];
}
