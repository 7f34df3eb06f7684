// The door Seal: a key, a folder, and what has to be kept of them. It compares nothing.

import { Cancelled, kindOf, papersIn, picked, sortOut, walk } from "./given.js";
import { dated, keyNamed, readManifest, writeManifest } from "./manifests.js";
import { readAll } from "./pool.js";
import { progress } from "./progress.js";
import { $, ask, button, fileList, files, focus, folded, four, h, icon, note, picker, save, say, shown, size } from "./ui.js";
import { ALGORITHM, ALGORITHMS, hex, keyText, makeKey, readKey } from "./wegman/keyfile.js";

/**
 * @typedef {import("./wegman/keyfile.js").Key} Key
 * @typedef {import("./given.js").Given} Given
 * @typedef {import("./given.js").Found} Found
 * @typedef {import("./given.js").Items} Items
 * @typedef {import("./manifests.js").Entry} Entry
 * @typedef {import("./manifests.js").Manifest} Manifest
 * @typedef {false | "sent" | true} Saved
 * @typedef {{ name: string, text: string, saved: Saved }} Paper
 */

const fresh = () => ({
  /** @type {"folder" | "reading" | "ask" | "sealed"} */
  phase: "folder",
  /** @type {HTMLElement | undefined} */
  note: undefined,
  /** The version before, if somebody gave it. @type {{ name: string, manifest: Manifest } | undefined} */
  before: undefined,
  /** What waits for its key. @type {(() => Promise<void>) | undefined} */
  pending: undefined,
  /** @type {{ bar: ReturnType<typeof progress>, label: string } | undefined} */
  reading: undefined,
  /** @type {{ given: Given, count: number, bytes: number, lost: number, changes: string, manifest: Manifest } | undefined} */
  done: undefined,
  /** @type {Paper | undefined} */
  paper: undefined,
});
let state = fresh();
/** @type {{ own: Key, paper: Paper, made: boolean } | undefined} */
let key;
/** @type {AbortController | undefined} */
let running;
/** What to do with the key and the manifest that were just made. @type {(key: Key, keyName: string, manifest: File) => void} */
let checkNow = () => {};

/** Whether something is lost if the page goes. */
export const unsaved = () => (key?.made && key.paper.saved !== true) || (state.paper !== undefined && state.paper.saved !== true);

/** @param {typeof checkNow} check */
export function begin(check) {
  checkNow = check;
  render();
}

/** @param {HTMLElement | undefined} told @param {number} step */
function tell(told, step) {
  state.note = told;
  render(step);
  if (told) say(told.textContent ?? "");
}

/** A refusal: what happened, and what to do. @param {string} head @param {string} words */
const refused = (head, words) => note("bad", "no", h("p", {}, h("strong", {}, head), ` ${words}`));

/** @param {typeof key} next */
function useKey(next) {
  key?.own.secret.fill(0);
  key = next;
  const { pending } = state;
  state = fresh();
  render(2);
  if (next && pending) void pending();
}

async function makeNew() {
  const own = makeKey();
  try {
    useKey({ own, paper: { name: `wegman-${own.id}.key`, text: await keyText(own), saved: false }, made: true });
    say("A new key was made. It is not saved yet.");
  } catch (error) {
    tell(refused("No key could be made.", /** @type {Error} */ (error).message), 1);
  }
}

/** @param {File} file */
async function openKey(file) {
  if (running) return;
  const name = shown(file.name);
  const kept = key ? ` Key ${key.own.id} stays open.` : "";
  if ((await kindOf(file)) !== "key") {
    return tell(refused(`${name} is not a key.`, `Keys of Wegman are small text files, such as wegman-374c412b44aa339a.key.${kept}`), key ? 2 : 1);
  }
  try {
    const own = await readKey(await file.text(), ALGORITHMS);
    if (own.algorithm !== ALGORITHM) {
      own.secret.fill(0);
      return tell(refused(`${name} is a key for ${own.algorithm}.`, `This page seals with keys for ${ALGORITHM}. It checks with this one; to seal with it, use the command wegman.${kept}`), key ? 2 : 1);
    }
    if (key?.made && key.paper.saved !== true && !(await ask("This key was never saved", state.paper ? "What it sealed can never be checked without it." : "Nothing was sealed with it, so nothing is lost.", "Use another key", "Keep it"))) return;
    useKey({ own, paper: { name, text: "", saved: true }, made: false });
    say(`Key opened from ${name}.`);
  } catch (error) {
    tell(refused(`${name} is damaged.`, `${/** @type {Error} */ (error).message}. Take your copy of it.${kept}`), key ? 2 : 1);
  }
}

