// Keeps the page for when the server can't be reached. The server puts three constants
// before this text: VERSION, which changes with the files, FILES, their addresses, and BOOKS, those
// of the games' books.

const CACHE = `open_ttt ${VERSION}`;
const GAMES = "/api/v1/games";
/** Kept once they have been used: the module that plays, and what it reads. */
const PLAYER = ["/assets/open_ttt.wasm", ...BOOKS];
const KEPT = new Set([...FILES, GAMES, ...PLAYER]);
/** How long the server may take for a page before the kept one is shown instead, in milliseconds. */
const PAGE_PATIENCE = 4_000;
/** The same for a file. On a slow line it takes its time, and a kept one may be of another version. */
const FILE_PATIENCE = 20_000;

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

/** The pages that are shown as they are kept, and their workers, by the ids of their clients. @type {Set<string>} */
const keptPages = new Set();

/** A page; its files come from where it comes from, so that all are of one version. @param {FetchEvent} event */
async function page({ request, resultingClientId }) {
  const { response, isKept } = await answer(request, "/", PAGE_PATIENCE);
  if (isKept) keptPages.add(resultingClientId);
  return response;
}

/** @param {FetchEvent} event @param {string} path */
async function file({ request, clientId, resultingClientId }, path) {
  const isKept = keptPages.has(clientId);
  // A worker of the page asks under an id of its own, which some browsers don't tell.
  if (isKept && resultingClientId && request.destination === "worker") keptPages.add(resultingClientId);
  const kept = isKept && (await (await caches.open(CACHE)).match(path));
  return kept || (await answer(request, path, FILE_PATIENCE)).response;
}

/** Whether another attempt may succeed. @param {number} status */
const isBusy = (status) => status >= 500 || status === 408 || status === 429;

/**
 * The server's answer, or else what is kept.
 * @param {Request} request @param {string} path @param {number} patience in milliseconds
 * @returns {Promise<{response: Response, isKept: boolean}>}
 */
async function answer(request, path, patience) {
  const fetched = fetch(request).then((response) => ({ response, isKept: false }));
  const response = await (await caches.open(CACHE)).match(path);
  if (!response) return fetched;
  const kept = { response, isKept: true };
  const late = new Promise((resolve) => setTimeout(() => resolve(kept), patience));
  const usable = fetched.then(
    // A proxy may answer for a server that isn't there, and a server that has too much to do.
    (answered) => (isBusy(answered.response.status) ? kept : answered),
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
  if (request.mode === "navigate") event.respondWith(page(event));
  else if (KEPT.has(pathname)) event.respondWith(file(event, pathname));
});
