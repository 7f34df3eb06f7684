// Section 1: a key, files, a manifest.

import { download, element, shown, size, the } from "./dom.js";
import { isManifest, readManifest, writeManifest } from "./manifests.js";
import { Cancelled, Pool } from "./pool.js";
import { Refused, hex, keyFor, keyText, makeKey, readKey } from "./wegman/keyfile.js";

/** @typedef {{ name: string, file: File }} Found */

/**
 * What a drop or a choice has: `lost` can't be read, with the reasons; `whole` if empty folders are among the folders.
 * @typedef {{ files: Found[], folders: string[], lost: { name: string, why: string }[], whole: boolean }} Given
 */

/** Larger ones are for the command. */
const LARGEST_MANIFEST = 64 << 20;

const NO_TEXT = "its name is not text (UTF-8): use the command";

const pool = new Pool();
/** @type {import("./wegman/keyfile.js").Key | undefined} */
let key;
/** @type {AbortController | undefined} */
let running;

const keyState = the("key-state", HTMLElement);
const state = the("files-state", HTMLElement);
const results = the("results", HTMLTableSectionElement);
const cancel = the("cancel", HTMLButtonElement);
const save = the("save-manifest", HTMLButtonElement);
const drop = the("drop", HTMLElement);
const inputs = ["pick-files", "pick-folder"].map((id) => the(id, HTMLInputElement));

/** @param {HTMLElement} where @param {string} text @param {"" | "good" | "bad"} kind */
function tell(where, text, kind = "") {
  where.textContent = text;
  where.className = `state ${kind}`;
}

/** What another key or an earlier drop gave is not shown beside what comes now. */
function clear() {
  if (running) return;
  tell(state, "");
  results.replaceChildren();
  save.hidden = true;
}

/** What the person chose: nothing that is dropped decides it. */
function chosen() {
  return document.querySelector("input[name=mode]:checked")?.getAttribute("value");
}

/** What runs has a copy of its key. @param {import("./wegman/keyfile.js").Key} next @param {string} how */
function use(next, how) {
  key?.secret.fill(0);
  key = next;
  clear();
  drop.classList.remove("waits");
  inputs.forEach((input) => (input.disabled = false));
  tell(keyState, `${how} Key ${next.id}, PMAC-AES128, 128-bit tags.`, "good");
}

the("make-key", HTMLButtonElement).addEventListener("click", async () => {
  const made = makeKey();
  try {
    download(`wegman-${made.id}.key`, await keyText(made));
  } catch (error) {
    tell(keyState, /** @type {Error} */ (error).message, "bad");
    return;
  }
  const mode = `Others may read what a browser saves, and the command refuses such a key: run chmod 600 wegman-${made.id}.key first.`;
  use(made, `Made, and handed to your browser to save: keep the file. ${mode}`);
});

the("open-key", HTMLInputElement).addEventListener("change", async (event) => {
  const input = /** @type {HTMLInputElement} */ (event.target);
  const file = input.files?.[0];
  if (!file) return;
  try {
    if (file.size > 4096) throw new Refused("This is not a key file: it is too large.");
    use(await readKey(await file.text()), `${shown(file.name)} is open.`);
  } catch (error) {
    clear();
    const kept = key ? ` Key ${key.id} stays open.` : "";
    tell(keyState, `${shown(file.name)}: ${/** @type {Error} */ (error).message}${kept}`, "bad");
  }
  input.value = "";
});

inputs.forEach((input) =>
  input.addEventListener("change", async () => {
    const files = Array.from(input.files ?? []);
    const found = files.map((file) => ({ name: file.webkitRelativePath || file.name, file }));
    input.value = "";
    const folders = [...above(found.map(({ name }) => name))].sort();
    await start(chosen(), { files: found, folders, lost: [], whole: false });
  }),
);

document.querySelectorAll("input[name=mode]").forEach((input) => input.addEventListener("change", clear));

/** The folders above files. @param {string[]} names */
function above(names) {
  /** @type {Set<string>} */
  const all = new Set();
  for (const name of names) {
    for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1)) all.add(name.slice(0, end));
  }
  return all;
}

for (const kind of ["dragenter", "dragover"]) {
  drop.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", async (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  const mode = chosen();
  /** @type {Given} */
  const given = { files: [], folders: [], lost: [], whole: true };
  /** @type {FileSystemEntry[]} */
  const items = [];
  // All at once: the list is empty as soon as this function waits.
  for (const item of event.dataTransfer?.items ?? []) {
    const entry = item.webkitGetAsEntry();
    // What another program gives is a file without a place.
    const file = entry ? null : item.getAsFile();
    if (entry) items.push(entry);
    else if (file) given.files.push({ name: file.name, file });
  }
  for (const item of items) await walk(item, "", given);
  given.folders.sort();
  await start(mode, given);
});

