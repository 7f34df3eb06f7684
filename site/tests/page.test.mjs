// The page in Debian's Chromium: what a person does, what the command says of it, and what must never happen.
// WEGMAN is the command, SITE the folder of the page, CHROMIUM the browser; PICTURES a folder for pictures of every state.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, closeSync, existsSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import puppeteer from "puppeteer-core";
import { hashes, serve } from "../serve.mjs";

const site = process.env.SITE;
const wegman = process.env.WEGMAN;
const pictures = process.env.PICTURES;
const room = mkdtempSync(join(tmpdir(), "wegman-page-"));
const downloads = join(room, "downloads");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let server, origin, browser;
const problems = [];

before(async () => {
  ({ server, origin } = await serve(site));
  mkdirSync(downloads);
  browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM,
    // In a container root has no sandbox.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
});

after(async () => {
  await browser?.close();
  server?.close();
  rmSync(room, { recursive: true, force: true });
});

/** A page of which every error and every request elsewhere is a problem. */
async function open({ door = "", width = 1280, scheme = "light", at = `${origin}/` } = {}) {
  const page = await browser.newPage();
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && problems.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(at.startsWith("file:") ? "file:" : origin) && !url.startsWith("blob:") && !url.startsWith("data:")) problems.push(`request: ${url}`);
  });
  // A test has no hand for the browser's own window.
  await page.evaluateOnNewDocument(() => delete window.showSaveFilePicker);
  const session = await page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads, eventsEnabled: true });
  await page.goto(`${at}${door}`, { waitUntil: "networkidle0" });
  return page;
}

const text = (page, selector) => page.$eval(selector, (element) => element.innerText);
const view = (page) => page.evaluate(() => document.querySelector(".view:not([hidden])").innerText);

/** Waits until what is seen has these words. */
async function says(page, part, selector = ".view:not([hidden])") {
  const does = (selector, part) => document.querySelector(selector)?.innerText.replace(/\s+/g, " ").includes(part);
  await page.waitForFunction(does, { timeout: 30_000, polling: 30 }, selector, part).catch(async () => {
    throw new Error(`it does not say "${part}" but "${await text(page, selector).catch((error) => error.message)}"`);
  });
}

/** A person acts on what they see: waits until nothing has moved for a moment, if no work is under way. */
const settled = (page) =>
  page.evaluate(() => new Promise((done) => {
    let quiet = 0;
    const watch = new MutationObserver(() => wait());
    const wait = () => {
      clearTimeout(quiet);
      quiet = setTimeout(() => done(watch.disconnect()), document.querySelector(".bar") ? 0 : 60);
    };
    watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    wait();
  }));

/** A button by its name, as a person finds it. */
const named = (name) => `::-p-aria([name="${name}"][role="button"])`;
async function press(page, name) {
  await settled(page);
  await page.locator(named(name)).setTimeout(10_000).click();
}
const has = async (page, name) => (await page.$$(named(name))).length > 0;

/** What opens the browser's picker, and these are chosen. An input may overtake the command that catches the picker. */
async function choose(page, paths, open) {
  const caught = () => page.evaluate(() => {});
  const [chooser] = await Promise.all([page.waitForFileChooser({ timeout: 10_000 }), caught().then(open)]);
  await chooser.accept(paths);
}

/** The browser's picker is opened by the button, and these are chosen. */
async function pick(page, name, ...paths) {
  await settled(page);
  await choose(page, paths, () => page.locator(named(name)).setTimeout(10_000).click());
}

/** The same without a pointer: by Tab and Enter. */
async function key(page, name, ...paths) {
  await settled(page);
  const isThere = (name) => (document.activeElement?.ariaLabel ?? document.activeElement?.innerText)?.trim() === name;
  for (let i = 0; !(await page.evaluate(isThere, name)); i += 1) {
    if (i > 60) throw new Error(`Tab does not reach ${name}`);
    await page.keyboard.press("Tab");
  }
  if (paths.length === 0) return page.keyboard.press("Enter");
  await choose(page, paths, () => page.keyboard.press("Enter"));
}

/** Files and folders of the disk are dropped, as by a hand. */
async function drop(page, selector, ...files) {
  await settled(page);
  const place = await page.$eval(selector, (element) => {
    element.scrollIntoView({ block: "center" });
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x + width / 2, y: y + Math.min(height, 500) / 2 };
  });
  const session = await page.createCDPSession();
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) await session.send("Input.dispatchDragEvent", { type, ...place, data });
  await session.detach();
}

/** What dropping does, without a hand: the files are made in the page. */
async function dropMade(page, selector, files) {
  await page.evaluate((selector, files) => {
    const data = new DataTransfer();
    for (const [name, content] of files) data.items.add(new File([content], name));
    document.querySelector(selector).dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, selector, files);
}

/** Waits for a download of this name, and takes it away. */
async function downloaded(name, to = name) {
  const path = join(downloads, name);
  for (let tries = 0; tries < 200 && !existsSync(path); tries += 1) await new Promise((done) => setTimeout(done, 50));
  renameSync(path, join(room, to));
  return join(room, to);
}

const run = (...words) => spawnSync(wegman, words, { cwd: room, encoding: "utf8" });

function must(...words) {
  const { status, stderr, stdout } = run(...words);
  assert.equal(status, 0, stderr + stdout);
  return stdout;
}

/** A folder with files, by their names. */
function tree(name, files = { "a.txt": "a", "sub/b.txt": "b" }) {
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(room, name, file)), { recursive: true });
    writeFileSync(join(room, name, file), content);
  }
  return join(room, name);
}

/** A key, a folder and its manifest, all by the command. */
function sealed(name, { algorithm = "PMAC-AES128", files } = {}) {
  const folder = tree(name, files);
  must("keygen", "-a", algorithm, `${name}.key`);
  must("tag", "-k", `${name}.key`, "-r", "-o", `${name}.wegman`, name);
  return { folder, key: join(room, `${name}.key`), manifest: join(room, `${name}.wegman`) };
}

