// The package beside the MACs of node and of npm, in nanoseconds a message, keys made before: `scripts/site speed`.
// The middle of nine runs of at least 50 ms each, in turn. Answers are compared between the ways that one MAC is had.
// Then a file of 2 GiB in the page, on one worker and on two, if CHROMIUM names the browser and SITE the folder of the page.

import assert from "node:assert/strict";
import { createHmac, webcrypto } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createBLAKE3 } from "hash-wasm";
import puppeteer from "puppeteer-core";
import { Pmac, Umac64 } from "../../wasm/npm/index.js";
import { serve } from "../serve.mjs";

const key = new Uint8Array(32).fill(7);
const short = key.slice(0, 16);
const nonce = new Uint8Array(8);
const [pmac, umac, blake3] = [await Pmac.create(short), await Umac64.create(short), await createBLAKE3(256, key)];
const subtle = await webcrypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
const ways = {
  "wegman Umac64": (message) => umac.tag(message, nonce),
  "wegman Pmac": (message) => pmac.tag(message),
  "node:crypto HMAC-SHA256": (message) => createHmac("sha256", key).update(message).digest(),
  "SubtleCrypto HMAC-SHA256": (message) => webcrypto.subtle.sign("HMAC", subtle, message),
  "hash-wasm BLAKE3, keyed": (message) => blake3.init().update(message).digest("binary"),
};
const sizes = { "64 B": 64, "1500 B": 1500, "1 MiB": 1 << 20, ...(process.env.QUICK ? {} : { "1 GB": 1e9 }) };

const hmacs = await Promise.all([3, 4].map((i) => Object.values(ways)[i - 1](new Uint8Array(100))));
assert.deepEqual(new Uint8Array(hmacs[0]), new Uint8Array(hmacs[1]));

console.log(`${cpus()[0].model}; node ${process.version}; ns a message\n`);
console.log(`| | ${Object.keys(sizes).join(" | ")} |\n|---|${Object.keys(sizes).map(() => "---:|").join("")}`);
const table = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
for (const size of Object.values(sizes)) {
  const message = new Uint8Array(size).fill(1);
  const runs = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let run = 0; run < (size > 1e8 ? 3 : 9); run += 1) {
    for (const [name, tag] of Object.entries(ways)) {
      let [count, began] = [0, performance.now()];
      do {
        for (let i = 0; i < (size > 1e5 ? 1 : 64); i += 1, count += 1) {
          const made = tag(message);
          if (made instanceof Promise) await made;
        }
      } while (performance.now() - began < 50);
      runs[name].push((1e6 * (performance.now() - began)) / count);
    }
  }
  for (const [name, all] of Object.entries(runs)) table[name].push(all.sort((a, b) => a - b)[all.length >> 1]);
}
for (const [name, values] of Object.entries(table)) {
  console.log(`| ${name} | ${values.map((value) => Math.round(value).toLocaleString("en")).join(" | ")} |`);
}

if (process.env.CHROMIUM && !process.env.QUICK) await large(process.env.CHROMIUM, process.env.SITE);

async function large(executablePath, site) {
  const room = mkdtempSync(join(tmpdir(), "wegman-speed-"));
  const file = join(room, "large");
  writeFileSync(file, "");
  for (let i = 0; i < 32; i += 1) writeFileSync(file, Buffer.alloc(64 << 20, i), { flag: "a" });
  const { server, origin } = await serve(site);
  // In a container root has no sandbox.
  const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  const [times, tags] = [{ 1: [], 2: [] }, new Set()];
  for (let run = 0; run < 5; run += 1) {
    for (const workers of [1, 2]) {
      const page = await browser.newPage();
      await page.evaluateOnNewDocument((workers) => Object.defineProperty(navigator, "hardwareConcurrency", { value: workers }), workers);
      await page.goto(origin, { waitUntil: "networkidle0" });
      const input = await page.evaluateHandle(() => Object.assign(document.createElement("input"), { type: "file" }));
      await input.uploadFile(file);
      const { time, tag } = await page.evaluate(async (input) => {
        const { readAll } = await import("./pool.js");
        const began = performance.now();
        let made;
        await readAll({ secret: new Uint8Array(32) }, [{ file: input.files[0] }], {
          each: (_, outcome) => (made = outcome), onProgress() {}, signal: new AbortController().signal,
        });
        return { time: performance.now() - began, tag: String(made.tag) };
      }, input);
      times[workers].push(time / 1000);
      tags.add(tag);
      await page.close();
    }
  }
  assert.equal(tags.size, 1, "one tag");
  const [one, two] = [1, 2].map((workers) => Math.min(...times[workers]));
  console.log(`\n2 GiB in the page: ${one.toFixed(2)} s on one worker, ${two.toFixed(2)} s on two: ${(one / two).toFixed(2)} times as fast`);
  await browser.close();
  server.close();
  rmSync(room, { recursive: true });
}
