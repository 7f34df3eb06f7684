// The few things that every section does with the page.

/** @template {HTMLElement} T @param {string} id @param {new () => T} type @returns {T} */
export function the(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`#${id} is missing`);
  return element;
}

/**
 * An element with text or children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name @param {Record<string, string>} attributes @param {(Node | string)[]} children
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * A name for people, on one line: what steers the text beside it instead of being seen is escaped, as by the command.
 * @param {string} name
 */
export function shown(name) {
  const steers = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
  return name.replace(steers, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`);
}

/** @param {number} bytes */
export function size(bytes) {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) {
    bytes /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? bytes : bytes.toPrecision(3)} ${bytes === 1 && unit === 0 ? "byte" : units[unit]}`;
}

/** @param {string} name @param {BlobPart} content */
export function download(name, content) {
  const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
