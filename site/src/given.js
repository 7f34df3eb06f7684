// What a person gives: keys, manifests, and files with their folders.

/**
 * @typedef {{ name: string, file: File, entry?: FileSystemFileEntry }} Found
 * @typedef {{ name: string, why: string }} Lost
 * @typedef {{ label: string, files: Found[], folders: string[], lost: Lost[], whole: boolean, again?: () => Items }} Given
 *     `lost` can't be read; `whole` if empty folders are among the folders; `again` if it can be walked again.
 * @typedef {{ entries: FileSystemEntry[], files: File[], handles: Promise<any>[] }} Items
 */

export class Cancelled extends Error {}

const NO_TEXT = "its name is not text (UTF-8): use the command";
/** So many questions are open at once. */
const AT_ONCE = 64;

/** All at once: a list of items is empty as soon as somebody waits. @param {DataTransfer} data @returns {Items} */
export function itemsOf(data) {
  /** @type {Items} */
  const items = { entries: [], files: [], handles: [] };
  for (const item of data.items) {
    const entry = item.webkitGetAsEntry();
    // What another program gives is a file without a place.
    const file = entry ? null : item.getAsFile();
    if (entry) items.entries.push(entry);
    else if (file) items.files.push(file);
    const handle = entry?.isDirectory && /** @type {any} */ (item).getAsFileSystemHandle?.();
    if (handle) items.handles.push(handle.catch(() => undefined));
  }
  return items;
}

/** What a file is, by its first bytes. It is an offer to the person only. @param {Blob} file @returns {Promise<"key" | "manifest" | "">} */
export async function kindOf(file) {
  // What can't be read is told of when it is read.
  const head = file.size > 0 ? await file.slice(0, 18).text().catch(() => "") : "";
  if (head === "# wegman manifest ") return "manifest";
  return head.startsWith("# wegman key: ") && file.size <= 4096 ? "key" : "";
}

/** Those of a folder that are keys or manifests, among those that are named so. @param {Found[]} found */
export async function papersIn(found) {
  const named = found.filter(({ name }) => /(\.key|[^/]*(manifest|wegman)[^/]*)$/i.test(name));
  const kinds = await Promise.all(named.map(({ file }) => kindOf(file)));
  return { keys: named.filter((_, i) => kinds[i] === "key"), manifests: named.filter((_, i) => kinds[i] === "manifest") };
}

/** What was given from outside a folder, sorted out. @param {Items} items */
export async function sortOut({ entries, files, handles }) {
  /** @type {Items} */
  const rest = { entries: entries.filter((entry) => !entry.isFile), files: [], handles };
  /** @type {{ key: File[], manifest: File[] }} */
  const papers = { key: [], manifest: [] };
  const loose = entries.filter((entry) => entry.isFile);
  for (const entry of loose) {
    const file = await fileOf(/** @type {FileSystemFileEntry} */ (entry)).catch(() => undefined);
    const kind = file ? await kindOf(file) : "";
    if (file && kind) papers[kind].push(file);
    else rest.entries.push(entry);
  }
  for (const file of files) {
    const kind = await kindOf(file);
    if (kind) papers[kind].push(file);
    else rest.files.push(file);
  }
  return { keys: papers.key, manifests: papers.manifest, rest: rest.entries.length + rest.files.length > 0 ? rest : undefined };
}

/** @param {FileSystemFileEntry} entry @returns {Promise<File>} */
const fileOf = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));

/** Does work with an end for each of a list that grows, so many at once. @template T @param {T[]} list @param {(one: T) => Promise<void>} work @param {AbortSignal} signal */
async function forAll(list, work, signal) {
  let busy = 0;
  await new Promise((resolve) => {
    const go = () => {
      while (busy < AT_ONCE && list.length > 0 && !signal.aborted) {
        busy += 1;
        work(/** @type {T} */ (list.pop())).finally(() => {
          busy -= 1;
          go();
        });
      }
      if (busy === 0) resolve(undefined);
    };
    go();
  });
  if (signal.aborted) throw new Cancelled("cancelled");
}

/**
 * Walks through folders. What can't be read is noted, and the rest goes on.
 * @param {Items} items @param {(found: number) => void} onProgress @param {AbortSignal} signal @returns {Promise<Given>}
 */
