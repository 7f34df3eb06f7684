// The page in Debian's Chromium: what a user does, what the command says of it, and what must never happen.
// WEGMAN is the command, SITE the folder of the page, CHROMIUM the browser.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, openSync, closeSync, ftruncateSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createRequire } from "node:module";
import puppeteer from "puppeteer-core";

const site = process.env.SITE;
const wegman = process.env.WEGMAN;
const pictures = process.env.PICTURES;
const room = mkdtempSync(join(tmpdir(), "wegman-page-"));
const downloads = join(room, "downloads");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", json: "application/json", wasm: "application/wasm" };

let server, origin, browser;
const problems = [];

/** The page's files, at a place of their own. @param {(file: string) => boolean} lacks */
async function serve(lacks = () => false) {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://page").pathname.replace(/\/$/, "/index.html");
    const file = join(site, path);
    if (!file.startsWith(site) || !existsSync(file) || lacks(path)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[path.split(".").pop()] ?? "application/octet-stream" });
    response.end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

before(async () => {
  ({ server, origin } = await serve());
  mkdirSync(downloads);
  browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM,
    // In a container root has no sandbox.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--enable-precise-memory-info"],
  });
});

after(async () => {
  await browser?.close();
  server?.close();
  rmSync(room, { recursive: true, force: true });
});

async function keepDownloads(page) {
  const session = await page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads, eventsEnabled: true });
}

/** A page of which every error and every request elsewhere is a problem. */
async function open(width = 1280, scheme = "light") {
  const page = await browser.newPage();
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && problems.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("blob:") && !url.startsWith("data:")) problems.push(`request: ${url}`);
  });
  await keepDownloads(page);
  await page.goto(`${origin}/`, { waitUntil: "networkidle0" });
  return page;
}

const text = (page, id) => page.$eval(id, (element) => element.textContent);

async function says(page, id, part) {
  const does = (id, part) => document.querySelector(id).textContent.includes(part);
  await page.waitForFunction(does, { timeout: 60_000 }, id, part).catch(async () => {
    throw new Error(`${id} does not say "${part}" but "${await text(page, id)}"`);
  });
}

/** Waits for a download whose name matches. */
async function downloaded(pattern) {
  for (let tries = 0; tries < 200; tries += 1) {
    const name = readdirSync(downloads).find((name) => pattern.test(name));
    if (name) return join(downloads, name);
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`no download like ${pattern}`);
}

async function choose(page, id, ...paths) {
  const input = await page.$(id);
  await input.uploadFile(...paths);
}

/** Of the two, what the next files are for. */
const to = (page, mode) => page.click(`input[value=${mode}]`);

