// Searches in a worker, so that the page stays responsive.

/// Asks a worker of its own. `wasm` is the address of the module, if it isn't beside this file; it
/// may be relative to the page.
export class Analyst {
  #worker;
  #wasm;
  #waiting = new Map();
  #next = 0;
  /// Why nothing is answered any more.
  #ended;

  constructor({ wasm } = {}) {
    // The worker has an address of its own.
    this.#wasm = wasm && String(new URL(wasm, globalThis.location?.href ?? import.meta.url));
    this.#worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = (event) => this.#end(event.message || 'the worker has failed');
  }

  /// What every move of a position is worth. `onProgress` gets `{ values, done }` as they
  /// improve, `done` from 0 to 1; with an aborted `signal` the last values are returned.
  values(name, moves, { nodes = 1_000_000, onProgress, signal } = {}) {
    return this.#ask({ name, moves, nodes }, onProgress, signal);
  }

  /// The move that a computer player chooses.
  choose(name, moves, player) {
    return this.#ask({ name, moves, player });
  }

  /// Ends the worker; what it was asked is refused, and what it is asked from now on.
  close() {
    this.#end('the analyst is closed');
  }

  #ask(task, onProgress, signal) {
    if (this.#ended !== undefined) return Promise.reject(new Error(this.#ended));
    const id = this.#next++;
    const stop = () => this.#worker.postMessage({ stop: id });
    return new Promise((resolve, reject) => {
      const end = () => signal?.removeEventListener('abort', stop);
      this.#waiting.set(id, { resolve, reject, onProgress, end });
      this.#worker.postMessage({ id, task: { ...task, wasm: this.#wasm } });
      if (signal?.aborted) stop();
      signal?.addEventListener('abort', stop);
    });
  }

  #receive({ id, progress, result, error }) {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    if (progress) {
      waiting.onProgress?.(progress);
      return;
    }
    this.#waiting.delete(id);
    waiting.end();
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(new Error(error));
  }

  #end(message) {
    this.#ended = message;
    this.#worker.terminate();
    for (const { reject, end } of this.#waiting.values()) {
      end();
      reject(new Error(message));
    }
    this.#waiting.clear();
  }
}