/** The three are given by their pickers. */
async function giveAll(page, { key, manifest, folder }) {
  await pick(page, "Open the key", key);
  await says(page, "Another key");
  await pick(page, "Open the manifest", manifest);
  await says(page, "Another manifest");
  await pick(page, "Choose the folder", folder);
}

/** The workers stop after the first piece of a file: what happens meanwhile happens before its end. */
async function hold(page) {
  const workers = page.workers();
  const all = (work) => Promise.all(workers.map((worker) => worker.evaluate(work)));
  await all(() => {
    const reader = ReadableStreamBYOBReader.prototype;
    const read = reader.read;
    const held = new Promise((goOn) => Object.assign(self, { goOn }));
    reader.read = async function (...on) {
      if (this.begun) {
        self.isHeld = true;
        await held;
      }
      this.begun = true;
      return read.apply(this, on);
    };
  });
  return {
    begun: async () => {
      for (let tries = 0; !(await all(() => self.isHeld)).some(Boolean); tries += 1) {
        if (tries > 1000) throw new Error("no worker reads");
        await new Promise((done) => setTimeout(done, 20));
      }
    },
    goOn: () => all(() => self.goOn()),
  };
}

const kind = (page) => page.$eval("#verdict", (element) => element.className);

test("two doors: by pointer, by keyboard and by a drop; a drop that misses reads nothing", async () => {
  const page = await open();
  const home = await view(page);
  assert.match(home, /A seal cannot, without the key/);
  await drop(page, ".facts", tree("missed"));
  await says(page, "Nothing was read. Drop it on");
  await page.locator("#door-seal").click();
  await says(page, "The key makes the seal");
  assert.equal(await page.evaluate(() => document.activeElement.innerText), "Seal a folder");
  await page.goBack();
  await says(page, "A seal cannot");
  const link = () => document.activeElement?.id;
  while ((await page.evaluate(link)) !== "door-check") await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await says(page, "A check only reads");
  await page.goBack();
  await drop(page, "#door-seal", tree("missed"));
  await says(page, "The folder waits for its key");
  await page.goto(`${origin}/`);
  await drop(page, "#door-check", tree("missed"));
  await says(page, "The key and the manifest are still needed");
  await page.close();
});

/** Whether leaving the page asks first. */
async function asksBeforeLeaving(page) {
  let asked = false;
  const on = async (dialog) => {
    asked = dialog.type() === "beforeunload";
    await dialog.dismiss();
  };
  page.on("dialog", on);
  await Promise.race([page.goto("about:blank").catch(() => {}), new Promise((done) => setTimeout(done, 1500))]);
  page.off("dialog", on);
  return asked;
}

test("make a key, seal, save, check; the command accepts both, and nothing is called saved before it is", async () => {
  const page = await open({ door: "#seal" });
  const folder = tree("photos", { "2024/a.jpg": "a", "2024/back\\slash": "b", "ü and space": "", long: "x".repeat(700_000), "-": "no standard input" });
  await press(page, "Make a key");
  await says(page, "not saved yet");
  assert.match(await page.evaluate(() => document.activeElement.innerText), /Step 2:\s+The folder/);
  await pick(page, "Choose a folder", folder);
  await says(page, "Sealed. Save these two things");
  await says(page, "The key exists only in this page.");
  assert.ok(await asksBeforeLeaving(page));
  await press(page, "Save the manifest");
  await says(page, "Is it in your downloads?");
  assert.doesNotMatch(await view(page), /^Saved$/m);
  await press(page, "Save the key");
  await press(page, "Yes, I have the manifest");
  await says(page, "Check that the key arrived.");
  assert.ok(await asksBeforeLeaving(page));
  const id = /wegman-([0-9a-f]{16})\.key/.exec(await view(page))[1];
  await press(page, "Yes, I have the key");
  await says(page, "You can close this page.");
  const [keyFile, manifest] = [await downloaded(`wegman-${id}.key`), await downloaded("photos.wegman")];
  await press(page, "Use the key with the command").catch(() => page.locator("details:nth-of-type(2) summary").click());
  await says(page, `chmod 600 wegman-${id}.key`);
  execFileSync("chmod", ["600", keyFile]);
  must("check", "-k", keyFile, manifest);
  must("audit", "-k", keyFile, "photos", manifest);
  await press(page, "Check it now");
  await says(page, "The folder is still needed.");
  await drop(page, "#view-check", folder);
  await says(page, "All 5 files are as you sealed them");
  assert.equal(await kind(page), "verdict good");
  // Whoever saved all may go.
  assert.ok(!(await asksBeforeLeaving(page)));
  await page.close();
});

test("all of it by keyboard alone", async () => {
  const page = await open();
  const folder = tree("keyboard");
  while (!(await page.evaluate(() => document.activeElement?.id === "door-seal"))) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await key(page, "Make a key");
  // The step that follows takes the focus.
  await says(page, "not saved yet");
  await key(page, "Choose a folder", folder);
  await says(page, "Save these two things");
  for (const what of ["manifest", "key"]) {
    await key(page, `Save the ${what}`);
    await says(page, "Is it in your downloads?");
    await key(page, `Yes, I have the ${what}`);
  }
  await says(page, "You can close this page.");
  await key(page, "Check it now");
  await says(page, "The folder is still needed.");
  await key(page, "Choose the folder", folder);
  await says(page, "All 2 files are as you sealed them");
  const [keyFile, manifest] = [await downloaded(readdirSync(downloads).find((name) => name.endsWith(".key"))), await downloaded("keyboard.wegman")];
  const other = await open({ door: "#check" });
  await key(other, "Open the key", keyFile);
  await says(other, "Another key");
  await key(other, "Open the manifest", manifest);
  await says(other, "Another manifest");
  await key(other, "Choose the folder", folder);
  await says(other, "All 2 files are as you sealed them");
  await page.close();
  await other.close();
});