/** A manifest of before: the next one gets the next serial number. @param {File} file */
async function openManifest(file) {
  if (!key || running) return tell(note("", "info", h("p", {}, h("strong", {}, `${shown(file.name)} is a manifest.`), " Nothing was sealed. Open its key first; or go to Check.")), 1);
  try {
    const manifest = await readManifest(key.own, file);
    state.before = { name: shown(file.name), manifest };
    tell(note("", "info", h("p", {}, h("strong", {}, `${shown(file.name)} has serial ${manifest.serial}.`), ` The next seal gets serial ${BigInt(manifest.serial) + 1n}, and says what has changed since. Now the folder.`)), 2);
  } catch (error) {
    tell(refused(`${shown(file.name)} does not fit key ${key.own.id}.`, `${/** @type {Error} */ (error).message}. Nothing was sealed.`), 2);
  }
}

/** What is dropped anywhere on this door. @param {Items} items */
export async function give(items) {
  if (running) return state.reading?.bar.found("Wait until this has ended, or cancel.");
  const { keys, manifests, rest } = await sortOut(items);
  if (keys[0]) await openKey(keys[0]);
  if (rest) await folder((onProgress, signal) => walk(rest, onProgress, signal), manifests);
  else if (manifests[0]) await openManifest(manifests[0]);
}

/**
 * @param {(onProgress: (found: number) => void, signal: AbortSignal) => Promise<Given> | Given} find
 * @param {File[]} beside manifests that were given with it
 */
async function folder(find, beside = []) {
  if (running) return;
  const go = () => folder(find, beside);
  if (!key) {
    state.pending = go;
    return tell(note("", "info", h("p", {}, h("strong", {}, "The folder waits for its key."), " Make one or open one.")), 1);
  }
  if (state.phase === "sealed") {
    if (unsaved() && !(await mayGo())) return;
    const { before } = state;
    state = { ...fresh(), before };
  }
  await guarded("Looking", async (bar, signal) => {
    const given = await find((found) => bar.show(found, 0), signal);
    const own = /** @type {NonNullable<typeof key>} */ (key).own;
    if (given.files.length + given.lost.length === 0) {
      return () => tell(refused("There are no files in this folder.", "Nothing was sealed."), 2);
    }
    const names = [...given.files.map(({ name }) => name), ...given.folders];
    const all = new Set();
    const twice = names.find((name) => all.size === all.add(name).size);
    if (twice) return () => tell(refused(`Two of the files have the name ${shown(twice)}.`, "Nothing was sealed. Give the folder that has both."), 2);
    const papers = await papersIn(given.files);
    // What the seal can't hold: itself, an older version of it, and the key. Each is known by the key, not by its name.
    const leftOut = new Set();
    for (const one of papers.keys) {
      const found = await one.file.text().then(readKey).catch(() => undefined);
      if (found?.id === own.id) leftOut.add(one);
      found?.secret.fill(0);
    }
    const candidates = [...papers.manifests, ...beside.map((file) => ({ name: file.name, file }))];
    const fits = [];
    for (const one of candidates) {
      const manifest = await readManifest(own, one.file).catch(() => undefined);
      if (!manifest) continue;
      leftOut.add(one);
      fits.push({ name: shown(one.name), file: one.file, manifest });
    }
    const start = (/** @type {typeof state.before} */ before) => read(given, leftOut, before);
    if (candidates.length === 0 || state.before) return () => start(state.before);
    fits.sort((a, b) => Number(BigInt(b.manifest.serial) - BigInt(a.manifest.serial)));
    const newest = fits[0];
    const other = candidates[0];
    const named = newest ? undefined : await keyNamed(other.file).catch(() => undefined);
    return () => {
      const what = newest
        ? `There is a manifest in it: ${newest.name}, serial ${newest.manifest.serial}, ${dated(newest.manifest)}. If you seal now, whatever has changed since then becomes part of the new seal.`
        : `There is a manifest in it, ${shown(other.name)}, that this key did not seal${named ? `: it names key ${named}` : ""}. If you seal now, whatever has changed since then becomes part of the new seal, and that manifest is one of its files.`;
      const next = newest ? `, serial ${BigInt(newest.manifest.serial) + 1n}` : "";
      state.phase = "ask";
      tell(note("warn", "warn", h("p", {}, h("strong", {}, "This folder was sealed before."), ` ${what}`), h("div", { class: "row" },
        newest && button("Check it first", () => toCheck(newest.file), "main"),
        button(`Seal as it is now${next}`, () => start(newest)), button("Choose another folder", back))), 2);
    };
  });
}

