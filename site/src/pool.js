// Several files at once, one in each worker.

/** As many as the machine has cores, but no more than four: reading is the limit then. */
const WORKERS = Math.max(1, Math.min(4, navigator.hardwareConcurrency || 1));

export class Cancelled extends Error {}

/** A worker that did not begin, or ended. */
class Stopped extends Error {}

/** @typedef {{ worker: Worker, ready: Promise<void> }} Place */

/**
 * A worker that has the page's Content-Security-Policy: it inherits it where it begins as a blob, and not where it is a file of
 * its own.
 * @returns {Place}
 */
function begin() {
  const file = JSON.stringify(new URL("./worker.js", import.meta.url).href);
  const url = URL.createObjectURL(new Blob([`import ${file};`], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module" });
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

export class Pool {
  /** All at once, with the page: later nothing is loaded any more. */
  #idle = Array.from({ length: WORKERS }, begin);
  /** @type {((place: Place) => void)[]} */
  #waiting = [];

  /** @returns {Promise<Place>} */
  #place() {
    const idle = this.#idle.pop();
    return idle ? Promise.resolve(idle) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /**
   * The tag of a file under a derived key; or, with a tag, whether it is right.
   * @param {{ key: Uint8Array, file: Blob, tag?: Uint8Array }} work
   * @param {(done: number) => void} onProgress @param {AbortSignal} signal
   * @returns {Promise<Uint8Array | boolean>}
   */
  async run(work, onProgress, signal) {
    const place = await this.#place();
    try {
      // What failed to begin may do so now.
      await place.ready.catch(() => again(place));
      if (signal.aborted) throw new Cancelled("cancelled");
      return await this.#tag(place.worker, work, onProgress, signal);
    } catch (error) {
      // It may never answer again.
      if (error instanceof Stopped) again(place).catch(() => {});
      throw error;
    } finally {
      const next = this.#waiting.shift();
      if (next) next(place);
      else this.#idle.push(place);
    }
  }

  /**
   * @param {Worker} worker @param {{ key: Uint8Array, file: Blob, tag?: Uint8Array }} work
   * @param {(done: number) => void} onProgress @param {AbortSignal} signal
   * @returns {Promise<Uint8Array | boolean>}
   */
  #tag(worker, work, onProgress, signal) {
    return new Promise((resolve, reject) => {
      const stop = () => worker.postMessage({ cancel: true });
      signal.addEventListener("abort", stop, { once: true });
      const end = (/** @type {() => void} */ settle) => {
        signal.removeEventListener("abort", stop);
        settle();
      };
      worker.onmessage = ({ data }) => {
        if ("end" in data) end(() => resolve(data.end));
        else if (data.error === "cancelled") end(() => reject(new Cancelled("cancelled")));
        else if (data.error) end(() => reject(new Error(data.error)));
        else onProgress(data.done);
      };
      worker.onerror = (event) => end(() => reject(new Stopped(event.message || "the worker stopped")));
      worker.postMessage(work);
    });
  }
}
