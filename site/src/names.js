// Which of a manifest's names each given one has.

import { above } from "./given.js";

/**
 * @typedef {import("./given.js").Given} Given
 * @typedef {import("./given.js").Found} Found
 * @typedef {import("./manifests.js").Manifest} Manifest
 * @typedef {import("./manifests.js").Entry} Entry
 * @typedef {{ sealed: string, given: string, count: number }} Swap  the given names with one prefix in place of another
 */

const plain = (/** @type {string} */ name) => name.replace(/\/+$/, "");
const last = (/** @type {string} */ name) => name.slice(name.lastIndexOf("/") + 1);

/** The folders that all names have in common, from none to all of them: "", "a/", "a/b/". @param {string[]} names */
function beginnings(names) {
  if (names.length === 0) return [""];
  let [common] = names;
  for (const name of names) {
    while (!name.startsWith(common)) common = common.slice(0, -1);
  }
  const all = [""];
  for (let at = common.indexOf("/"); at >= 0; at = common.indexOf("/", at + 1)) all.push(common.slice(0, at + 1));
  return all;
}

/**
 * The prefixes that make most names the same: none, if the names are.
 * @param {Manifest} manifest @param {Given} given @returns {Swap}
 */
export function bestSwap(manifest, given) {
  const known = manifest.entries.map(({ name }) => name);
  const all = new Set(known);
  const names = given.files.map(({ name }) => name);
  const count = (/** @type {Swap} */ { sealed, given }, /** @type {string[]} */ some) =>
    some.reduce((sum, name) => sum + Number(name.startsWith(given) && all.has(sealed + name.slice(given.length))), 0);
  const none = { sealed: "", given: "", count: 0 };
  none.count = count(none, names);
  if (none.count === names.length) return none;
  // Some of them tell which is best.
  const step = Math.ceil(names.length / 200);
  const some = names.filter((_, i) => i % step === 0);
  const pairs = beginnings(known).flatMap((sealed) => beginnings(names).map((given) => ({ sealed, given, count: 0 })));
  for (const pair of pairs) pair.count = count(pair, some);
  // The shortest first, where several are as good.
  const [best] = pairs.sort((a, b) => b.count - a.count || a.sealed.length + a.given.length - b.sealed.length - b.given.length);
  best.count = count(best, names);
  return best.count > none.count ? best : none;
}

/** Whether the person has to be asked: the folders have two names, and it is not only that a browser hides what is above one. @param {Swap} swap */
export const isRenamed = ({ sealed, given }) => given !== "" && sealed.replace(/^\.\//, "") !== "" && !`/${sealed}`.endsWith(`/${given}`);

/**
 * What there is to check, and what is missing or new.
 * @param {Manifest} manifest @param {Given} given @param {Swap} swap @param {Set<Found>} leftOut
 */
export function compare(manifest, given, swap, leftOut) {
  const byName = new Map(manifest.entries.map((one) => [one.name, one]));
  const files = given.files.filter((one) => !leftOut.has(one));
  const named = (/** @type {string} */ name) => (name.startsWith(swap.given) ? swap.sealed + name.slice(swap.given.length) : undefined);
  /** @type {Map<Found, Entry>} */
  const wanted = new Map();
  const seen = new Set();
  const match = (/** @type {Found} */ one, /** @type {Entry | undefined} */ entry) => {
    if (!entry || seen.has(entry)) return;
    seen.add(entry);
    wanted.set(one, entry);
  };
  for (const one of files) {
    const name = named(one.name);
    if (name !== undefined) match(one, byName.get(name) ?? (name === "-" ? byName.get("./-") : undefined));
  }
  // A browser hides what is above a file that is given alone: the only name that ends so is meant. Whole names come first.
  const loose = files.filter((one) => !wanted.has(one) && !one.name.includes("/"));
  if (loose.length > 0) {
    /** @type {Map<string, Entry[]>} */
    const byLast = new Map();
    for (const one of manifest.entries) byLast.set(last(one.name), [...(byLast.get(last(one.name)) ?? []), one]);
    for (const one of loose) {
      const ends = byLast.get(one.name) ?? [];
      if (ends.length === 1) match(one, ends[0]);
    }
  }
  const lost = new Set(given.lost.map(({ name }) => named(name)));
  const missing = manifest.entries.filter((one) => !seen.has(one) && !lost.has(one.name)).map(({ name }) => name);
  const fresh = files.filter((one) => !wanted.has(one));

  // Those with a file in them are missing with their files.
  const full = above(manifest.entries.map(({ name }) => name));
  const there = new Set(given.folders.map((name) => (`${name}/`.startsWith(swap.given) ? plain(swap.sealed + `${name}/`.slice(swap.given.length)) : undefined)));
  const known = new Set(manifest.directories.map(plain));
  const gone = [...known].filter((name) => !there.has(name) && !full.has(name) && name !== "" && name !== ".");
  const used = above([...given.files, ...given.lost].map(({ name }) => name).concat(given.folders));
  const added = given.folders.filter((name) => {
    const own = `${name}/`.startsWith(swap.given) ? plain(swap.sealed + `${name}/`.slice(swap.given.length)) : undefined;
    return !(own !== undefined && (known.has(own) || own === "" || own === ".")) && !used.has(name) && !swap.given.startsWith(`${name}/`);
  });
  return {
    wanted,
    missing: given.whole ? [...missing, ...gone.map((name) => `${name}/`)] : missing,
    // A browser shows empty folders only if they are dropped.
    unseen: given.whole ? [] : gone.map((name) => `${name}/`),
    fresh,
    added: added.map((name) => `${name}/`),
  };
}