export async function walk(items, onProgress, signal) {
  /** @type {Given} */
  const given = { label: "", files: [], folders: [], lost: [], whole: true, again: () => items };
  /** @type {{ name: string, entry: FileSystemFileEntry }[]} */
  const found = [];
  /** @type {{ above: string, entry: FileSystemEntry }[]} */
  const open = items.entries.map((entry) => ({ above: "", entry }));
  const visit = async (/** @type {typeof open[0]} */ { above, entry }) => {
    // A name that is no text is empty in Chromium, and would lead into the folder that it is in again.
    const name = above + (entry.name || "\ufffd");
    if (!entry.name) given.lost.push({ name, why: NO_TEXT });
    else if (entry.isFile) found.push({ name, entry: /** @type {FileSystemFileEntry} */ (entry) });
    else {
      given.folders.push(name);
      const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
      try {
        for (;;) {
          // A reader gives some at a time, and none at the end.
          /** @type {FileSystemEntry[]} */
          const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
          if (some.length === 0 || signal.aborted) return;
          for (const one of some) open.push({ above: `${name}/`, entry: one });
          onProgress(found.length);
        }
      } catch (error) {
        given.lost.push({ name, why: /** @type {Error} */ (error).message });
      }
    }
  };
  const fast = handlesOf(items, signal);
  while (open.length > 0) await forAll(open, visit, signal);
  const handles = await fast;
  await forAll(found, async ({ name, entry }) => {
    try {
      given.files.push({ name, file: await (handles.get(name)?.getFile().catch(() => fileOf(entry)) ?? fileOf(entry)), entry });
      onProgress(given.files.length);
    } catch (error) {
      given.lost.push({ name, why: await whyOf({ name, file: new File([], name), entry }, /** @type {Error} */ (error)) });
    }
  }, signal);
  given.files.push(...items.files.map((file) => ({ name: file.name, file })));
  return labelled(given);
}

/**
 * Chromium opens a file by such a handle six times as fast. But it keeps some names from pages, so what is there is asked of the
 * entries, and what has no handle is opened by its entry.
 * @param {Items} items @param {AbortSignal} signal @returns {Promise<Map<string, any>>}
 */
async function handlesOf(items, signal) {
  /** @type {Map<string, any>} */
  const all = new Map();
  const collect = async (/** @type {any} */ folder, /** @type {string} */ above) => {
    /** @type {Promise<void>[]} */
    const below = [];
    for await (const one of folder.values()) {
      if (signal.aborted) return;
      if (one.kind === "file") all.set(`${above}${one.name}`, one);
      else below.push(collect(one, `${above}${one.name}/`));
    }
    await Promise.all(below);
  };
  const folders = await Promise.all(items.handles);
  await Promise.all(folders.map((folder) => folder && collect(folder, `${folder.name}/`).catch(() => {})));
  return all;
}

/** What a picker gives. It shows no empty folders. @param {File[]} files @returns {Given} */
export function picked(files) {
  // Chromium's path has a slash where a name has a backslash.
  const nameOf = (/** @type {File} */ { webkitRelativePath: path, name }) => (path ? path.slice(0, path.length - name.length) + name : name);
  const found = files.map((file) => ({ name: nameOf(file), file }));
  return labelled({ label: "", files: found, folders: [...above(found.map(({ name }) => name))], lost: [], whole: false });
}

/** Names that a manifest can't have are lost. @param {Given} given @returns {Given} */
function labelled(given) {
  const isText = (/** @type {string} */ name) => !/[\p{Surrogate}\ufffd]/u.test(name);
  const others = [...given.files.map(({ name }) => name), ...given.folders].filter((name) => !isText(name));
  given.lost.push(...others.map((name) => ({ name, why: NO_TEXT })));
  given.files = given.files.filter(({ name }) => isText(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  given.folders = given.folders.filter(isText).sort();
  const tops = new Set([...given.files, ...given.lost].map(({ name }) => name).concat(given.folders).map((name) => name.split("/")[0]));
  const [top] = tops;
  given.label = tops.size === 1 && given.folders.includes(top) ? top : "these files";
  return given;
}

/** The folders above files. @param {string[]} names */
export function above(names) {
  /** @type {Set<string>} */
  const all = new Set();
  for (const name of names) {
    for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1)) {
      const folder = name.slice(0, end);
      if (all.has(folder)) break;
      all.add(folder);
    }
  }
  return all;
}

/** Why a file could not be read: what the browser says does not tell a change from a lack of permission. @param {Found} found @param {Error} error */
export async function whyOf({ file, entry }, error) {
  if (!["NotReadableError", "NotFoundError", "Changed"].includes(error.name)) return error.message;
  const now = entry && (await fileOf(entry).catch(() => undefined));
  if (now && (now.lastModified !== file.lastModified || now.size !== file.size)) return "it changed while it was read";
  if (error.name === "Changed") return "it changed while it was read";
  if (error.name === "NotFoundError") return "it is no longer there";
  return entry ? "no permission to read it" : "no permission to read it, or it changed since it was chosen";
}