/** What dropping does, without a hand: the files are made in the page. */
async function drop(page, files) {
  await page.evaluate((files) => {
    const data = new DataTransfer();
    for (const [name, content] of files) data.items.add(new File([content], name));
    document.querySelector("#drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, files);
}

/** Files and folders of the disk are dropped, as by a hand. */
async function dropPaths(page, ...files) {
  await page.$eval("#drop", (element) => element.scrollIntoView());
  const place = await page.$eval("#drop", (element) => ({ x: element.getBoundingClientRect().x + 50, y: element.getBoundingClientRect().y + 9 }));
  const session = await page.createCDPSession();
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) await session.send("Input.dispatchDragEvent", { type, ...place, data });
  await session.detach();
}

const run = (...words) => spawnSync(wegman, words, { cwd: room, encoding: "utf8" });

test("make a key, drop files, and the command accepts the manifest; a changed file is refused", async () => {
  const page = await open();
  await drop(page, [["a", "a"]]);
  await says(page, "#files-state", "Make or open a key first");
  await page.click("#make-key");
  await says(page, "#key-state", "Made");
  const key = await downloaded(/^wegman-.*\.key$/);
  // The command refuses it as it is saved, and the page says what to do.
  assert.match(await text(page, "#key-state"), /chmod 600 wegman-[0-9a-f]{16}\.key/);
  execFileSync("chmod", ["600", key]);
  await drop(page, [["a", "a"]]);
  await says(page, "#files-state", "Choose first");
  await to(page, "seal");
  const files = [["one.txt", "one"], ["back\\slash", "two"], ["ü and space", ""], ["long", "x".repeat(100_000)]];
  files.forEach(([name, content]) => writeFileSync(join(room, name), content));
  await drop(page, files);
  await says(page, "#files-state", "4 sealed");
  await page.click("#save-manifest");
  const manifest = await downloaded(/^manifest\.wegman$/);
  const good = run("check", "-k", key, manifest);
  assert.equal(good.status, 0, good.stderr);
  // The page checks its own.
  const own = readFileSync(manifest, "utf8");
  await to(page, "check");
  await drop(page, [...files, ["manifest.wegman", own]]);
  await says(page, "#files-state", "4 ok, 0 changed, 0 missing, 0 new");
  // One changed, one missing, one new.
  await drop(page, [["one.txt", "One"], files[1], files[2], ["other", "?"], ["manifest.wegman", own]]);
  await says(page, "#files-state", "2 ok, 1 changed, 1 missing, 1 new");
  // Of a changed file the right tag is not shown.
  assert.doesNotMatch(await text(page, "#results"), /[0-9a-f]{32}/);
  // Every way to change the manifest.
  for (const [other, why] of [
    [own.slice(0, -2), "cut off"],
    [own + "more\n", "text after the seal"],
    [own.replace("128-bit", "064-bit"), "064-bit tags"],
    [own.replace("(one.txt)", "(One.txt)"), "the seal does not match"],
    [own.replace(/key [0-9a-f]/, (all) => (all.endsWith("0") ? "key 1" : "key 0")), "it was made with key"],
  ]) {
    await drop(page, [...files, ["manifest.wegman", other]]);
    await says(page, "#files-state", why);
    assert.doesNotMatch(await text(page, "#results"), /ok/);
  }
  rmSync(manifest);
  await page.close();
});

test("keys and manifests of the command are read, with a whole folder", async () => {
  const page = await open();
  mkdirSync(join(room, "photos/sub"), { recursive: true });
  writeFileSync(join(room, "photos/a.jpg"), "a");
  writeFileSync(join(room, "photos/sub/b.jpg"), Buffer.alloc(300_000, 7));
  assert.equal(run("keygen", "-a", "PMAC-AES128", "of.key").status, 0);
  assert.equal(run("tag", "-k", "of.key", "-r", "-o", "of.wegman", "photos").status, 0);
  await choose(page, "#open-key", join(room, "of.key"));
  await says(page, "#key-state", "of.key is open");
  await to(page, "check");
  await choose(page, "#pick-files", join(room, "of.wegman"));
  await says(page, "#files-state", "The seal is right: serial 1");
  await choose(page, "#pick-files", join(room, "of.wegman"), join(room, "photos/a.jpg"), join(room, "photos/sub/b.jpg"));
  await says(page, "#files-state", "2 ok, 0 changed, 0 missing, 0 new");
  writeFileSync(join(room, "photos/a.jpg"), "b");
  await choose(page, "#pick-files", join(room, "of.wegman"), join(room, "photos/a.jpg"), join(room, "photos/sub/b.jpg"));
  await says(page, "#files-state", "1 ok, 1 changed");
  // The folder, as the page tags it, is what the command audits.
  await to(page, "seal");
  await choose(page, "#pick-folder", join(room, "photos"));
  await says(page, "#files-state", "2 sealed");
  await page.click("#save-manifest");
  const manifest = await downloaded(/^manifest\.wegman$/);
  const audit = run("audit", "-k", "of.key", "photos", manifest);
  assert.equal(audit.status, 0, audit.stdout + audit.stderr);
  // Keys that are not for this page, or damaged.
  const key = readFileSync(join(room, "of.key"), "utf8");
  assert.equal(run("keygen", "-a", "UMAC-64", "umac.key").status, 0);
  for (const [name, content, why] of [
    ["umac.key", undefined, "UMAC-64"],
    ["damaged.key", key.replace(/secret: ./, (all) => (all.endsWith("0") ? "secret: 1" : "secret: 0")), "checksum"],
    ["cut.key", key.slice(0, -1), "truncated at line 7"],
    ["windows.key", key.replaceAll("\n", "\r\n"), "Windows"],
  ]) {
    if (content !== undefined) writeFileSync(join(room, name), content);
    await choose(page, "#open-key", join(room, name));
    await says(page, "#key-state", why);
    assert.match(await text(page, "#key-state"), /Key [0-9a-f]{16} stays open/);
  }
  rmSync(manifest);
  await page.close();
});

/** A key, a folder with an empty one in it, and its manifest. */
async function sealed(name) {
  mkdirSync(join(room, name, "empty"), { recursive: true });
  for (const file of ["a", "b"]) writeFileSync(join(room, name, file), file);
  assert.equal(run("keygen", "-a", "PMAC-AES128", `${name}.key`).status, 0);
  assert.equal(run("tag", "-k", `${name}.key`, "-r", "-o", `${name}.wegman`, name).status, 0);
  const page = await open();
  await choose(page, "#open-key", join(room, `${name}.key`));
  await says(page, "#key-state", `${name}.key is open`);
  return page;
}

// Whether a drop was checked once depended on the first 18 bytes of the manifest, which nothing authenticates.
test("checking never seals, and no bytes decide what is done", async () => {
  const page = await sealed("doors");
  const own = readFileSync(join(room, "doors.wegman"), "utf8");
  const changed = [["a", "A"], ["b", "b"]];
  const hidden = async () => assert.equal(await page.$eval("#save-manifest", (button) => button.hidden), true);
  await to(page, "check");
  for (const files of [[...changed, ["doors.wegman", `@${own.slice(1)}`]], changed]) {
    await drop(page, files);
    await says(page, "#files-state", "Nothing was checked, and nothing was sealed");
    assert.equal(await page.$eval("#files-state", (line) => line.className), "state bad");
    assert.equal(await text(page, "#results"), "");
    await hidden();
  }
  // A manifest among what is to be sealed asks to be looked at first.
  await to(page, "seal");
  await drop(page, [...changed, ["doors.wegman", own]]);
  await says(page, "#files-state", "doors.wegman is a manifest: these files were sealed before");
  await hidden();
  await page.close();
});

test("folders of the manifest that are gone are missing, and new empty ones are new", async () => {
  const page = await sealed("folders");
  const [folder, manifest] = [join(room, "folders"), join(room, "folders.wegman")];
  const className = () => page.$eval("#files-state", (line) => line.className);
  await to(page, "check");
  await dropPaths(page, folder, manifest);
  await says(page, "#files-state", "2 ok, 0 changed, 0 missing, 0 new, in");
  assert.equal(await className(), "state good");
  // Where a browser can't see it, it is not called missing, and all is not called good.
  await choose(page, "#pick-files", manifest, join(folder, "a"), join(folder, "b"));
  await says(page, "#files-state", "2 ok, 0 changed, 0 missing, 0 new, 1 folder not seen");
  assert.equal(await className(), "state ");
  // Nor is a link looked at.
  symlinkSync("a", join(folder, "link"));
  assert.equal(run("tag", "-k", "folders.key", "-r", "-o", "links.wegman", "folders").status, 0);
  await dropPaths(page, folder, join(room, "links.wegman"));
  await says(page, "#files-state", "0 new, links, pipes and devices not looked at: 1");
  assert.equal(await className(), "state ");
  rmSync(join(folder, "empty"), { recursive: true });
  await dropPaths(page, folder, manifest);
  await says(page, "#files-state", "2 ok, 0 changed, 1 missing, 0 new, in");
  assert.match(await text(page, "#results"), /folders\/empty\/missing/);
  assert.equal(await className(), "state bad");
  mkdirSync(join(folder, "other"));
  await dropPaths(page, folder, manifest);
  await says(page, "#files-state", "2 ok, 0 changed, 1 missing, 1 new, in");
  await page.close();
});

test("nothing green stays after an error or another key", async () => {
  const page = await sealed("stale");
  const files = ["stale.wegman", "stale/a", "stale/b"].map((name) => join(room, name));
  const broken = join(room, "broken.key");
  writeFileSync(broken, "no key");
  const green = async () => {
    await to(page, "check");
    await choose(page, "#pick-files", ...files);
    await says(page, "#results", "ok");
    await says(page, "#files-state", "2 ok");
  };
  for (const act of [
    () => page.click("#make-key"),
    () => choose(page, "#open-key", broken),
    () => choose(page, "#pick-files", files[1]),
    () => to(page, "seal"),
  ]) {
    await choose(page, "#open-key", join(room, "stale.key"));
    await says(page, "#key-state", "stale.key is open");
    await green();
    await act();
    const isGone = () => !document.querySelector("#results").textContent && !document.querySelector("#files-state").classList.contains("good");
    await page.waitForFunction(isGone, { timeout: 10_000 });
  }
  await page.close();
});

test("names can't turn around or break what stands beside them", async () => {
  const page = await sealed("names");
  await to(page, "seal");
  await drop(page, [["a\u202egpj.exe", "1"], ["b\nc", "2"], ["\u05d0", "3"]]);
  await says(page, "#files-state", "3 sealed");
  const names = await page.$$eval("#results th", (all) => all.map((one) => one.textContent));
  assert.deepEqual(names, ["a\\u{202e}gpj.exe", "b\\u{a}c", "\u05d0"]);
  await page.close();
});

test("what can't be read is named, and the rest goes on", async () => {
  const page = await sealed("odd");
  const folder = join(room, "odd");
  for (const name of [Buffer.from("bad\xff", "latin1"), Buffer.from("dir\xfe", "latin1")]) {
    const path = Buffer.concat([Buffer.from(`${folder}/`), name]);
    if (name.includes("dir")) mkdirSync(path);
    else writeFileSync(path, "x");
  }
  execFileSync("mkfifo", [join(folder, "pipe")]);
  await to(page, "seal");
  await dropPaths(page, folder);
  await says(page, "#files-state", "3 sealed");
  const state = await text(page, "#files-state");
  assert.match(state, /2 could not be read and are not in the manifest/);
  // A browser gives a pipe as an empty file.
  assert.match(state, /Empty: 1; a browser shows pipes and devices so, too/);
  assert.match(await text(page, "#results"), /odd\/\ufffd.*not text \(UTF-8\)/);
  await to(page, "check");
  await dropPaths(page, folder, join(room, "odd.wegman"));
  await says(page, "#files-state", "2 ok, 0 changed, 0 missing, 1 new, 2 unreadable");
  await page.close();
});

test("opened as a file, the page says how to open it", async () => {
  const page = await browser.newPage();
  await page.goto(`file://${site}/index.html`);
  const isSeen = () => document.querySelector("#dead").checkVisibility({ visibilityProperty: true });
  await page.waitForFunction(isSeen, { timeout: 10_000 });
  assert.match(await text(page, "#dead"), /http\.server --bind 127\.0\.0\.1/);
  await page.close();
  const served = await open();
  assert.equal(await served.$("#dead"), null);
  await served.close();
});

test("a file of 1 GB: progress, cancel, and a fraction of it in memory", async () => {
  const page = await open();
  console.log(`before: ${(memoryOf() / 1e6).toFixed(0)} MB`);
  const big = join(room, "big");
  const file = openSync(big, "w");
  ftruncateSync(file, 1e9);
  closeSync(file);
  await page.click("#make-key");
  await says(page, "#key-state", "Made");
  await to(page, "seal");
  await choose(page, "#pick-files", big);
  await says(page, "#results", " %");
  await page.click("#cancel");
  await says(page, "#files-state", "Cancelled. No manifest was made.");
  assert.equal(await page.$eval("#save-manifest", (button) => button.hidden), true);
  await choose(page, "#pick-files", big);
  let most = 0;
  for (;;) {
    const [state, memory] = await Promise.all([text(page, "#files-state"), memoryOf()]);
    most = Math.max(most, memory);
    if (state.includes("1 sealed")) break;
    await new Promise((done) => setTimeout(done, 100));
  }
  console.log(`1 GB: ${await text(page, "#files-state")} At most ${(most / 1e6).toFixed(0)} MB in a process of the page.`);
  // 190 MB, when the engine collects as it does today; a file that is held takes 1 GB.
  assert.ok(most < 300e6, `${most} bytes`);
  await page.close();
});

/** What the largest process of a page holds for itself. Files that are mapped by several do not count. */
function memoryOf() {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const own = processes.map((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer")) return 0;
      return 1024 * Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
    } catch {
      return 0; // it has ended
    }
  });
  return Math.max(...own);
}

test("another key that is opened while files are read plays no part", async () => {
  const page = await open();
  const [big, first] = [join(room, "sparse"), join(room, "first.key")];
  const file = openSync(big, "w");
  ftruncateSync(file, 2e8);
  closeSync(file);
  assert.equal(run("keygen", "-a", "PMAC-AES128", first).status, 0);
  await choose(page, "#open-key", first);
  await says(page, "#key-state", "first.key is open");
  await to(page, "seal");
  await choose(page, "#pick-files", big);
  await says(page, "#results", " %");
  await page.click("#make-key");
  await says(page, "#key-state", "Made");
  await says(page, "#files-state", "1 sealed");
  await page.click("#save-manifest");
  const manifest = await downloaded(/^manifest\.wegman$/);
  const good = run("check", "-k", first, manifest);
  assert.equal(good.status, 0, good.stderr);
  rmSync(manifest);
  await page.close();
});

test("names that the command reads in another way, and names that come twice", async () => {
  const page = await open();
  await page.click("#make-key");
  await says(page, "#key-state", "Made");
  const key = join(downloads, `wegman-${/Key ([0-9a-f]{16})/.exec(await text(page, "#key-state"))[1]}.key`);
  for (let tries = 0; tries < 100 && !existsSync(key); tries += 1) await new Promise((done) => setTimeout(done, 50));
  execFileSync("chmod", ["600", key]);
  writeFileSync(join(room, "-"), "a file and not standard input");
  await to(page, "seal");
  await drop(page, [["-", "a file and not standard input"]]);
  await says(page, "#files-state", "1 sealed");
  await page.click("#save-manifest");
  const manifest = await downloaded(/^manifest\.wegman$/);
  const good = run("check", "-k", key, manifest);
  assert.equal(good.status, 0, good.stderr);
  assert.match(good.stdout, /^\.\/-: OK/);
  await to(page, "check");
  await drop(page, [["-", "a file and not standard input"], ["manifest.wegman", readFileSync(manifest, "utf8")]]);
  await says(page, "#files-state", "1 ok, 0 changed, 0 missing, 0 new");
  await to(page, "seal");
  await drop(page, [["a", "1"], ["a", "2"]]);
  await says(page, "#files-state", "Two of the files have the name a");
  rmSync(manifest);
  await page.close();
});

test("without a network everything works that is on the page, and its workers reach no other place", async () => {
  const [own, other] = [await serve(), await serve()];
  const page = await browser.newPage();
  await keepDownloads(page);
  await page.goto(own.origin, { waitUntil: "networkidle0" });
  const workers = page.workers();
  assert.ok(workers.length > 0, "they begin with the page");
  const reach = (url) => fetch(url, { mode: "no-cors" }).then(() => "reached", () => "refused");
  assert.equal(await page.evaluate(reach, own.origin), "reached");
  for (const where of [page, ...workers]) assert.equal(await where.evaluate(reach, other.origin), "refused");
  for (const { server } of [own, other]) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
  await page.click("#make-key");
  await says(page, "#key-state", "Made");
  await to(page, "seal");
  await drop(page, ["a", "b", "c", "d", "e", "f"].map((name) => [name, name.repeat(1000)]));
  await says(page, "#files-state", "6 sealed");
  await page.click("#run-reuse");
  await says(page, "#reuse", "a forgery");
  await page.close();
});

test("a worker that can't begin is told of, and the next try has another", async () => {
  let away = true;
  const own = await serve((path) => away && path === "/worker.js");
  const page = await browser.newPage();
  await page.goto(own.origin, { waitUntil: "networkidle0" });
  await page.click("#make-key");
  await says(page, "#key-state", "Made");
  const files = ["a", "b", "c", "d", "e", "f"].map((name) => [name, name]);
  await to(page, "seal");
  await drop(page, files);
  await says(page, "#files-state", "No file could be read");
  assert.match(await text(page, "#results"), /is the network away/);
  away = false;
  await drop(page, files);
  await says(page, "#files-state", "6 sealed");
  await page.close();
  own.server.closeAllConnections();
  own.server.close();
});

test("the demonstrations do what they say", async () => {
  const page = await open();
  await page.click("#run-reuse");
  await says(page, "#reuse", "a forgery");
  await page.select("#edit-size", "24");
  await page.click("#run-edit");
  await says(page, "#edit", "They are equal.");
  assert.match(await text(page, "#spend-result"), /UMAC-64: .* 2\^28 attempts/);
  await page.select("#spend-mac", "UMAC-32");
  assert.match(await text(page, "#spend-result"), /can't be used/);
  await page.close();
});

test("the lab shows printed beside measured, and finds MACs by name", async () => {
  const page = await open();
  const labels = await page.$$eval("#lab-record option", (all) => all.map((one) => one.textContent));
  assert.ok(labels.length >= 3, labels.join());
  const amd = labels.findIndex((label) => label.includes("AMD"));
  await page.select("#lab-record", String(amd));
  assert.match(await text(page, "#lab-head"), /43, printed43, measured/);
  assert.match(await text(page, "#lab-body"), /UMAC32/);
  await page.type("#lab-mac", "no such mac");
  assert.equal(await page.$eval("#lab-none", (line) => line.hidden), false);
  const intel = labels.findIndex((label) => label.includes("Intel"));
  await page.select("#lab-record", String(intel));
  await page.$eval("#lab-mac", (input) => { input.value = "umac"; input.dispatchEvent(new Event("input")); });
  const classes = await page.$$eval("#lab-class option", (all) => all.map((one) => one.textContent));
  assert.ok(classes.includes("avx2 alone"), classes.join());
  assert.match(await text(page, "#lab-body"), /Nettle/);
  assert.ok((await page.$$("#lab-figure rect")).length > 1);
  await page.close();
});

test("both colour schemes, wide and narrow: nothing serious for axe, nothing beside the page, and by keyboard", async () => {
  for (const scheme of ["light", "dark"]) {
    for (const width of [360, 1280]) {
      const page = await open(width, scheme);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(over <= 0, `${over} pixels too wide at ${width}`);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
      assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`), [], `${scheme} at ${width}`);
      if (pictures) await page.screenshot({ path: join(pictures, `${scheme}-${width}.png`), fullPage: true });
      await page.close();
    }
  }
  const page = await open();
  const reached = new Set();
  for (let i = 0; i < 60; i += 1) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement?.id));
  }
  for (const id of ["make-key", "open-key", "lab-record", "lab-mac", "run-reuse", "spend-rate", "run-edit"]) assert.ok(reached.has(id), `${id} is not reached by Tab`);
  await page.close();
});

test("known answers in the browser", async () => {
  const page = await open();
  const { cases } = JSON.parse(readFileSync(new URL("../../vectors/pmac.json", import.meta.url)));
  const some = cases.filter((one) => one.algorithm === "PMAC-AES128" && one.msg_hex !== undefined).map(({ key_hex, msg_hex, tag_hex }) => [key_hex, msg_hex, tag_hex]);
  const umac = JSON.parse(readFileSync(new URL("../../vectors/umac-rfc4418.json", import.meta.url))).cases
    .filter((one) => one.algorithm === "UMAC-64" && one.msg_hex !== undefined && one.nonce_hex.length === 16)
    .map(({ key_hex, msg_hex, tag_hex, nonce_hex }) => [key_hex, msg_hex, tag_hex, nonce_hex]);
  const wrong = await page.evaluate(async (pmac, umac) => {
    const { Pmac, Umac64 } = await import("./wegman/index.js");
    const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
    const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const wrong = [];
    for (const [key, message, tag] of pmac) {
      const mac = await Pmac.create(bytes(key));
      if (hex(mac.tag(bytes(message))) !== tag) wrong.push(message);
      mac.free();
    }
    for (const [key, message, tag, nonce] of umac) {
      const mac = await Umac64.create(bytes(key));
      if (hex(mac.tag(bytes(message), bytes(nonce))) !== tag) wrong.push(message);
      mac.free();
    }
    return wrong;
  }, some, umac);
  assert.ok(some.length > 20 && umac.length > 20, `${some.length}, ${umac.length}`);
  assert.deepEqual(wrong, []);
  await page.close();
});

test("there was no error in the console and no request off the page", () => {
  assert.deepEqual(problems, []);
});