/** What can't be read is noted, and the rest goes on. @param {FileSystemEntry} entry @param {string} above @param {Given} given */
async function walk(entry, above, given) {
  // A name that is no text is empty in Chromium, and would lead into the folder that it is in again.
  const name = above + (entry.name || "\ufffd");
  if (!entry.name) {
    given.lost.push({ name, why: NO_TEXT });
    return;
  }
  try {
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject));
      given.files.push({ name, file });
      return;
    }
    given.folders.push(name);
    const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
    for (;;) {
      // A reader gives some at a time, and none at the end.
      /** @type {FileSystemEntry[]} */
      const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) return;
      for (const one of some) await walk(one, `${name}/`, given);
    }
  } catch (error) {
    given.lost.push({ name, why: /** @type {Error} */ (error).message });
  }
}

/** Names that a manifest can't have are lost. @param {Given} given @returns {Given} */
function withText({ files, folders, lost, whole }) {
  const isText = (/** @type {string} */ name) => !/[\p{Surrogate}\ufffd]/u.test(name);
  const others = [...files.map(({ name }) => name), ...folders].filter((name) => !isText(name));
  return {
    files: files.filter(({ name }) => isText(name)),
    folders: folders.filter(isText),
    lost: [...lost, ...others.map((name) => ({ name, why: NO_TEXT }))],
    whole,
  };
}

/** @param {string | null | undefined} mode @param {Given} all */
async function start(mode, all) {
  const given = withText(all);
  if (running) return tell(state, "Wait for the files before, or cancel.", "bad");
  clear();
  if (!key) return tell(state, "Make or open a key first.", "bad");
  if (!mode) return tell(state, "Choose first whether to seal the files or to check them.", "bad");
  if (given.files.length + given.lost.length === 0) return tell(state, "There was no file in it.", "bad");
  running = new AbortController();
  const { signal } = running;
  // Its own: another key may be opened while this runs.
  const own = { id: key.id, secret: key.secret.slice() };
  cancel.disabled = false;
  the("results-table", HTMLTableElement).hidden = false;
  try {
    const manifests = [];
    for (const one of given.files) {
      if (signal.aborted) throw new Cancelled("cancelled");
      // What can't be read is told of with the others.
      if (await isManifest(one.file).catch(() => false)) manifests.push(one);
    }
    if (mode === "check") await check(own, manifests, given, signal);
    else await sealAll(own, manifests, given, signal);
  } catch (error) {
    results.replaceChildren();
    const cancelled = mode === "check" ? "Cancelled. There is no verdict." : "Cancelled. No manifest was made.";
    tell(state, error instanceof Cancelled ? cancelled : /** @type {Error} */ (error).message, "bad");
  } finally {
    own.secret.fill(0);
    running = undefined;
    cancel.disabled = true;
  }
}

/** @param {Given} given */
function tellLost({ lost }) {
  lost.forEach(({ name, why }) => row(name, undefined)(`can't be read: ${why}`, "bad"));
}

/** What no browser tells apart. @param {Found[]} found */
function empties(found) {
  const number = found.filter(({ file }) => file.size === 0).length;
  return number > 0 ? ` Empty: ${number}; a browser shows pipes and devices so, too.` : "";
}

cancel.addEventListener("click", () => running?.abort());

/** A line of the table. @param {string} name @param {number | undefined} bytes */
function row(name, bytes) {
  const status = element("td", {}, "waits");
  results.append(element("tr", {}, element("th", { scope: "row" }, shown(name)), element("td", { class: "number" }, bytes === undefined ? "" : size(bytes)), status));
  return (/** @type {string} */ text, /** @type {string} */ kind = "") => {
    status.textContent = text;
    status.className = kind;
  };
}

/**
 * Reads all of them, several at once.
 * @param {Uint8Array} fileKey @param {Found[]} found @param {AbortSignal} signal
 * @param {(one: Found) => Uint8Array | undefined} expected
 * @param {(one: Found, found: Uint8Array | boolean | Error, say: (text: string, kind?: string) => void) => void} each
 */