test("'saved' where the browser says so, and not where the person closed its window", async () => {
  const page = await open({ door: "#seal" });
  await press(page, "Make a key");
  await pick(page, "Choose files", join(tree("confirmed"), "a.txt"));
  await says(page, "Save these two things");
  await page.evaluate(() => {
    window.kept = {};
    window.showSaveFilePicker = async ({ suggestedName }) => {
      if (window.refuses) throw new DOMException("", "AbortError");
      return { createWritable: async () => ({ write: async (text) => void (window.kept[suggestedName] = text), close: async () => {} }) };
    };
    window.refuses = true;
  });
  await press(page, "Save the manifest");
  await says(page, "The key exists only in this page.");
  assert.equal(/Saved|downloads/.test(await view(page)), false);
  await page.evaluate(() => (window.refuses = false));
  await press(page, "Save the manifest");
  await press(page, "Save the key");
  await says(page, "You can close this page.");
  const kept = await page.evaluate(() => Object.keys(window.kept));
  assert.deepEqual(kept.map((name) => name.replace(/[0-9a-f]{16}/, "ID")).sort(), ["manifest.wegman", "wegman-ID.key"]);
  await page.close();
});

test("Seal refuses what is no key of it, and says what to do", async () => {
  const page = await open({ door: "#seal" });
  must("keygen", "-a", "PMAC-AES128", "right.key");
  must("keygen", "-a", "UMAC-64", "umac.key");
  const right = readFileSync(join(room, "right.key"), "utf8");
  const files = {
    "holiday.jpg": ["not text", "holiday.jpg is not a key."],
    "damaged.key": [right.replace(/secret: ./, (all) => (all.endsWith("0") ? "secret: 1" : "secret: 0")), "damaged.key is damaged."],
    "cut.key": [right.slice(0, -1), "truncated at line 7"],
    "windows.key": [right.replaceAll("\n", "\r\n"), "Windows"],
    "umac.key": [undefined, "umac.key is a key for UMAC-64."],
  };
  for (const [name, [content, why]] of Object.entries(files)) {
    if (content !== undefined) writeFileSync(join(room, name), content);
    await pick(page, "Open a key", join(room, name));
    await says(page, why);
  }
  // A key that is dropped is known as one, whatever its name.
  writeFileSync(join(room, "nameless"), right);
  await drop(page, "#view-seal", join(room, "nameless"));
  await says(page, "nameless, key");
  await pick(page, "Use another", join(room, "damaged.key"));
  await says(page, "stays open");
  await page.close();
});

test("Seal: the folder first, empty, twice the same name, cancelled, another key", async () => {
  const page = await open({ door: "#seal" });
  mkdirSync(join(room, "nothing"));
  await drop(page, "#view-seal", tree("first"));
  await says(page, "The folder waits for its key.");
  await press(page, "Make a key");
  await says(page, "Save these two things");
  await press(page, "Seal another folder");
  await says(page, "The key is not saved", "#ask");
  await press(page, "Back, to save it");
  await says(page, "Save these two things");
  await press(page, "Seal another folder");
  await press(page, "Go on without it");
  await says(page, "The key makes the seal");
  await press(page, "Make a key");
  await drop(page, "#view-seal", join(room, "nothing"));
  await says(page, "There are no files in this folder. Nothing was sealed.");
  await dropMade(page, "#view-seal", [["a", "1"], ["a", "2"]]);
  await says(page, "Two of the files have the name a.");
  const big = openSync(join(room, "first/big"), "w");
  ftruncateSync(big, 4e7);
  closeSync(big);
  const { begun, goOn } = await hold(page);
  await drop(page, "#view-seal", join(room, "first"));
  await says(page, "Sealing first");
  await begun();
  // What comes meanwhile plays no part.
  must("keygen", "other.key");
  await drop(page, "#view-seal", join(room, "other.key"));
  await says(page, "Wait until this has ended, or cancel.");
  await press(page, "Cancel");
  await goOn();
  await says(page, "Cancelled. Nothing was sealed.");
  rmSync(join(room, "first/big"));
  await pick(page, "Use another", join(room, "other.key"));
  await says(page, "This key was never saved", "#ask");
  await press(page, "Keep it");
  await says(page, "New key");
  await pick(page, "Use another", join(room, "other.key"));
  await press(page, "Use another key");
  await says(page, "other.key, key");
  await page.close();
});

test("what can't be read is named, and the rest goes on", async () => {
  const page = await open({ door: "#seal" });
  const folder = tree("odd");
  const own = sealed("odd");
  const bad = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from("bad\xff", "latin1")]);
  writeFileSync(bad, "x");
  const inside = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from("dir\xfe", "latin1")]);
  mkdirSync(inside);
  symlinkSync("a.txt", join(folder, "link"));
  await pick(page, "Open a key", own.key);
  await drop(page, "#view-seal", folder);
  await says(page, "2 of 4 files can't be read.");
  await says(page, "not text (UTF-8)");
  await press(page, "Seal the other 2");
  await says(page, "2 left out");
  const check = await open({ door: "#check" });
  await drop(check, "#view-check", folder, own.key, own.manifest);
  await says(check, "2 files could not be read");
  assert.equal(await kind(check), "verdict warn");
  await says(check, "The other 2 files are as you sealed them.");
  // A pipe is an empty file for a browser; one with a right tag would be no surprise, and this one is new.
  rmSync(bad);
  rmSync(inside, { recursive: true });
  rmSync(join(folder, "link"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  await drop(check, "#view-check", folder);
  await says(check, "Nothing sealed has changed, but 1 file is new");
  rmSync(join(folder, "pipe"));
  // The command sealed what a page can't see: it is not called good.
  writeFileSync(bad, "x");
  symlinkSync("a.txt", join(folder, "link"));
  must("tag", "-k", "odd.key", "-r", "-o", "odd-2.wegman", "odd");
  await drop(check, "#view-check", folder, join(room, "odd-2.wegman"));
  await says(check, "This page can't read it line 6: the name is not text (UTF-8).");
  rmSync(bad);
  must("tag", "-k", "odd.key", "-r", "-o", "odd-3.wegman", "odd");
  await drop(check, "#view-check", folder, join(room, "odd-3.wegman"));
  await says(check, "not everything could be seen");
  await says(check, "1 link, pipe or device was not looked at");
  await page.close();
  await check.close();
});

