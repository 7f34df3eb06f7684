// Section 2: the records of the lab, as they were measured.

import { element, the } from "./dom.js";

/**
 * @typedef {{ name: string, kernel: string, origin: string, on: string, theirs: (number | null)[], ours: (number | null)[] }} Row
 * @typedef {{ title: string, source: string, unit: string, columns: string[], rows: Row[], deviations: string, class: string }} Table
 * @typedef {{ name: string, cpu: string, date: string, tables: Table[] }} LabRecord
 */

const record = the("lab-record", HTMLSelectElement);
const choice = the("lab-class", HTMLSelectElement);
const table = the("lab-table", HTMLSelectElement);
const mac = the("lab-mac", HTMLInputElement);
const column = the("lab-length", HTMLSelectElement);

/** @type {LabRecord[]} */
let records = [];

/** @param {HTMLSelectElement} select @param {string[]} names */
function fill(select, names) {
  const old = select.selectedOptions[0]?.textContent;
  select.replaceChildren(...names.map((name, i) => element("option", { value: String(i) }, name)));
  const kept = old ? names.indexOf(old) : -1;
  if (kept >= 0) select.value = String(kept);
}

const of = () => records[Number(record.value)];
const tables = () => of().tables.filter((one) => one.class === choice.selectedOptions[0].textContent);
const shown = () => tables()[Number(table.value)];

/** @param {number | null} value */
const number = (value) => (value === null ? "–" : value >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3))));

function show() {
  const { title, source, unit, columns, rows, deviations } = shown();
  const wanted = mac.value.trim().toLowerCase();
  const kept = rows.filter(({ name, origin }) => `${name} ${origin}`.toLowerCase().includes(wanted));
  const printed = kept.some(({ theirs }) => theirs.some((value) => value !== null));
  the("lab-caption", HTMLElement).textContent = `${title}. ${unit}. ${of().cpu}, ${of().date}.`;
  the("lab-source", HTMLElement).textContent = [source, deviations].filter(Boolean).join(" ");
  const heads = columns.flatMap((name) => (printed ? [`${name}, printed`, `${name}, measured`] : [name]));
  the("lab-head", HTMLTableRowElement).replaceChildren(
    ...["MAC", "kernel", "from", ...(printed ? ["printed for"] : []), ...heads].map((name) => element("th", { scope: "col" }, name)),
  );
  the("lab-body", HTMLTableSectionElement).replaceChildren(
    ...kept.map(({ name, kernel, origin, on, theirs, ours }) =>
      element(
        "tr",
        origin.startsWith("wegman") ? { class: "ours" } : {},
        element("th", { scope: "row" }, name),
        element("td", {}, kernel),
        element("td", {}, origin),
        ...(printed ? [element("td", {}, on)] : []),
        ...columns.flatMap((_, i) => [
          ...(printed ? [element("td", { class: "number printed" }, number(theirs[i] ?? null))] : []),
          element("td", { class: "number" }, number(ours[i] ?? null)),
        ]),
      ),
    ),
  );
  the("lab-none", HTMLElement).hidden = kept.length > 0;
  draw(kept, Number(column.value), unit);
}

/** One bar for each row at one length; the table has the same numbers. @param {Row[]} rows @param {number} at @param {string} unit */
function draw(rows, at, unit) {
  const svg = the("lab-figure", HTMLElement);
  const make = (/** @type {string} */ name, /** @type {Record<string, string>} */ attributes, text = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  };
  const bars = rows
    .map((row) => ({ row, value: row.ours[at] ?? null }))
    .filter((bar) => bar.value !== null)
    .sort((a, b) => /** @type {number} */ (a.value) - /** @type {number} */ (b.value))
    .slice(0, 24);
  const most = Math.max(...bars.map(({ value }) => /** @type {number} */ (value)), 1e-9);
  const height = 24 * bars.length + 8;
  const drawing = make("svg", { viewBox: `0 0 640 ${height}`, role: "img", "aria-label": `${unit} at ${shown().columns[at]}, the smallest first; the table has the numbers` });
  bars.forEach(({ row, value }, i) => {
    const width = Math.max(2, (380 * /** @type {number} */ (value)) / most);
    const y = 24 * i + 4;
    drawing.append(
      make("text", { x: "0", y: String(y + 14), class: "label" }, `${row.name}, ${row.origin.startsWith("wegman") ? row.kernel : row.origin}`.slice(0, 34)),
      make("rect", { x: "200", y: String(y), width: String(width), height: "18", class: row.origin.startsWith("wegman") ? "bar ours" : "bar" }),
      make("text", { x: String(206 + width), y: String(y + 14), class: "label" }, number(value)),
    );
  });
  svg.replaceChildren(drawing);
}

function changedTable() {
  fill(column, shown().columns);
  show();
}
function changedClass() {
  fill(table, tables().map(({ title }) => title));
  changedTable();
}
function changedRecord() {
  fill(choice, [...new Set(of().tables.map((one) => one.class))]);
  changedClass();
}

record.addEventListener("change", changedRecord);
choice.addEventListener("change", changedClass);
table.addEventListener("change", changedTable);
column.addEventListener("change", show);
mac.addEventListener("input", show);

const answer = await fetch(new URL("./lab.json", import.meta.url));
records = await answer.json();
fill(record, records.map(({ cpu, date }) => `${cpu}, ${date}`));
changedRecord();
