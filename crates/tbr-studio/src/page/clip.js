// The part of an outline near the view. Deep in a picture an outline is millions of pixels long;
// a browser that dashes all of it stands still.

const FLAT_PX = 0.2; // a curve this close to its chord is drawn as the chord
const MAX_DEPTH = 40; // halvings: from a billion pixels to a thousandth

/** Path data of `M`, `C` and `Z`, in absolute numbers, cut to a box `[x0, y0, x1, y1]`. */
export function clipped(path, box) {
  const out = [];
  let pen = null; // where the last piece ended
  const line = (a, b) => {
    const piece = clippedLine(a, b, box);
    if (!piece) return;
    const [from, to] = piece;
    const goesOn = pen && pen[0] === from[0] && pen[1] === from[1];
    out.push(goesOn ? `L${to.join(" ")}` : `M${from.join(" ")}L${to.join(" ")}`);
    pen = to;
  };
  for (const outline of path.split("M").slice(1)) {
    const numbers = outline.match(/-?[\d.]+(?:e[-+]?\d+)?/g).map(Number);
    const start = numbers.slice(0, 2);
    let from = start;
    for (let i = 2; i + 5 < numbers.length; i += 6) {
      const [ax, ay, bx, by, cx, cy] = numbers.slice(i, i + 6);
      flatten([from, [ax, ay], [bx, by], [cx, cy]], box, line, 0);
      from = [cx, cy];
    }
    line(from, start);
  }
  return out.join("");
}

/** Halves a curve until its pieces are straight, and leaves out those beyond the box. */
function flatten(curve, box, line, depth) {
  if (isBeyond(curve, box)) return;
  if (isFlat(curve) || depth === MAX_DEPTH) {
    line(curve[0], curve[3]);
    return;
  }
  const [first, second] = halves(curve);
  flatten(first, box, line, depth + 1);
  flatten(second, box, line, depth + 1);
}

/** A curve lies within the hull of its points. */
function isBeyond(points, [x0, y0, x1, y1]) {
  return (
    points.every(([x]) => x < x0) ||
    points.every(([x]) => x > x1) ||
    points.every(([, y]) => y < y0) ||
    points.every(([, y]) => y > y1)
  );
}

function isFlat([a, b, c, d]) {
  const [dx, dy] = [d[0] - a[0], d[1] - a[1]];
  const length = Math.hypot(dx, dy);
  const off = ([x, y]) =>
    length > 0
      ? Math.abs((x - a[0]) * dy - (y - a[1]) * dx) / length
      : Math.hypot(x - a[0], y - a[1]);
  return off(b) < FLAT_PX && off(c) < FLAT_PX;
}

function halves([a, b, c, d]) {
  const middle = (p, q) => [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
  const [ab, bc, cd] = [middle(a, b), middle(b, c), middle(c, d)];
  const [abc, bcd] = [middle(ab, bc), middle(bc, cd)];
  const half = middle(abc, bcd);
  return [
    [a, ab, abc, half],
    [half, bcd, cd, d],
  ];
}

/** The part of a line within a box, by Liang and Barsky; null if there is none. */
function clippedLine(a, b, [x0, y0, x1, y1]) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  let [from, to] = [0, 1];
  const sides = [
    [-dx, a[0] - x0],
    [dx, x1 - a[0]],
    [-dy, a[1] - y0],
    [dy, y1 - a[1]],
  ];
  for (const [step, room] of sides) {
    if (step === 0 && room < 0) return null;
    if (step < 0) from = Math.max(from, room / step);
    if (step > 0) to = Math.min(to, room / step);
  }
  if (from > to) return null;
  const at = (t) => [a[0] + t * dx, a[1] + t * dy];
  return [from === 0 ? a : at(from), to === 1 ? b : at(to)];
}
