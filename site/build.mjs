// Puts the page together in the folder given: its own files, the package, the lab's records as one file, what makes it work
// without a network, and beside it all of the first page as one file, wegman.html, which needs no server.

import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = process.argv[2];
if (!out) throw new Error("usage: node build.mjs FOLDER");
rmSync(out, { recursive: true, force: true });
mkdirSync(`${out}/wegman`, { recursive: true });
for (const name of ["style.css", "icon.svg", "app.webmanifest"]) cpSync(here(name), `${out}/${name}`);
for (const name of ["index.html", "lab.html", "why.html"]) writeFileSync(`${out}/${name}`, page(name));
for (const name of readdirSync(here("src"))) cpSync(here(`src/${name}`), `${out}/${name}`);
const parts = ["index.js", "index.d.ts", "keyfile.js", "keyfile.d.ts", "formats.js", "formats-module.js", "wegman.wasm", "wegman-simd.wasm"];
for (const name of parts) cpSync(here(`../wasm/npm/${name}`), `${out}/wegman/${name}`);
writeFileSync(`${out}/lab.json`, JSON.stringify(records(here("../lab/records"))));
writeFileSync(`${out}/wegman.html`, single());
// Last: it names every other file with its hash, so another version of the page is another version of it.
const cached = [...readdirSync(out), ...parts.map((name) => `wegman/${name}`)].filter((name) => /\.\w+$/.test(name) && !/\.d\.ts$|^(sw\.js|wegman\.html)$/.test(name));
const files = Object.fromEntries(cached.sort().map((name) => [name, `sha256-${hash(readFileSync(`${out}/${name}`))}`]));
const worker = readFileSync(here("src/sw.js"), "utf8");
writeFileSync(`${out}/sw.js`, worker.replace("const FILES = {};", () => `const FILES = ${JSON.stringify(files, undefined, 2)};`));

function hash(bytes) {
  return createHash("sha256").update(bytes).digest("base64");
}

/** A page: what all have around what it has of its own, and beside its script the modules that this imports. */
function page(name) {
  const text = readFileSync(here(name), "utf8");
  const end = text.indexOf("\n\n") + 1;
  const modules = new Set();
  const add = (file) => {
    if (modules.has(file)) return;
    modules.add(file);
    const source = readFileSync(here(file.replace(/^wegman/, "../wasm/npm").replace(/^(?!\.)/, "src/")), "utf8");
    for (const [, path] of source.matchAll(/^import .* from "\.\/([^"]+)";$/gm)) add(`${/^wegman\//.exec(file) ?? ""}${path}`);
  };
  add(/src="([^"]+)"/.exec(text)[1]);
  const loads = [...modules].slice(1).map((file) => `<link rel="modulepreload" href="${file}">\n`);
  return readFileSync(here("frame.html"), "utf8")
    .replace(`href="${name}"`, '$& aria-current="page"')
    .replace("<!-- head -->", () => text.slice(0, end) + loads.join(""))
    .replace("<!-- main -->", () => text.slice(end));
}

