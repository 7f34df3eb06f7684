// Section 1: a key, files, a manifest.

import { download, element, size, the } from "./dom.js";
import { ensureDifferent, isManifest, readManifest, writeManifest } from "./formats.js";
import { Cancelled, Pool } from "./pool.js";
import { Refused, hex, keyFor, keyText, makeKey, readKey } from "./wegman/keyfile.js";

/** @typedef {{ name: string, file: File }} Found */

/** Larger ones are for the command. */
const LARGEST_MANIFEST = 64 << 20;

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

/** What runs has a copy of its key. @param {import("./wegman/keyfile.js").Key} next @param {string} how */
function use(next, how) {
  key?.secret.fill(0);
  key = next;
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
  use(made, "Made, and saved by your browser: keep the file, and let nobody read it.");
});

the("open-key", HTMLInputElement).addEventListener("change", async (event) => {
  const input = /** @type {HTMLInputElement} */ (event.target);
  const file = input.files?.[0];
  if (!file) return;
  try {
    if (file.size > 4096) throw new Refused("This is not a key file: it is too large.");
    use(await readKey(await file.text()), `${file.name} is open.`);
  } catch (error) {
    tell(keyState, `${file.name}: ${/** @type {Error} */ (error).message}`, "bad");
  }
  input.value = "";
});

inputs.forEach((input) =>
  input.addEventListener("change", async () => {
    const files = Array.from(input.files ?? []);
    const found = files.map((file) => ({ name: file.webkitRelativePath || file.name, file }));
    input.value = "";
    await start(found, directoriesOf(found));
  }),
);

/** The directories above files that were chosen as a folder. @param {Found[]} found */
function directoriesOf(found) {
  const all = new Set();
  for (const { name } of found) {
    for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1)) all.add(name.slice(0, end));
  }
  return [...all].sort();
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
  /** @type {Found[]} */
  const found = [];
  /** @type {FileSystemEntry[]} */
  const items = [];
  // All at once: the list is empty as soon as this function waits.
  for (const item of event.dataTransfer?.items ?? []) {
    const entry = item.webkitGetAsEntry();
    // What another program gives is a file without a place.
    const file = entry ? null : item.getAsFile();
    if (entry) items.push(entry);
    else if (file) found.push({ name: file.name, file });
  }
  /** @type {string[]} */
  const directories = [];
  try {
    for (const item of items) await walk(item, "", found, directories);
  } catch (error) {
    tell(state, `A dropped file or folder can't be read: ${/** @type {Error} */ (error).message}`, "bad");
    return;
  }
  await start(found, directories.sort());
});

/** @param {FileSystemEntry} entry @param {string} above @param {Found[]} found @param {string[]} directories */
async function walk(entry, above, found, directories) {
  const name = above + entry.name;
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject));
    found.push({ name, file });
    return;
  }
  directories.push(name);
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  for (;;) {
    // A reader gives some at a time, and none at the end.
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const one of some) await walk(one, `${name}/`, found, directories);
  }
}

/** @param {Found[]} found @param {string[]} directories */
async function start(found, directories) {
  if (!key) return tell(state, "Make or open a key first.", "bad");
  if (running) return tell(state, "Wait for the files before, or cancel.", "bad");
  if (found.length === 0) return tell(state, "There was no file in it.", "bad");
  running = new AbortController();
  const { signal } = running;
  // Its own: another key may be opened while this runs.
  const own = { id: key.id, secret: key.secret.slice() };
  cancel.disabled = false;
  save.hidden = true;
  results.replaceChildren();
  the("results-table", HTMLTableElement).hidden = false;
  try {
    const manifests = [];
    for (const one of found) {
      if (signal.aborted) throw new Cancelled("cancelled");
      // What can't be read is told of with the others.
      if (await isManifest(one.file).catch(() => false)) manifests.push(one);
    }
    if (manifests.length > 1) throw new Refused("There are several manifests among the files. Give one at a time.");
    if (manifests.length === 1) await check(own, manifests[0], found, signal);
    else await tagAll(own, found, directories, signal);
  } catch (error) {
    if (error instanceof Cancelled) tell(state, "Cancelled. No manifest was made.", "bad");
    else tell(state, /** @type {Error} */ (error).message, "bad");
  } finally {
    own.secret.fill(0);
    running = undefined;
    cancel.disabled = true;
  }
}

cancel.addEventListener("click", () => running?.abort());

/** A line of the table. @param {string} name @param {number | undefined} bytes */
function row(name, bytes) {
  const status = element("td", {}, "waits");
  results.append(element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "number" }, bytes === undefined ? "" : size(bytes)), status));
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