async function readAll(fileKey, found, signal, expected, each) {
  const total = found.reduce((sum, { file }) => sum + file.size, 0);
  const bar = the("progress", HTMLProgressElement);
  const done = new Map();
  let read = 0;
  bar.max = Math.max(total, 1);
  bar.hidden = false;
  const began = performance.now();
  const show = (/** @type {Found} */ one, /** @type {number} */ bytes) => {
    read += bytes - (done.get(one) ?? 0);
    done.set(one, bytes);
    bar.value = read;
    const seconds = (performance.now() - began) / 1000;
    tell(state, `${size(read)} of ${size(total)}, ${size(Math.round(read / Math.max(seconds, 0.001)))} a second`);
  };
  const work = found.map(async (one) => {
    const say = row(one.name, one.file.size);
    let end;
    try {
      end = await pool.run(
        { key: fileKey, file: one.file, tag: expected(one) },
        (bytes) => {
          say(`${Math.floor((100 * bytes) / Math.max(one.file.size, 1))} %`);
          show(one, bytes);
        },
        signal,
      );
    } catch (error) {
      if (error instanceof Cancelled) {
        say("cancelled", "bad");
        throw error;
      }
      end = /** @type {Error} */ (error);
    }
    show(one, one.file.size);
    each(one, end, say);
  });
  const ended = await Promise.allSettled(work);
  bar.hidden = true;
  fileKey.fill(0);
  for (const one of ended) if (one.status === "rejected") throw one.reason;
  return { total, seconds: (performance.now() - began) / 1000 };
}

/** @param {import("./wegman/keyfile.js").Key} key @param {Found[]} manifests @param {Given} given @param {AbortSignal} signal */
async function sealAll(key, manifests, given, signal) {
  if (manifests.length > 0) {
    throw new Refused(`${shown(manifests[0].name)} is a manifest: these files were sealed before. Choose Check; or, to seal them as they are now, leave it out.`);
  }
  /** @type {import("./manifests.js").Entry[]} */
  const entries = [];
  let unreadable = given.lost.length;
  // Before anything is read: two of one name can't be in a manifest.
  const names = [...given.files.map(({ name }) => name), ...given.folders];
  const twice = names.length > new Set(names).size && names.find((name, i) => names.indexOf(name) < i);
  if (twice) throw new Refused(`Two of the files have the name ${shown(twice)}. Drop the folder that has both.`);
  const { total, seconds } = await readAll(await keyFor(key, "files"), given.files, signal, () => undefined, ({ name }, tag, say) => {
    if (tag instanceof Error || typeof tag === "boolean") {
      unreadable += 1;
      say(`can't be read: ${tag instanceof Error ? tag.message : ""}`, "bad");
      return;
    }
    entries.push({ name, tag });
    say(hex(tag), "tag");
  });
  tellLost(given);
  if (entries.length === 0) return tell(state, "No file could be read. No manifest was made.", "bad");
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const text = await writeManifest(key, entries, given.folders, new Date());
  save.hidden = false;
  save.onclick = () => download("manifest.wegman", text);
  const missed = unreadable > 0 ? ` ${unreadable} could not be read and are not in the manifest.` : "";
  const sealed = `${entries.length} sealed under key ${key.id}, ${size(total)} in ${seconds.toFixed(1)} s. Nothing was checked. Save the manifest.`;
  tell(state, `${sealed}${missed}${empties(given.files)}`, unreadable > 0 ? "bad" : "");
}

/**
 * Which of the manifest's names each given one has: the same, or the only one that ends so, for a browser hides what is above a
 * dropped file.
 * @template {{ name: string }} G @template {{ name: string }} K
 * @param {G[]} given @param {K[]} known @returns {Map<G, K>}
 */
function pairs(given, known) {
  const plain = (/** @type {string} */ name) => name.replace(/\/+$/, "");
  const last = (/** @type {string} */ name) => name.slice(name.lastIndexOf("/") + 1);
  const byName = new Map(known.map((one) => [plain(one.name), one]));
  /** @type {Map<string, K[]>} */
  const byLast = new Map();
  for (const one of known) byLast.set(last(plain(one.name)), [...(byLast.get(last(plain(one.name))) ?? []), one]);
  const byEnd = (/** @type {string} */ name) => {
    const ends = (byLast.get(last(name)) ?? []).filter((one) => plain(one.name).endsWith(`/${name}`));
    return ends.length === 1 ? ends[0] : undefined;
  };
  const seen = new Set();
  /** @type {Map<G, K>} */
  const found = new Map();
  // Whole names first: none takes another's place.
  for (const find of [(/** @type {string} */ name) => byName.get(name), byEnd]) {
    for (const one of given.filter((one) => !found.has(one))) {
      const match = find(one.name);
      if (!match || seen.has(match)) continue;
      seen.add(match);
      found.set(one, match);
    }
  }
  return found;
}