test("a folder that was sealed before: check it first, or seal it with the next serial number", async () => {
  const own = sealed("again");
  renameSync(own.manifest, join(own.folder, "again.wegman"));
  const inside = join(own.folder, "again.wegman");
  const page = await open({ door: "#seal" });
  await pick(page, "Open a key", own.key);
  await drop(page, "#view-seal", own.folder);
  await says(page, "This folder was sealed before.");
  await says(page, "again.wegman, serial 1");
  await press(page, "Check it first");
  await says(page, "The folder is still needed.");
  await drop(page, "#view-check", own.folder);
  await says(page, "All 2 files are as you sealed them");
  writeFileSync(join(own.folder, "a.txt"), "A");
  writeFileSync(join(own.folder, "c.txt"), "c");
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto(`${origin}/#seal`);
  await page.reload();
  await pick(page, "Open a key", own.key);
  await drop(page, "#view-seal", own.folder);
  await press(page, "Seal as it is now, serial 2");
  await says(page, "Since serial 1: 1 changed, 1 new, 0 gone.");
  await press(page, "Save the manifest");
  const next = await downloaded("again.wegman", "again-2.wegman");
  must("check", "-k", own.key, "--at-least", "2", next);
  assert.equal(run("check", "-k", own.key, "--at-least", "3", next).status, 1);
  // Or the version before is opened by hand.
  await page.reload();
  await pick(page, "Open a key", own.key);
  await page.locator("#view-seal details summary").click();
  await pick(page, "Open the last manifest", next);
  await says(page, "The next seal gets serial 3");
  rmSync(inside);
  await pick(page, "Choose a folder", own.folder);
  await says(page, "Since serial 2: 0 changed, 0 new, 0 gone.");
  // A manifest of another key is one of the files, and is told of.
  sealed("stranger");
  renameSync(join(room, "stranger.wegman"), inside);
  await page.reload();
  await pick(page, "Open a key", own.key);
  await drop(page, "#view-seal", own.folder);
  await says(page, "that this key did not seal: it names key");
  await press(page, "Choose another folder");
  await says(page, "Choose files");
  // And alone it seals nothing.
  await drop(page, "#view-seal", inside);
  await says(page, "Nothing was sealed.");
  rmSync(inside);
  await page.close();
});

test("Check takes the three in any order, by picker and by drop, and goes on when all are there", async () => {
  const own = sealed("order");
  const names = { key: "Open the key", manifest: "Open the manifest", folder: "Choose the folder" };
  const orders = [["key", "manifest", "folder"], ["key", "folder", "manifest"], ["manifest", "key", "folder"], ["manifest", "folder", "key"], ["folder", "key", "manifest"], ["folder", "manifest", "key"]];
  for (const [i, order] of orders.entries()) {
    const page = await open({ door: "#check" });
    for (const [at, what] of order.entries()) {
      if (i % 2 === 0) await pick(page, names[what], own[what]);
      else await drop(page, "#view-check", own[what]);
      if (at === 2) break;
      await page.waitForSelector(what === "manifest" && order.indexOf("key") > at ? "#slot-manifest code, #slot-manifest p" : `#slot-${what}.got`);
      await says(page, at === 0 ? "are still needed." : "is still needed.");
      if (what === "manifest" && order.indexOf("key") > at) await says(page, "Waits for its key. Nothing in it is believed before.");
    }
    await says(page, "All 2 files are as you sealed them");
    assert.equal(await kind(page), "verdict good");
    await says(page, "Serial 1");
    await page.close();
  }
  // All at once.
  const page = await open({ door: "#check" });
  await drop(page, "#view-check", own.folder, own.manifest, own.key);
  await says(page, "All 2 files are as you sealed them");
  // And back: nothing green is left behind a door.
  await page.goBack().catch(() => {});
  await page.goto(`${origin}/#seal`);
  await page.goto(`${origin}/#check`);
  assert.equal(await page.$("#verdict"), null);
  await page.close();
});

