// Key files as the command writes them: cli/docs/keys.md. For PMAC-AES128 with 128-bit tags.

import { Refused, call } from "./formats.js";
import { deriveKey } from "./index.js";

export { Refused };
export const ALGORITHM = "PMAC-AES128";

/** Bytes as hexadecimal digits. */
export function hex(bytes) {
  if (!ArrayBuffer.isView(bytes)) throw new TypeError("what is written as digits is a Uint8Array");
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** And back. */
export function bytesOfHex(text) {
  if (!/^([0-9a-f]{2})*$/i.test(text)) throw new TypeError("hexadecimal digits come in pairs, and there is nothing else among them");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** A new key from the browser's random bytes. */
export function makeKey() {
  const random = (length) => crypto.getRandomValues(new Uint8Array(length));
  return { id: hex(random(8)), secret: random(32) };
}

/** A key as the module takes it. */
export function partsOf({ id, secret }) {
  if (!/^[0-9a-f]{16}$/.test(id) || !ArrayBuffer.isView(secret) || secret.length !== 32) {
    throw new TypeError("a key has an id of 16 digits and a secret of 32 bytes");
  }
  return [bytesOfHex(id), secret];
}

/** The text of a key file. */
export async function keyText(key) {
  return new TextDecoder().decode(await call("key_text", partsOf(key)));
}

/** Reads a key file. */
export async function readKey(text) {
  const bytes = await call("key_read", [new TextEncoder().encode(text)]);
  const key = { id: hex(bytes.subarray(0, 8)), secret: bytes.slice(8) };
  bytes.fill(0);
  return key;
}

/** The key of one purpose: "files" or "seals". */
export async function keyFor(key, purpose) {
  if (typeof purpose !== "string") throw new TypeError('the purpose is a string, "files" or "seals"');
  return deriveKey(key.secret, `${purpose}/${ALGORITHM}/128`);
}