/**
 * Says which of the manifest's folders are gone and which are new. Others are there because something is in them.
 * @param {string[]} known @param {Given} given @param {string[]} there the names of the manifest that were given
 */
function compareFolders(known, given, there) {
  const folders = given.folders.map((name) => ({ name }));
  const match = pairs(folders, known.map((name) => ({ name })));
  const full = above(there);
  const seen = new Set([...match.values()].map(({ name }) => name));
  const gone = known.filter((name) => !seen.has(name) && !full.has(name.replace(/\/+$/, "")));
  const used = above([...given.files, ...given.lost, ...folders].map(({ name }) => name));
  const fresh = folders.filter((one) => !match.has(one) && !used.has(one.name));
  const [text, kind] = given.whole ? ["missing", "bad"] : ["not seen: a browser shows empty folders only if they are dropped", ""];
  gone.forEach((name) => row(`${name}/`, undefined)(text, kind));
  fresh.forEach(({ name }) => row(`${name}/`, undefined)("not in the manifest", "bad"));
  return { missing: given.whole ? gone.length : 0, unseen: given.whole ? 0 : gone.length, fresh: fresh.length };
}

/** @param {import("./wegman/keyfile.js").Key} key @param {Found[]} manifests @param {Given} given @param {AbortSignal} signal */
async function check(key, manifests, given, signal) {
  if (manifests.length === 0) throw new Refused("None of these files is a manifest, or its first line was changed. Nothing was checked, and nothing was sealed.");
  if (manifests.length > 1) throw new Refused("There are several manifests among the files. Give one at a time.");
  const [manifest] = manifests;
  if (manifest.file.size > LARGEST_MANIFEST) throw new Refused("The manifest has more than 64 MiB. Check it with the command.");
  let read;
  try {
    read = await readManifest(key, new Uint8Array(await manifest.file.arrayBuffer()));
  } catch (error) {
    throw new Refused(`${shown(manifest.name)}: ${/** @type {Error} */ (error).message}`);
  }
  const { entries, serial, seal } = read;
  const files = given.files.filter((one) => one !== manifest);
  if (files.length + given.lost.length + given.folders.length === 0) {
    entries.forEach(({ name }) => row(name, undefined)("not given"));
    tell(state, `The seal is right: serial ${serial}, seal id ${seal}, ${entries.length} files. No file was checked: drop the manifest together with the files.`);
    return;
  }
  const wanted = pairs(files, entries);
  const counts = { ok: 0, changed: 0, unreadable: given.lost.length };
  const tagOf = (/** @type {Found} */ one) => wanted.get(one)?.tag;
  const { seconds } = await readAll(await keyFor(key, "files"), [...wanted.keys()], signal, tagOf, (_, right, say) => {
    if (typeof right !== "boolean") {
      counts.unreadable += 1;
      say(`can't be read: ${right instanceof Error ? right.message : "it was not compared"}`, "bad");
      return;
    }
    counts[right ? "ok" : "changed"] += 1;
    say(right ? "ok" : "changed", right ? "good" : "bad");
  });
  const seen = new Set(wanted.values());
  const missing = entries.filter((entry) => !seen.has(entry));
  missing.forEach(({ name }) => row(name, undefined)("missing", "bad"));
  const fresh = files.filter((one) => !wanted.has(one));
  fresh.forEach(({ name, file }) => row(name, file.size)("not in the manifest", "bad"));
  tellLost(given);
  const folders = compareFolders(read.directories, given, [...seen].map(({ name }) => name));
  const [gone, extra] = [missing.length + folders.missing, fresh.length + folders.fresh];
  const parts = [`${counts.ok} ok`, `${counts.changed} changed`, `${gone} missing`, `${extra} new`];
  if (counts.unreadable > 0) parts.push(`${counts.unreadable} unreadable`);
  if (folders.unseen > 0) parts.push(`${folders.unseen} folder${folders.unseen === 1 ? "" : "s"} not seen`);
  if (read.others > 0) parts.push(`links, pipes and devices not looked at: ${read.others}`);
  const isBad = counts.changed + counts.unreadable + gone + extra > 0;
  const about = `Key ${key.id}, serial ${serial}, seal id ${seal}.${empties(files)}`;
  tell(state, `${parts.join(", ")}, in ${seconds.toFixed(1)} s. ${about}`, isBad ? "bad" : folders.unseen + read.others > 0 ? "" : "good");
}
