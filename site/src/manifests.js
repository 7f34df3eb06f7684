// Manifests as the command writes them, by its own code: cli/docs/manifest.md.

import { call } from "./wegman/formats.js";
import { bytesOfHex, hex, partsOf } from "./wegman/keyfile.js";

/** @typedef {import("./wegman/keyfile.js").Key} Key */
/** @typedef {{ name: string, tag: Uint8Array }} Entry */

/** Whether a file begins as a manifest. @param {Blob} file */
export async function isManifest(file) {
  const mark = "# wegman manifest ";
  return (await file.slice(0, mark.length).text()) === mark;
}

/**
 * A whole manifest. The name - is standard input for the command.
 * @param {Key} key @param {Entry[]} entries @param {string[]} directories @param {Date} now
 */
export async function writeManifest(key, entries, directories, now) {
  const lines = [
    ...directories.map((name) => ["directory", name, ""]),
    ...entries.map(({ name, tag }) => ["file", name === "-" ? "./-" : name, hex(tag)]),
  ];
  const fields = new TextEncoder().encode(lines.flat().map((field) => `${field}\0`).join(""));
  const seconds = BigInt(Math.floor(now.getTime() / 1000));
  return new TextDecoder().decode(await call("manifest_write", [...partsOf(key), fields], seconds));
}

/**
 * Reads a manifest after its seal is checked: a changed byte anywhere refuses all of it.
 * @param {Key} key @param {Uint8Array} bytes
 */
export async function readManifest(key, bytes) {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await call("manifest_read", [...partsOf(key), bytes]));
  const [serial, seal, ...fields] = text.split("\0");
  /** @type {{ entries: Entry[], directories: string[], others: number, serial: string, seal: string }} */
  const manifest = { entries: [], directories: [], others: 0, serial, seal };
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [kind, name, tag] = fields.slice(at, at + 3);
    if (kind === "file") manifest.entries.push({ name, tag: bytesOfHex(tag) });
    else if (kind === "directory") manifest.directories.push(name);
    else manifest.others += 1;
  }
  return manifest;
}
