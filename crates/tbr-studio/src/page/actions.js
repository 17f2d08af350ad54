// What can be done to the open piece, from buttons, keys and the pointer alike.

import { get, post, remove, upload } from "./api.js";
import { count, plural } from "./dom.js";
import {
  atWork,
  current,
  currentColour,
  currentHex,
  forgetPiece,
  noteChange,
  openPiece,
  pieceOf,
  program,
  receivePiece,
  select,
  server,
  set,
  strokesLaid,
  ui,
} from "./store.js";
import { announce, attempt, failure, note, waiting } from "./toast.js";

const path = (rest) => `pieces/${ui.piece}/${rest}`;

/** Numbers that no other drag of any page has. */
export const dragNumber = () => Date.now() * 1000 + Math.floor(Math.random() * 1000);

// Opening

export async function openFiles(files) {
  for (const file of files) await openFile(file, "pieces");
}

/** Opens a file, or gives the open program a picture to be compared with. */
async function openFile(file, where) {
  const most = server()?.limits.upload_bytes ?? Infinity;
  if (file.size > most) {
    failure(
      `${file.name} is too large.`,
      `At most ${count(Math.floor(most / 1e6))} MB can be opened.`,
    );
    return;
  }
  await opened(`Opening ${file.name}…`, () => upload(where, file));
}

/** Shows the piece that some work brings, and a note until it does. */
async function opened(words, work) {
  const wait = waiting(words);
  const piece = await attempt(work);
  wait.remove();
  if (piece) show(piece);
}

export const openTarget = (file) => openFile(file, path("target"));

// Samples on their way: a double click opens one of them.
const drawing = new Set();

export async function openSample(name) {
  if (drawing.has(name)) return;
  drawing.add(name);
  await opened(`Drawing ${name}…`, () => post(`samples/${name}`));
  drawing.delete(name);
}

function show(piece) {
  receivePiece(piece);
  if (piece.id !== ui.piece) openPiece(piece.id);
  announce(`${piece.name} is open`);
}

/** Whether closing a piece would lose more than a file that is still there. */
function holdsWork(piece) {
  return atWork(piece) || piece.program?.steps > 0 || Boolean(piece.fit && piece.program);
}

export async function closePiece(id) {
  const piece = pieceOf(id);
  if (!piece) return;
  const question = `Close ${piece.name}? What was not exported is gone.`;
  if (holdsWork(piece) && !confirm(question)) return;
  await attempt(async () => {
    await remove(`pieces/${id}`);
    forgetPiece(id);
  });
}

// Changing

/** Whether the piece may be changed now; says why not. */
export function mayChange() {
  if (atWork(current())) {
    note("A fit is at work on this piece.", "Stop it to change strokes.");
    return false;
  }
  if (!program()) note("There is no program yet.", "Fit the picture first.");
  return Boolean(program());
}

// One change after another: each is decided on what the one before it has left.
let tail = Promise.resolve();

function inTurn(work) {
  const turn = async () => {
    try {
      return await work();
    } finally {
      ui.editing -= 1;
    }
  };
  ui.editing += 1;
  tail = tail.then(turn, turn);
  return tail;
}

/** Changes the open piece in turn, unless another has been opened by then. */
function changeOpen(work) {
  const id = ui.piece;
  return inTurn(() => (ui.piece === id ? work(id) : undefined));
}

/** Sends a change whose turn it is. Gives its answer, or undefined if it was refused. */
async function send(id, request) {
  const answer = await attempt(request);
  if (answer) noteChange(id, answer);
  return answer;
}

const sendEdit = (id, change) => send(id, () => post(`pieces/${id}/edit`, change));

/** An edit of the open piece. */
export const edit = (change) => changeOpen((id) => sendEdit(id, change));

async function sendSelection(id, op, more = {}) {
  if (ui.selection.length === 0 || !mayChange()) return undefined;
  const answer = await sendEdit(id, { op, strokes: ui.selection, ...more });
  if (answer) announce(answer.label);
  return answer;
}

/** An edit of the selected strokes. */
export const editSelection = (op, more) => changeOpen((id) => sendSelection(id, op, more));

/** The current colour as an edit names it: a palette entry stays one. */
export function colourOf(colour = currentColour()) {
  return typeof colour === "number" ? { palette: colour } : { colour };
}

export const recolour = () => editSelection("recolour", colourOf());
export const deleteSelection = () => editSelection("delete");

/** The copies are selected, ready to be moved away from their originals. */
export function duplicate() {
  return changeOpen(async (id) => {
    const copies = ui.selection.map((stroke, i) => stroke + i + 1);
    if ((await sendSelection(id, "duplicate")) && ui.piece === id) select(copies);
  });
}

/** Lays a stroke at the playhead, which then stands right after it. */
export function insert(anchor, offset, halfWidth) {
  const paint = { anchor, offset, half_width: halfWidth, colour: currentHex() };
  return changeOpen(async (id) => {
    if (!mayChange()) return;
    const { time } = ui;
    const laid = Math.floor(strokesLaid());
    const answer = await sendEdit(id, { op: "insert", number: laid + 1, ...paint });
    if (!answer) return;
    announce(answer.label);
    if (time != null && ui.piece === id && ui.time === time) set({ time: laid + 1 });
  });
}

async function sendStep(id, which) {
  const request = async () => {
    try {
      return await post(`pieces/${id}/${which}`);
    } catch (error) {
      // Nothing is left to undo or redo: a key that is held gets there.
      if (error.status === 409 && !atWork(pieceOf(id))) return undefined;
      throw error;
    }
  };
  const answer = await send(id, request);
  if (answer) announce(`${which}: ${answer.label}`);
}

const step = (which) => changeOpen((id) => mayChange() && sendStep(id, which));

export const undo = () => step("undo");
export const redo = () => step("redo");

/** Undoes the last change of a piece that need not be open any more. */
export const takeBack = (id) => inTurn(() => sendStep(id, "undo"));

// Selecting

/** Selects what the server finds. Throws what it answers. */
export async function selectBy(question) {
  const id = ui.piece;
  const { strokes } = await post(`pieces/${id}/select`, question);
  if (ui.piece !== id) return;
  select(strokes);
  announce(`${plural(ui.selection.length, "stroke")} selected`);
}

export const selectAll = () => program() && attempt(() => selectBy({ rule: "all" }));

/** What the server knows of a stroke of the open piece. */
export const strokeFacts = (stroke) => get(path(`strokes/${stroke}`));

/** All strokes of the colour of the first selected one. */
export async function selectSameColour() {
  const id = ui.piece;
  await attempt(async () => {
    const stroke = await strokeFacts(ui.selection[0]);
    if (ui.piece !== id) return;
    await selectBy({ rule: `colour ${stroke.palette ?? stroke.colour}` });
  });
}

// Fitting and taking away

export const startFit = (wishes) => attempt(() => post(path("fit"), wishes));
export const tellFit = (what) => attempt(() => post(path(`fit/${what}`)));
export const beginExport = (wishes) => attempt(() => post(path("exports"), wishes));
export const saveExport = (id) => attempt(() => post(`exports/${id}/save`, {}));
export const removeExport = (id) => attempt(() => remove(`exports/${id}`));
