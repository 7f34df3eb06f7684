// Manifests as the command writes them: cli/docs/manifest.md.

import { InvalidTag, Pmac } from "./wegman/index.js";
import { ALGORITHM, Refused, bytesOfHex, hex, keyFor } from "./wegman/keyfile.js";

const HEADER = "# wegman manifest ";
/** With its end. */
const LONGEST_LINE = 64 << 10;
const LARGEST_SERIAL = 2n ** 64n - 1n;

/** @typedef {import("./wegman/keyfile.js").Key} Key */
/** @typedef {{ name: string, tag: Uint8Array }} Entry */

/** @param {string} name */
const escaped = (name) => name.replace(/[\\\n\r]/g, (byte) => ({ "\\": "\\\\", "\n": "\\n", "\r": "\\r" })[byte] ?? byte);
/**
 * A name for people, on one line: what steers the text beside it instead of being seen is escaped, as by the command.
 * @param {string} name
 */
export function shown(name) {
  const steers = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
  return name.replace(steers, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`);
}

/** @param {string} name */
const needsBackslash = (name) => /[\\\n\r]/.test(name);

/** @param {string} name */
function unescaped(name) {
  return name.replace(/\\(.?)/gs, (_, /** @type {string} */ letter) => {
    const byte = { n: "\n", r: "\r", "\\": "\\" }[letter];
    if (byte === undefined) throw new Error("has an unknown escape sequence");
    return byte;
  });
}

/** A manifest has each name once. @param {string[]} names */
export function ensureDifferent(names) {
  const seen = new Set();
  for (const name of names) {
    if (seen.has(name)) throw new Refused(`Two of the files have the name ${shown(name)}. Drop the folder that has both.`);
    seen.add(name);
  }
}

/** The name - is standard input for the command. @param {string} name */
const written = (name) => escaped(name === "-" ? "./-" : name);

/** @param {string} text @param {string} name */
const line = (text, name) => (needsBackslash(name) ? `\\${text}` : text);

/** @param {number} files @param {number} others */
function counts(files, others) {
  const count = (/** @type {number} */ n, /** @type {string} */ what) => `${n} ${what}${n === 1 ? "" : "s"}`;
  return `${count(files, "file")}, ${count(others, "other")}`;
}

/**
 * A whole manifest.
 * @param {Key} key @param {Entry[]} entries @param {string[]} directories @param {number} serial @param {Date} now
 */
export async function writeManifest(key, entries, directories, serial, now) {
  ensureDifferent([...entries.map(({ name }) => name), ...directories]);
  const lines = [
    `${HEADER}2: key ${key.id}, ${ALGORITHM}, 128-bit tags`,
    ...directories.map((name) => line(`# directory (${escaped(name)})`, name)),
    ...entries.map(({ name, tag }) => line(`${ALGORITHM} (${written(name)}) = ${hex(tag)}`, name)),
    `# serial ${serial}, ${now.toISOString().slice(0, 19)}Z, ${counts(entries.length, directories.length)}`,
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
 * @returns {Promise<{ entries: Entry[], directories: string[], others: number, serial: string, seal: string }>}
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
  const body = lines.slice(1, -2).map((whole, i) => {
    try {
      return parsed(whole);
    } catch (error) {
      throw new Refused(`Line ${i + 2} of the manifest ${/** @type {Error} */ (error).message}. Check it with the command.`);
    }
  });
  const about = body.at(-1)?.kind === "serial" ? body.pop() : undefined;
  if (!about && version !== "1") throw new Refused("The manifest has no serial number above its seal.");
  /** @type {Set<string>} */
  const names = new Set();
  for (const { kind, name } of body) {
    if (kind === "serial") throw new Refused("The manifest has a serial number above other lines: it stands above the seal.");
    if (names.has(name)) throw new Refused(`The manifest has ${shown(name)} twice.`);
    names.add(name);
  }
  const of = (/** @type {(kind: string) => boolean} */ is) => body.filter(({ kind }) => is(kind));
  const [files, directories] = [of((kind) => kind === "file"), of((kind) => kind === "directory")];
  if (about && about.name !== counts(files.length, body.length - files.length)) {
    throw new Refused("The manifest's serial number does not fit the lines above it.");
  }
  return {
    entries: files.map(({ name, tag }) => ({ name, tag: bytesOfHex(tag) })),
    directories: directories.map(({ name }) => name),
    others: body.length - files.length - directories.length,
    serial: about?.tag ?? "0",
    seal: seal[1].slice(0, 16),
  };
}

/**
 * A line between the first and the seal. That of the serial number has the counts as its name and the number as its tag.
 * @param {string} whole @returns {{ kind: string, name: string, tag: string }}
 */
function parsed(whole) {
  if (3 * whole.length >= LONGEST_LINE && new TextEncoder().encode(whole).length >= LONGEST_LINE) throw new Error("is too long");
  const serial = /^# serial (0|[1-9]\d*), ([^,]*), (.*)$/.exec(whole);
  if (serial) {
    const [, number, date, name] = serial;
    if (BigInt(number) > LARGEST_SERIAL || !isDate(date)) throw new Error("has a malformed serial number or date");
    return { kind: "serial", name, tag: number };
  }
  const [isEscaped, rest] = whole.startsWith("\\") ? [true, whole.slice(1)] : [false, whole];
  const file = /^PMAC-AES128 \((.*)\) = ([0-9a-f]{32})( mode=.*)?$/s.exec(rest);
  const other = /^# (directory|link|socket|pipe|device) \((.*)\)( mode=.*)?$/s.exec(rest);
  const [kind, text, tag, attributes] = file ? ["file", file[1], file[2], file[3]] : other ? [other[1], other[2], "", other[3]] : [];
  if (kind === undefined || text === undefined || tag === undefined) throw new Error("is not of a form that this page knows");
  const name = isEscaped ? unescaped(text) : text;
  if (name === "" || name.includes("\0")) throw new Error("has a name that no file has");
  if (attributes && !areAttributes(attributes)) throw new Error("has a malformed mode or owner");
  return { kind, name, tag };
}

/** What `tag --mode` writes. @param {string} text */
function areAttributes(text) {
  const found = /^ mode=(0[0-7]{3}|[1-7][0-7]{3,}) owner=(0|[1-9]\d*):(0|[1-9]\d*)( target=([0-9a-f]{2})*)?$/.exec(text);
  return found !== null && [parseInt(found[1], 8), Number(found[2]), Number(found[3])].every((number) => number <= 0xffffffff);
}

/** To the second, from 1970 on. @param {string} text */
function isDate(text) {
  const time = Date.parse(text);
  return time >= 0 && `${new Date(time).toISOString().slice(0, 19)}Z` === text;
}
