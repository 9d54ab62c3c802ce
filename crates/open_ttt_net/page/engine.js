// The WebAssembly module in workers: what the server answers about games, answered in this
// browser. It is loaded when it is first asked.

/**
 * The longest time that the module may take to load before the server is asked instead, in milliseconds: longer
 * than the service worker waits for a file before it gives the one that is kept.
 */
const LOAD_LIMIT = 25_000;

/** What the worker loads. */
const MODULE = "/assets/open_ttt.wasm";

/** The module can't be loaded, or has failed. */
export class EngineError extends Error {}

/** @type {WebAssembly.Module | undefined} */
let module;
let isBroken = !("WebAssembly" in globalThis && "Worker" in globalThis);

/** Whether the module is loaded. */
export const isReady = () => module !== undefined;

/** Whether the module is here or kept by the browser, so that it needs no server. */
export async function isKept() {
  if (isBroken || isReady()) return !isBroken;
  try {
    return Boolean(await caches.match(MODULE));
  } catch {
    // The browser keeps nothing: there are no caches, or they are forbidden.
    return false;
  }
}

/** @param {WebAssembly.Module} compiled */
function loaded(compiled) {
  // What was loaded once is kept for when the server can't be reached.
  if (!module) navigator.serviceWorker?.ready.then(({ active }) => active?.postMessage("module"));
  module = compiled;
}

/** A worker, and what it is asked. */
class EngineWorker {
  constructor() {
    /** @type {Worker | undefined} */
    this.worker = undefined;
    /** @type {Map<number, {resolve: (answer: any) => void, reject: (error: Error) => void}>} */
    this.waiting = new Map();
    this.asked = 0;
  }

  /** @param {object} request @param {AbortSignal} [signal] @returns {Promise<any>} */
  ask(request, signal) {
    const worker = (this.worker ??= this.#start());
    const id = ++this.asked;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, request: JSON.stringify(request) });
      // A search hears nothing: its worker is ended, and whatever waited for it starts again.
      signal?.addEventListener("abort", () => this.waiting.has(id) && this.#end(new EngineError("stopped")));
      if (!module) setTimeout(() => module || (this.waiting.delete(id) && reject(new EngineError("slow"))), LOAD_LIMIT);
    });
  }

  #start() {
    const worker = new Worker("/assets/engine-worker.js", { type: "module" });
    worker.onmessage = ({ data }) => {
      if (data.module) loaded(data.module);
      if (data.failed) this.#fail(data.failed);
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      waiting?.resolve(JSON.parse(data.json));
    };
    worker.onerror = (event) => this.#fail(event.message);
    worker.postMessage({ module });
    return worker;
  }

  /** @param {string} message */
  #fail(message) {
    // A module that was never loaded won't be the next time.
    isBroken ||= !module;
    this.#end(new EngineError(message));
  }

  /** @param {Error} error */
  #end(error) {
    this.worker?.terminate();
    this.worker = undefined;
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}

/** A worker for what is answered at once, for values and reviews, and for the computer's moves. */
const workers = { table: new EngineWorker(), judge: new EngineWorker(), player: new EngineWorker() };

/**
 * Asks the module: see `answers::Request` of the server's crate.
 * @param {keyof typeof workers} worker
 * @param {object} request
 * @param {AbortSignal} [signal] ends the search
 * @returns {Promise<{answer?: any, error?: {code: string, text: string}}>}
 */
export async function ask(worker, request, signal) {
  if (isBroken) throw new EngineError("no module");
  return workers[worker].ask(request, signal);
}
