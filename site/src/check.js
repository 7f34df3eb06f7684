// The door Check: a key, a manifest and a folder, in any order. It only reads, and never tags.

import { Cancelled, kindOf, papersIn, picked, sortOut, walk } from "./given.js";
import { dated, keyNamed, readManifest } from "./manifests.js";
import { bestSwap, compare, isRenamed } from "./names.js";
import { readAll } from "./pool.js";
import { progress } from "./progress.js";
import { numbers } from "./seal.js";
import { $, button, counted, fileList, files, focus, folded, four, h, icon, number, picker, say, shown, size } from "./ui.js";
import { ALGORITHMS, readKey } from "./wegman/keyfile.js";

/**
 * @typedef {import("./wegman/keyfile.js").Key} Key
 * @typedef {import("./given.js").Given} Given
 * @typedef {import("./given.js").Found} Found
 * @typedef {import("./given.js").Items} Items
 * @typedef {import("./manifests.js").Manifest} Manifest
 * @typedef {import("./names.js").Swap} Swap
 * @typedef {import("./ui.js").Row} Row
 * @typedef {{ head: string, words: string, where: "key" | "manifest" | "folder" }} Trouble
 * @typedef {{ kind: "" | "good" | "warn" | "bad", icon: string, title: string, about: string[], groups: { title: string, words?: string, rows: Row[] }[], ok: Row[] }} Verdict
 */

/** @type {{ own: Key, name: string } | undefined} */
let key;
/** @type {{ file: File, name: string, inside: boolean, read?: Manifest } | undefined} */
let manifest;
/** @type {Given | undefined} */
let given;
/** Those of the folder, if there are several. @type {{ found: Found, about: string }[]} */
let several = [];
/** @type {Trouble | undefined} */
let trouble;
let noted = "";
/** What is shown in place of the three. @type {HTMLElement[] | undefined} */
let result;
/** @type {AbortController | undefined} */
let running;
/** @type {ReturnType<typeof progress> | undefined} */
let bar;

/** With a key and a manifest that Seal has. @param {Key} own @param {string} name @param {File} file */
export function begin(own, name, file) {
  useKey(own, name);
  useManifest(file, false);
  given = undefined;
  void next();
}

/** The key, the manifest and the folder stay, but nothing that was said of them. */
export function leave() {
  if (!running) result = undefined;
}

/** @param {Key} own @param {string} name */
function useKey(own, name) {
  key?.own.secret.fill(0);
  key = { own, name };
  if (manifest) manifest.read = undefined;
}

/** @param {File} file @param {boolean} inside */
function useManifest(file, inside, name = file.name) {
  manifest = { file, name: shown(name), inside };
  several = [];
}

/** @param {File} file */
async function openKey(file) {
  clear();
  const kept = key ? ` Key ${key.own.id} stays open.` : "";
  const name = shown(file.name);
  try {
    if ((await kindOf(file)) !== "key") throw Object.assign(new Error(`Keys of Wegman are small text files, such as wegman-374c412b44aa339a.key.${kept}`), { head: `${name} is not a key` });
    useKey(await readKey(await file.text(), ALGORITHMS), name);
  } catch (error) {
    const { message, head = `${name} can't be used` } = /** @type {Error & { head?: string }} */ (error);
    trouble = { where: "key", head, words: "head" in /** @type {object} */ (error) ? message : `${message}.${kept}` };
  }
}

/** What was said before is not shown beside what comes now. */
function clear() {
  result = undefined;
  trouble = undefined;
}

/** What is dropped anywhere on this door: nothing of it decides what is done. @param {Items} items */
export async function give(items) {
  if (running) return bar?.found("Wait until this has ended, or cancel.");
  const { keys, manifests, rest } = await sortOut(items);
  clear();
  if (keys[0]) await openKey(keys[0]);
  if (manifests.length === 1) useManifest(manifests[0], false);
  if (manifests.length > 1) {
    manifest = undefined;
    several = manifests.map((file) => ({ found: { name: file.name, file }, about: "" }));
  }
  if (rest) await look((show, signal) => walk(rest, show, signal));
  else await next();
}

