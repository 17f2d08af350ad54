// How a browser comes in, and what it sees that does not.

import assert from "node:assert/strict";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { serve, studio } from "./studio.js";

const home = (server) => new URL("/", server.url).href;
const isOutside = (page) => page.getByText("open the address that stands in the terminal").waitFor();

test("the key stays nowhere, and the cookie is for no script", () =>
  studio(async ({ page, server }) => {
    await page.getByTestId("drop-zone").waitFor();
    assert.equal(page.url(), home(server));
    assert.equal(await page.evaluate(() => document.cookie), "");
    await page.reload();
    await page.getByTestId("drop-zone").waitFor();
    // The address again, in the same browser.
    await page.goto(server.url);
    await page.getByTestId("drop-zone").waitFor();
    assert.equal(page.url(), home(server));
  }));

test("another browser sees only where to find the address", () =>
  studio(async ({ page, server, browser }) => {
    await page.getByTestId("drop-zone").waitFor();
    const context = await browser.newContext();
    const stranger = await context.newPage();
    for (const address of [home(server), server.url]) {
      assert.equal((await stranger.goto(address)).status(), 403);
      await isOutside(stranger);
    }
    assert.deepEqual(await context.cookies(), []);
    await context.close();
  }));

test("a link on another site leads in by one step more", () =>
  studio(async ({ page, server }) => {
    await page.getByTestId("drop-zone").waitFor();
    await page.goto(`data:text/html,<a href="${home(server)}">studio</a>`);
    await page.getByRole("link").click();
    await isOutside(page);
    await page.getByRole("link", { name: "open the studio" }).click();
    await page.getByTestId("drop-zone").waitFor();
  }));

test("the file that the browser is started with leads in", () =>
  studio(async ({ page, folder }) => {
    // An opener that keeps the file as it finds it.
    const [opener, kept] = [join(folder, "xdg-open"), join(folder, "kept.html")];
    writeFileSync(opener, `#!/bin/sh\ncp "$1" "${kept}.tmp"\nmv "${kept}.tmp" "${kept}"\n`);
    chmodSync(opener, 0o755);
    const server = await serve([], { PATH: `${folder}:${process.env.PATH}` });
    try {
      while (!existsSync(kept)) await sleep(20);
      await page.goto(pathToFileURL(kept).href);
      await page.getByTestId("drop-zone").waitFor();
      assert.equal(page.url(), home(server));
    } finally {
      await server.end();
    }
  }));

test("a server that was started anew is not taken for the old one", () =>
  studio(async ({ page, server }) => {
    await page.getByTestId("drop-zone").waitFor();
    await server.end();
    const anew = await serve(["--no-open", "--port", new URL(server.url).port]);
    try {
      await page.getByTestId("gone-banner").filter({ hasText: "started anew" }).waitFor();
      await page.reload();
      await isOutside(page);
      await page.goto(anew.url);
      await page.getByTestId("drop-zone").waitFor();
    } finally {
      await anew.end();
    }
  }));