/** Work that shows how far it is and can be cancelled. What it gives is done when it has ended. @param {string} what @param {(bar: ReturnType<typeof progress>, signal: AbortSignal) => Promise<() => unknown>} work */
async function guarded(what, work) {
  running = new AbortController();
  const { signal } = running;
  const bar = progress(what, () => running?.abort());
  Object.assign(state, { phase: "reading", note: undefined, reading: { bar, label: what } });
  render(2);
  let then;
  try {
    then = await work(bar, signal);
  } catch (error) {
    state.phase = "folder";
    const told = error instanceof Cancelled ? note("", "stop", h("p", {}, h("strong", {}, "Cancelled. Nothing was sealed."))) : refused("Nothing was sealed.", /** @type {Error} */ (error).message);
    then = () => tell(told, 2);
  }
  if (state.phase === "reading") state.phase = "folder";
  running = undefined;
  await then();
}

/** While this runs, no other key is opened. @param {Given} given @param {Set<unknown>} leftOut @param {typeof state.before} before */
async function read(given, leftOut, before) {
  const { own } = /** @type {NonNullable<typeof key>} */ (key);
  const found = given.files.filter((one) => !leftOut.has(one));
  const total = found.reduce((sum, { file }) => sum + file.size, 0);
  await guarded(`Sealing ${shown(given.label)}`, async (bar, signal) => {
    /** @type {Entry[]} */
    const entries = [];
    const lost = [...given.lost];
    bar.total(found.length, total);
    const each = (/** @type {Found} */ { name }, /** @type {import("./pool.js").Outcome} */ { tag, why }) => void (tag ? entries.push({ name, tag }) : lost.push({ name, why: why ?? "" }));
    await readAll(own, found, { each, onProgress: bar.show, signal });
    if (entries.length === 0) return () => tell(refused("No file could be read.", `Nothing was sealed. ${shown(lost[0]?.name ?? "")}: ${lost[0]?.why ?? ""}`), 2);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    if (lost.length === 0) return await finish();
    return () => {
      state.phase = "ask";
      const count = found.length + given.lost.length;
      tell(note("warn", "warn", h("p", {}, h("strong", {}, `${lost.length} of ${files(count)} can't be read.`), " They would not be part of the seal."),
        fileList(lost.map(({ name, why }) => ({ icon: "warn", name, about: why })), "Can't be read"),
        h("div", { class: "row" }, given.again && button("Try again", () => give(/** @type {() => Items} */ (given.again)()), "main"), button(`Seal the other ${entries.length.toLocaleString("en")}`, async () => (await finish())()), button("Choose another folder", back))), 2);
    };

    async function finish() {
      const serial = before?.manifest.serial ?? "0";
      const text = await writeManifest(own, entries, given.folders, new Date(), serial);
      const name = `${given.label === "these files" ? "manifest" : given.label.replace(/\.wegman$/, "")}.wegman`;
      const manifest = await readManifest(own, new Blob([text]));
      return () => {
        Object.assign(state, { phase: "sealed", note: undefined, before: undefined });
        state.paper = { name, text, saved: false };
        state.done = { given, count: entries.length, bytes: total, lost: lost.length, changes: changesSince(before?.manifest, entries), manifest };
        render(3);
        say(`Sealed ${files(entries.length)}. Save ${key?.made ? "the manifest and the key" : "the manifest"}.`);
      };
    }
  });
}

/** What is approved by sealing again. @param {Manifest | undefined} before @param {Entry[]} entries */
function changesSince(before, entries) {
  if (!before) return "";
  const old = new Map(before.entries.map(({ name, tag }) => [name, hex(tag)]));
  const now = new Map(entries.map(({ name, tag }) => [name, hex(tag)]));
  const fresh = [...now.keys()].filter((name) => !old.has(name)).length;
  const gone = [...old.keys()].filter((name) => !now.has(name)).length;
  const changed = [...now].filter(([name, tag]) => old.has(name) && old.get(name) !== tag).length;
  return `Since serial ${before.serial}: ${changed} changed, ${fresh} new, ${gone} gone.`;
}

