// Key files and manifests, read and written by the command's own code: the module of wasm/formats.

import module from "./formats-module.js";

/** What the user can mend: it is shown as it is. */
export class Refused extends Error {}

/** @type {Promise<WebAssembly.Module> | undefined} */
let compiled;

/**
 * What a function of the module makes of bytes. It runs in an instance of its own, whose memory is wiped when it has ended.
 * @param {string} name @param {Uint8Array[]} parts @param {bigint[]} numbers
 */
export async function call(name, parts, ...numbers) {
  compiled ??= WebAssembly.compile(Uint8Array.from(atob(module), (letter) => letter.charCodeAt(0)));
  const { exports } = await WebAssembly.instantiate(await compiled);
  const { memory, room, output, [name]: work } = /** @type {any} */ (exports);
  try {
    let at = room(parts.reduce((sum, { length }) => sum + length, 0));
    for (const part of parts) {
      new Uint8Array(memory.buffer).set(part, at);
      at += part.length;
    }
    const length = work(...numbers);
    const made = new Uint8Array(memory.buffer, output(), Math.abs(length)).slice();
    if (length < 0) throw new Refused(new TextDecoder().decode(made));
    return made;
  } finally {
    new Uint8Array(memory.buffer).fill(0);
  }
}