test("the verdict: what failed comes first, and what a check does not know is not green", async () => {
  const own = sealed("verdict", { files: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${i % 7}/${i}.txt`, String(i)])) });
  const page = await open({ door: "#check" });
  await giveAll(page, own);
  await says(page, "All 300 files are as you sealed them");
  await page.locator("details summary").click();
  await page.waitForSelector(".vrow");
  const rows = await page.$$eval(".vrow", (all) => all.length);
  assert.ok(rows > 5 && rows <= 50, `${rows} rows`);
  await page.locator("input[type=search]").fill("6/69.txt");
  await says(page, "1 file");
  writeFileSync(join(own.folder, "3/3.txt"), "changed");
  await press(page, "Check another folder");
  await pick(page, "Choose the folder", own.folder);
  await says(page, "1 changed: verdict/3/3.txt");
  assert.equal(await kind(page), "verdict bad");
  await says(page, "The other 299 files are as you sealed them.");
  // Of a changed file the right tag is not shown.
  assert.doesNotMatch((await view(page)).replaceAll(" ", ""), /[0-9a-f]{32}/);
  rmSync(join(own.folder, "4/4.txt"));
  writeFileSync(join(own.folder, "new.txt"), "new");
  // What was picked must be picked again: the same button asks for it.
  assert.equal(await has(page, "Check again"), false);
  await pick(page, "Choose the folder again", own.folder);
  await says(page, "1 changed, 1 missing, 1 new");
  assert.match((await view(page)).replace(/\s+/g, " "), /1 changed, 1 missing, 1 new.*Changed 1.*Missing 1.*New 1.*Unchanged 298/);
  writeFileSync(join(own.folder, "3/3.txt"), "3");
  writeFileSync(join(own.folder, "4/4.txt"), "4");
  await drop(page, "#view-check", own.folder);
  await says(page, "Nothing sealed has changed, but 1 file is new");
  assert.equal(await kind(page), "verdict warn");
  // What was dropped can be walked again.
  rmSync(join(own.folder, "new.txt"));
  await press(page, "Check again");
  await says(page, "All 300 files are as you sealed them");
  await page.close();
});

test("refused manifests: nothing in them is believed, and no file is checked", async () => {
  const own = sealed("refused");
  const text = readFileSync(own.manifest, "utf8");
  const page = await open({ door: "#check" });
  await giveAll(page, own);
  await says(page, "All 2 files");
  const bad = join(room, "bad.wegman");
  for (const [content, why] of [
    [text.slice(0, -2), "It has no seal at its end"],
    [`${text}more\n`, "text after the seal"],
    [text.replace("128-bit", "064-bit"), "064-bit tags"],
    [text.replace("a.txt", "A.txt"), "It was changed after it was sealed"],
    [text.replace(/key [0-9a-f]/, (all) => (all.endsWith("0") ? "key 1" : "key 0")), "It names another key"],
  ]) {
    writeFileSync(bad, content);
    await drop(page, "#view-check", bad);
    await says(page, why);
    await says(page, "No file was checked.");
    assert.equal(await page.$("#verdict"), null);
  }
  // Another key: the same words, and then the right one.
  must("keygen", "another.key");
  await drop(page, "#view-check", own.manifest);
  await says(page, "All 2 files");
  await drop(page, "#view-check", join(room, "another.key"));
  await says(page, "It names another key");
  await drop(page, "#view-check", own.key);
  await says(page, "All 2 files");
  // Older than the person's note.
  await press(page, "Check another folder");
  await says(page, "I noted the serial number");
  await page.locator("#view-check details summary").click();
  await page.waitForSelector("#noted");
  await page.type("#noted", "2");
  await drop(page, "#view-check", own.folder);
  await says(page, "It is older than the one you noted");
  await page.locator("#noted").fill("1");
  await page.$eval("#noted", (input) => input.dispatchEvent(new Event("change")));
  await says(page, "All 2 files");
  await page.close();
});

// Whether a drop was checked once depended on the first 18 bytes of the manifest, which nothing authenticates.
test("checking never seals, and no bytes decide what is done", async () => {
  const own = sealed("doors");
  const page = await open({ door: "#check" });
  await drop(page, "#view-check", own.key);
  writeFileSync(join(own.folder, "a.txt"), "A");
  const text = readFileSync(own.manifest, "utf8");
  writeFileSync(own.manifest, `@${text.slice(1)}`);
  await drop(page, "#view-check", own.folder, own.manifest);
  await says(page, "The manifest is still needed.");
  assert.equal(await page.$("#verdict"), null);
  await drop(page, "#view-check", own.folder);
  await says(page, "The manifest is still needed.");
  assert.ok(!(await has(page, "Save the manifest")));
  // Inside the folder, it is one of the files.
  renameSync(own.manifest, join(own.folder, "doors.wegman"));
  await drop(page, "#view-check", own.folder);
  await says(page, "There is none in the folder.");
  // With a right first line it is taken from there, and a forged one is refused.
  writeFileSync(join(own.folder, "doors.wegman"), text);
  await drop(page, "#view-check", own.folder);
  await says(page, "1 changed: doors/a.txt");
  writeFileSync(join(own.folder, "doors.wegman"), text.replace("a.txt", "b.txt"));
  await drop(page, "#view-check", own.folder);
  await says(page, "It was changed after it was sealed");
  // A new file that looks like a manifest is new.
  writeFileSync(join(own.folder, "doors.wegman"), text);
  writeFileSync(join(own.folder, "more.wegman"), "# wegman manifest 2: forged\n");
  await drop(page, "#view-check", own.folder);
  await says(page, "2 manifests lie in the folder. Which one?");
  await says(page, "not of this key");
  await page.locator(".pickone button").click();
  await says(page, "1 changed, 1 new");
  assert.deepEqual(readdirSync(downloads), []);
  await page.close();
});

test("a renamed copy, a manifest of `tag -r .`, and one from elsewhere give no false alarm", async () => {
  const own = sealed("names");
  const copy = join(room, "names-copy");
  execFileSync("cp", ["-r", own.folder, copy]);
  const page = await open({ door: "#check" });
  await giveAll(page, { ...own, folder: copy });
  await says(page, "You sealed names and gave names-copy. Apart from that, all 2 names are the same.");
  await press(page, "Compare its name");
  await says(page, "2 missing, 2 new");
  await drop(page, "#view-check", copy);
  await press(page, "Check it as names");
  await says(page, "All 2 files are as you sealed them");
  await says(page, "names-copy was checked as names.");
  // Only the name differs: a change is still seen.
  writeFileSync(join(copy, "a.txt"), "A");
  await press(page, "Check another folder");
  await pick(page, "Choose the folder", copy);
  await press(page, "Check it as names");
  await says(page, "1 changed: names-copy/a.txt");
  const there = spawnSync(wegman, ["tag", "-k", own.key, "-r", "-o", join(room, "dot.wegman"), "."], { cwd: own.folder, encoding: "utf8" });
  assert.equal(there.status, 0, there.stderr);
  await drop(page, "#view-check", own.folder, join(room, "dot.wegman"));
  await says(page, "All 2 files are as you sealed them");
  must("tag", "-k", "names.key", "-r", "-o", "far.wegman", own.folder);
  await drop(page, "#view-check", own.folder, join(room, "far.wegman"));
  await says(page, "All 2 files are as you sealed them");
  await drop(page, "#view-check", join(own.folder, "a.txt"), own.manifest);
  await says(page, "1 missing: names/sub/b.txt");
  await page.close();
});

test("folders of the manifest that are gone are missing, and new empty ones are new", async () => {
  const folder = tree("folders");
  mkdirSync(join(folder, "empty"));
  const own = sealed("folders");
  const page = await open({ door: "#check" });
  await drop(page, "#view-check", own.folder, own.manifest, own.key);
  await says(page, "All 2 files are as you sealed them");
  // Where a browser can't see it, it is not called missing, and all is not called good.
  await pick(page, "Check another folder", own.folder).catch(() => pick(page, "Choose the folder", own.folder));
  await says(page, "but not everything could be seen");
  assert.equal(await kind(page), "verdict warn");
  rmSync(join(folder, "empty"), { recursive: true });
  await drop(page, "#view-check", own.folder);
  await says(page, "1 missing: folders/empty/");
  mkdirSync(join(folder, "other"));
  await drop(page, "#view-check", own.folder);
  await says(page, "1 missing, 1 new");
  await page.close();
});

test("nothing green stays after an error or another key", async () => {
  const own = sealed("stale");
  writeFileSync(join(room, "broken.key"), "# wegman key: broken");
  must("keygen", "fresh.key");
  const page = await open({ door: "#check" });
  for (const [what, words] of [["broken.key", "can't be used"], ["fresh.key", "It names another key"], ["stale/a.txt", "1 missing"]]) {
    await drop(page, "#view-check", own.folder, own.manifest, own.key);
    await says(page, "All 2 files are as you sealed them");
    await drop(page, "#view-check", join(room, what));
    await says(page, words);
    assert.equal(await page.$(".verdict.good"), null);
  }
  await page.close();
});

test("names can't turn around or break what stands beside them", async () => {
  const page = await open({ door: "#check", width: 360 });
  const own = sealed("markup", { files: { "a\u202egpj.exe": "1", "b\nc": "2", "<img src=x onerror=alert(1)>": "3", "\u05d0\u05d1": "4", ["long".repeat(60)]: "5" } });
  await drop(page, "#view-check", own.manifest, own.key, tree("markup-other", { "<b>": "new" }));
  await says(page, "5 missing, 1 new");
  const shown = await page.$$eval("section.group .path", (all) => all.map((one) => one.textContent));
  assert.ok(shown.includes("markup/a\\u{202e}gpj.exe") && shown.includes("markup/b\\u{a}c"), shown.join());
  assert.equal(await page.$(".view img, .view b"), null);
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(over <= 0, `${over} pixels too wide`);
  await page.close();
});

test("a file that changes while it is read is said to", async () => {
  const own = sealed("moving");
  const page = await open({ door: "#seal" });
  await pick(page, "Open a key", own.key);
  const big = join(own.folder, "big");
  const file = openSync(big, "w");
  ftruncateSync(file, 4e7);
  closeSync(file);
  const { begun, goOn } = await hold(page);
  await drop(page, "#view-seal", own.folder);
  await begun();
  appendFileSync(big, "more");
  utimesSync(big, new Date(), new Date(Date.now() + 5000));
  await goOn();
  await says(page, "1 of 3 files can't be read.");
  await says(page, "it changed while it was read");
  rmSync(big);
  await page.close();
});

test("manifests under UMAC keys of the command are read", async () => {
  for (const algorithm of ["UMAC-64", "UMAC-128", "UMAC-32", "UMAC-96"]) {
    const own = sealed(algorithm, { algorithm, files: { small: "s", large: "x".repeat(600_000), empty: "" } });
    const page = await open({ door: "#check" });
    await drop(page, "#view-check", own.folder, own.manifest, own.key);
    await says(page, "All 3 files are as you sealed them");
    writeFileSync(join(own.folder, "large"), `${"x".repeat(599_999)}y`);
    await press(page, "Check another folder");
    await pick(page, "Choose the folder", own.folder);
    await says(page, `1 changed: ${algorithm}/large`);
    await page.close();
  }
});

test("5,000 files, and a list of 100,000 names: few elements, and a time beside the command's", async () => {
  const folder = tree("many", Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${i % 50}/${i}.txt`, `file ${i}`])));
  must("keygen", "many.key");
  const began = performance.now();
  must("tag", "-k", "many.key", "-r", "-o", "many.wegman", "many");
  const command = performance.now() - began;
  const page = await open({ door: "#check" });
  await drop(page, "#view-check", join(room, "many.key"), join(room, "many.wegman"));
  await says(page, "The folder is still needed.");
  const start = performance.now();
  await drop(page, "#view-check", folder);
  await says(page, "All 5,000 files are as you sealed them");
  const took = performance.now() - start;
  console.log(`5,000 files: ${took.toFixed(0)} ms with the drop's walk; the command tags them in ${command.toFixed(0)} ms`);
  // 108 s when the table was quadratic; a machine may be busy.
  assert.ok(took < 30_000, `${took} ms`);
  const listed = await page.evaluate(async () => {
    const { fileList } = await import("./ui.js");
    const rows = Array.from({ length: 100_000 }, (_, i) => ({ icon: "ok", name: `photos/${i % 100}/${i}.jpg` }));
    const began = performance.now();
    const list = fileList(rows, "All");
    document.querySelector("#check-body").append(list);
    list.scrollIntoView();
    return { ms: performance.now() - began, rows: list.querySelectorAll("[role=listitem]").length };
  });
  console.log(`100,000 names: ${listed.ms.toFixed(0)} ms`);
  assert.ok(listed.rows <= 50, `${listed.rows} rows`);
  // A walk shows how far it is, and ends when the person wants. It is held, so that it does not end before.
  await page.evaluateOnNewDocument(() => {
    const held = new Promise((goOn) => Object.assign(window, { goOn }));
    const item = DataTransferItem.prototype;
    const entryOf = item.webkitGetAsEntry;
    item.webkitGetAsEntry = function () {
      const entry = entryOf.call(this);
      const reader = Object.getPrototypeOf(entry.createReader());
      const read = reader.readEntries;
      let calls = 0;
      reader.readEntries = function (...on) {
        calls += 1;
        if (calls < 20) read.apply(this, on);
        else held.then(() => read.apply(this, on));
      };
      return entry;
    };
  });
  await page.reload();
  await drop(page, "#view-check", folder);
  await says(page, "files found");
  await press(page, "Cancel");
  await page.evaluate(() => window.goOn());
  await says(page, "Cancelled");
  await says(page, "The folder was not read.");
  assert.equal(await page.$("#cancel"), null);
  await page.close();
});

