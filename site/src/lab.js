// The lab: one figure, and the papers' tables folded, from the records as they were measured.

import { $, folded, h, number, svg } from "./ui.js";

/**
 * @typedef {{ name: string, kernel: string, origin: string, on: string, theirs: (number | null)[], ours: (number | null)[] }} Row
 * @typedef {{ title: string, source: string, unit: string, columns: string[], rows: Row[], deviations: string, class: string }} Table
 * @typedef {{ name: string, cpu: string, date: string, tables: Table[] }} LabRecord
 * @typedef {{ label: string, kind: string, about: string, values: number[] }} Line
 */

const LENGTHS = [16, 43, 256, 1500, 4096];
/** Label, kind, MAC, where it comes from, what it is. */
const LINES = [
  ["UMAC-64", "c1", "UMAC-64", "wegman", "ours, tag of 64 bits"],
  ["PMAC", "c2", "PMAC-AES128", "wegman", "ours, no nonce, tag of 128 bits"],
  ["Nettle's UMAC", "", "UMAC-64", "Nettle", "UMAC-64 of Nettle"],
  ["GMAC", "", "GMAC", "ipsec-mb", "of ipsec-mb"],
  ["HMAC-SHA1", "", "HMAC-SHA1", "hmac", "of the crate hmac"],
  ["Carter, experimental", "exp", "Carter-128", "wegman", "ours, reviewed by nobody outside"],
];
const CLASSES = /** @type {Record<string, string>} */ ({ avx512: "AVX-512, VAES and VPCLMULQDQ", avx2: "AVX2, AES-NI and PCLMULQDQ" });

const digits = (/** @type {number | null | undefined} */ value) => (value === null || value === undefined ? "–" : value >= 1000 ? number(Math.round(value)) : String(Number(value.toPrecision(3))));
const picked = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ ($(`input[name=${name}]:checked`)).value;

/** @type {LabRecord[]} */
const records = await (await fetch(new URL("./lab.json", import.meta.url))).json();
const byClass = /** @type {LabRecord} */ (records.find(({ tables }) => tables.some((table) => table.class === "avx512 alone")));

/** @returns {Line[]} */
function lines() {
  const tables = byClass.tables.filter((table) => table.class === `${picked("class")} alone` && table.unit === "cycles per message");
  return LINES.flatMap(([label, kind, name, origin, about]) => {
    for (const { columns, rows } of tables) {
      const row = rows.find((row) => row.name === name && row.origin.startsWith(origin));
      const values = LENGTHS.map((length) => row?.ours[columns.indexOf(`${length} B`)]);
      if (values.every((value) => typeof value === "number")) return [{ label, kind, about, values: /** @type {number[]} */ (values) }];
    }
    return [];
  });
}

function draw() {
  const [all, box] = [lines(), $("#chart")];
  $("#chart-cap").textContent = `${CLASSES[picked("class")]} for all alike, one core of ${byClass.cpu}, ${byClass.date}, keys prepared, a fresh nonce for each message. Carter is our own design; nobody outside has reviewed it.`;
  if (picked("form") === "table") {
    const rows = all.map(({ label, about, values }) => [[label, h("br"), h("span", { class: "soft small" }, about)], ...values.map(digits)]);
    return box.replaceChildren(table("Cycles per message, by length", ["Cycles, by bytes", ...LENGTHS.map(number)], rows));
  }
  const width = Math.max(280, box.clientWidth);
  const isNarrow = width < 520;
  const [height, left, right, top, bottom] = isNarrow ? [440, 44, 112, 14, 66] : [460, 56, 176, 14, 54];
  const [low, high] = [10, 10_000];
  const across = (/** @type {number} */ bytes) => left + ((width - left - right) * Math.log(bytes / 16)) / Math.log(4096 / 16);
  const up = (/** @type {number} */ cycles) => top + (height - top - bottom) * (1 - Math.log(cycles / low) / Math.log(high / low));
  const text = (/** @type {string} */ words, /** @type {Record<string, string | number>} */ at) => svg("text", at, words);
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": "Lines of cycles per message over the length. UMAC-64 and PMAC are lowest of those for use; the table has the numbers." });
  for (const cycles of [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]) {
    drawing.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: up(cycles), y2: up(cycles) }), text(number(cycles), { x: left - 8, y: up(cycles) + 4.5, "text-anchor": "end" }));
  }
  for (const bytes of LENGTHS) drawing.append(text(number(bytes), { x: across(bytes), y: height - bottom + (isNarrow && bytes === 1500 ? 35 : 20), "text-anchor": "middle" }));
  drawing.append(text("bytes in the message", { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }));
  // Labels at the ends of the lines, spread so that none covers another.
  const words = (/** @type {string} */ label) => (isNarrow && label.includes(", ") ? label.split(/(?<=,) /) : [label]);
  const ends = all.map((line) => ({ line, at: up(line.values[4]), y: up(line.values[4]), room: 20 * words(line.label).length })).sort((a, b) => a.at - b.at);
  for (let turn = 0; turn < 60; turn += 1) {
    for (let i = 1; i < ends.length; i += 1) {
      const push = (ends[i].room + ends[i - 1].room) / 2 - (ends[i].y - ends[i - 1].y);
      if (push > 0) {
        ends[i].y += push / 2;
        ends[i - 1].y -= push / 2;
      }
    }
  }
  // Ours are drawn last, so on top.
  for (const { line, at, y } of ends.sort((a, b) => a.line.kind.localeCompare(b.line.kind) * (a.line.kind.startsWith("c") === b.line.kind.startsWith("c") ? -1 : 1))) {
    const d = line.values.map((value, i) => `${i ? "L" : "M"}${across(LENGTHS[i]).toFixed(1)} ${up(value).toFixed(1)}`).join("");
    const group = svg("g", { class: line.kind }, svg("path", { class: "ln", d }), ...line.values.map((value, i) => svg("circle", { class: "dot", cx: across(LENGTHS[i]), cy: up(value), r: line.kind.startsWith("c") ? 5 : 4 })));
    group.append(svg("path", { class: "lead", d: `M${width - right + 6} ${at}L${width - right + 16} ${y}` }));
    const label = words(line.label);
    label.forEach((word, i) => group.append(text(isNarrow || i < label.length - 1 ? word : `${word} ${digits(line.values[4])}`, { class: "lab", x: width - right + 20, y: y + 4.5 + (i - (label.length - 1) / 2) * 15 })));
    drawing.append(group);
  }
  box.replaceChildren(drawing);
}

