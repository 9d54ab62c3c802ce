// Keeps the page for when the server can't be reached. The server puts three constants
// before this text: VERSION, which changes with the files, FILES, their addresses, and BOOKS, those
// of the games' books.

const CACHE = `open_ttt ${VERSION}`;
const GAMES = "/api/v1/games";
/** Kept once they have been used: the module that plays, and what it reads. */
const PLAYER = ["/assets/open_ttt.wasm", ...BOOKS];
const KEPT = new Set([...FILES, GAMES, ...PLAYER]);
/** How long the server may take before what is kept is shown instead, in milliseconds. */
const PATIENCE = 4_000;

/** @param {string[]} paths */
async function keep(paths) {
  const cache = await caches.open(CACHE);
  await cache.addAll(paths.map((path) => new Request(path, { cache: "no-cache" })));
}

async function install() {
  const isUsed = await caches.match(PLAYER[0]);
  await keep([...FILES, GAMES, ...(isUsed ? PLAYER : [])]);
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
self.addEventListener("message", (event) => event.data === "module" && event.waitUntil(keep(PLAYER)));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") event.respondWith(answer(request, "/"));
  else if (KEPT.has(pathname)) event.respondWith(answer(request, pathname));
});
