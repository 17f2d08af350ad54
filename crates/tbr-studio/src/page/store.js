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
  editing: 0, // changes on their way, or waiting for their turn
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

// Pieces that an answer has brought and no event has told of yet: one that was on its way before
// does not know them.
const brought = new Map();

/** Takes in the server's state. */
export function receive(state) {
  const before = program();
  keepNewest(state);
  for (const { id } of state.pieces) brought.delete(id);
  word = { ...state, pieces: inOrder([...state.pieces, ...brought.values()]) };
  if (!current()) openPiece(nextPiece(word));
  else followProgram(before, program());
  tell();
}

const inOrder = (pieces) => pieces.sort((a, b) => a.id - b.id);

/** Takes in one piece that an answer has brought before the next event does. */
export function receivePiece(piece) {
  if (!word) return;
  if (!pieceOf(piece.id)) brought.set(piece.id, piece);
  const others = word.pieces.filter((other) => other.id !== piece.id);
  word = { ...word, pieces: inOrder([...others, piece]) };
  tell();
}

/** A piece that has been closed: the next event no longer has it. */
export const forgetPiece = (id) => brought.delete(id);

// Answers to edits are faster than events, and an event may have been on its way.
const newest = new Map();

/** The answer to a change: its picture can be asked for, and the next change made, at once. */
export function noteChange(id, { revision, label, strokes }) {
  newest.set(id, { revision, strokes });
  const piece = pieceOf(id);
  const before = piece?.program;
  if (!before) return;
  if (before.revision < revision) piece.program = { ...before, revision, strokes };
  if (id !== ui.piece) return;
  if (isFit(label)) ui.selection = [];
  followProgram(before, piece.program);
  tell();
}

function keepNewest(state) {
  for (const { id, program } of state.pieces) {
    const known = newest.get(id);
    if (program && program.revision < known?.revision) Object.assign(program, known);
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

export function select(strokes) {
  set({ selection: [...new Set(strokes)].sort((a, b) => a - b) });
}

const isFit = (label) => Boolean(label?.startsWith("fit,"));

/** Whether a fit has been laid over the program, or taken off it. */
function isFittedAnew(before, now) {
  const by = (now?.steps ?? 0) - (before?.steps ?? 0);
  return (by > 0 && isFit(now.undo)) || (by < 0 && isFit(now?.redo));
}

/** Lets go of what the program no longer has. */
function followProgram(before, now) {
  const strokes = now?.strokes ?? 0;
  // Numbers mean other strokes once strokes have come or gone, or have been fitted anew.
  if (before?.strokes !== strokes || isFittedAnew(before, now)) ui.selection = [];
  if (before?.revision !== now?.revision) ui.hover = null;
  if (ui.layer === "changes" && now?.steps === 0) ui.layer = "paint";
  if (ui.time != null && ui.time >= strokes) ui.time = null;
  if (typeof ui.colour === "number" && !now?.palette[ui.colour]) ui.colour = null;
  // A program that has got a palette is painted with that.
  if (typeof ui.colour === "string" && now?.palette.length > 0) ui.colour = null;
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