/** @param {(show: (found: number) => void, signal: AbortSignal) => Promise<Given> | Given} find */
async function look(find) {
  if (running) return;
  const why = trouble;
  clear();
  given = undefined;
  if (manifest?.inside) manifest = undefined;
  const ended = await guarded("Looking", async (bar, signal) => {
    given = await find((found) => bar.show(found, 0), signal);
    if (given.files.length + given.lost.length + given.folders.length === 0) {
      given = undefined;
      trouble = { where: "folder", head: "There is nothing in it", words: "No file was checked." };
    }
  });
  trouble ??= why;
  if (ended) await next();
  else {
    trouble = { where: "folder", head: "Cancelled", words: "The folder was not read." };
    render(true);
  }
}

/** @param {File[]} chosen */
const takePicked = (chosen) => look(() => picked(chosen));

/** @param {string} what @param {(bar: ReturnType<typeof progress>, signal: AbortSignal) => Promise<void>} work whether it ended, and was not cancelled */
async function guarded(what, work) {
  running = new AbortController();
  bar = progress(what, () => running?.abort());
  result = [h("section", { class: "stack" }, h("h2", { tabindex: "-1" }, what), bar.box, ...(manifest?.read ? [against()] : []))];
  render(true);
  try {
    await work(bar, running.signal);
    return true;
  } catch (error) {
    if (error instanceof Cancelled) return false;
    trouble = { where: "folder", head: "It can't be read", words: /** @type {Error} */ (error).message };
    return true;
  } finally {
    running = undefined;
    result = undefined;
  }
}

/** Goes on as soon as all three are there. @returns {Promise<void>} */
async function next() {
  if (given && !manifest && several.length === 0) {
    const { manifests } = await papersIn(given.files);
    if (manifests.length === 1) useManifest(manifests[0].file, true, manifests[0].name);
    else several = manifests.map((found) => ({ found, about: "" }));
  }
  if (key && manifest && !manifest.read) await believe(key.own, manifest);
  if (key && several.length > 0) {
    for (const one of several) {
      const read = await readManifest(key.own, one.found.file).catch(() => undefined);
      one.about = read ? `serial ${read.serial}, ${dated(read)}` : "not of this key";
    }
  }
  if (manifest?.read && noted && /^\d+$/.test(noted) && BigInt(noted) > BigInt(manifest.read.serial)) {
    trouble = { where: "manifest", head: "It is older than the one you noted", words: `Its serial is ${manifest.read.serial}, and you noted ${noted}. Files can fit it and still be old. Look for the newer manifest.` };
  }
  if (key && manifest?.read && given && !trouble) return names(manifest.read, given);
  render(true);
  const lacking = lacks();
  say(trouble ? `${trouble.head}. ${trouble.words}` : lacking.length > 0 ? `Still needed: ${lacking.join(" and ")}.` : "");
}

const lacks = () => [!key && "the key", !manifest && "the manifest", !given && "the folder"].filter((one) => one !== false);

/** Reads a manifest, if its seal fits. @param {Key} own @param {NonNullable<typeof manifest>} one */
async function believe(own, one) {
  try {
    one.read = await readManifest(own, one.file);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const named = await keyNamed(one.file).catch(() => undefined);
    const [head, words] =
      named && named !== own.id ? ["It names another key", `It says it was sealed with key ${named}. You opened ${own.id}.`]
      : /cut off|truncated|no seal|last line/i.test(message) ? ["It has no seal at its end", `It was cut off, or something was added (${message}). Look for another copy.`]
      : /in shards|use the command|64 MiB|not text/.test(message) ? ["This page can't read it", `${message}.`]
      : ["It was changed after it was sealed", `${message}. Nothing in it is believed. Look for another copy.`];
    trouble = { where: "manifest", head, words };
  }
}

