// What people do with the studio, done by a real browser.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  CENTRE, ask, coloursAt, decoded, download, middle, onScreen, open, openSheet, program, sharp, state, studio, tbr,
} from "./studio.js";

const number = (text) => Number(text.replace(/[^0-9.]/g, ""));
const fitOf = async (page) => (await state(page)).pieces.at(-1).fit;

async function startFit(page, preset, strokes) {
  await page.getByRole("radio", { name: new RegExp(`^${preset}`) }).check();
  await page.getByTestId("fit-strokes").fill(String(strokes));
  await page.getByTestId("fit-button").click();
}

test("a sample is fitted, and its score improves before one's eyes", () =>
  studio(async ({ page }) => {
    await page.getByTestId("drop-zone").waitFor();
    await page.getByTestId("sample-tulip").click();
    await sharp(page);
    await startFit(page, "fast", 400);
    const ratio = page.getByTestId("floor-ratio");
    await ratio.filter({ hasText: /[0-9]/ }).waitFor();
    const first = number(await ratio.textContent());
    await page.getByTestId("fit-status").filter({ hasText: /done/i }).waitFor();
    const last = number(await ratio.textContent());
    assert.ok(last > first && first > 1, `${first}, then ${last}`);
    const { curve } = await fitOf(page);
    assert.ok(curve.length > 2 && curve.at(-1)[1] > curve[0][1]);
    await sharp(page);
    assert.equal((await program(page)).strokes, 400);
    await page.getByTestId("layer-error").click();
    await sharp(page);
  }));

test("a page that is reloaded in the middle of a fit finds it running", () =>
  studio(async ({ page }) => {
    await page.getByTestId("sample-battal").click();
    await startFit(page, "best", 800);
    await page.getByTestId("floor-ratio").filter({ hasText: /[0-9]/ }).waitFor();
    const before = await fitOf(page);
    await page.reload();
    await page.getByTestId("fit-status").filter({ hasText: /step/i }).waitFor();
    assert.equal((await fitOf(page)).status, "running");
    const { step } = await fitOf(page);
    assert.ok(step >= before.step);
    await page.getByTestId("pause").click();
    await page.getByTestId("fit-status").filter({ hasText: /^paused/i }).waitFor();
    assert.equal((await fitOf(page)).status, "paused");
    await page.getByTestId("continue").click();
    await page.getByTestId("fit-status").filter({ hasText: /^step/i }).waitFor();
    assert.equal((await fitOf(page)).status, "running");
    await page.getByTestId("stop").click();
    await page.getByTestId("fit-status").filter({ hasText: /^stopped/i }).waitFor();
    assert.equal((await program(page)).strokes, 800);
  }));

test("the timeline scrubs and plays", () =>
  studio(async ({ page, folder }) => {
    await openSheet(page, folder);
    const whole = (await middle(page, 256)).data;
    await page.getByTestId("time-slider").fill("12");
    assert.equal(await page.getByTestId("time-field").inputValue(), "12");
    await sharp(page);
    const early = (await middle(page, 256)).data;
    assert.notDeepEqual(early, whole);
    await page.getByTestId("time-slider").focus();
    await page.keyboard.press("End");
    await sharp(page);
    assert.deepEqual((await middle(page, 256)).data, whole);
    await page.getByTestId("play").click();
    await page.waitForFunction(() => {
      const { playing, fps } = document.querySelector('[data-testid="timeline"]').dataset;
      return playing === "true" && Number(fps) > 1;
    });
    await page.keyboard.press("Space");
    await page.locator('[data-testid="timeline"][data-playing="false"]').waitFor();
    assert.ok(Number(await page.getByTestId("time-field").inputValue()) < 40);
  }));

