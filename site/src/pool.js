// Several files at once, one in each worker.

/** As many as the machine has cores, but no more than four: reading is the limit then. */
const WORKERS = Math.max(1, Math.min(4, navigator.hardwareConcurrency || 1));

export class Cancelled extends Error {}

export class Pool {
  /** @type {Worker[]} */
  #idle = [];
  #made = 0;
  /** @type {((worker: Worker) => void)[]} */
  #waiting = [];

  /** @returns {Promise<Worker>} */
  #worker() {
    const idle = this.#idle.pop();
    if (idle) return Promise.resolve(idle);
    if (this.#made < WORKERS) {
      this.#made += 1;
      return Promise.resolve(new Worker(new URL("./worker.js", import.meta.url), { type: "module" }));
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /**
   * The tag of a file under a derived key; or, with a tag, whether it is right.
   * @param {{ key: Uint8Array, file: Blob, tag?: Uint8Array }} work
   * @param {(done: number) => void} onProgress @param {AbortSignal} signal
   * @returns {Promise<Uint8Array | boolean>}
   */
  async run(work, onProgress, signal) {
    const worker = await this.#worker();
    try {
      if (signal.aborted) throw new Cancelled("cancelled");
      return await new Promise((resolve, reject) => {
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
        worker.onerror = (event) => end(() => reject(new Error(event.message || "the worker stopped")));
        worker.postMessage(work);
      });
    } finally {
      const next = this.#waiting.shift();
      if (next) next(worker);
      else this.#idle.push(worker);
    }
  }
}
