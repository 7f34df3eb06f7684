// Puts the page together in the folder given: its own files, the package, and the lab's records as one file.

import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = process.argv[2];
if (!out) throw new Error("usage: node build.mjs FOLDER");
rmSync(out, { recursive: true, force: true });
mkdirSync(`${out}/wegman`, { recursive: true });
for (const name of ["index.html", "style.css"]) cpSync(here(name), `${out}/${name}`);
for (const name of readdirSync(here("src"))) cpSync(here(`src/${name}`), `${out}/${name}`);
for (const name of ["index.js", "index.d.ts", "keyfile.js", "keyfile.d.ts", "formats.js", "formats-module.js", "wegman.wasm", "wegman-simd.wasm"]) cpSync(here(`../wasm/npm/${name}`), `${out}/wegman/${name}`);
writeFileSync(`${out}/lab.json`, JSON.stringify(records(here("../lab/records"))));

/** Every record with a report or with rivals by class of instructions. */
function records(folder) {
  const all = readdirSync(folder).sort().reverse().map((name) => {
    const tables = [];
    if (existsSync(`${folder}/${name}/report.json`)) tables.push(...reported(JSON.parse(readFileSync(`${folder}/${name}/report.json`, "utf8"))));
    if (existsSync(`${folder}/${name}/classes-2.txt`)) tables.push(...byClass(readFileSync(`${folder}/${name}/classes-2.txt`, "utf8")));
    const machine = readFileSync(`${folder}/${name}/machine.txt`, "utf8");
    const cpu = /^cpu: ([^\n]+?)(, \d+ in use by this system)?$/m.exec(machine)?.[1] ?? name;
    return { name, cpu, date: name.slice(-10), tables };
  });
  const whole = all.filter(({ tables }) => tables.length > 0);
  if (whole.length === 0) throw new Error(`${folder} has no record with tables`);
  return whole;
}

/** The papers' tables and figures: what is printed beside what is measured. */
function reported({ tables }) {
  return tables.flatMap((table) =>
    table.parts.map((part) => ({
      class: "all of the machine",
      title: table.parts.length > 1 ? `${table.title}: ${part.title}` : table.title,
      source: `${table.source}. ${table.measured}`,
      deviations: table.deviations,
      unit: part.unit,
      columns: part.columns.length > 0 ? part.columns : ["one number"],
      rows: [
        ...part.rows.filter(({ absent }) => !absent).flatMap(printedOn),
        ...part.experiments.map(({ name, paper, theirs, ours }) => ({ name, kernel: "", origin: `the paper: ${paper}`, on: "", theirs: [theirs[0] ?? null], ours: [ours] })),
      ],
    })),
  );
}

/** A row, and one more for each further machine that the paper has figures of. */
function printedOn({ name, kernel, origin, theirs, ours }) {
  const [first, ...others] = theirs;
  const row = (on, printed, measured) => ({ name, kernel: kernel ?? "", origin: origin ?? "", on: on ?? "", theirs: printed, ours: measured });
  return [
    row(first?.on, first?.values ?? ours.map(() => null), ours),
    ...others.map(({ on, values }) => row(on, values, values.map(() => null))),
  ];
}

/** Tables in Markdown, below a line that names the class and one that names the table. */
function byClass(text) {
  const tables = [];
  let [kind, title] = ["", ""];
  for (const line of text.split("\n")) {
    const cells = line.split("|").slice(1, -1).map((cell) => cell.trim());
    const last = tables.at(-1);
    if (line.startsWith("instructions of class ")) kind = line.slice("instructions of class ".length);
    else if (cells[0] === "algorithm") {
      const [name, unit] = title.split(": ");
      tables.push({ class: kind, title: name, source: "Today's rivals with instructions of the same class (`wegman-bench rivals`).", deviations: "", unit: unit ?? "", columns: cells.slice(3), rows: [] });
    } else if (cells.length > 3 && last && !cells[0].startsWith("---")) {
      const [name, kernel, origin, ...values] = cells;
      const ours = values.map((value) => (value === "-" ? null : Number(value)));
      last.rows.push({ name, kernel, origin, on: "", theirs: values.map(() => null), ours });
    } else if (line.trim() && cells.length === 0) title = line.trim();
  }
  return tables.filter(({ rows }) => rows.length > 0);
}