test("a stroke is selected and recoloured, and that is undone and done again", () =>
  studio(async ({ page, folder }) => {
    await openSheet(page, folder);
    const [before] = await coloursAt(page, [CENTRE]);
    await page.getByTestId("tab-change").click();
    await page.mouse.click(...(await onScreen(page, CENTRE)));
    await page.getByTestId("selection-count").filter({ hasText: "1 stroke" }).waitFor();
    await page.locator('[data-testid="overlay"] path').first().waitFor({ state: "attached" });
    const { strokes } = await page.evaluate(async (at) => {
      const token = document.querySelector('meta[name="tbr-token"]').content;
      const { pieces } = await (await fetch("/api/v1/state")).json();
      const body = JSON.stringify({ at });
      const headers = { "x-tbr-token": token, "content-type": "application/json" };
      return (await fetch(`/api/v1/pieces/${pieces[0].id}/select`, { method: "POST", headers, body })).json();
    }, CENTRE);
    assert.equal(strokes.length, 1);
    const colour = ["#1d3f73", "#c0392b", "#ede8d9", "#2e7d5b"].find((c) => c !== before);
    await page.getByRole("radio", { name: colour }).check({ force: true });
    await page.getByTestId("recolour").click();
    await page.getByTestId("undo").and(page.locator(":enabled")).waitFor();
    await sharp(page);
    assert.deepEqual(await coloursAt(page, [CENTRE]), [colour]);
    const [piece] = (await state(page)).pieces;
    const stroke = await ask(page, `pieces/${piece.id}/strokes/${strokes[0]}`);
    assert.equal(stroke.colour, colour);
    await page.getByTestId("changes-steps").filter({ hasText: /recolour/i }).waitFor();
    await page.keyboard.press("Control+z");
    await page.getByTestId("undo").and(page.locator(":disabled")).waitFor();
    await sharp(page);
    assert.deepEqual(await coloursAt(page, [CENTRE]), [before]);
    await page.getByTestId("redo").click();
    await page.getByTestId("undo").and(page.locator(":enabled")).waitFor();
    await sharp(page);
    assert.deepEqual(await coloursAt(page, [CENTRE]), [colour]);
  }));

test("a drop is put in at the time of the playhead and the paint flows around it", () =>
  studio(async ({ page, folder }) => {
    await openSheet(page, folder);
    await page.getByTestId("tab-change").click();
    await page.getByTestId("tool-drop").click();
    const [x, y] = await onScreen(page, CENTRE);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 40, y, { steps: 4 });
    await page.mouse.up();
    await page.getByTestId("time-field").and(page.locator('[max="41"]')).waitFor();
    const [piece] = (await state(page)).pieces;
    assert.deepEqual([piece.program.strokes, piece.program.steps], [41, 1]);
    const drop = await ask(page, `pieces/${piece.id}/strokes/41`);
    assert.equal(drop.length, 0);
    await sharp(page);
    assert.deepEqual(await coloursAt(page, [CENTRE]), [drop.colour]);
    // Laid in the middle of the program it is pushed by all that come later.
    await page.getByTestId("time-slider").fill("10");
    await sharp(page);
    await page.mouse.click(x, y);
    await page.getByTestId("time-field").and(page.locator('[max="42"]')).waitFor();
    assert.equal(await page.getByTestId("time-field").inputValue(), "11");
    const early = await ask(page, `pieces/${piece.id}/strokes/11`);
    assert.ok(Math.abs(early.anchor[0] - CENTRE[0]) < 0.01 && early.length === 0);
  }));

test("strokes are dragged, lassoed and deleted", () =>
  studio(async ({ page, folder }) => {
    await openSheet(page, folder);
    await page.getByTestId("tab-change").click();
    const [x, y] = await onScreen(page, CENTRE);
    await page.mouse.click(x, y);
    await page.getByTestId("selection-count").filter({ hasText: "1 stroke" }).waitFor();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y + 10, { steps: 6 });
    await page.mouse.up();
    await page.getByTestId("undo").and(page.locator(":enabled")).waitFor();
    assert.equal((await program(page)).undo.startsWith("move stroke"), true);
    assert.equal((await program(page)).steps, 1);
    await page.getByTestId("tool-lasso").click();
    await page.mouse.move(x - 150, y - 150);
    await page.mouse.down();
    for (const [dx, dy] of [[150, -150], [150, 150], [-150, 150], [-150, -140]]) {
      await page.mouse.move(x + dx, y + dy, { steps: 4 });
    }
    await page.mouse.up();
    await page.getByTestId("selection-count").filter({ hasText: /[0-9]+ strokes/ }).waitFor();
    const chosen = number(await page.getByTestId("selection-count").textContent());
    assert.ok(chosen > 2 && chosen < 40, String(chosen));
    await page.keyboard.press("Delete");
    await page.getByTestId("selection-count").filter({ hasText: "none" }).waitFor();
    assert.equal((await program(page)).strokes, 40 - chosen);
  }));

