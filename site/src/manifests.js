// Manifests as the command writes them, by its own code: cli/docs/manifest.md.

import { call } from "./wegman/formats.js";
import { Refused, bytesOfHex, hex, partsOf } from "./wegman/keyfile.js";

/**
 * @typedef {import("./wegman/keyfile.js").Key} Key
 * @typedef {{ name: string, tag: Uint8Array, nonce?: Uint8Array }} Entry
 * @typedef {{ entries: Entry[], directories: string[], others: number, serial: string, date: string, seal: string }} Manifest
 */

/** Larger ones are for the command. */
const LARGEST = 64 << 20;

/** Which key a manifest names. Nothing else in it is believed before its seal fits. @param {Blob} file */
export async function keyNamed(file) {
  const [line] = (await file.slice(0, 200).text()).split("\n");
  return /^# wegman manifest \d+: key ([0-9a-f]{16}),/.exec(line)?.[1];
}

/**
 * A whole manifest, the next after the serial number `before`. The name - is standard input for the command.
 * @param {Key} key @param {Entry[]} entries @param {string[]} directories @param {Date} now @param {string} before
 */
export async function writeManifest(key, entries, directories, now, before) {
  const lines = [
    ...directories.map((name) => ["directory", name, ""]),
    ...entries.map(({ name, tag }) => ["file", name === "-" ? "./-" : name, hex(tag)]),
  ];
  const fields = new TextEncoder().encode(lines.flat().map((field) => `${field}\0`).join(""));
  const seconds = BigInt(Math.floor(now.getTime() / 1000));
  return new TextDecoder().decode(await call("manifest_write", [...partsOf(key), fields], seconds, BigInt(before)));
}

/**
 * Reads a manifest after its seal is checked: a changed byte anywhere refuses all of it.
 * @param {Key} key @param {Blob} file @returns {Promise<Manifest>}
 */
export async function readManifest(key, file) {
  if (file.size > LARGEST) throw new Refused("it has more than 64 MiB: check it with the command");
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await call("manifest_read", [...partsOf(key), bytes]));
  const [serial, date, seal, ...fields] = text.split("\0");
  /** @type {Manifest} */
  const manifest = { entries: [], directories: [], others: 0, serial, date, seal };
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [kind, name, tag, nonce] = [fields[at], fields[at + 1], fields[at + 2], fields[at + 3]];
    if (kind === "file") manifest.entries.push({ name, tag: bytesOfHex(tag), nonce: nonce ? bytesOfHex(nonce) : undefined });
    else if (kind === "directory") manifest.directories.push(name);
    // Links, pipes, devices.
    else manifest.others += 1;
  }
  return manifest;
}

/** Its date, for people. @param {Manifest} manifest */
export function dated({ date }) {
  if (!date) return "no date";
  const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
  return `${format.format(new Date(date)).replace(" at ", ", ")} UTC`;
}