/** @param {Manifest} read @param {Given} all */
async function names(read, all) {
  const swap = bestSwap(read, all);
  if (!isRenamed(swap)) return check(read, all, swap);
  const [sealed, now] = [swap.sealed, swap.given].map((name) => shown(name.replace(/\/$/, "")));
  const same = swap.count === read.entries.length ? `all ${number(swap.count)} names are the same` : `${number(swap.count)} of ${number(read.entries.length)} names are the same`;
  const apart = { sealed: "", given: "", count: 0 };
  result = [h("section", { class: "verdict warn" }, icon("warn"), h("div", { class: "stack" },
    h("div", {}, h("h2", { tabindex: "-1" }, "The folder has another name"), h("p", { class: "sub" }, "You sealed ", h("strong", {}, sealed), " and gave ", h("strong", {}, now), `. Apart from that, ${same}.`)),
    h("div", { class: "row" }, button(`Check it as ${sealed}`, () => check(read, all, swap), "main"), button("Compare its name", () => check(read, all, apart)), button("Another folder", without, "flat"))))];
  render(true);
  say("The folder has another name than the one you sealed.");
}

function without() {
  given = undefined;
  if (manifest?.inside) manifest = undefined;
  clear();
  void next();
}

/** @param {Manifest} read @param {Given} all @param {Swap} swap */
async function check(read, all, swap) {
  if (!key) return;
  const { own } = key;
  /** @type {Set<Found>} */
  const leftOut = new Set();
  const papers = await papersIn(all.files);
  const isOwn = (/** @type {Found} */ one) => one.file === manifest?.file;
  // Not sealed, and not new: this manifest, older versions of it, and the key. Their seals and the key say so, not their names.
  const sealed = new Set(read.entries.map(({ name }) => name));
  const isListed = (/** @type {Found} */ { name }) => name.startsWith(swap.given) && sealed.has(swap.sealed + name.slice(swap.given.length));
  for (const one of papers.manifests.filter((one) => !isListed(one))) {
    if (isOwn(one) || (await readManifest(own, one.file).then(() => true, () => false))) leftOut.add(one);
  }
  for (const one of papers.keys.filter((one) => !isListed(one))) {
    const found = await one.file.text().then((text) => readKey(text, ALGORITHMS)).catch(() => undefined);
    if (found?.id === own.id) leftOut.add(one);
    found?.secret.fill(0);
  }
  const plan = compare(read, all, swap, leftOut);
  const work = [...plan.wanted.keys()];
  /** @type {{ ok: Row[], changed: Row[], unread: Row[] }} */
  const found = { ok: [], changed: [], unread: all.lost.map(({ name, why }) => ({ icon: "warn", name, about: why })) };
  let done = 0;
  const ended = await guarded(`Checking ${shown(all.label)}`, async (bar, signal) => {
    bar.total(work.length, work.reduce((sum, { file }) => sum + file.size, 0));
    await readAll(own, work, {
      expected: (one) => plan.wanted.get(one),
      each: ({ name, file }, { ok, why }) => {
        done += 1;
        if (ok === true) found.ok.push({ icon: "ok", name, about: size(file.size) });
        else if (ok === false) {
          found.changed.push({ icon: "no", name, about: `${size(file.size)} now` });
          bar.found(`${number(found.changed.length)} changed so far`);
        } else found.unread.push({ icon: "warn", name, about: why ?? "it was not compared" });
      },
      onProgress: bar.show,
      signal,
    });
  });
  if (trouble) return next();
  const byName = (/** @type {Row} */ a, /** @type {Row} */ b) => (a.name < b.name ? -1 : 1);
  Object.values(found).forEach((rows) => rows.sort(byName));
  const verdict = ended ? whole(read, swap, plan, found) : stopped(done, work.length, found);
  const others = [...leftOut].map(({ name }) => shown(name));
  if (ended && others.length > 0) verdict.about.push(`Not part of the seal: ${others.join(", ")}.`);
  show(verdict, ended);
}