test("zoomed in eight times, edges are as sharp as a render of that place", () =>
  studio(async ({ page, folder }) => {
    const path = await openSheet(page, folder);
    const scale = async () => Number(await page.getByTestId("canvas").getAttribute("data-scale"));
    const before = await scale();
    // A place on an edge, so that there is something to see.
    const [x, y] = await onScreen(page, await edge(page));
    await page.mouse.move(x, y);
    for (let k = 0; k < 8; k++) await page.mouse.wheel(0, -400);
    await page.waitForFunction((least) => Number(document.querySelector("canvas").dataset.scale) > least, 8 * before);
    await sharp(page);
    assert.ok((await scale()) / before > 100, `only ${(await scale()) / before} times`);
    await page.mouse.move(5, 5);
    const side = 200;
    const shown = await middleAt(page, [x, y], side);
    const out = join(folder, "part.png");
    const region = shown.region.join(",");
    tbr("render", path, "--force", "-o", out, "--region", region, "--width", String(side), "--samples", "3");
    const rendered = await decoded(page, readFileSync(out));
    const differ = shown.data.filter((value, k) => Math.abs(value - rendered[k]) > 2).length;
    // (Tiles are cut elsewhere than this part: a sample on an edge may fall to its other side.)
    assert.ok(differ < 0.005 * shown.data.length, `${differ} of ${shown.data.length} values differ`);
    const colours = new Set();
    for (let k = 0; k < rendered.length; k += 4) colours.add(rendered.slice(k, k + 3).join());
    assert.ok(colours.size >= 2, "there is no edge to be seen");
  }));

/** A place of the canvas where two colours meet, near its middle. */
async function edge(page) {
  const places = Array.from({ length: 200 }, (_, k) => [0.3 + k * 0.002, 0.4]);
  const colours = await coloursAt(page, places);
  const at = colours.findIndex((colour, k) => k > 60 && colour !== colours[k - 1]);
  assert.ok(at > 0);
  return places[at];
}

/** The pixels around a place of the screen. */
async function middleAt(page, [x, y], side) {
  return page.evaluate(([x, y, side]) => {
    const canvas = document.querySelector('[data-testid="canvas"]');
    const box = canvas.getBoundingClientRect();
    const [left, top, width] = canvas.dataset.region.split(",").map(Number);
    const scale = canvas.width / width;
    const [px, py] = [Math.round(x - box.x) - side / 2, Math.round(y - box.y) - side / 2];
    const { data } = canvas.getContext("2d").getImageData(px, py, side, side);
    const region = [left + px / scale, top + py / scale, side / scale, side / scale];
    return { region, data: Array.from(data) };
  }, [x, y, side]);
}

test("PNG and SVG are those of tbr render", () =>
  studio(async ({ page, folder }) => {
    const path = await openSheet(page, folder);
    await page.getByTestId("tab-out").click();
    const png = await download(page, () => page.getByTestId("export-png").click());
    assert.equal(png.name, "sheet.png");
    const { width } = await page.evaluate(async (bytes) => {
      const { width, height } = await createImageBitmap(new Blob([Uint8Array.from(bytes)]));
      return { width, height };
    }, [...png.bytes]);
    const out = join(folder, "render.png");
    tbr("render", path, "--force", "-o", out, "--width", String(width), "--samples", "3");
    assert.ok(png.bytes.equals(readFileSync(out)), "the PNG differs");
    const svg = await download(page, () => page.getByTestId("export-svg").click());
    const outline = join(folder, "render.svg");
    tbr("render", path, "-o", outline);
    assert.ok(svg.bytes.equals(readFileSync(outline)), "the SVG differs");
    const kept = await download(page, () => page.getByTestId("export-program").click());
    writeFileSync(join(folder, "kept.tbr.json"), kept.bytes);
    assert.match(tbr("info", join(folder, "kept.tbr.json")), /strokes +40/);
  }));

