// What the page knows: the server's last word, and what is this page's own.

/** This page's own state. Everything else is in `server()`. */
export const ui = {
  piece: null, // the id of the open one
  tab: "fit",
  tool: "select",
  layer: "paint", // the one that is wanted; see `shownLayer`
  compare: false,
  peek: false, // the target, while a key is held
  time: null, // strokes laid; null is all of them, however many there will be
  playing: false,
  scrubbing: false,
  editing: 0, // edits on their way
  offline: false, // the event stream is broken
  selection: [],
  hover: null, // the stroke under the pointer
  colour: null, // a palette entry's number or a hex colour; null is the first that offers itself
  halfWidth: 0.02,
};

let word = null;
const listeners = new Set();
let told = true;

export const server = () => word;

/** Calls `heard` after every change, once for those made together. */
export function listen(heard) {
  listeners.add(heard);
}

export function set(patch) {
  Object.assign(ui, patch);
  tell();
}

function tell() {
  if (!told) return;
  told = false;
  queueMicrotask(() => {
    told = true;
    for (const heard of listeners) heard();
  });
}

export const pieceOf = (id) => word?.pieces.find((piece) => piece.id === id) ?? null;
export const current = () => pieceOf(ui.piece);
export const program = () => current()?.program ?? null;

/** How many strokes lie: the playhead. */
export const strokesLaid = () => ui.time ?? program()?.strokes ?? 0;

/** Takes in the server's state. */
export function receive(state) {
  const before = program();
  keepNewest(state);
  word = state;
  if (!current()) openPiece(nextPiece(state));
  else followProgram(before, program());
  tell();
}

/** Takes in one piece that an answer has brought before the next event does. */
export function receivePiece(piece) {
  if (!word) return;
  const others = word.pieces.filter((other) => other.id !== piece.id);
  word = { ...word, pieces: [...others, piece].sort((a, b) => a.id - b.id) };
  tell();
}

// Answers to edits are faster than events, and an event may have been on its way.
const revisions = new Map();

/** An edit's answer: its picture can be asked for at once. */
export function noteRevision(id, revision) {
  revisions.set(id, revision);
  const piece = pieceOf(id);
  if (piece?.program && piece.program.revision < revision) {
    piece.program = { ...piece.program, revision };
    tell();
  }
}

function keepNewest(state) {
  for (const piece of state.pieces) {
    const newest = revisions.get(piece.id);
    if (piece.program && piece.program.revision < newest) piece.program.revision = newest;
  }
}

function nextPiece(state) {
  const wanted = Number(location.hash.replace("#piece-", ""));
  const found = state.pieces.find((piece) => piece.id === wanted);
  return (found ?? state.pieces.at(-1))?.id ?? null;
}

/** Shows another piece, from the beginning. */
export function openPiece(id) {
  const hash = id == null ? "" : `#piece-${id}`;
  if (location.hash !== hash) history.replaceState(null, "", hash || location.pathname);
  const tab = id != null && !pieceOf(id)?.program ? "fit" : ui.tab;
  const afresh = { time: null, playing: false, scrubbing: false, selection: [], hover: null };
  set({ ...afresh, piece: id, tab, layer: "paint", compare: false, peek: false, colour: null });
}

let selectedAmong = 0;

/** Selects strokes, numbered as in a program of `among` strokes. */
export function select(strokes, among = program()?.strokes ?? 0) {
  selectedAmong = among;
  set({ selection: [...new Set(strokes)].sort((a, b) => a - b) });
}

/** Lets go of what the program no longer has. */
function followProgram(before, now) {
  const strokes = now?.strokes ?? 0;
  // Numbers mean other strokes once strokes have come or gone.
  if (before?.strokes !== strokes && strokes !== selectedAmong) ui.selection = [];
  if (ui.layer === "changes" && now?.steps === 0) ui.layer = "paint";
  if (ui.time != null && ui.time >= strokes) ui.time = null;
  if (typeof ui.colour === "number" && !now?.palette[ui.colour]) ui.colour = null;
}

const AT_WORK = new Set(["waiting", "running", "paused"]);

/** Whether a fit has the piece, so that nothing else may change it. */
export const atWork = (piece) => AT_WORK.has(piece?.fit?.status);

export const LAYERS = ["paint", "target", "error", "owners", "age", "changes"];

/** Why a layer cannot be shown; null if it can. */
export function whyNot(piece, layer) {
  const hasProgram = Boolean(piece?.program);
  if (layer !== "target" && !hasProgram) return "There is no program yet: fit the picture first";
  if ((layer === "target" || layer === "error") && !piece?.target)
    return "There is no picture to compare with";
  if (layer === "changes" && piece.program.steps === 0) return "Nothing has been changed";
  return null;
}

/** The layer on the canvas: the wanted one, or what there is. */
export function shownLayer() {
  const piece = current();
  if (!whyNot(piece, ui.layer)) return ui.layer;
  return piece?.program ? "paint" : "target";
}

/** The colour that new paint gets, as hex. */
export function currentHex() {
  const colour = currentColour();
  return typeof colour === "number" ? program().palette[colour] : colour;
}

/** The same as a palette entry's number, where it is one. */
export function currentColour() {
  if (ui.colour != null) return ui.colour;
  return program()?.palette.length ? 0 : "#1d3f73";
}