/** @param {number} done @param {number} all @param {{ ok: Row[], changed: Row[] }} found @returns {Verdict} */
function stopped(done, all, { changed }) {
  const groups = [{ title: "Changed", rows: changed }];
  if (changed.length > 0) {
    return { kind: "bad", icon: "no", title: `Stopped, and ${number(changed.length)} changed already`, about: [`${number(all - done)} of ${files(all)} were not read. Nothing is known about them.`], groups, ok: [] };
  }
  return { kind: "", icon: "stop", title: `Stopped after ${number(done)} of ${files(all)}`, about: ["No verdict: the others were not read. Nothing wrong so far."], groups, ok: [] };
}

/**
 * @param {Manifest} read @param {Swap} swap @param {ReturnType<typeof compare>} plan
 * @param {{ ok: Row[], changed: Row[], unread: Row[] }} found @returns {Verdict}
 */
function whole(read, swap, plan, { ok, changed, unread }) {
  const missing = plan.missing.map((name) => ({ icon: "gone", name }));
  const fresh = [...plan.fresh.map(({ name, file }) => ({ icon: "new", name, about: size(file.size) })), ...plan.added.map((name) => ({ icon: "new", name, about: "an empty folder" }))];
  const unseen = plan.unseen.map((name) => ({ icon: "warn", name }));
  const groups = [
    { title: "Changed", rows: changed },
    { title: "Missing", rows: missing },
    { title: "Can't be read", rows: unread },
    { title: "New", words: "Not in the manifest, so nothing vouches for them.", rows: fresh },
    { title: "Empty folders, not seen", words: "A browser shows them only if they are dropped.", rows: unseen },
  ];
  const about = [];
  const rest = `${ok.length === 1 ? "The other file is" : `The other ${files(ok.length)} are`} as you sealed ${ok.length === 1 ? "it" : "them"}.`;
  const allGood = `All ${files(ok.length)} are as you sealed them`;
  /** @type {[Verdict["kind"], string, string]} */
  let head;
  if (changed.length + missing.length > 0) {
    const parts = /** @type {[Row[], string][]} */ ([[changed, "changed"], [missing, "missing"], [unread, "unreadable"], [fresh, "new"]]).filter(([rows]) => rows.length > 0);
    const only = parts.length === 1 && parts[0][0].length === 1 ? `: ${shown(parts[0][0][0].name)}` : "";
    head = ["bad", "no", parts.map(([rows, word]) => `${number(rows.length)} ${word}`).join(", ") + only];
    about.push(ok.length > 0 ? rest : "Not one of the sealed files is here as it was.");
    if (changed.length === 0 && missing.length > ok.length) about.push("Is this only a part of the folder that was sealed?");
  } else if (unread.length > 0) {
    head = ["warn", "warn", `${files(unread.length)} could not be read`];
    about.push(`Nothing is known about ${unread.length === 1 ? "it" : "them"}. ${rest}`);
  } else if (fresh.length > 0) {
    head = ["warn", "warn", `Nothing sealed has changed, but ${counted(fresh.length, "file is", "files are")} new`];
    about.push(`${allGood}. The seal says nothing about what is new.`);
  } else if (ok.length === 0) {
    head = ["warn", "warn", "There was no file to check"];
  } else if (unseen.length + read.others > 0) {
    head = ["warn", "warn", `${allGood}, but not everything could be seen`];
  } else {
    head = ["good", "verify", ok.length === 1 ? "The one file is as you sealed it" : allGood];
    about.push("Nothing changed, nothing is missing, nothing was added.");
  }
  if (read.others > 0) about.push(`${counted(read.others, "link, pipe or device was", "links, pipes or devices were")} not looked at: the command checks them.`);
  if (swap.given !== swap.sealed) {
    const [sealed, now] = [swap.sealed, swap.given].map((name) => shown(name.replace(/^\.\/$|\/$/g, "")));
    if (now && sealed) about.push(`${now} was checked as ${sealed}.`);
    else if (now) about.push(`The manifest does not name its folder; ${now} was taken for it.`);
  }
  const [kind, icon, title] = head;
  return { kind, icon, title, about, groups, ok };
}

