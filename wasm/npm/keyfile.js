// Key files as the command writes them: cli/docs/keys.md. For PMAC-AES128 and UMAC, with whole tags.

import { Refused, call } from "./formats.js";
import { deriveKey } from "./index.js";

export { Refused };
export const ALGORITHM = "PMAC-AES128";
// In the order of the module in wasm/formats, with the bits of their tags.
const TAG_BITS = { [ALGORITHM]: 128, "UMAC-32": 32, "UMAC-64": 64, "UMAC-96": 96, "UMAC-128": 128 };
export const ALGORITHMS = Object.keys(TAG_BITS);

/** Bytes as hexadecimal digits. */
export function hex(bytes) {
  if (!ArrayBuffer.isView(bytes)) throw new TypeError("hex takes a Uint8Array");
  return Array.from(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** And back. */
export function bytesOfHex(text) {
  if (!/^([0-9a-f]{2})*$/i.test(text)) throw new TypeError("text must be pairs of hexadecimal digits and nothing else");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** A new key from the browser's random bytes. */
export function makeKey() {
  const random = (length) => crypto.getRandomValues(new Uint8Array(length));
  return { id: hex(random(8)), secret: random(32), algorithm: ALGORITHM };
}

/** A key as the module takes it. */
export function partsOf({ id, secret, algorithm = ALGORITHM }) {
  if (!/^[0-9a-f]{16}$/.test(id) || !ArrayBuffer.isView(secret) || secret.length !== 32 || secret.byteLength !== 32) {
    throw new TypeError("a key has an id of 16 digits and a secret of 32 bytes");
  }
  return [Uint8Array.of(placeOf(algorithm)), bytesOfHex(id), secret];
}

function placeOf(algorithm) {
  const place = ALGORITHMS.indexOf(algorithm);
  if (place < 0) throw new TypeError(`the algorithm is one of ${ALGORITHMS.join(", ")}`);
  return place;
}

/** The text of a key file. */
export async function keyText(key) {
  return new TextDecoder().decode(await call("key_text", partsOf(key)));
}

/** Reads a key file for one of these algorithms. */
export async function readKey(text, algorithms = [ALGORITHM]) {
  const bytes = await call("key_read", [new TextEncoder().encode(text)]);
  const key = { id: hex(bytes.subarray(1, 9)), secret: bytes.slice(9), algorithm: ALGORITHMS[bytes[0]] };
  bytes.fill(0);
  if (algorithms.includes(key.algorithm)) return key;
  key.secret.fill(0);
  throw new Refused(`it is key ${key.id} for ${key.algorithm}, and not for ${algorithms.join(" or ")}`);
}

/** The bytes of a key's tags. */
export function tagBytes({ algorithm = ALGORITHM }) {
  placeOf(algorithm);
  return TAG_BITS[algorithm] / 8;
}

/** The key of one purpose: "files" or "seals". */
export async function keyFor(key, purpose) {
  if (typeof purpose !== "string") throw new TypeError('the purpose is a string, "files" or "seals"');
  const { algorithm = ALGORITHM } = key;
  return deriveKey(key.secret, `${purpose}/${algorithm}/${8 * tagBytes(key)}`);
}
