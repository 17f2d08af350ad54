// What can be done to the open piece, from buttons, keys and the pointer alike.

import { get, post, remove, upload } from "./api.js";
import { count, plural } from "./dom.js";
import {
  atWork,
  current,
  currentColour,
  currentHex,
  noteRevision,
  openPiece,
  program,
  receivePiece,
  select,
  server,
  set,
  strokesLaid,
  ui,
} from "./store.js";
import { announce, attempt, failure, note } from "./toast.js";

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
  const waiting = note(words);
  const piece = await attempt(work);
  waiting.remove();
  if (piece) show(piece);
}

export const openTarget = (file) => openFile(file, path("target"));

export const openSample = (name) => opened(`Drawing ${name}…`, () => post(`samples/${name}`));

function show(piece) {
  receivePiece(piece);
  if (piece.id !== ui.piece) openPiece(piece.id);
  announce(`${piece.name} is open`);
}

export async function closePiece(id) {
  await attempt(() => remove(`pieces/${id}`));
}

// Changing

/** Whether the piece may be changed now; says why not. */
export function mayChange() {
  if (!program()) return false;
  if (!atWork(current())) return true;
  note("A fit is at work on this piece.", "Stop it to change strokes.");
  return false;
}

/** Sends an edit. Gives its answer, or undefined if it was refused. */
export async function edit(change) {
  const id = ui.piece;
  ui.editing += 1;
  const answer = await attempt(() => post(`pieces/${id}/edit`, change));
  ui.editing -= 1;
  if (answer) noteRevision(id, answer.revision);
  return answer;
}

/** An edit of the selected strokes. */
export async function editSelection(op, more = {}) {
  if (ui.selection.length === 0 || !mayChange()) return undefined;
  const answer = await edit({ op, strokes: ui.selection, ...more });
  if (answer) announce(answer.label);
  return answer;
}

/** The current colour as an edit names it: a palette entry stays one. */
export function colourOf(colour = currentColour()) {
  return typeof colour === "number" ? { palette: colour } : { colour };
}

export const recolour = () => editSelection("recolour", colourOf());

export async function deleteSelection() {
  if (await editSelection("delete")) select([]);
}

/** The copies are selected, ready to be moved away from their originals. */
export async function duplicate() {
  const copies = ui.selection.map((stroke, i) => stroke + i + 1);
  const strokes = program()?.strokes ?? 0;
  if (await editSelection("duplicate")) select(copies, strokes + copies.length);
}

/** Lays a stroke at the playhead, which then stands right after it. */
export async function insert(anchor, offset, halfWidth) {
  if (!mayChange()) return;
  const laid = Math.floor(strokesLaid());
  const paint = { anchor, offset, half_width: halfWidth, colour: currentHex() };
  const answer = await edit({ op: "insert", number: laid + 1, ...paint });
  if (!answer) return;
  announce(answer.label);
  if (ui.time != null) set({ time: laid + 1 });
  select([]);
}

async function step(which) {
  const id = ui.piece;
  if (!program()?.[which] || !mayChange()) return;
  const answer = await attempt(() => post(`pieces/${id}/${which}`));
  if (!answer) return;
  noteRevision(id, answer.revision);
  announce(`${which}: ${answer.label}`);
}

export const undo = () => step("undo");
export const redo = () => step("redo");

// Selecting

/** Selects what the server finds, alone or besides what is selected. Throws what it answers. */
export async function selectBy(question, { add = false } = {}) {
  const { strokes } = await post(path("select"), question);
  select(add ? [...ui.selection, ...strokes] : strokes);
  announce(`${plural(ui.selection.length, "stroke")} selected`);
}

export const selectAll = () => program() && attempt(() => selectBy({ rule: "all" }));

/** All strokes of the colour of the first selected one. */
export async function selectSameColour() {
  await attempt(async () => {
    const stroke = await get(path(`strokes/${ui.selection[0]}`));
    await selectBy({ rule: `colour ${stroke.palette ?? stroke.colour}` });
  });
}

// Fitting and taking away

export const startFit = (wishes) => attempt(() => post(path("fit"), wishes));
export const tellFit = (what) => attempt(() => post(path(`fit/${what}`)));
export const beginExport = (wishes) => attempt(() => post(path("exports"), wishes));
export const saveExport = (id) => attempt(() => post(`exports/${id}/save`, {}));
export const removeExport = (id) => attempt(() => remove(`exports/${id}`));