/** @param {Verdict} verdict @param {boolean} ended */
function show({ kind, icon: mark, title, about, groups, ok }, ended) {
  const told = groups.filter(({ rows }) => rows.length > 0);
  // What was picked can be read again only if it is picked again.
  const { again: walkAgain, folders = [] } = given ?? {};
  const isFolder = folders.length > 0;
  const again = walkAgain ? button("Check again", () => look((show, signal) => walk(walkAgain(), show, signal)), "main")
    : picker(`Choose the ${isFolder ? "folder" : "files"} again`, takePicked, "main", isFolder ? { webkitdirectory: true } : { multiple: true });
  const report = () => {
    const read = manifest?.read;
    const lines = [title, ...about, ...(read ? [`${manifest?.name}: serial ${read.serial}, ${dated(read)}, seal id ${read.seal}`] : []), ...told.flatMap(({ title, rows }) => ["", `${title}:`, ...rows.map(({ name }) => shown(name))])];
    return `${lines.join("\n")}\n`;
  };
  const copy = button("Copy the report", async () => {
    await navigator.clipboard?.writeText(report());
    copy.textContent = "Copied";
    say("Copied");
  }, "small");
  const isGood = kind === "good";
  result = [
    h("section", { class: `verdict ${kind || "note"}`, id: "verdict" }, icon(mark), h("div", {}, h("h2", { tabindex: "-1" }, title), h("p", { class: "sub" }, about.join(" ")))),
    ...told.map(({ title, words, rows }) => h("section", { class: "group" }, h("h3", {}, `${title} `, h("span", { class: "soft num" }, number(rows.length))), words && h("p", { class: "soft small" }, words), fileList(rows, title))),
    h("div", { class: "row" }, !isGood && again, button("Check another folder", without, isGood ? "main" : "flat"), copy),
    ...(manifest?.read ? [against()] : []),
    h("div", {}, ended && ok.length > 0 && folded(["Unchanged ", h("span", { class: "soft num" }, number(ok.length))], () => fileList(ok, "Unchanged")),
      folded("What this verdict does not say", () => [
        h("p", {}, "That this manifest is the newest: an older one, with the older files, passes as well. Compare serial and seal id with your note."),
        h("p", {}, "Who changed a file, or when. Permissions, owners and links are not compared here; the command does that. A browser shows a pipe or a device as an empty file."),
      ])),
  ];
  render(true);
  say(`${title}. ${about.join(" ")}`);
}

const against = () => h("section", { class: "stack", "aria-label": "Checked against" }, h("h3", { class: "soft" }, "Checked against ", manifest?.name ?? ""), manifest?.read && numbers(manifest.read));

/* ---------- what is seen ---------- */

/** @param {boolean} move whether to go to what is new */
export function render(move = false) {
  const body = $("#check-body");
  $("#check-lead").hidden = result !== undefined;
  body.replaceChildren(...(result ?? [bench(), noteOfSerial()]));
  if (move) focus(/** @type {HTMLElement | null} */ (result ? body.querySelector("h2") : (body.querySelector(".slot.bad h2, .slot.warn h2") ?? body.querySelector(".slot:not(.got) .btn"))));
}

function noteOfSerial() {
  const input = h("input", { type: "text", inputmode: "numeric", id: "noted", value: noted });
  input.addEventListener("input", () => (noted = input.value.trim()));
  input.addEventListener("change", () => {
    if (trouble?.where === "manifest") trouble = undefined;
    if (!running && !trouble) void next();
  });
  return folded("I noted the serial number", () => h("label", { class: "field" }, h("span", {}, "Serial number in my note. An older manifest is then refused."), input), noted !== "");
}

/** @param {"key" | "manifest" | "folder"} what @param {string} title @param {"" | "got" | "bad" | "warn"} kind @param {import("./ui.js").Child[]} words @param {import("./ui.js").Child[]} acts */
function slot(what, title, kind, words, acts) {
  const mark = { "": what, got: "ok", bad: "no", warn: "warn" }[kind];
  return h("li", { class: `slot ${kind}`, id: `slot-${what}` }, icon(mark), h("div", { class: "in" }, h("h2", { tabindex: "-1" }, title), h("div", { class: "stack" }, ...words), h("div", { class: "row" }, ...acts)));
}

