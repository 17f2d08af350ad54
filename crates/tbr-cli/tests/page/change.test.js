// Changes that come quickly, are given up, or are made from two pages.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  CENTRE, ask, coloursAt, onScreen, open, openSheet, program, selectAt, sharp, sheet, state, studio, tbr, until, waitFor,
} from "./studio.js";

const errors = (page) => page.locator(".toast.error").allTextContents();

const pieceId = async (page) => (await state(page)).pieces[0].id;

async function strokeAt(page, [x, y]) {
  const { stroke } = await ask(page, `pieces/${await pieceId(page)}/at?x=${x}&y=${y}`);
  return ask(page, `pieces/${await pieceId(page)}/strokes/${stroke}`);
}

test("a drag that is given up leaves the program as it was", () =>
  studio(async ({ page, folder }) => {
    await openSheet(page, folder);
    const before = await strokeAt(page, CENTRE);
    const [x, y] = await selectAt(page, CENTRE);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y + 10, { steps: 6 });
    await waitFor(page, "undo", "enabled");
    assert.equal(await page.getByTestId("canvas").evaluate((el) => el.style.cursor), "move");
    await page.keyboard.press("Escape");
    await page.mouse.up();
    await waitFor(page, "undo", "disabled");
    assert.equal((await program(page)).steps, 0);
    assert.deepEqual(await strokeAt(page, CENTRE), before);
    assert.deepEqual(await errors(page), []);
  }));

test("a drag that leaves its piece is taken back there", () =>
  studio(async ({ page, folder }) => {
    await open(page, "other.tbr.json", readFileSync(sheet(folder, "other")));
    await sharp(page);
    await openSheet(page, folder);
    const [other, piece] = (await state(page)).pieces;
    const [x, y] = await selectAt(page, CENTRE);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y + 10, { steps: 6 });
    await waitFor(page, "undo", "enabled");
    await page.evaluate((id) => (location.hash = `#piece-${id}`), other.id);
    await until(page, async () => (await ask(page, `pieces/${piece.id}/changes`)).undone === 1);
    await page.mouse.up();
    assert.deepEqual((await state(page)).pieces.map(({ program }) => program.steps), [0, 0]);
  }));

test("a drag is done however quickly it is let go", () =>
  studio(async ({ page, folder }) => {
    await openSheet(page, folder);
    const [x, y] = await selectAt(page, CENTRE);
    // The answer to where the pointer is comes after it has been let go.
    await page.route("**/at?*", async (route) => {
      await new Promise((done) => setTimeout(done, 500));
      await route.continue();
    });
    await page.mouse.down();
    await page.mouse.move(x + 60, y + 10, { steps: 2 });
    await page.mouse.up();
    await waitFor(page, "undo", "enabled");
    assert.match((await program(page)).undo, /^move stroke/);
  }));

test("quick changes are all made, and undoing past the first complains of nothing", () =>
  studio(async ({ page, folder }) => {
    await openSheet(page, folder);
    await selectAt(page, CENTRE);
    await page.getByRole("button", { name: "Move right" }).evaluate((el) => {
      for (let k = 0; k < 5; k++) el.click();
    });
    await page.getByText("5 changes").waitFor();
    await page.keyboard.down("Control");
    for (let k = 0; k < 30; k++) {
      await page.keyboard.down("z"); // as a key that is held
      await page.waitForTimeout(30);
    }
    await page.keyboard.up("z");
    await page.keyboard.up("Control");
    for (let k = 0; k < 3; k++) await page.keyboard.press("Control+z");
    await waitFor(page, "undo", "disabled");
    const { steps, revision } = await program(page);
    assert.equal(steps, 0);
    // Before any event can have told that there is something to undo.
    await page.getByRole("button", { name: "Move right" }).evaluate((el) => {
      el.click();
      const props = { key: "z", ctrlKey: true, bubbles: true, cancelable: true };
      document.body.dispatchEvent(new KeyboardEvent("keydown", props));
    });
    // (The changes that were undone before could be redone, too, until the move.)
    await until(page, async () => {
      const now = await program(page);
      return now.revision > revision && now.steps === 0;
    });
    await page.getByTestId("redo").and(page.getByLabel("Redo: move")).waitFor();
    assert.deepEqual(await errors(page), []);
  }));

test("two quick drops lie in the order of laying", () =>
  studio(async ({ page, folder }) => {
    await openSheet(page, folder);
    await page.getByTestId("tool-drop").click();
    const places = [[0.3, 0.3], [0.7, 0.5]];
    for (const place of places) await page.mouse.click(...(await onScreen(page, place)));
    await page.getByTestId("time-field").and(page.locator('[max="42"]')).waitFor();
    const id = await pieceId(page);
    for (const [k, [x, y]] of places.entries()) {
      const { anchor } = await ask(page, `pieces/${id}/strokes/${41 + k}`);
      assert.ok(Math.hypot(anchor[0] - x, anchor[1] - y) < 0.01, `${k}: ${anchor}`);
    }
  }));

