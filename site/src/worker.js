// Tags or verifies one batch of files after another, or a part of a large one.

import { InvalidTag, Pmac, UmacFile, load } from "./wegman/index.js";

/** @typedef {{ file: File, tag?: Uint8Array, nonce?: Uint8Array }} Work */

/** Smaller files are read whole, so many at once: a browser takes its time for each. */
const [SMALL, AT_ONCE] = [256 << 10, 16];

/** @type {AbortController | undefined} */
let running;

// The module is there before the first file is, or its first use says why not.
load()
  .catch(() => {})
  .then(() => self.postMessage({ ready: true }));

self.onmessage = async ({ data }) => {
  if (data.cancel) {
    running?.abort();
    return;
  }
  running = new AbortController();
  /** @type {Pmac | UmacFile | undefined} */
  let mac;
  try {
    mac = data.tagBytes ? await UmacFile.create(data.key, data.tagBytes) : await Pmac.create(data.key);
    self.postMessage({ end: await work(mac, data, running.signal) });
  } catch (error) {
    self.postMessage({ error: told(error) });
  } finally {
    mac?.free();
    data.key.fill(0);
    // As secret as the key.
    data.parts?.forEach((/** @type {Uint8Array} */ part) => part.fill(0));
  }
};

/** @param {unknown} error */
function told(error) {
  const { name, message } = /** @type {Error} */ (error);
  return { name: /changed while/.test(message) ? "Changed" : name, message };
}

/** @param {any} mac @param {any} data @param {AbortSignal} signal */
async function work(mac, data, signal) {
  let before = 0;
  const options = {
    signal,
    onProgress: (/** @type {number} */ done) => {
      const now = performance.now();
      if (now - before < 100) return;
      before = now;
      self.postMessage({ done });
    },
  };
  if (data.part) return mac.partOf(data.file, ...data.part, options);
  if (data.parts) return outcome(data.tag, () => mac.tagOfParts(data.parts, data.size), () => mac.verifyParts(data.parts, data.size, data.tag));
  /** @type {Work[]} */
  const files = data.files;
  /** @type {unknown[]} */
  const ends = new Array(files.length);
  let next = 0;
  const reader = async () => {
    while (next < files.length) {
      signal.throwIfAborted();
      const at = next++;
      ends[at] = await one(mac, files[at], options).catch((error) => {
        signal.throwIfAborted();
        return { error: told(error) };
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, files.length) }, reader));
  return ends;
}

/** @param {any} mac @param {Work} work @param {any} options */
async function one(mac, { file, tag, nonce }, options) {
  if (file.size > SMALL) return outcome(tag, () => mac.tagBlob(file, options), () => (nonce ? mac.verifyBlob(file, tag, nonce, options) : mac.verifyBlob(file, tag, options)));
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.length !== file.size) throw new Error("the file changed while it was read");
  return outcome(tag, () => mac.tag(bytes), () => mac.verify(bytes, tag, nonce));
}

/** Compared inside the module: the right tag of a changed file goes nowhere. @param {unknown} expected @param {() => any} tag @param {() => any} verify */
async function outcome(expected, tag, verify) {
  if (!expected) return { tag: await tag() };
  try {
    await verify();
    return { ok: true };
  } catch (error) {
    if (error instanceof InvalidTag) return { ok: false };
    throw error;
  }
}
