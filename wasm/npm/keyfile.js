// Key files as the command writes them: cli/docs/keys.md. For PMAC-AES128 with 128-bit tags.

import { deriveKey } from "./index.js";

const COMMENT = "# wegman key: keep it secret, keep a copy. Whoever reads it can forge tags.";
export const ALGORITHM = "PMAC-AES128";

/** What the user can mend: it is shown as it is. */
export class Refused extends Error {}

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

/** The first 8 bytes of SHA-256 over the lines before. */
async function checksum(lines) {
  if (!globalThis.crypto?.subtle) throw new Refused("Key files need a page from https or from localhost: elsewhere browsers have no SHA-256.");
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(lines));
  return hex(new Uint8Array(digest).subarray(0, 8));
}

/** The text of a key file. */
export async function keyText(key) {
  if (!/^[0-9a-f]{16}$/.test(key.id) || key.secret.length !== 32) throw new TypeError("a key has an id of 16 digits and a secret of 32 bytes");
  const lines =
    [COMMENT, "wegman-key: 1", `id: ${key.id}`, `algorithm: ${ALGORITHM}`, "tag-bits: 128", `secret: ${hex(key.secret)}`].join("\n") + "\n";
  return `${lines}checksum: ${await checksum(lines)}\n`;
}

/** A new key from the browser's random bytes. */
export function makeKey() {
  const random = (length) => crypto.getRandomValues(new Uint8Array(length));
  return { id: hex(random(8)), secret: random(32) };
}

/** Reads a key file. */
export async function readKey(text) {
  if (text.includes("\r\n")) throw new Refused("The key file has Windows line ends. Copy the original again.");
  const form =
    /^(# [^\n]*\nwegman-key: (\d+)\nid: ([0-9a-f]{16})\nalgorithm: ([^\n]+)\ntag-bits: (\d+)\nsecret: ([0-9a-f]+)\n)checksum: ([0-9a-f]{16})\n$/;
  const found = form.exec(text);
  if (!found) throw new Refused("This is not a whole wegman key file. wegman keygen makes one, and so does this page.");
  const [, lines, version, id, algorithm, bits, secret, sum] = found;
  if (version !== "1") throw new Refused(`The key file has version ${version}. This page reads version 1.`);
  if (algorithm !== ALGORITHM || bits !== "128") {
    throw new Refused(`The key is for ${algorithm} with ${bits}-bit tags. This page takes keys for ${ALGORITHM} with 128-bit tags; for others, use the command.`);
  }
  if (secret.length !== 64 || (await checksum(lines)) !== sum) throw new Refused("The key file is damaged: its checksum is wrong.");
  return { id, secret: bytesOfHex(secret) };
}

/** The key of one purpose: "files" or "seals". */
export async function keyFor(key, purpose) {
  if (typeof purpose !== "string") throw new TypeError('the purpose is a string, "files" or "seals"');
  return deriveKey(key.secret, `${purpose}/${ALGORITHM}/128`);
}
