// What every part of the page does with the document.

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * @template {Element} [T=HTMLElement]
 * @param {string} selector @param {ParentNode} at @returns {T}
 */
export function $(selector, at = document) {
  const found = at.querySelector(selector);
  if (!found) throw new Error(`${selector} is missing`);
  return /** @type {T} */ (/** @type {unknown} */ (found));
}

/**
 * An element. What begins with "on" listens; false and undefined leave an attribute out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name @param {Record<string, any>} attributes @param {(Child | Child[])[]} children
 */
export function h(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat()) if (child) made.append(child);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} name @param {Record<string, string | number>} attributes @param {(Node | string)[]} children */
export function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

const CIRCLE = "M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0";
/** @type {Record<string, string>} */
const ICONS = {
  verify: "M12 2.9A3.42 3.42 0 0 1 16.55 4.12A3.42 3.42 0 0 1 19.88 7.45A3.42 3.42 0 0 1 21.1 12A3.42 3.42 0 0 1 19.88 16.55A3.42 3.42 0 0 1 16.55 19.88A3.42 3.42 0 0 1 12 21.1A3.42 3.42 0 0 1 7.45 19.88A3.42 3.42 0 0 1 4.12 16.55A3.42 3.42 0 0 1 2.9 12A3.42 3.42 0 0 1 4.12 7.45A3.42 3.42 0 0 1 7.45 4.12A3.42 3.42 0 0 1 12 2.9ZM8.2 12.3l2.6 2.6 5-5.4",
  key: "M3.8 15.5a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0-8.4 0M11 12.4L20 3.5M16.2 7.2l3 3",
  manifest: "M5 3.5h9.5L19 8v12.5H5zM14 3.5V8.5h5M8.5 12h7M8.5 16h4",
  folder: "M3 6.2c0-.7.5-1.2 1.2-1.2h4.9l2.2 2.6h8.5c.7 0 1.2.5 1.2 1.2v9c0 .7-.5 1.2-1.2 1.2H4.2c-.7 0-1.2-.5-1.2-1.2z",
  ok: `${CIRCLE}M7.8 12.3l2.9 2.9 5.6-6`,
  tick: "M5.5 12.6l4.4 4.4 8.8-9.6",
  no: "M8.3 3h7.4L21 8.3v7.4L15.7 21H8.3L3 15.7V8.3zM9 9l6 6M15 9l-6 6",
  warn: "M12 3.8L21.5 20h-19zM12 10v4.6M12 17.2v.2",
  info: `${CIRCLE}M12 11v5.5M12 7.6v.2`,
  gone: "M8.5 3.7a9 9 0 0 0-4.6 4.6M3.2 13.5a9 9 0 0 0 3 5.4M10 20.8a9 9 0 0 0 6.2-.8M19.3 17.2a9 9 0 0 0 1.6-6.4M19 6.3a9 9 0 0 0-6-3.3M8.5 12h7",
  new: `${CIRCLE}M12 8v8M8 12h8`,
  stop: `${CIRCLE}M9.5 9v6M14.5 9v6`,
};