function back() {
  state.phase = "folder";
  state.note = undefined;
  render(2);
}

/** @param {File} manifest */
function toCheck(manifest) {
  if (!key) return;
  checkNow({ ...key.own, secret: key.own.secret.slice() }, key.paper.name, manifest);
}

const mayGo = () => {
  const what = key?.paper.saved === true ? "manifest" : "key";
  return ask(`The ${what} is not saved`, "If you go on, this seal can never be checked.", "Go on without it", "Back, to save it");
};

async function another() {
  if (unsaved() && !(await mayGo())) return;
  state = fresh();
  // A key that nobody has is not used again.
  if (key?.made && key.paper.saved !== true) key = undefined;
  render(key ? 2 : 1);
}

/* ---------- what is seen ---------- */

/** @param {number} number @param {"now" | "done" | "later"} now @param {string} title @param {(import("./ui.js").Child)[]} body */
function step(number, now, title, ...body) {
  const mark = now === "done" ? icon("tick") : String(number);
  const said = h("span", { class: "vh" }, `Step ${number}${now === "done" ? ", done" : ""}: `);
  return h("li", { class: `step ${now}`, "aria-current": now === "now" && "step" }, h("span", { class: "n", "aria-hidden": "true" }, mark),
    h("div", { class: "col" }, h("h2", { tabindex: "-1" }, said, title), body.length > 0 && h("div", { class: "body" }, ...body)));
}

/** @param {number} at the step to go to */
export function render(at = 0) {
  const list = $("#seal-steps");
  list.replaceChildren(keyStep(), folderStep(), saveStep());
  if (at) focus($(`.step:nth-child(${at}) h2`, list));
}

function keyStep() {
  if (!key) {
    return step(1, "now", "The key", h("p", { class: "soft" }, "The key makes the seal, and you need it again to check. One key can seal many folders."), state.note,
      h("div", { class: "row" }, button("Make a key", makeNew, "main"), picker("Open a key", ([file]) => openKey(file), "", { id: "seal-key" })));
  }
  const late = key.paper.saved !== true && state.phase !== "sealed" && h("span", { class: "careful" }, ", not saved yet");
  const line = h("p", {}, key.made ? "New key " : `${key.paper.name}, key `, four(key.own.id), late);
  return step(1, "done", "The key", h("div", { class: "one" }, line, state.phase === "folder" && picker("Use another", ([file]) => openKey(file), "flat small", { id: "seal-key" })));
}

function folderStep() {
  if (!key) return step(2, "later", "The folder");
  if (state.phase === "ask") return step(2, "now", "The folder", state.note);
  if (state.phase === "reading" && state.reading) return step(2, "now", state.reading.label, state.reading.bar.box);
  if (state.done) {
    const { given, count, bytes, lost, changes } = state.done;
    return step(2, "done", "The folder", h("p", {}, `${given.folders.length > 0 ? `${shown(given.label)}, ` : ""}${files(count)}, ${size(bytes)}`, lost > 0 && h("span", { class: "careful" }, `, ${lost} left out`)), changes && h("p", { class: "soft" }, changes));
  }
  const choose = (/** @type {File[]} */ chosen) => folder(() => picked(chosen));
  return step(2, "now", "The folder", state.note,
    h("div", { class: "drop" }, icon("folder", "big"), h("p", { class: "mouse" }, "Drop a folder here, or"),
      h("div", { class: "row" }, picker("Choose a folder", choose, "main", { id: "seal-folder", webkitdirectory: true }), picker("Choose files", choose, "", { id: "seal-files", multiple: true }))),
    h("p", { class: "small soft" }, "Files are read here and nowhere else. Nothing in the folder is changed."),
    !state.before && !key.made && folded("I sealed this folder before", () => [h("p", {}, "Open its last manifest: the new one gets the next serial number, so that an older one is noticed."), picker("Open the last manifest", ([file]) => openManifest(file), "small", { id: "seal-before" })]));
}

