// The first page: two doors, and what lies behind each.

import * as check from "./check.js";
import { itemsOf } from "./given.js";
import * as seal from "./seal.js";
import { tell } from "./story.js";
import { $, onDrop, say } from "./ui.js";
import { load } from "./wegman/index.js";

const TITLES = { home: "Wegman: seal a folder, check it later", seal: "Seal a folder - Wegman", check: "Check a folder - Wegman" };
let isFirst = true;

function show() {
  const door = location.hash === "#seal" ? "seal" : location.hash === "#check" ? "check" : "home";
  for (const view of document.querySelectorAll(".view")) /** @type {HTMLElement} */ (view).hidden = view.id !== `view-${door}`;
  document.title = TITLES[door];
  // Nothing green waits behind a door.
  if (door !== "check") check.leave();
  if (door === "check") check.render();
  scrollTo(0, 0);
  if (!isFirst) $(`#view-${door} h1`).focus({ preventScroll: true });
  isFirst = false;
}

/** @param {"#seal" | "#check"} door @param {() => unknown} then */
function through(door, then) {
  if (location.hash !== door) {
    history.pushState(null, "", door);
    show();
  }
  then();
}

seal.begin((key, name, manifest) => through("#check", () => check.begin(key, name, manifest)));
// The door decides, and never the bytes.
for (const [door, { give }] of /** @type {const} */ ([["#seal", seal], ["#check", check]])) {
  const on = (/** @type {DataTransfer} */ data) => {
    const items = itemsOf(data);
    through(door, () => give(items));
  };
  onDrop($(`#door-${door.slice(1)}`), on);
  onDrop($(`#view-${door.slice(1)}`), on);
}
// A drop that misses: the browser must not open the file.
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  const told = $("#home-note");
  told.hidden = false;
  told.textContent = "Nothing was read. Drop it on “Seal a folder” or on “Check a folder”.";
  say(told.textContent);
});
addEventListener("hashchange", show);
addEventListener("beforeunload", (event) => {
  if (seal.unsaved()) event.preventDefault();
});
tell();
show();
document.getElementById("dead")?.remove();
// With the page: later nothing is loaded any more.
load().catch(() => {});
if (location.protocol !== "file:") navigator.serviceWorker?.register("sw.js").catch(() => {});