test("a newcomer gets from a picture of their own to a film", () =>
  studio(async ({ page, folder }) => {
    const photo = join(folder, "photo.png");
    tbr("sample", "hatip", "-o", photo, "--width", "200", "--height", "150");
    await open(page, "photo.png", readFileSync(photo));
    await page.getByTestId("fit-strokes").fill("300");
    await page.getByRole("radio", { name: /^fast/ }).check();
    await page.getByTestId("fit-button").click();
    await page.getByTestId("next-export").click();
    await page.getByRole("spinbutton", { name: "Seconds" }).fill("1");
    const film = await download(page, () => page.getByTestId("export-film").click());
    assert.match(film.name, /^photo\.(webp|mp4)$/);
    assert.ok(film.bytes.length > 10_000);
  }));

test("a broken file is refused in words, wherever it is dropped", () =>
  studio(async ({ page }) => {
    const drop = async (name, text) => {
      const transfer = await page.evaluateHandle(([name, text]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], name));
        return transfer;
      }, [name, text]);
      for (const type of ["dragenter", "dragover", "drop"]) {
        await page.dispatchEvent("body", type, { dataTransfer: transfer });
      }
    };
    await drop("broken.tbr.json", '{"format": "tbr-program", "version": 1');
    const toast = page.getByTestId("toast");
    await toast.filter({ hasText: "broken.tbr.json" }).waitFor();
    await drop("poem.txt", "Roses are red");
    await toast.filter({ hasText: "not a picture that can be read" }).waitFor();
    assert.equal((await state(page)).pieces.length, 0);
    await page.getByTestId("drop-zone").waitFor();
  }));

test("when the server has gone the page says so", () =>
  studio(async ({ page, server, folder }) => {
    await openSheet(page, folder);
    assert.equal(await page.getByTestId("gone-banner").isVisible(), false);
    await server.end();
    await page.getByTestId("gone-banner").filter({ hasText: "tbr studio" }).waitFor();
  }));

test("everything can be reached and has a name", () =>
  studio(async ({ page, folder }) => {
    await openSheet(page, folder);
    for (const tab of ["tab-fit", "tab-change", "tab-out"]) {
      await page.getByTestId(tab).click();
      const nameless = await page.evaluate(() => {
        const named = (el) =>
          el.getAttribute("aria-label") || el.labels?.length || el.textContent.trim() || el.title;
        const controls = document.querySelectorAll("button, input, select, a[href], [role=slider], canvas");
        return [...controls].filter((el) => el.checkVisibility() && !named(el)).map((el) => el.outerHTML);
      });
      assert.deepEqual(nameless, []);
    }
    const reached = await tabbed(page);
    const wanted = ["open", "tool-select", "layer-paint", "canvas", "time-slider", "tab-out", "export-png"];
    assert.deepEqual(wanted.filter((testid) => !reached.has(testid)), []);
    // Arrows move what the canvas shows.
    await page.getByTestId("canvas").focus();
    const region = () => page.getByTestId("canvas").getAttribute("data-region");
    const before = await region();
    await page.keyboard.press("+");
    await page.keyboard.press("ArrowLeft");
    await sharp(page);
    assert.notEqual(await region(), before);
    await page.keyboard.press("0");
    await sharp(page);
    assert.equal(await region(), before);
  }, { viewport: { width: 900, height: 700 } }));

/** What Tab comes to, by its test id, once around the page. */
async function tabbed(page) {
  const reached = new Set();
  for (let k = 0; k < 80; k++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.dataset.testid));
  }
  return reached;
}

test("dark and light, and nothing beyond the window at 900 pixels", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await studio(async ({ page, folder }) => {
      await openSheet(page, folder);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(beyond <= 0, `${beyond} pixels lie beyond`);
      const light = await page.evaluate(() => {
        const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number);
        return (r + g + b) / 3;
      });
      assert.equal(light > 128, colorScheme === "light", `${light}`);
    }, { viewport: { width: 900, height: 700 }, colorScheme });
  }
});