/** The first page without anything beside it. Its policy names the one script that runs. */
function single() {
  // Backslashes: the text stands in a page, where an end tag would end it.
  const code = (entry) => linked(entry).replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  // Without an origin there are no workers that are modules.
  const [app, worker] = [code("main.js"), `(async () => {\n${code("worker.js")}})();\n`];
  const policy = `default-src 'none'; script-src 'sha256-${hash(app)}' 'wasm-unsafe-eval'; style-src 'sha256-STYLE'; worker-src blob:; base-uri 'none'; form-action 'none'`;
  const style = readFileSync(here("style.css"), "utf8");
  return page("index.html")
    .replace(/(Content-Security-Policy" content=")[^"]*/, (_, before) => before + policy.replace("STYLE", hash(style)))
    .replace(/<link rel="(icon|manifest|modulepreload)"[^>]*>\n/g, "")
    .replace(/<p id="dead".*<\/p>\n/, "")
    // The other two pages are on the web only.
    .replace(/<nav .*<\/nav>\n/, "")
    .replace(/ ?<a href="why\.html[^>]*>[^<]*<\/a>/g, "")
    .replaceAll('href="index.html#', 'href="#')
    .replace('<link rel="stylesheet" href="style.css">', () => `<style>${style}</style>`)
    .replace(/<script type="module" src="main.js"><\/script>\n/, "")
    .replace("</body>", () => `<script type="text/plain" id="worker">${worker}</script>\n<script type="module">${app}</script>\n</body>`);
}

/** A module with all that it imports in one text: each in a function of its own, after those that it needs. */
function linked(entry) {
  const [texts, names] = [[], new Map()];
  const add = (file) => {
    if (names.has(file)) return names.get(file);
    const exported = [];
    let text = readFileSync(file, "utf8");
    const from = (path) => add(fileURLToPath(new URL(path.replace("./wegman/index.js", "./wegman/inline.js").replace("./wegman/", new URL("../wasm/npm/", import.meta.url).href), new URL(`file://${file}`))));
    const bare = [];
    text = text
      .replaceAll("import.meta.url", "location.href")
      .replace(/^import (\w+) from "(\.[^"]+)";$/gm, (_, name, path) => `const { default: ${name} } = ${from(path)};`)
      .replace(/^import \* as (\w+) from "(\.[^"]+)";$/gm, (_, name, path) => `const ${name} = ${from(path)};`)
      .replace(/^import (\{[^}]*\}) from "(\.[^"]+)";$/gm, (_, names, path) => `const ${names.replaceAll(" as ", ": ")} = ${from(path)};`)
      .replace(/^export \* from "(\.[^"]+)";$/gm, (_, path) => void bare.push(`...${from(path)}`) ?? "")
      .replace(/^export default /gm, "exports.default = ")
      .replace(/^export (async function\*?|function\*?|class|const) ([\w$]+)/gm, (_, kind, name) => `${(exported.push(name), kind)} ${name}`)
      .replace(/^export \{ (.*) \};$/gm, (_, list) => void exported.push(...list.split(", ")) ?? "");
    if (/^(import|export)\b/m.test(text)) throw new Error(`${file}: this import or export is not known here`);
    const name = `module${names.size}`;
    names.set(file, name);
    texts.push(`const ${name} = await (async (exports) => {\n${text}\nreturn Object.assign(exports, { ${[...bare, ...exported].join(", ")} });\n})({});\n`);
    return name;
  };
  add(here(`src/${entry}`));
  return texts.join("");
}

/** Every record with a report or with rivals by class of instructions. */
function records(folder) {
  const all = readdirSync(folder).sort().reverse().map((name) => {
    const tables = [];
    if (existsSync(`${folder}/${name}/report.json`)) tables.push(...reported(JSON.parse(readFileSync(`${folder}/${name}/report.json`, "utf8"))));
    if (existsSync(`${folder}/${name}/classes-2.txt`)) tables.push(...byClass(readFileSync(`${folder}/${name}/classes-2.txt`, "utf8")));
    // `make record` writes it, `make lab` does not.
    const machine = existsSync(`${folder}/${name}/machine.txt`) ? readFileSync(`${folder}/${name}/machine.txt`, "utf8") : "";
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

/** Tables in Markdown, each below a line with its name, and the class of instructions behind all of its tables. */
function byClass(text) {
  const tables = [];
  const parts = text.split(/^class of instructions:\n {2}(.+)$/m);
  for (let i = 0; i + 1 < parts.length; i += 2) {
    let title = "";
    for (const line of parts[i].split("\n")) {
      const cells = line.split("|").slice(1, -1).map((cell) => cell.trim());
      if (cells[0] === "algorithm") {
        const [name, unit] = title.split(": ");
        tables.push({ class: parts[i + 1], title: name, source: "Today's rivals with instructions of the same class (`wegman-bench rivals`).", deviations: "", unit: unit ?? "", columns: cells.slice(3), rows: [] });
      } else if (cells.length > 3 && !cells[0].startsWith("---")) {
        const [name, kernel, origin, ...values] = cells;
        const ours = values.map((value) => (value === "-" ? null : Number(value)));
        tables.at(-1).rows.push({ name, kernel, origin, on: "", theirs: values.map(() => null), ours });
      } else if (line.trim() && cells.length === 0) title = line.trim();
    }
  }
  return tables.filter(({ rows }) => rows.length > 0);
}