function saveStep() {
  const { paper, done } = state;
  if (!paper || !done || !key) return step(3, "later", "Save what you need to check it");
  const all = !unsaved();
  const title = all ? (key.made ? "Sealed, and both are saved" : "Sealed, and the manifest is saved") : key.made ? "Sealed. Save these two things" : "Sealed. Save the manifest";
  const { serial, seal } = done.manifest;
  const copy = button("Copy the numbers", async () => {
    await navigator.clipboard?.writeText(`serial ${serial}, ${dated(done.manifest)}, seal id ${seal}`);
    say("Copied");
    copy.textContent = "Copied";
  }, "small");
  return step(3, all ? "done" : "now", title,
    h("div", { class: "saves" }, saveRow("manifest", paper, "The sealed list of your files. It is not secret."),
      key.made ? saveRow("key", key.paper, "Secret. Keep it away from the folder: with both, anybody can seal a changed folder.")
        : h("div", { class: "save" }, icon("key"), h("div", { class: "words" }, h("strong", {}, "Key"), h("p", { class: "soft small" }, `You opened it from ${key.paper.name}. There is nothing to save.`)))),
    all ? note("good", "ok", h("p", {}, h("strong", {}, "You can close this page."), ` To check the folder, bring back the same ${key.made ? "two files" : "key and manifest"}.`)) : warning(key.paper.saved, paper.saved),
    folded("Note the serial number, too", () => [h("p", {}, "An old manifest together with the old files still passes. These numbers tell them apart, if you keep them where nobody else can write."), numbers(done.manifest), h("div", { class: "row" }, copy)]),
    key.made && folded("Use the key with the command", () => [h("p", {}, "Others may read what a browser saves, and the command refuses such a key. So first:"), h("p", {}, h("code", {}, `chmod 600 ${key?.paper.name}`))]),
    h("div", { class: "row" }, button("Check it now", () => toCheck(new File([paper.text], paper.name))), button("Seal another folder", another, "flat")));
}

/** @param {Manifest} manifest */
export const numbers = (manifest) => h("dl", { class: "facts-id" }, h("dt", {}, "Serial"), h("dd", { class: "num" }, manifest.serial), h("dt", {}, "Sealed"), h("dd", { class: "num" }, dated(manifest)), h("dt", {}, "Seal id"), h("dd", {}, four(manifest.seal)));

/** @param {Saved} keySaved @param {Saved} manifestSaved */
function warning(keySaved, manifestSaved) {
  const [head, words] =
    keySaved === false ? ["The key exists only in this page.", "If you leave before it is saved, nobody can ever check this seal."]
    : keySaved === "sent" ? ["Check that the key arrived.", "A browser does not say whether a download was kept. Without the key nobody can ever check this seal."]
    : manifestSaved === "sent" ? ["Check that the manifest arrived.", "A browser does not say whether a download was kept."]
    : ["The manifest exists only in this page.", "If you leave before it is saved, the folder has to be sealed again."];
  return note("warn", "warn", h("p", {}, h("strong", {}, head), ` ${words}`));
}

/** @param {"key" | "manifest"} what @param {Paper} paper @param {string} words */
function saveRow(what, paper, words) {
  const act = async () => {
    const saved = await save(paper.name, paper.text);
    // Who closes the picker has what was saved before.
    paper.saved = paper.saved === true || saved || paper.saved;
    after(saved === true ? `${what} saved.` : saved ? `Handed to your browser as ${paper.name}. Check that it arrived.` : "Not saved.");
  };
  const after = (/** @type {string} */ text) => {
    render();
    say(unsaved() ? text : `${text} Everything is saved.`);
    focus(document.getElementById(`save-${what}`));
  };
  const have = () => {
    paper.saved = true;
    after(`${what} saved.`);
  };
  const again = button(`Save the ${what} again`, act, "flat small");
  const [mark, kind, text, ...buttons] =
    paper.saved === true ? ["ok", "ok", "Saved", again]
    : paper.saved === "sent" ? ["info", "careful", "Is it in your downloads?", button(`Yes, I have the ${what}`, have, "small", { id: `save-${what}` }), again]
    : ["warn", "careful", "Not saved", button(`Save the ${what}`, act, "main small", { id: `save-${what}` })];
  if (paper.saved === true) again.id = `save-${what}`;
  return h("div", { class: "save" }, icon(what), h("div", { class: "words" }, h("strong", {}, what === "key" ? "Key" : "Manifest"), h("code", {}, shown(paper.name)), h("p", { class: "soft small" }, words),
    h("p", { class: `state ${kind}` }, icon(/** @type {string} */ (mark)), /** @type {string} */ (text))), h("div", { class: "row act" }, .../** @type {HTMLElement[]} */ (buttons)));
}