test("a large file: progress, cancel, a fraction of it in memory, and the tag of the command from all workers", async () => {
  const own = sealed("large", { files: { small: "s" } });
  const big = join(own.folder, "big");
  writeFileSync(big, Buffer.alloc(1 << 20, 7));
  const file = openSync(big, "r+");
  ftruncateSync(file, 4e8 + 5);
  closeSync(file);
  must("tag", "-k", "large.key", "-r", "--force", "-o", "large.wegman", "large");
  const page = await open({ door: "#check" });
  const { begun, goOn } = await hold(page);
  await drop(page, "#view-check", own.manifest, own.key, own.folder);
  await says(page, "Checking large");
  await begun();
  await press(page, "Cancel");
  await goOn();
  await says(page, "Stopped after");
  await says(page, "No verdict");
  await press(page, "Check again");
  let most = 0;
  for (;;) {
    most = Math.max(most, memoryOf());
    if ((await view(page)).includes("All 2 files are as you sealed them")) break;
    await new Promise((done) => setTimeout(done, 50));
  }
  console.log(`400 MB: at most ${(most / 1e6).toFixed(0)} MB in a process of the page`);
  assert.ok(most < 350e6, `${most} bytes`);
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

test("without a network everything works that is on the page, and its workers reach no other place", async () => {
  const [own, other] = [await serve(site), await serve(site)];
  const page = await browser.newPage();
  await page.goto(`${own.origin}/`, { waitUntil: "networkidle0" });
  const workers = page.workers().filter((worker) => worker.url().startsWith("blob:"));
  assert.ok(workers.length > 0, "they begin with the page");
  const reach = (url) => fetch(url, { mode: "no-cors" }).then(() => "reached", () => "refused");
  assert.equal(await page.evaluate(reach, own.origin), "reached");
  for (const where of [page, ...workers]) assert.equal(await where.evaluate(reach, other.origin), "refused");
  // Until it is kept for use without a network.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  for (const { server } of [own, other]) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
  await press(page, "Try it with a sample");
  await page.locator("#door-seal").click();
  await press(page, "Make a key");
  await dropMade(page, "#view-seal", ["a", "b", "c", "d", "e", "f"].map((name) => [name, name.repeat(1000)]));
  await says(page, "Save these two things");
  // Another page of the same place begins without one.
  const again = await browser.newPage();
  await again.goto(`${own.origin}/#check`);
  await says(again, "A check only reads");
  await again.goto(`${own.origin}/why.html`);
  await again.click("#go-nonce");
  await again.waitForFunction(() => document.querySelector("#nonce-end").innerText.includes("a forgery"));
  await again.close();
  page.on("dialog", (dialog) => dialog.accept());
  await page.close();
});

test("a worker that can't begin is told of, and the next try has another", async () => {
  let away = true;
  const own = await serve(site, 0, (path) => away && ["/worker.js", "/sw.js"].includes(path));
  const page = await browser.newPage();
  await page.goto(`${own.origin}/#seal`, { waitUntil: "networkidle0" });
  await press(page, "Make a key");
  const files = ["a", "b", "c", "d", "e", "f"].map((name) => [name, name]);
  await dropMade(page, "#view-seal", files);
  await says(page, "No file could be read.");
  await says(page, "is the network away");
  away = false;
  await dropMade(page, "#view-seal", files);
  await says(page, "Save these two things");
  await page.close();
  own.server.closeAllConnections();
  own.server.close();
});

test("one file without a server: it seals and checks, and runs no other script", async () => {
  const page = await open({ at: `file://${site}/wegman.html` });
  const folder = tree("alone");
  await page.locator("#door-seal").click();
  await press(page, "Make a key");
  await pick(page, "Choose a folder", folder);
  await says(page, "Save these two things");
  await press(page, "Check it now");
  await pick(page, "Choose the folder", folder);
  await says(page, "All 2 files are as you sealed them");
  const runs = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    return window.ran ?? false;
  });
  assert.equal(runs, false);
  problems.splice(0, problems.length, ...problems.filter((one) => !/inline script/.test(one)));
  page.on("dialog", (dialog) => dialog.accept());
  await page.close();
  // The page in parts says how to open it.
  const parts = await browser.newPage();
  await parts.goto(`file://${site}/index.html`);
  await parts.waitForFunction(() => document.querySelector("#dead").checkVisibility({ visibilityProperty: true }), { timeout: 10_000 });
  assert.match(await text(parts, "#dead"), /wegman\.html/);
  await parts.close();
});

