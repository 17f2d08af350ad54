// Puts the page together and lets every part follow the store.

import { follow, whenTokenIsOld } from "./api.js";
import { ChangeTab } from "./change.js";
import { show } from "./dom.js";
import { acceptDrops } from "./dropping.js";
import { FitTab } from "./fit.js";
import { Header } from "./header.js";
import { HelpDialog, Keys } from "./keys.js";
import { OutTab } from "./out.js";
import { Overlay } from "./overlay.js";
import { Empty, Pieces, fileInput } from "./pieces.js";
import { Player } from "./player.js";
import { Stage, stageElements } from "./stage.js";
import { current, listen, openPiece, pieceOf, receive, set, ui } from "./store.js";
import { Tabs } from "./tabs.js";
import { Timeline } from "./timeline.js";
import { banner } from "./toast.js";
import { Tools } from "./tools.js";
import { View } from "./view.js";

const GONE = "The studio's server has gone. Start it again with tbr studio, and open the address that it prints.";
const RESTARTED = "The studio has been started anew. Open the address that stands in its terminal.";

const place = (id) => document.getElementById(id);

function build() {
  const elements = stageElements();
  const view = new View(elements.el, elements.paper, elements.canvas);
  const stage = new Stage(view, elements);
  const overlay = new Overlay(view, elements.overlay);
  const tools = new Tools(view, overlay);
  const player = new Player(view);
  const timeline = new Timeline(player);
  // Space then pauses, instead of pressing the button again.
  const play = () => {
    player.play();
    elements.canvas.focus({ preventScroll: true });
  };
  place("middle").append(elements.el, timeline.el);
  const tabs = new Tabs(place("side"), [
    { name: "fit", label: "Fit", panel: new FitTab(play) },
    { name: "change", label: "Change", panel: new ChangeTab() },
    { name: "out", label: "Out", panel: new OutTab() },
  ]);
  const help = new HelpDialog();
  const header = new Header(place("header"), () => help.open());
  place("header").append(fileInput);
  document.body.append(help.el);
  new Keys({ view, tools, timeline, player, help });
  return [
    player,
    view,
    header,
    new Pieces(place("pieces")),
    new Empty(place("empty")),
    stage,
    timeline,
    tabs,
  ];
}

function showParts() {
  const open = Boolean(current());
  for (const id of ["pieces", "middle", "side"]) show(place(id), open);
}

function openByHash() {
  const id = Number(location.hash.replace("#piece-", ""));
  if (id !== ui.piece && pieceOf(id)) openPiece(id);
}

const isUsable = (el) => el.isConnected && !el.matches(":disabled") && el.checkVisibility();

/**
 * The focus of a control that is hidden, removed or disabled would fall to the page, and a
 * keyboard would begin anew: it goes to the open tab, or to where files are chosen.
 */
function keepFocus() {
  let focused = null;
  const mend = () => {
    if (!focused || isUsable(focused)) return;
    const home = current() ? `#tab-${ui.tab}` : ".drop-zone button";
    document.querySelector(home).focus({ preventScroll: true });
  };
  document.addEventListener("focusin", (event) => (focused = event.target));
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    if (relatedTarget) return;
    setTimeout(() => {
      // A click beside everything takes the focus from a control that is still there.
      if (focused === target && document.activeElement === document.body && isUsable(target))
        focused = null;
      mend();
    });
  });
  listen(mend);
}

const parts = build();
listen(showParts);
for (const part of parts) listen(() => part.update());
keepFocus();
addEventListener("hashchange", openByHash);
acceptDrops(place("drop-overlay"));
showParts();

let restarted = false;
whenTokenIsOld(() => {
  restarted = true;
  set({ offline: true });
  banner(RESTARTED);
});
follow({
  state: receive,
  lost: () => set({ offline: true }),
  gone: () => restarted || banner(GONE),
  back: () => {
    if (restarted) return;
    set({ offline: false });
    banner(null);
  },
});
