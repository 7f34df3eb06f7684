// Reads one file after another, in slices, and says how far it is.

import { InvalidTag, Pmac, load } from "./wegman/index.js";

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
  let mac;
  try {
    mac = await Pmac.create(data.key);
    let told = 0;
    const options = {
      signal: running.signal,
      onProgress: (/** @type {number} */ done) => {
        const now = performance.now();
        if (now - told < 100) return;
        told = now;
        self.postMessage({ done });
      },
    };
    // Compared inside the module: the right tag of a changed file goes nowhere.
    if (data.tag) self.postMessage({ end: await mac.verifyBlob(data.file, data.tag, options).then(() => true) });
    else self.postMessage({ end: await mac.tagBlob(data.file, options) });
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    if (error instanceof InvalidTag) self.postMessage({ end: false });
    else self.postMessage({ error: name === "AbortError" ? "cancelled" : message });
  } finally {
    mac?.free();
    data.key.fill(0);
  }
};
