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

/** @param {string} request */
function answer(request) {
  const bytes = new TextEncoder().encode(request);
  const given = wasm.open_ttt_text_new(bytes.length);
  new Uint8Array(wasm.memory.buffer, given, bytes.length).set(bytes);
  const text = wasm.open_ttt_answer(given);
  wasm.open_ttt_text_free(given);
  const memory = new Uint8Array(wasm.memory.buffer);
  const json = new TextDecoder().decode(memory.subarray(text, memory.indexOf(0, text)));
  wasm.open_ttt_text_free(text);
  return json;
}

/** What is asked before the module is loaded waits. @type {Promise<void> | undefined} */
let loaded;

onmessage = async ({ data }) => {
  try {
    await (loaded ??= load(data.module));
    if (data.request) postMessage({ id: data.id, json: answer(data.request) });
  } catch (error) {
    postMessage({ failed: String(error) });
  }
};