/** @param {Trouble["where"]} where */
const troubled = (where) => trouble?.where === where && h("p", {}, h("strong", { class: "no" }, trouble.head), h("br"), trouble.words);
/** @param {(import("./ui.js").Child)[]} words */
const soft = (...words) => h("p", { class: "soft" }, ...words);

function keySlot() {
  const bad = troubled("key");
  const pick = (/** @type {string} */ text, /** @type {string} */ kind) => picker(text, async ([file]) => { await openKey(file); await next(); }, kind, { id: "check-key" });
  if (!key) return slot("key", "Key", bad ? "bad" : "", [bad || soft("The secret file that sealed it, often named ", h("code", {}, "wegman-….key"), ".")], [pick("Open the key", "small")]);
  return slot("key", "Key", bad ? "bad" : "got", [bad, h("p", {}, key.name), soft("Key ", four(key.own.id), key.own.algorithm === "PMAC-AES128" ? "" : `, ${key.own.algorithm}`)], [pick("Another key", "flat small")]);
}

function manifestSlot() {
  const bad = troubled("manifest");
  const pick = (/** @type {string} */ text, /** @type {string} */ kind) => picker(text, ([file]) => { clear(); useManifest(file, false); void next(); }, kind, { id: "check-manifest" });
  if (several.length > 0) {
    const choose = (/** @type {Found} */ one) => { clear(); useManifest(one.file, given?.files.includes(one) ?? false, one.name); void next(); };
    return slot("manifest", "Manifest", "warn", [h("p", {}, h("strong", {}, `${several.length} manifests lie in the folder. Which one?`)),
      h("div", { class: "pickone" }, several.map(({ found, about }) => h("button", { type: "button", class: "btn small", onclick: () => choose(found) }, h("span", {}, shown(found.name)), h("span", { class: "soft small" }, about))))], [pick("Another manifest", "flat small")]);
  }
  if (!manifest) return slot("manifest", "Manifest", "", [soft(...(given ? ["There is none in the folder."] : ["The sealed list, such as ", h("code", {}, "photos.wegman"), ", often in the folder itself."]))], [pick("Open the manifest", "small")]);
  const words = bad ? [h("p", {}, manifest.name), bad]
    : manifest.read ? [h("p", {}, manifest.name), numbers(manifest.read), manifest.inside && soft("Found in the folder. Whoever can write there can put back an older one: compare the numbers with your note.")]
    : [h("p", {}, manifest.name), soft("Waits for its key. Nothing in it is believed before.")];
  return slot("manifest", "Manifest", bad ? "bad" : manifest.read ? "got" : "", words, [pick("Another manifest", "flat small")]);
}

function folderSlot() {
  const bad = troubled("folder");
  if (!given) return slot("folder", "Folder", bad ? "bad" : "", [bad || soft("As it is today.")], [picker("Choose the folder", takePicked, "small", { id: "check-folder", webkitdirectory: true }), picker("Choose files", takePicked, "flat small", { id: "check-files", multiple: true })]);
  const bytes = given.files.reduce((sum, { file }) => sum + file.size, 0);
  return slot("folder", "Folder", bad ? "bad" : "got", [bad, h("p", {}, shown(given.label)), soft(`${files(given.files.length)}, ${size(bytes)}`)], [picker("Another folder", takePicked, "flat small", { id: "check-folder", webkitdirectory: true })]);
}

function bench() {
  const lacking = lacks();
  const foot = trouble || several.length > 0 ? "No file was checked."
    : lacking.length === 3 ? [h("span", { class: "mouse" }, "Drop them here, in any order. "), "The check starts when all three are there."]
    : lacking.length > 0 ? `${lacking.join(" and ").replace(/^t/, "T")} ${lacking.length > 1 ? "are" : "is"} still needed.` : "";
  return h("div", { class: "bench" }, h("ul", {}, keySlot(), manifestSlot(), folderSlot()), h("p", { class: "bench-foot", id: "check-foot" }, ...[foot].flat()));
}