test("the server is for this machine, lets nobody frame the page, and prints what it serves", async () => {
  const answer = await fetch(`${origin}/`);
  assert.match(answer.headers.get("content-security-policy"), /frame-ancestors 'none'/);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  for (const path of ["/../package.json", "/%2e%2e/package.json", "/wegman", "/none"]) assert.equal((await fetch(origin + path)).status, 404, path);
  assert.equal(server.address().address, "127.0.0.1");
  assert.match(hashes(site), /^[0-9a-f]{64} {2}app\.webmanifest$/m);
  // What is kept is what was built.
  assert.match(readFileSync(join(site, "sw.js"), "utf8"), /"wegman\/wegman-simd\.wasm": "sha256-/);
});

test("the sample flips a byte, and turns red", async () => {
  const page = await open();
  await press(page, "Try it with a sample");
  await says(page, "Three files.");
  await press(page, "Pause");
  await press(page, "Next");
  await says(page, "Pay Anna 900 euros");
  await press(page, "Next");
  await says(page, "1 changed: letter.txt");
  assert.match((await text(page, ".story")).replace(/\s+/g, " "), /letter\.txt.*matches.*changed.*notes\.txt.*matches.*as sealed/);
  await press(page, "Play again");
  await says(page, "Three files.");
  await page.close();
});

test("the lab shows its figure and the papers' tables, and the nonce demonstration forges", async () => {
  const page = await open({ at: `${origin}/lab.html` });
  await page.waitForSelector("#chart svg");
  const labels = () => page.$$eval("#chart text.lab", (all) => all.map((one) => one.textContent).join(" "));
  assert.match(await labels(), /UMAC-64.*experimental|experimental.*UMAC-64/);
  assert.notEqual(await page.$eval("#chart .exp .ln", (line) => getComputedStyle(line).strokeDasharray), "none");
  const before = await labels();
  await page.locator("input[value=avx2]").click();
  assert.notEqual(await labels(), before);
  await page.locator("input[value=table]").click();
  assert.match(await text(page, "#chart"), /PMAC/);
  assert.ok((await page.$$("#machine option")).length >= 3);
  assert.equal(await page.$("#tables table"), null);
  await page.select("#machine", String(await page.$$eval("#machine option", (all) => all.findIndex((one) => one.textContent.includes("family 25")))));
  await page.locator("#tables summary").click();
  await page.waitForSelector("#tables table");
  assert.match(await text(page, "#tables"), /printed/);
  await page.goto(`${origin}/why.html`);
  await page.locator("#go-nonce").click();
  await page.waitForFunction(() => document.querySelector("#nonce-end").innerText.includes("a forgery"));
  await page.close();
});

test("every state in both schemes, wide and narrow: clean for axe, and nothing beside the page", async () => {
  const own = sealed("axe");
  const changed = sealed("axe-red", { files: Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`2024/${i}.jpg`, String(i)])) });
  writeFileSync(join(changed.folder, "2024/7.jpg"), "changed");
  rmSync(join(changed.folder, "2024/8.jpg"));
  writeFileSync(join(changed.folder, "invoice.exe"), "new");
  execFileSync("cp", ["-r", own.folder, join(room, "axe-copy")]);
  /** @type {Record<string, [string, (page: any) => Promise<void>]>} */
  const states = {
    home: ["", async () => {}],
    sample: ["", async (page) => { await press(page, "Try it with a sample"); await press(page, "Pause"); await press(page, "Next"); await press(page, "Next"); }],
    seal: ["#seal", async () => {}],
    folder: ["#seal", async (page) => { await press(page, "Make a key"); await says(page, "not saved yet"); }],
    refused: ["#seal", async (page) => { await pick(page, "Open a key", join(own.folder, "a.txt")); await says(page, "is not a key"); }],
    sealed: ["#seal", async (page) => { await press(page, "Make a key"); await pick(page, "Choose a folder", own.folder); await says(page, "Save these"); await press(page, "Save the manifest"); await says(page, "downloads"); }],
    ask: ["#seal", async (page) => { await press(page, "Make a key"); await pick(page, "Choose a folder", own.folder); await press(page, "Seal another folder"); await says(page, "not saved", "#ask"); }],
    collect: ["#check", async (page) => { await drop(page, "#view-check", own.manifest); await says(page, "Waits for its key"); }],
    wrong: ["#check", async (page) => { await drop(page, "#view-check", own.manifest, changed.key); await says(page, "names another key"); }],
    rename: ["#check", async (page) => { await drop(page, "#view-check", own.manifest, own.key, join(room, "axe-copy")); await says(page, "another name"); }],
    green: ["#check", async (page) => { await drop(page, "#view-check", own.manifest, own.key, own.folder); await says(page, "All 2 files"); }],
    red: ["#check", async (page) => { await drop(page, "#view-check", changed.manifest, changed.key, changed.folder); await says(page, "1 changed, 1 missing, 1 new"); await page.locator("details summary").click(); }],
    lab: ["lab.html", async (page) => { await page.waitForSelector("#chart svg"); await page.locator("#tables summary").click(); }],
    why: ["why.html", async (page) => { await page.locator("#go-nonce").click(); await page.waitForSelector("#nonce-end .note"); }],
  };
  for (const [name, [door, act]] of Object.entries(states)) {
    for (const width of [360, 1280]) {
      const page = await open({ door, width });
      page.on("dialog", (dialog) => dialog.accept());
      await act(page);
      await page.evaluate(axe);
      for (const scheme of ["light", "dark"]) {
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(over <= 0, `${name}: ${over} pixels too wide at ${width}`);
        const violations = await page.evaluate(async () => (await globalThis.axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`));
        assert.deepEqual(violations, [], `${name}, ${scheme} at ${width}`);
        if (pictures) await page.screenshot({ path: join(pictures, `${name}-${width}-${scheme}.png`), fullPage: true });
      }
      await page.close({ runBeforeUnload: false });
    }
  }
  for (const name of readdirSync(downloads)) rmSync(join(downloads, name));
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
