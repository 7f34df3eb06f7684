// Manifests as the command writes them: cli/docs/manifest.md.

import { InvalidTag, Pmac } from "./wegman/index.js";
import { ALGORITHM, Refused, bytesOfHex, hex, keyFor } from "./wegman/keyfile.js";

const HEADER = "# wegman manifest ";
const LONGEST_LINE = 64 << 10;

/** @typedef {import("./wegman/keyfile.js").Key} Key */
/** @typedef {{ name: string, tag: Uint8Array }} Entry */

/** @param {string} name */
const escaped = (name) => name.replace(/[\\\n\r]/g, (byte) => ({ "\\": "\\\\", "\n": "\\n", "\r": "\\r" })[byte] ?? byte);
/** @param {string} name */
const needsBackslash = (name) => /[\\\n\r]/.test(name);

/** @param {string} name */
function unescaped(name) {
  return name.replace(/\\(.?)/gs, (_, /** @type {string} */ letter) => {
    const byte = { n: "\n", r: "\r", "\\": "\\" }[letter];
    if (byte === undefined) throw new Refused(`The manifest has a name that is not written right: ${name}`);
    return byte;
  });
}

/** Names that a manifest can't have. @param {string[]} names */
export function ensureDifferent(names) {
  const seen = new Set();
  for (const name of names) {
    if (/\p{Surrogate}/u.test(name)) throw new Refused(`The name ${name} is not text: use the command.`);
    if (seen.has(name)) throw new Refused(`Two of the files have the name ${name}. Drop the folder that has both.`);
    seen.add(name);
  }
}

/** The name - is standard input for the command. @param {string} name */
const written = (name) => escaped(name === "-" ? "./-" : name);

/** @param {string} text @param {string} name */
const line = (text, name) => (needsBackslash(name) ? `\\${text}` : text);

/**
 * A whole manifest.
 * @param {Key} key @param {Entry[]} entries @param {string[]} directories @param {number} serial @param {Date} now
 */
export async function writeManifest(key, entries, directories, serial, now) {
  ensureDifferent([...entries.map(({ name }) => name), ...directories]);
  const count = (/** @type {number} */ n, /** @type {string} */ what) => `${n} ${what}${n === 1 ? "" : "s"}`;
  const lines = [
    `${HEADER}2: key ${key.id}, ${ALGORITHM}, 128-bit tags`,
    ...directories.map((name) => line(`# directory (${escaped(name)})`, name)),
    ...entries.map(({ name, tag }) => line(`${ALGORITHM} (${written(name)}) = ${hex(tag)}`, name)),
    `# serial ${serial}, ${now.toISOString().slice(0, 19)}Z, ${count(entries.length, "file")}, ${count(directories.length, "other")}`,
  ];
  const above = lines.join("\n") + "\n";
  const mac = await Pmac.create(await keyFor(key, "seals"));
  const seal = hex(mac.tag(new TextEncoder().encode(above)));
  mac.free();
  return `${above}# wegman seal = ${seal}\n`;
}

/** Whether a file begins as a manifest. @param {Blob} file */
export async function isManifest(file) {
  return (await file.slice(0, HEADER.length).text()) === HEADER;
}

/**
 * Reads a manifest after its seal is checked: a changed byte anywhere refuses all of it.
 * @param {Key} key @param {Uint8Array} bytes
 * @returns {Promise<{ entries: Entry[], serial: string, seal: string }>}
 */
export async function readManifest(key, bytes) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refused("The manifest has a name that is not text (UTF-8). Check it with the command.");
  }
  const lines = text.split("\n");
  const [first, last] = [lines[0], lines.at(-2) ?? ""];
  const header = /^# wegman manifest (\d+): key ([0-9a-f]{16}), ([^,]+), (\d+)-bit tags(, .*)?$/.exec(first);
  if (!header) throw new Refused("Its first line is not that of a manifest.");
  const [, version, id, algorithm, bits, role] = header;
  if (id !== key.id) throw new Refused(`The manifest is for key ${id}, and the key here is ${key.id}.`);
  if (role || !["1", "2"].includes(version)) throw new Refused("This manifest is in shards or newer. Check it with the command.");
  if (algorithm !== ALGORITHM || bits !== "128") throw new Refused(`The manifest has ${algorithm} tags of ${bits} bits, and the key is for others.`);
  const seal = /^# wegman seal = ([0-9a-f]{32})$/.exec(last);
  if (!seal || lines.at(-1) !== "") throw new Refused("The manifest has no seal at its end: it was cut off or something was added.");
  // Bytes, not characters: the seal's line is ASCII.
  const above = bytes.subarray(0, bytes.length - last.length - 1);
  const mac = await Pmac.create(await keyFor(key, "seals"));
  try {
    mac.verify(above, bytesOfHex(seal[1]));
  } catch (error) {
    if (error instanceof InvalidTag) throw new Refused("The manifest's seal is wrong: somebody changed it, or it is damaged. Nothing of it is believed.");
    throw error;
  } finally {
    mac.free();
  }
  let serial = "0";
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  lines.slice(1, -2).forEach((whole, i) => {
    const refuse = () => new Refused(`Line ${i + 2} of the manifest is not of a form that this page knows. Check it with the command.`);
    if (whole.length > LONGEST_LINE) throw refuse();
    const [has, rest] = whole.startsWith("\\") ? [true, whole.slice(1)] : [false, whole];
    const file = /^PMAC-AES128 \((.*)\) = ([0-9a-f]{32})( mode=\S+ owner=\S+)?$/s.exec(rest);
    if (file) {
      const name = has ? unescaped(file[1]) : file[1];
      if (entries.has(name)) throw new Refused(`The manifest has ${name} twice.`);
      entries.set(name, { name, tag: bytesOfHex(file[2]) });
      return;
    }
    const directory = /^# directory \((.*)\)( mode=\S+ owner=\S+)?$/s.exec(rest);
    if (directory && entries.has(has ? unescaped(directory[1]) : directory[1])) throw refuse();
    const number = /^# serial (\d+), /.exec(rest);
    if (number) serial = number[1];
    else if (!/^# (directory|link|socket|pipe|device) \(.*\)/s.test(rest)) throw refuse();
  });
  return { entries: [...entries.values()], serial, seal: seal[1].slice(0, 16) };
}
