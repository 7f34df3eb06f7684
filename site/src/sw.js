// Keeps the page for use without a network: every file as it was built, by its hash.

const FILES = {};
const scope = /** @type {any} */ (self);
// Another version of any file is another version of all.
const NAME = `wegman ${Object.values(FILES).join("")}`;

scope.addEventListener("install", (/** @type {any} */ event) => {
  const fill = async () => {
    const cache = await caches.open(NAME);
    // A file with another hash is refused, and then nothing of this version is kept.
    await cache.addAll(Object.entries(FILES).map(([file, integrity]) => new Request(file, { integrity: String(integrity), cache: "no-cache" })));
    await scope.skipWaiting();
  };
  event.waitUntil(fill());
});
scope.addEventListener("activate", (/** @type {any} */ event) => {
  const clean = async () => {
    for (const name of await caches.keys()) if (name.startsWith("wegman ") && name !== NAME) await caches.delete(name);
  };
  event.waitUntil(clean());
});
scope.addEventListener("fetch", (/** @type {any} */ event) => {
  const { url, method, mode } = event.request;
  if (method !== "GET" || new URL(url).origin !== location.origin) return;
  const answer = async () => {
    const cache = await caches.open(NAME);
    const asked = mode === "navigate" && url.split(/[?#]/)[0].endsWith("/") ? "index.html" : event.request;
    return (await cache.match(asked, { ignoreSearch: true })) ?? fetch(event.request);
  };
  event.respondWith(answer());
});