/** @param {string} caption @param {string[]} head @param {(string | import("./ui.js").Child[])[][]} rows @param {boolean[]} theirs */
function table(caption, head, rows, theirs = []) {
  const cells = (/** @type {(string | import("./ui.js").Child[])[]} */ row) => row.map((cell, i) => (i === 0 ? h("th", { scope: "row" }, ...[cell].flat()) : h("td", { class: "r" }, ...[cell].flat())));
  return h("div", { class: "table-wrap", tabindex: "0", role: "region", "aria-label": caption }, h("table", { class: "plain" }, h("thead", {}, h("tr", {}, head.map((title, i) => h("th", { scope: "col", class: i > 0 && "r" }, title)))), h("tbody", {}, rows.map((row, i) => h("tr", { class: theirs[i] ? "theirs" : "" }, cells(row))))));
}

/** Printed above measured. @param {Table} one */
function whole({ title, unit, columns, rows, source, deviations, class: kind }) {
  const about = (/** @type {string} */ name, /** @type {string} */ words) => [name, h("br"), h("span", { class: "soft small" }, words)];
  const [body, theirs] = /** @type {[import("./ui.js").Child[][][], boolean[]]} */ ([[], []]);
  for (const row of rows) {
    if (row.theirs.some((value) => value !== null)) {
      body.push([about(row.name, `printed${row.on ? `, ${row.on}` : ""}`), ...columns.map((_, i) => [digits(row.theirs[i])])]);
      theirs.push(true);
    }
    if (row.ours.some((value) => value !== null)) {
      body.push([about(row.name, `today, ${[row.origin, row.kernel].filter(Boolean).join(", ")}`), ...columns.map((_, i) => [digits(row.ours[i])])]);
      theirs.push(false);
    }
  }
  const summary = h("span", {}, title, h("br"), h("span", { class: "soft small" }, `${unit}${kind.endsWith("alone") ? `, ${kind}` : ""}`));
  return folded(summary, () => [h("p", { class: "soft small" }, [source, deviations].filter(Boolean).join(" ")), table(title, ["MAC", ...columns], body, theirs)]);
}

const machine = /** @type {HTMLSelectElement} */ ($("#machine"));
machine.append(...records.map(({ cpu, date }, i) => h("option", { value: String(i) }, `${cpu}, ${date}`)));
// The papers' tables first.
machine.value = String(records.findIndex(({ tables }) => tables.some((table) => table.class === "all of the machine")));
const list = () => $("#tables").replaceChildren(...records[Number(machine.value)].tables.map(whole));
machine.addEventListener("change", list);
for (const name of ["class", "form"]) $(`#${name}`).addEventListener("change", draw);
let before = 0;
new ResizeObserver(() => {
  const width = $("#chart").clientWidth;
  if (width !== before) draw();
  before = width;
}).observe($("#chart"));
list();
