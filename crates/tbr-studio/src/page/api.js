// The interface of docs/studio.md, from the page's side.

const BASE = "/api/v1/";
const TOKEN_SELECTOR = 'meta[name="tbr-token"]';
const token = document.querySelector(TOKEN_SELECTOR).content;

// A restart of the server or a laptop that wakes up takes about this long; only then is it news.
const GONE_AFTER_MS = 2000;
const TRY_AGAIN_MS = 2000;

/** What the server says instead of doing it. */
export class Refusal extends Error {
  constructor(status, error, hint) {
    super(error);
    this.status = status;
    this.hint = hint;
  }
}

/** The address of something; parameters that are null are left out. */
export function address(path, params = {}) {
  const pair = ([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2C", ",")}`;
  const query = Object.entries(params)
    .filter(([, value]) => value != null)
    .map(pair)
    .join("&");
  return BASE + path + (query && `?${query}`);
}

let onOldToken = () => {};

/** Calls `heard` when the server no longer takes this page's token. */
export function whenTokenIsOld(heard) {
  onOldToken = heard;
}

async function request(method, path, { params, body, type, signal, priority } = {}) {
  const headers = method === "GET" ? {} : { "x-tbr-token": token };
  if (type) headers["content-type"] = type;
  const options = { method, headers, body, signal, priority, cache: "no-store" };
  const answer = await fetch(address(path, params), options);
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  if (answer.status === 403) onOldToken();
  throw new Refusal(answer.status, told.error ?? `The server answers ${answer.status}.`, told.hint);
}

async function json(answer) {
  const text = await answer.text();
  return text ? JSON.parse(text) : null;
}

export async function get(path, params, signal) {
  return json(await request("GET", path, { params, signal }));
}

export async function post(path, body) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), type: "application/json" };
  return json(await request("POST", path, sent));
}

export async function upload(path, file) {
  const options = { params: { name: file.name }, body: file, type: "application/octet-stream" };
  try {
    return json(await request("POST", path, options));
  } catch (error) {
    // A folder, or a file that has changed since, fails like a server that has gone.
    if (error instanceof TypeError && !(await isReadable(file)))
      throw new Refusal(0, `${file.name} cannot be read.`);
    throw error;
  }
}

async function isReadable(file) {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

export async function remove(path) {
  await request("DELETE", path);
}

/** A picture as a file. `priority` "low" lets everything else go first. */
export async function pictureBlob(piece, params, { signal, priority } = {}) {
  const answer = await request("GET", `pieces/${piece}/picture`, { params, signal, priority });
  return answer.blob();
}

/** A picture, ready to be drawn. */
export async function picture(piece, params, options) {
  return createImageBitmap(await pictureBlob(piece, params, options));
}

/**
 * One call at a time, and of those that come meanwhile only the last: for whatever follows a
 * hand. `work` deals with its own errors.
 */
export function latest(work) {
  let busy = false;
  let next = null;
  return async function call(...args) {
    next = args;
    if (busy) return;
    busy = true;
    try {
      while (next) {
        const now = next;
        next = null;
        await work(...now);
      }
    } finally {
      busy = false;
    }
  };
}

/** Whether the server that answers now is the one that served this page. */
async function isSameServer() {
  const page = await (await fetch("/", { cache: "no-store" })).text();
  const found = new DOMParser().parseFromString(page, "text/html").querySelector(TOKEN_SELECTOR);
  return found?.content === token;
}

/**
 * Follows the events. `lost` when the stream breaks, `gone` when it has been broken for a while,
 * `back` when the same server is there again. Another server's state is not this page's.
 * A page that nobody sees leaves its connection to the others: a browser has six for all of them.
 */
export function follow({ state, lost, gone, back }) {
  let stream = null;
  let isLost = false;
  let isSure = true; // that it is the same server
  let newest = 0;
  let timer = null;
  let retry = null;
  const calm = () => {
    clearTimeout(timer);
    timer = null;
  };
  const heard = async (event) => {
    calm();
    const number = ++newest;
    if (!isSure && !(await isSameServer().catch(() => true))) return leave();
    isSure = true;
    // Another came while this one waited.
    if (number !== newest) return;
    if (isLost) back();
    isLost = false;
    state(JSON.parse(event.data));
  };
  const broken = () => {
    isLost = true;
    isSure = false;
    lost();
    timer ??= setTimeout(gone, GONE_AFTER_MS);
    // A browser tries again by itself unless it was refused.
    if (stream.readyState !== EventSource.CLOSED) return;
    retry = setTimeout(open, TRY_AGAIN_MS);
    // Another server has not let this browser in, and sends nothing that could be compared.
    isSameServer().then((is) => is || leave(), () => {});
  };
  const leave = () => {
    clearTimeout(retry);
    stream.close();
    onOldToken();
  };
  const open = () => {
    clearTimeout(retry);
    stream?.close();
    if (document.hidden) return;
    stream = new EventSource(address("events"));
    stream.addEventListener("state", heard);
    stream.addEventListener("error", broken);
  };
  document.addEventListener("visibilitychange", () => {
    isSure = false;
    calm();
    open();
  });
  open();
}