/** @param {string} name @param {string} kind */
export function icon(name, kind = "") {
  return svg("svg", { class: `i ${kind}`, viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

/** @param {number} count */
export const number = (count) => count.toLocaleString("en");
/** @param {number} count @param {string} one @param {string} more */
export const counted = (count, one, more = `${one}s`) => `${number(count)} ${count === 1 ? one : more}`;
/** @param {number} count */
export const files = (count) => counted(count, "file");
/** An id in groups. @param {string} digits */
export const four = (digits) => h("code", {}, (digits.match(/.{1,4}/g) ?? []).join(" "));

/** @param {number} bytes */
export function size(bytes) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) {
    bytes /= 1000;
    unit += 1;
  }
  return unit === 0 ? counted(bytes, "byte") : `${Number(bytes.toPrecision(3))} ${units[unit]}`;
}

/**
 * A name for people, on one line: what steers the text beside it instead of being seen is escaped, as by the command.
 * @param {string} name
 */
export function shown(name) {
  const steers = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
  return name.replace(steers, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`);
}

/** A path: the folders are quiet, the name is not. @param {string} name */
function path(name) {
  const text = shown(name);
  const at = text.replace(/\/$/, "").lastIndexOf("/") + 1;
  const folders = text.slice(0, at).split(/(?<=\/)/).flatMap((part) => [part, h("wbr")]);
  // Each in its own direction: letters that run from right to left turn nothing around beside them.
  return h("bdi", { class: "path", title: text }, h("span", { class: "dir" }, folders), h("span", { class: "base" }, text.slice(at)));
}

/** @param {string} text @param {(event: Event) => void} onclick @param {string} kind @param {Record<string, any>} more */
export function button(text, onclick, kind = "", more = {}) {
  return h("button", { type: "button", class: `btn ${kind}`, onclick, ...more }, text);
}

/** @param {"" | "bad" | "warn" | "good"} kind @param {string} name @param {(Child | Child[])[]} children */
export function note(kind, name, ...children) {
  return h("div", { class: `note ${kind}` }, icon(name), h("div", {}, ...children));
}

/** A button that opens the browser's picker. @param {string} text @param {(files: File[]) => void} on @param {string} kind @param {Record<string, any>} more */
export function picker(text, on, kind = "", more = {}) {
  const input = h("input", { type: "file", hidden: true, ...more });
  input.addEventListener("change", () => {
    const chosen = Array.from(input.files ?? []);
    input.value = "";
    if (chosen.length > 0) on(chosen);
  });
  return h("span", { class: "pick" }, button(text, () => input.click(), kind), input);
}

/** For those who don't see the page. @param {string} text */
export function say(text) {
  $("#say").textContent = text;
}

/** @param {HTMLElement | null | undefined} element */
export function focus(element) {
  if (!element) return;
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "nearest" });
}

/** @typedef {{ icon: string, name: string, about?: string }} Row */

const KINDS = /** @type {Record<string, string>} */ ({ ok: "ok", no: "no", gone: "no", warn: "careful", new: "careful" });
const ROW = 44;
/** More rows than these are drawn as they are scrolled to. */
const MOST = 100;

/** A list of files, however long. @param {Row[]} rows @param {string} label */
export function fileList(rows, label) {
  const cells = (/** @type {Row} */ row) => [icon(row.icon, KINDS[row.icon]), path(row.name), h("span", { class: "meta num" }, row.about ?? "")];
  if (rows.length <= MOST) return h("ul", { class: "files", "aria-label": label }, rows.map((row) => h("li", {}, ...cells(row))));
  let kept = rows;
  const room = h("div", { class: "vpad" });
  const box = h("div", { class: "vbox", tabindex: "0", role: "list", "aria-label": label }, room);
  const count = h("span", { class: "soft small num", role: "status" });
  const draw = () => {
    const from = Math.max(0, Math.floor(box.scrollTop / ROW) - 4);
    room.style.height = `${kept.length * ROW}px`;
    room.replaceChildren(...kept.slice(from, from + 18).map((row, i) => {
      const made = h("div", { class: "vrow", role: "listitem", "aria-posinset": String(from + i + 1), "aria-setsize": String(kept.length) }, ...cells(row));
      made.style.transform = `translateY(${(from + i) * ROW}px)`;
      return made;
    }));
  };
  box.addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
  const find = h("input", { type: "search", autocomplete: "off" });
  find.addEventListener("input", () => {
    const wanted = find.value.toLowerCase();
    kept = wanted ? rows.filter(({ name }) => name.toLowerCase().includes(wanted)) : rows;
    count.textContent = wanted ? files(kept.length) : "";
    box.scrollTop = 0;
    draw();
  });
  draw();
  return h("div", { class: "stack" }, h("div", { class: "row" }, h("label", { class: "field" }, h("span", {}, "Find a name"), find), count), box);
}

/** What is made when it is opened. @param {Child | Child[]} title @param {() => Child | Child[]} make @param {boolean} open */
export function folded(title, make, open = false) {
  const inner = h("div", { class: "inner" });
  const fill = () => {
    if (!inner.firstChild) for (const child of [make()].flat()) if (child) inner.append(child);
  };
  const details = h("details", { open }, h("summary", {}, h("span", {}, title)), inner);
  if (open) fill();
  details.addEventListener("toggle", () => details.open && fill());
  return details;
}

/**
 * Files that are dropped on an element.
 * @param {HTMLElement} zone @param {(data: DataTransfer) => void} on
 */
export function onDrop(zone, on) {
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    event.stopPropagation();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    event.stopPropagation();
    zone.classList.remove("over");
    if (event.dataTransfer) on(event.dataTransfer);
  });
}

/**
 * Gives the browser a file to save: true if it says that it is saved, "sent" if nobody knows, false if the person did not want to.
 * @param {string} name @param {string} text @returns {Promise<boolean | "sent">}
 */
export async function save(name, text) {
  const pick = /** @type {any} */ (window).showSaveFilePicker;
  if (pick) {
    try {
      const handle = await pick({ suggestedName: name });
      const stream = await handle.createWritable();
      await stream.write(text);
      await stream.close();
      return true;
    } catch (error) {
      if (/** @type {Error} */ (error).name === "AbortError") return false;
      // Not allowed here: as a download.
    }
  }
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return "sent";
}

/** What may be lost is asked for first. @param {string} title @param {string} words @param {string} yes @param {string} no @returns {Promise<boolean>} */
export function ask(title, words, yes, no) {
  const box = /** @type {HTMLDialogElement} */ ($("#ask"));
  return new Promise((resolve) => {
    let answer = false;
    const go = () => {
      answer = true;
      box.close();
    };
    box.replaceChildren(h("div", { class: "stack" }, h("h2", { id: "ask-h" }, title), h("p", {}, words), h("div", { class: "row" }, button(no, () => box.close(), "main", { autofocus: true }), button(yes, go))));
    box.addEventListener("close", () => resolve(answer), { once: true });
    box.showModal();
  });
}
