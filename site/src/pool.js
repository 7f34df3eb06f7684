// Several files at once, and a large one on several workers.

import { Cancelled, whyOf } from "./given.js";
import { keyFor, tagBytes } from "./wegman/keyfile.js";

/** @typedef {import("./given.js").Found} Found */
/** @typedef {{ tag?: Uint8Array, ok?: boolean, why?: string }} Outcome */

/** As many as the machine has cores, but no more than four: reading is the limit then. */
const WORKERS = Math.max(1, Math.min(4, navigator.hardwareConcurrency || 1));

/** A worker that did not begin, or ended. */
class Stopped extends Error {}

/** @typedef {{ worker: Worker, ready: Promise<void> }} Place */

/**
 * A worker that has the page's Content-Security-Policy: it inherits it where it begins as a blob, and not where it is a file of
 * its own.
 * @returns {Place}
 */
function begin() {
  // A page that is one file has it inside.
  const inside = document.getElementById("worker")?.textContent;
  const source = inside ?? `import ${JSON.stringify(new URL("./worker.js", import.meta.url).href)};`;
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const worker = new Worker(url, { type: inside ? "classic" : "module" });
  const ready = new Promise((resolve, reject) => {
    worker.addEventListener("message", () => resolve(undefined), { once: true });
    worker.addEventListener("error", () => reject(new Stopped("a part of the page can't be loaded: is the network away?")), { once: true });
  });
  ready.catch(() => {}).finally(() => URL.revokeObjectURL(url));
  return { worker, ready };
}

/** Another worker for the place. @param {Place} place */
function again(place) {
  place.worker.terminate();
  Object.assign(place, begin());
  return place.ready;
}

/** All at once, with the page: later nothing is loaded any more. */
const idle = Array.from({ length: WORKERS }, begin);
/** @type {((place: Place) => void)[]} */
const waiting = [];

/**
 * What a worker makes of a message.
 * @param {Record<string, unknown>} message @param {(done: number) => void} onProgress @param {AbortSignal} signal @returns {Promise<any>}
 */
async function run(message, onProgress, signal) {
  /** @type {Place} */
  const place = idle.pop() ?? (await new Promise((resolve) => waiting.push(resolve)));
  try {
    if (signal.aborted) throw new Cancelled("cancelled");
    // What failed to begin may do so now.
    await place.ready.catch(() => again(place));
    if (signal.aborted) throw new Cancelled("cancelled");
    return await answer(place.worker, message, onProgress, signal);
  } catch (error) {
    // It may never answer again.
    if (error instanceof Stopped) again(place).catch(() => {});
    throw error;
  } finally {
    const next = waiting.shift();
    if (next) next(place);
    else idle.push(place);
  }
}

/** @param {Worker} worker @param {Record<string, unknown>} message @param {(done: number) => void} onProgress @param {AbortSignal} signal */
function answer(worker, message, onProgress, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => worker.postMessage({ cancel: true });
    signal.addEventListener("abort", stop, { once: true });
    const end = (/** @type {() => void} */ settle) => {
      signal.removeEventListener("abort", stop);
      settle();
    };
    worker.onmessage = ({ data }) => {
      if ("end" in data) end(() => resolve(data.end));
      else if (data.error?.name === "AbortError") end(() => reject(new Cancelled("cancelled")));
      else if (data.error) end(() => reject(Object.assign(new Error(data.error.message), { name: data.error.name })));
      else onProgress(data.done);
    };
    worker.onerror = (event) => end(() => reject(new Stopped(event.message || "the worker stopped")));
    worker.postMessage(message);
  });
}

/** So many small files go to a worker at once, of so many bytes together; and the parts of a large one have so many at least. */
const [FILES, BYTES, PART] = [64, 4 << 20, 8 << 20];

/**
 * Reads files, and says of each its tag or, if one is expected, whether it is right. The key is copied: another may be opened
 * meanwhile.
 * @param {import("./wegman/keyfile.js").Key} key @param {Found[]} files
 * @param {{
 *   expected?: (one: Found) => { tag: Uint8Array, nonce?: Uint8Array } | undefined,
 *   each: (one: Found, outcome: Outcome) => void, onProgress: (files: number, bytes: number) => void, signal: AbortSignal,
 * }} how
 */
export async function readAll(key, files, { expected = () => undefined, each, onProgress, signal }) {
  const own = await keyFor(key, "files");
  const isPmac = key.algorithm === "PMAC-AES128" || !key.algorithm;
  const message = { key: own, tagBytes: isPmac ? undefined : tagBytes(key) };
  let [done, read] = [0, 0];
  const show = (/** @type {number} */ bytes, /** @type {number} */ ended = 0) => {
    read += bytes;
    done += ended;
    onProgress(done, read);
  };
  /** How much of a job is read; at its end all of it. @param {number} total */
  const meter = (total) => {
    let before = 0;
    return (/** @type {number} */ now) => {
      show(Math.min(now, total) - before);
      before = Math.min(now, total);
    };
  };
  const settle = async (/** @type {Found} */ one, /** @type {any} */ end) => {
    each(one, end.error ? { why: await whyOf(one, end.error) } : end);
    show(0, 1);
  };
  const failed = (/** @type {any} */ error) => {
    if (error instanceof Cancelled) throw error;
    return { error: { name: error.name, message: error.message } };
  };
  const batch = async (/** @type {Found[]} */ some) => {
    const total = some.reduce((sum, { file }) => sum + file.size, 0);
    const measure = meter(total);
    const work = some.map((one) => ({ file: one.file, ...expected(one) }));
    const ends = await run({ ...message, files: work }, some.length === 1 ? measure : () => {}, signal).catch(failed);
    measure(total);
    for (const [i, one] of some.entries()) await settle(one, ends.error ? ends : ends[i]);
  };
  /** PMAC's sum splits: each worker sums a part, and one makes the tag. */
  const split = async (/** @type {Found} */ one) => {
    const { file } = one;
    const bytes = 16 * Math.ceil(file.size / WORKERS / 16);
    const jobs = Array.from({ length: WORKERS }, (_, i) => {
      const [from, to] = [Math.min(i * bytes, file.size), Math.min((i + 1) * bytes, file.size)];
      const measure = meter(to - from);
      return run({ ...message, file, part: [from, to] }, measure, signal).then((part) => {
        measure(to - from);
        return part;
      });
    });
    const ended = await Promise.allSettled(jobs);
    const parts = ended.flatMap((job) => (job.status === "fulfilled" ? [job.value] : []));
    try {
      const bad = ended.find((job) => job.status === "rejected");
      const end = bad ? failed(bad.reason) : await run({ ...message, parts, size: file.size, tag: expected(one)?.tag }, () => {}, signal).catch(failed);
      await settle(one, end);
    } finally {
      parts.forEach((part) => part.fill(0));
    }
  };
  const jobs = [];
  /** @type {Found[]} */
  let some = [];
  let bytes = 0;
  for (const one of files) {
    if (isPmac && WORKERS > 1 && one.file.size >= PART * WORKERS) {
      jobs.push(split(one));
      continue;
    }
    if (some.length === FILES || (some.length > 0 && bytes + one.file.size > BYTES)) {
      jobs.push(batch(some));
      [some, bytes] = [[], 0];
    }
    some.push(one);
    bytes += one.file.size;
  }
  if (some.length > 0) jobs.push(batch(some));
  const ended = await Promise.allSettled(jobs);
  own.fill(0);
  for (const job of ended) if (job.status === "rejected") throw job.reason;
}
