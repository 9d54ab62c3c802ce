// Searches in a worker, so that the page stays responsive.

/// Asks a worker of its own. `wasm` is the address of the module, if it isn't beside this file.
export class Analyst {
  #worker;
  #wasm;
  #waiting = new Map();
  #next = 0;

  constructor({ wasm } = {}) {
    this.#wasm = wasm && String(wasm);
    this.#worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = (event) => this.#failAll(event.message || 'the worker has failed');
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

  /// Ends the worker; what it was asked is refused.
  close() {
    this.#worker.terminate();
    this.#failAll('the analyst is closed');
  }

  #ask(task, onProgress, signal) {
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

  #failAll(message) {
    for (const { reject, end } of this.#waiting.values()) {
      end();
      reject(new Error(message));
    }
    this.#waiting.clear();
  }
}
