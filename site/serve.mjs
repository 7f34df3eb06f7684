// Serves the page to this machine only, with the headers that a page can't give itself: node serve.mjs FOLDER [PORT]

import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { pathToFileURL } from "node:url";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json" };
const HEADERS = {
  "content-security-policy": "frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-cache",
};

/** @param {string} folder @param {number} port @param {(path: string) => boolean} lacks what is not there, for tests */
export async function serve(folder, port = 0, lacks = () => false) {
  const root = normalize(folder + sep);
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://page").pathname).replace(/\/$/, "/index.html");
    const file = join(root, path);
    const isThere = file.startsWith(root) && !lacks(path) && existsSync(file) && statSync(file).isFile();
    if (!isThere) return response.writeHead(404, HEADERS).end();
    response.writeHead(200, { ...HEADERS, "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    response.end(readFileSync(file));
  });
  await new Promise((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

/** As sha256sum prints it. @param {string} folder */
export function hashes(folder) {
  const files = readdirSync(folder, { recursive: true }).map(String).filter((name) => statSync(join(folder, name)).isFile()).sort();
  return files.map((name) => `${createHash("sha256").update(readFileSync(join(folder, name))).digest("hex")}  ${name}`).join("\n");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [folder, port = "8743"] = process.argv.slice(2);
  if (!folder) throw new Error("usage: node serve.mjs FOLDER [PORT]");
  console.log(hashes(folder));
  const { origin } = await serve(folder, Number(port)).catch((error) => {
    if (error.code !== "EADDRINUSE") throw error;
    return serve(folder);
  });
  console.log(`\nThe page is at ${origin}/ for this machine only. Ctrl-C ends it.\nWithout a server: ${join(folder, "wegman.html")}`);
}
