// Keeps the page for when the server can't be reached. The server puts two constants before
// this text: VERSION, which changes with the files, and FILES, their addresses.

const CACHE = `open_ttt ${VERSION}`;
const GAMES = "/api/v1/games";
/** Kept once it has been used. */
const MODULE = "/assets/open_ttt.wasm";
const KEPT = new Set([...FILES, GAMES, MODULE]);
/** How long the server may take before what is kept is shown instead, in milliseconds. */
const PATIENCE = 4_000;

/** @param {string[]} paths */
async function keep(paths) {
  const cache = await caches.open(CACHE);
  await cache.addAll(paths.map((path) => new Request(path, { cache: "no-cache" })));
}

async function install() {
  const isUsed = await caches.match(MODULE);
  await keep([...FILES, GAMES, ...(isUsed ? [MODULE] : [])]);
  await self.skipWaiting();
}

async function activate() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("open_ttt ") && name !== CACHE).map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** The server's answer, or else what is kept. @param {Request} request @param {string} path */
async function answer(request, path) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(path);
  const fetched = fetch(request);
  if (!kept) return fetched;
  const late = new Promise((resolve) => setTimeout(() => resolve(kept), PATIENCE));
  const usable = fetched.then(
    // A proxy may answer for a server that isn't there.
    (response) => (response.status >= 500 ? kept : response),
    () => kept,
  );
  return Promise.race([usable, late]);
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("message", (event) => event.data === "module" && event.waitUntil(keep([MODULE])));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") event.respondWith(answer(request, "/"));
  else if (KEPT.has(pathname)) event.respondWith(answer(request, pathname));
});
