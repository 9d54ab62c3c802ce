// Searches in a worker, so that the page stays responsive.

import { checkedNodes } from './nodes.js';

/// A search of so many positions ends soon enough to wait for it.
const SOON = 200_000;

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
    this.#start();
  }

  /// What every move of a position is worth. `onProgress` gets `{ values, done }` as they
  /// improve, `done` from 0 to 1; with an aborted `signal` the last values are returned.
  async values(name, moves, { nodes = 1_000_000, onProgress, signal } = {}) {
    return this.#ask({ name, moves, nodes: checkedNodes(nodes) }, onProgress, signal);
  }

  /// The move that a computer player chooses.
  choose(name, moves, player) {
    return this.#ask({ name, moves, player });
  }

  /// Ends the worker; what it was asked is refused, and what it is asked from now on.
  close() {
    this.#end('the analyst is closed');
  }

  #start() {
    this.#worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = (event) => this.#end(event.message || 'the worker has failed');
  }

  #ask(task, onProgress, signal) {
    if (this.#ended !== undefined) return Promise.reject(new Error(this.#ended));
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const stop = () => this.#stop(id);
      const end = () => signal?.removeEventListener('abort', stop);
      this.#waiting.set(id, { resolve, reject, onProgress, end });
      this.#worker.postMessage({ id, task: { ...task, wasm: this.#wasm } });
      if (signal?.aborted) stop();
      signal?.addEventListener('abort', stop);
    });
  }

  /// Answers with the last values, or with the first ones when they come.
  #stop(id) {
    const waiting = this.#waiting.get(id);
    waiting.stopped = true;
    if (!waiting.values) return;
    this.#answered(id).resolve(waiting.values);
    // A long search would keep the next question waiting.
    if (waiting.searching > SOON && this.#waiting.size === 0) {
      this.#worker.terminate();
      this.#start();
    } else {
      this.#worker.postMessage({ stop: id });
    }
  }

  #receive({ id, progress, next, result, error }) {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    if (progress) {
      waiting.values = progress.values;
      waiting.searching = next;
      waiting.onProgress?.(progress);
      if (waiting.stopped && this.#waiting.has(id)) this.#stop(id);
    } else if (error === undefined) {
      this.#answered(id).resolve(result);
    } else {
      this.#answered(id).reject(new Error(error));
    }
  }

  /// A question that waits no longer.
  #answered(id) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting.end();
    return waiting;
  }

  #end(message) {
    this.#ended = message;
    this.#worker.terminate();
    for (const id of [...this.#waiting.keys()]) this.#answered(id).reject(new Error(message));
  }
}