/** @param {import("./wegman/keyfile.js").Key} key @param {Found[]} found @param {string[]} directories @param {AbortSignal} signal */
async function tagAll(key, found, directories, signal) {
  /** @type {import("./formats.js").Entry[]} */
  const entries = [];
  let unreadable = 0;
  // Before anything is read: two of one name can't be in a manifest.
  ensureDifferent([...found.map(({ name }) => name), ...directories]);
  const { total, seconds } = await readAll(await keyFor(key, "files"), found, signal, () => undefined, ({ name }, tag, say) => {
    if (tag instanceof Error || typeof tag === "boolean") {
      unreadable += 1;
      say(`can't be read: ${tag instanceof Error ? tag.message : ""}`, "bad");
      return;
    }
    entries.push({ name, tag });
    say(hex(tag), "tag");
  });
  if (entries.length === 0) throw new Refused("No file could be read. No manifest was made.");
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const text = await writeManifest(key, entries, directories, 1, new Date());
  save.hidden = false;
  save.onclick = () => download("manifest.wegman", text);
  const missed = unreadable > 0 ? ` ${unreadable} could not be read and are not in the manifest.` : "";
  tell(state, `${entries.length} tagged, ${size(total)} in ${seconds.toFixed(1)} s. Save the manifest.${missed}`, unreadable > 0 ? "bad" : "good");
}

/** @param {import("./wegman/keyfile.js").Key} key @param {Found} manifest @param {Found[]} found @param {AbortSignal} signal */
async function check(key, manifest, found, signal) {
  if (manifest.file.size > LARGEST_MANIFEST) throw new Refused("The manifest has more than 64 MiB. Check it with the command.");
  let read;
  try {
    read = await readManifest(key, new Uint8Array(await manifest.file.arrayBuffer()));
  } catch (error) {
    throw new Refused(`${manifest.name}: ${/** @type {Error} */ (error).message}`);
  }
  const { entries, serial, seal } = read;
  const others = found.filter((one) => one !== manifest);
  if (others.length === 0) {
    entries.forEach(({ name }) => row(name, undefined)("not given"));
    tell(state, `The seal is right: serial ${serial}, seal id ${seal}, ${entries.length} files. Now drop the manifest together with the files.`, "good");
    return;
  }
  // By the whole name, or by its end if only one name ends so: a browser hides what is above a dropped file.
  const known = new Map(entries.map((entry) => [entry.name, entry]));
  /** @type {Map<string, import("./formats.js").Entry[]>} */
  const byLast = new Map();
  const last = (/** @type {string} */ name) => name.slice(name.lastIndexOf("/") + 1);
  for (const entry of entries) byLast.set(last(entry.name), [...(byLast.get(last(entry.name)) ?? []), entry]);
  const byEnd = (/** @type {string} */ name) => {
    const ends = (byLast.get(last(name)) ?? []).filter((entry) => entry.name.endsWith(`/${name}`));
    return ends.length === 1 ? ends[0] : undefined;
  };
  const counts = { ok: 0, changed: 0, unreadable: 0 };
  const seen = new Set();
  /** @type {Map<Found, import("./formats.js").Entry>} */
  const wanted = new Map();
  /** @type {Found[]} */
  const fresh = [];
  const take = (/** @type {Found} */ one, /** @type {import("./formats.js").Entry | undefined} */ entry) => {
    if (!entry || seen.has(entry)) return false;
    seen.add(entry);
    wanted.set(one, entry);
    return true;
  };
  // Whole names first: no file takes another's entry.
  for (const one of others.filter((one) => !take(one, known.get(one.name)))) {
    if (!take(one, byEnd(one.name))) fresh.push(one);
  }
  const tagOf = (/** @type {Found} */ one) => wanted.get(one)?.tag;
  const { seconds } = await readAll(await keyFor(key, "files"), [...wanted.keys()], signal, tagOf, (_, right, say) => {
    if (right instanceof Error) {
      counts.unreadable += 1;
      say(`can't be read: ${right.message}`, "bad");
      return;
    }
    counts[right ? "ok" : "changed"] += 1;
    say(right ? "ok" : "changed", right ? "good" : "bad");
  });
  const missing = entries.filter((entry) => !seen.has(entry));
  missing.forEach(({ name }) => row(name, undefined)("missing", "bad"));
  fresh.forEach(({ name, file }) => row(name, file.size)("not in the manifest", "bad"));
  const all = counts.changed + counts.unreadable + missing.length + fresh.length === 0;
  const parts = [`${counts.ok} ok`, `${counts.changed} changed`, `${missing.length} missing`, `${fresh.length} new`];
  if (counts.unreadable > 0) parts.push(`${counts.unreadable} unreadable`);
  tell(state, `${parts.join(", ")}, in ${seconds.toFixed(1)} s. Serial ${serial}, seal id ${seal}.`, all ? "good" : "bad");
}
