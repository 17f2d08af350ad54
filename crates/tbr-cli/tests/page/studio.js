// A studio of its own for each test, and a browser to look at it with.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { chromium } from "playwright-core";

const TBR = process.env.TBR;
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts the server; its address, and how to end it. */
export async function serve(args, env = {}) {
  const stdio = ["ignore", "pipe", "pipe"];
  const server = spawn(TBR, ["studio", ...args], { stdio, env: { ...process.env, ...env } });
  let complaint = "";
  server.stderr.setEncoding("utf8").on("data", (text) => (complaint += text));
  const lines = createInterface({ input: server.stdout });
  const [url] = await new Promise((resolve, reject) => {
    lines.once("line", (line) => resolve([line]));
    // (All that it says has come only when its pipes are closed.)
    server.once("close", (code) => reject(new Error(`the studio ended with ${code}: ${complaint}`)));
  });
  const end = () =>
    new Promise((resolve) => {
      server.once("exit", resolve);
      if (!server.kill()) resolve();
    });
  return { url, end };
}

// One browser for all tests; each has a profile of its own in it.
let browser;
after(() => browser?.close());

/** Runs `test` with a page of a new studio. Nothing may go wrong on the page. */
export async function studio(test, { args = [], ...options } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "tbr-page-"));
  const server = await serve(["--no-open", ...args]);
  let context;
  try {
    browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM, args: ARGS });
    context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const wrong = complaints(page);
    await page.goto(server.url);
    await test({ page, server, folder, browser });
    if (wrong.length > 0) throw new Error(`on the page: ${wrong.join("\n")}`);
  } finally {
    await context?.close();
    await server.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What goes wrong on a page from now on. */
function complaints(page) {
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (message) => {
    // (The browser itself notes every answer that refuses something.)
    const isNote = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isNote) wrong.push(message.text());
  });
  return wrong;
}

/** Runs the command; what it prints. */
export function tbr(...args) {
  return execFileSync(TBR, args, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
}

/** Where strokes of several colours meet, late ones on top. */
export const CENTRE = [0.46, 0.51];

/** Selects the stroke at a place of the canvas; where that is on the screen. */
export async function selectAt(page, place) {
  await page.getByTestId("tab-change").click();
  const at = await onScreen(page, place);
  await page.mouse.click(...at);
  await page.getByTestId("selection-count").filter({ hasText: "1 stroke" }).waitFor();
  return at;
}

/** Waits for a control that is enabled, or disabled. */
export async function waitFor(page, testid, state) {
  await page.getByTestId(testid).and(page.locator(`:${state}`)).waitFor();
}

/** Waits until something is so that has to be asked for. (The function that `waitForFunction` takes must not be
 * async: it would take the promise for a yes.) */
export async function until(page, isSo) {
  for (const end = Date.now() + 60_000; !(await isSo()); ) {
    if (Date.now() > end) throw new Error(`it does not come to be: ${isSo}`);
    await page.waitForTimeout(50);
  }
}

/** Reads from the server what the page could. */
export async function ask(page, address) {
  return page.evaluate(async (address) => (await fetch(`/api/v1/${address}`)).json(), address);
}

export async function state(page) {
  return ask(page, "state");
}

/** The program on the screen, of the piece that was opened last. */
export async function program(page) {
  return (await state(page)).pieces.at(-1).program;
}

/** Opens bytes as a file. */
export async function open(page, name, bytes) {
  await page.getByTestId("file-input").setInputFiles({ name, mimeType: "application/octet-stream", buffer: bytes });
}

/** A program of our own: a few large strokes of flat colours, a late one in the middle. */
export function sheet(folder, name = "sheet") {
  const colours = ["#1d3f73", "#c0392b", "#ede8d9", "#2e7d5b"];
  const hex = (text) => [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16) / 255);
  const strokes = Array.from({ length: 40 }, (_, k) => ({
    anchor: k === 37 ? [0.48, 0.4] : [0.1 + 0.8 * ((k * 0.754878) % 1), 0.05 + 0.7 * ((k * 0.56984) % 1)],
    offset: k % 3 === 0 ? [0, 0] : [0.12 * Math.cos(k), 0.12 * Math.sin(k)],
    half_width: 0.03 + 0.01 * (k % 4),
    colour: (k * 7 + Math.floor(k / 5)) % 4,
  }));
  const text = JSON.stringify({
    format: "tbr-program",
    version: 1,
    canvas: { width: 1, height: 0.8 },
    background: hex("#f6f1e4"),
    operator: "capsule",
    palette: colours.map(hex),
    strokes,
    provenance: {},
  });
  const path = join(folder, `${name}.tbr.json`);
  writeFileSync(path, text);
  return path;
}

export async function openSheet(page, folder) {
  const path = sheet(folder);
  await open(page, "sheet.tbr.json", readFileSync(path));
  await sharp(page);
  return path;
}

/** Waits until every tile that is seen is there at its scale, with smooth edges. */
export async function sharp(page) {
  await page.locator('[data-testid="canvas"][data-sharp="true"]').waitFor({ timeout: 30_000 });
}

/** The colours of the canvas at places given in canvas units, as hex. */
export async function coloursAt(page, places) {
  return page.evaluate((places) => {
    const canvas = document.querySelector('[data-testid="canvas"]');
    const context = canvas.getContext("2d");
    const [x, y, width] = canvas.dataset.region.split(",").map(Number);
    return places.map((place) => {
      const scale = canvas.width / width;
      const [px, py] = [(place[0] - x) * scale, (place[1] - y) * scale];
      const [r, g, b] = context.getImageData(Math.floor(px), Math.floor(py), 1, 1).data;
      return `#${[r, g, b].map((v) => v.toString(16).padStart(2, "0")).join("")}`;
    });
  }, places);
}

/** Where a place of the canvas is on the screen. */
export async function onScreen(page, place) {
  return page.evaluate((place) => {
    const canvas = document.querySelector('[data-testid="canvas"]');
    const box = canvas.getBoundingClientRect();
    const [x, y, width, height] = canvas.dataset.region.split(",").map(Number);
    return [
      box.x + ((place[0] - x) / width) * box.width,
      box.y + ((place[1] - y) / height) * box.height,
    ];
  }, place);
}

/** All pixels of the canvas that lie in its middle, with the part of the canvas that they show. */
export async function middle(page, side) {
  return page.evaluate((side) => {
    const canvas = document.querySelector('[data-testid="canvas"]');
    const [x, y, width] = canvas.dataset.region.split(",").map(Number);
    const scale = canvas.width / width;
    const left = Math.floor((canvas.width - side) / 2);
    const top = Math.floor((canvas.height - side) / 2);
    const { data } = canvas.getContext("2d").getImageData(left, top, side, side);
    const region = [x + left / scale, y + top / scale, side / scale, side / scale];
    return { region, scale, data: Array.from(data) };
  }, side);
}

/** The pixels of a PNG, decoded by the browser: RGBA. */
export async function decoded(page, bytes) {
  const base64 = Buffer.from(bytes).toString("base64");
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return Array.from(context.getImageData(0, 0, bitmap.width, bitmap.height).data);
  }, base64);
}

/** Waits for a download that `start` begins; its name and bytes. */
export async function download(page, start) {
  const [file] = await Promise.all([page.waitForEvent("download"), start()]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}