test("two pages show the same", () =>
  studio(async ({ page, folder }) => {
    await openSheet(page, folder);
    const second = await page.context().newPage();
    await second.goto(page.url());
    await sharp(second);
    const [before] = await coloursAt(second, [CENTRE]);
    await page.bringToFront(); // what is behind is drawn seldom
    await selectAt(page, CENTRE);
    await page.keyboard.press("Delete");
    await second.bringToFront();
    await waitFor(second, "undo", "enabled");
    await sharp(second);
    const [after] = await coloursAt(second, [CENTRE]);
    assert.notEqual(after, before);
    await second.keyboard.press("Control+z");
    await page.bringToFront();
    await waitFor(page, "undo", "disabled");
    await sharp(page);
    assert.deepEqual(await coloursAt(page, [CENTRE]), [before]);
  }));

test("a piece that was changed is closed only after a question", () =>
  studio(async ({ page, folder }) => {
    const answers = [];
    page.on("dialog", async (dialog) => {
      assert.match(dialog.message(), /^Close sheet\?/);
      await (answers.shift() ? dialog.accept() : dialog.dismiss());
    });
    await openSheet(page, folder);
    await selectAt(page, CENTRE);
    await page.keyboard.press("Delete");
    await waitFor(page, "undo", "enabled");
    const close = page.getByRole("button", { name: "Close sheet" });
    answers.push(false);
    await close.click();
    assert.equal((await state(page)).pieces.length, 1);
    answers.push(true);
    await close.click();
    await page.getByTestId("drop-zone").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Choose a file…");
    // As it was opened, it can be opened again: that is not asked.
    await openSheet(page, folder);
    await close.click();
    await page.getByTestId("drop-zone").waitFor();
  }));

test("a form that cannot be sent shows why, and a picture says that it has no strokes yet", () =>
  studio(async ({ page, folder }) => {
    const photo = join(folder, "photo.png");
    tbr("sample", "hatip", "-o", photo, "--width", "100", "--height", "80");
    await open(page, "photo.png", readFileSync(photo));
    await sharp(page);
    await page.getByTestId("tool-drop").click();
    await page.mouse.click(...(await onScreen(page, CENTRE)));
    await page.getByTestId("toast").filter({ hasText: "There is no program yet" }).waitFor();
    const size = page.getByLabel(/^Longer side/);
    assert.equal(await size.isVisible(), false);
    await size.evaluate((el) => (el.value = "1"));
    await page.getByTestId("fit-button").click();
    await size.waitFor();
    assert.equal((await state(page)).pieces[0].fit, null);
    // A field that is not asked for does not matter.
    await size.fill("64");
    await page.getByTestId("fit-colour-number").evaluate((el) => (el.value = "1"));
    await page.getByTestId("fit-strokes").fill("20");
    await page.getByTestId("fit-button").click();
    await page.getByTestId("fit-status").filter({ hasText: /done/i }).waitFor();
  }));

/** Puts a slider somewhere, as a hand does that lets go of it there. */
const slide = (slider, value) =>
  slider.evaluate((el, value) => {
    el.value = value;
    for (const type of ["input", "change"]) el.dispatchEvent(new Event(type, { bubbles: true }));
  }, value);

test("the bend of the selection is shown, set and undone", () =>
  studio(async ({ page, folder }) => {
    await openSheet(page, folder);
    const { stroke, bend } = await strokeAt(page, CENTRE);
    assert.equal(bend, 0);
    const at = await selectAt(page, CENTRE);
    const slider = page.getByTestId("bend");
    assert.equal(await slider.inputValue(), "0");
    assert.doesNotMatch(await page.locator("#readout").textContent(), /bend/);
    await slide(slider, "0.75");
    await page.getByTestId("undo").and(page.getByLabel(`Undo: bend stroke ${stroke}`)).waitFor();
    const facts = `pieces/${await pieceId(page)}/strokes/${stroke}`;
    assert.equal((await ask(page, facts)).bend, 0.75);
    await sharp(page);
    await page.mouse.move(at[0] + 200, at[1]);
    await page.mouse.move(...at);
    await page.locator("#readout").filter({ hasText: `stroke ${stroke} · ` }).waitFor();
    assert.match(await page.locator("#readout").textContent(), / · bend 0\.75 · /);
    await page.keyboard.press("Control+z");
    await waitFor(page, "undo", "disabled");
    await page.waitForFunction(() => document.querySelector("[data-testid=bend]").value === "0");
    assert.equal((await ask(page, facts)).bend, 0);
    assert.deepEqual(await errors(page), []);
  }));

test("strokes are fitted straight only if that is asked for", () =>
  studio(async ({ page, folder }) => {
    const photo = join(folder, "photo.png");
    tbr("sample", "hatip", "-o", photo, "--width", "100", "--height", "80");
    await open(page, "photo.png", readFileSync(photo));
    await sharp(page);
    await page.getByTestId("fit-strokes").fill("20");
    const straight = page.getByTestId("fit-straight");
    for (const wanted of [false, true]) {
      await page.locator("details", { has: straight }).evaluate((el) => (el.open = true));
      assert.equal(await straight.isChecked(), false);
      await page.getByLabel(/^Longer side/).fill("64");
      if (wanted) await straight.check();
      const answer = page.waitForResponse(/\/fit$/);
      await page.getByTestId("fit-button").click();
      assert.equal((await answer).request().postDataJSON().straight, wanted);
      await until(page, async () => (await state(page)).pieces[0].fit.status === "done");
      const { rows } = await ask(page, `pieces/${await pieceId(page)}/info`);
      assert.equal(rows.some(({ name }) => name === "strokes that bend"), !wanted);
    }
  }));
