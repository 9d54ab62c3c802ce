// A worker with the WebAssembly module: requests as JSON go in, answers as JSON come out.

const MODULE = "/assets/open_ttt.wasm";

/** @type {any} */
let wasm;

/** @param {WebAssembly.Module} [compiled] */
async function load(compiled) {
  const module = compiled ?? (await WebAssembly.compileStreaming(fetch(MODULE)));
  const host = { now: () => performance.now(), random: Math.random };
  wasm = (await WebAssembly.instantiate(module, { open_ttt: host })).exports;
  postMessage({ module });
}

/**
 * Calls a function of the module with bytes in its memory.
 * @param {Uint8Array} bytes
 * @param {(address: number) => number} call
 */
function given(bytes, call) {
  const address = wasm.open_ttt_text_new(bytes.length) >>> 0;
  if (address === 0) throw new Error("there is no memory left");
  new Uint8Array(wasm.memory.buffer, address, bytes.length).set(bytes);
  const result = call(address);
  // It must be a text when it is freed.
  new Uint8Array(wasm.memory.buffer, address, bytes.length).fill(32);
  wasm.open_ttt_text_free(address);
  return result;
}

/** A text that the module gives away, at an address that comes as a signed number. @param {number} result */
function taken(result) {
  const address = result >>> 0;
  const memory = new Uint8Array(wasm.memory.buffer);
  const text = new TextDecoder().decode(memory.subarray(address, memory.indexOf(0, address)));
  wasm.open_ttt_text_free(address);
  return text;
}

/** Loads the book of the game that the request is about, if the module misses it. @param {string} request */
async function loadBook(request) {
  const missing = taken(wasm.open_ttt_missing_books()).split(" ");
  const key = missing.find((key) => key && request.includes(`"${key}`));
  if (!key) return;
  const response = await fetch(`/assets/books/${key}`).catch(() => undefined);
  // Without it the game can be played, but not perfectly.
  if (!response?.ok) return;
  const book = new Uint8Array(await response.arrayBuffer());
  const name = new TextEncoder().encode(key);
  given(book, (bytes) => given(name, (name) => wasm.open_ttt_book_add(name, bytes, book.length)));
}

/** @param {string} request */
function answer(request) {
  return taken(given(new TextEncoder().encode(request), (text) => wasm.open_ttt_answer(text)));
}

/** What is asked before the module is loaded waits. @type {Promise<void> | undefined} */
let loaded;

/** What is asked is answered in turn. @type {Promise<void>} */
let turn = Promise.resolve();

onmessage = ({ data }) => {
  turn = turn.then(() => hear(data)).catch((error) => postMessage({ failed: String(error) }));
};

/** @param {{module?: WebAssembly.Module, request?: string, id?: number}} data */
async function hear({ module, request, id }) {
  await (loaded ??= load(module));
  if (!request) return;
  await loadBook(request);
  postMessage({ id, json: answer(request) });
}
