// Two-player games, computer players and analysis: a face for the functions of open_ttt.wasm.

import { checkedNodes } from './nodes.js';

let wasm;

/// While the module is loaded, and afterwards, so that all who ask for it get the same one.
let loading;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/// Loads the module, once. `source` is its bytes, a compiled module or its address, which may be
/// relative to the page; without it the file beside this one is taken.
export function load(source) {
  loading ??= start(source).catch((error) => {
    // The next one tries again.
    loading = undefined;
    throw error;
  });
  return loading;
}

async function start(source) {
  const given = source ?? beside('open_ttt.wasm');
  const isModule = given instanceof WebAssembly.Module;
  const module = isModule ? given : await WebAssembly.compile(await bytes(given));
  const host = { now: () => performance.now(), random: Math.random };
  wasm = (await WebAssembly.instantiate(module, { open_ttt: host })).exports;
}

/// Loads the larger module instead, which also has networks and puzzles, and `answer`.
export async function loadAll(source) {
  await load(source ?? beside('open_ttt_all.wasm'));
  if (!wasm.open_ttt_answer) throw new Error('the smaller module has been loaded before');
}

/// Loads the book of a game, from which perfect players play Connect Four, pegs and Qubic, and
/// with which exact values are known at once. `source` is its bytes or its address.
export async function loadBook(key, source) {
  const call = functions().open_ttt_book_add;
  const file = await bytes(source ?? beside(`${key}.book`));
  if (!given(key, (key) => bytesGiven(file, (file, size) => call(key, file, size)))) fail();
}

/// The keys of the games that play from a book that hasn't been loaded.
export function missingBooks() {
  return words(taken(functions().open_ttt_missing_books()));
}

/// Loads a network for players `'net:NAME'`. Without a source, the name is the key of a game
/// that comes with one: `'ttt'`, `'connect4'`, `'pegs'`.
export async function loadNetwork(name, source) {
  const call = functions().open_ttt_network_add;
  if (!call) throw new Error('networks need loadAll()');
  const file = await bytes(source ?? beside(`${name}.safetensors`));
  if (!given(name, (name) => bytesGiven(file, (file, size) => call(name, file, size)))) fail();
}

/// The files that come with this one, with their addresses written out: bundlers copy what they
/// find like this, and put the new address here.
const FILES = {
  'open_ttt.wasm': () => new URL('open_ttt.wasm', import.meta.url),
  'open_ttt_all.wasm': () => new URL('open_ttt_all.wasm', import.meta.url),
  'connect4.book': () => new URL('connect4.book', import.meta.url),
  'pegs.book': () => new URL('pegs.book', import.meta.url),
  'qubic.book': () => new URL('qubic.book', import.meta.url),
  'connect4.safetensors': () => new URL('connect4.safetensors', import.meta.url),
  'pegs.safetensors': () => new URL('pegs.safetensors', import.meta.url),
  'ttt.safetensors': () => new URL('ttt.safetensors', import.meta.url),
};

function beside(file) {
  if (!Object.hasOwn(FILES, file)) throw new Error(`${file} doesn't come with the package`);
  return FILES[file]();
}

/// What Node.js reads files with. Bundlers for browsers would look for it, if it weren't a variable.
const NODE_FILES = 'node:fs/promises';

/// The bytes of a file.
async function bytes(source) {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) {
    return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  }
  const address = new URL(source, globalThis.location?.href ?? import.meta.url);
  if (address.protocol === 'file:') {
    const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ NODE_FILES);
    return readFile(address);
  }
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} can't be loaded: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/// The keys of the games.
export function games() {
  return taken(functions().open_ttt_games()).split(' ');
}

/// The rules of the game with this key.
export function rules(key) {
  return given(key, (key) => taken(functions().open_ttt_rules(key)));
}

/// Answers a request as a match server does, to JSON with JSON: what the page of one asks when it
/// plays in the browser. It needs the larger module.
export function answer(request) {
  if (!functions().open_ttt_answer) throw new Error('this needs loadAll()');
  const json = given(JSON.stringify(request), (text) => taken(functions().open_ttt_answer(text)));
  const { answer, error } = JSON.parse(json);
  if (error) throw new Error(error.text);
  return answer;
}

const OUTCOMES = [null, 'first', 'second', 'draw'];
const RESULTS = ['unknown', 'win', 'draw', 'loss'];
const SIDES = { first: 0, second: 1 };

/// A game: its position and the moves that led to it.
export class Game {
  #pointer;
  #token = {};

  /// `name` is a key with any parameters: `'connect4'`, `'mnk(m=5,n=5,k=4)'`.
  constructor(name, moves = '') {
    this.#pointer = given(name, (name) => checked(functions().open_ttt_game_new(name)));
    cleanup.register(this, [this.#pointer, 'open_ttt_game_free'], this.#token);
    try {
      this.play(moves);
    } catch (error) {
      this.free();
      throw error;
    }
  }

  get pointer() {
    if (this.#pointer === 0) throw new Error('the game has been freed');
    return this.#pointer;
  }

  /// Plays moves in the game's notation, separated by spaces. Those before an illegal one are
  /// played.
  play(moves) {
    if (!given(moves, (moves) => wasm.open_ttt_game_play(this.pointer, moves))) fail();
    return this;
  }

  /// Takes the last move back; false if there is none.
  undo() {
    return wasm.open_ttt_game_undo(this.pointer) !== 0;
  }

  /// `'first'` or `'second'`; when the game is over, the side that would move next.
  get toMove() {
    return wasm.open_ttt_game_to_move(this.pointer) === 0 ? 'first' : 'second';
  }

  /// `'first'`, `'second'` or `'draw'`; null while the game goes on.
  get outcome() {
    return OUTCOMES[wasm.open_ttt_game_outcome(this.pointer)];
  }

  /// The name of `'first'` or `'second'`: `'X'`, `'Red'`.
  sideName(side) {
    return taken(wasm.open_ttt_game_side_name(this.pointer, SIDES[side] ?? -1));
  }

  /// The legal moves; none when the game is over.
  get legalMoves() {
    return words(taken(wasm.open_ttt_game_legal_moves(this.pointer)));
  }

  /// The moves so far.
  get history() {
    return words(taken(wasm.open_ttt_game_history(this.pointer)));
  }

  /// The board as text of several lines.
  get board() {
    return taken(wasm.open_ttt_game_board(this.pointer));
  }

  /// What every legal move is worth, the best first, as far as `nodes` positions tell.
  values({ nodes = 100_000 } = {}) {
    const legal = this.legalMoves.length;
    const size = VALUE.size;
    const room = newText(legal * size + 8);
    try {
      // Numbers of eight bytes begin at multiples of eight.
      const first = room + (-room & 7);
      const count = wasm.open_ttt_game_values(this.pointer, BigInt(checkedNodes(nodes)), first, legal);
      if (count < 0) fail();
      const length = Math.min(count, legal);
      const values = Array.from({ length }, (_, index) => value(first + index * size));
      new Uint8Array(wasm.memory.buffer, room, legal * size + 8).fill(32);
      return values;
    } finally {
      wasm.open_ttt_text_free(room);
    }
  }

  /// A good move and why, as a sentence.
  hint({ nodes = 100_000 } = {}) {
    return taken(wasm.open_ttt_game_hint(this.pointer, BigInt(checkedNodes(nodes))));
  }

  /// Gives the memory back at once; otherwise that happens some time after the last use.
  free() {
    if (this.#pointer === 0) return;
    cleanup.unregister(this.#token);
    wasm.open_ttt_game_free(this.#pointer);
    this.#pointer = 0;
  }
}

/// A computer player: `'perfect'`, a level such as `'hard'`, `'mcts(iterations=1000)'`,
/// `'negamax(ms=100)'`, `'random'`.
export class Player {
  #pointer;
  #token = {};

  /// For games that begin like this one.
  constructor(game, name) {
    this.#pointer = given(name, (name) =>
      checked(wasm.open_ttt_player_new(game.pointer, name)));
    cleanup.register(this, [this.#pointer, 'open_ttt_player_free'], this.#token);
  }

  /// The move that the player chooses; it isn't played.
  choose(game) {
    if (this.#pointer === 0) throw new Error('the player has been freed');
    return taken(wasm.open_ttt_player_choose(this.#pointer, game.pointer));
  }

  free() {
    if (this.#pointer === 0) return;
    cleanup.unregister(this.#token);
    wasm.open_ttt_player_free(this.#pointer);
    this.#pointer = 0;
  }
}

const cleanup = new FinalizationRegistry(([pointer, free]) => wasm[free](pointer));

/// Where the fields of `OpenTttValue` are, in bytes; the tests compare with the header.
const VALUE = { text: 48, result: 48, plies: 52, margin: 56, hasMargin: 60, expected: 64, uncertainty: 72, size: 80 };

function value(at) {
  const view = new DataView(wasm.memory.buffer, at, VALUE.size);
  const text = new Uint8Array(wasm.memory.buffer, at, VALUE.text);
  const result = RESULTS[view.getInt32(VALUE.result, true)];
  const plies = view.getInt32(VALUE.plies, true);
  return {
    move: decoder.decode(text.subarray(0, text.indexOf(0))),
    result,
    plies: plies < 0 ? null : plies,
    margin: view.getUint8(VALUE.hasMargin) ? view.getInt32(VALUE.margin, true) : null,
    exact: result !== 'unknown',
    expected: view.getFloat64(VALUE.expected, true),
    uncertainty: view.getFloat64(VALUE.uncertainty, true),
  };
}

function functions() {
  if (!wasm) throw new Error('call load() first');
  return wasm;
}

function words(text) {
  return text === '' ? [] : text.split(' ');
}

/// An address in the module's memory, which a function returns as a signed number; 0 is an error.
function checked(pointer) {
  if (pointer === 0) fail();
  return pointer >>> 0;
}

/// Room for so many bytes.
function newText(bytes) {
  return checked(functions().open_ttt_text_new(bytes));
}

/// Calls a function with a text of ours.
function given(text, call) {
  const bytes = encoder.encode(text);
  if (bytes.includes(0)) throw new Error('a text must not contain a zero');
  const pointer = newText(bytes.length);
  new Uint8Array(wasm.memory.buffer, pointer, bytes.length).set(bytes);
  try {
    return call(pointer);
  } finally {
    wasm.open_ttt_text_free(pointer);
  }
}

/// Calls a function with bytes of ours and their number.
function bytesGiven(bytes, call) {
  const pointer = newText(bytes.length);
  new Uint8Array(wasm.memory.buffer, pointer, bytes.length).set(bytes);
  try {
    return call(pointer, bytes.length);
  } finally {
    // It must be a text when it is freed.
    new Uint8Array(wasm.memory.buffer, pointer, bytes.length).fill(32);
    wasm.open_ttt_text_free(pointer);
  }
}

/// A text that a function returns.
function taken(result) {
  const pointer = checked(result);
  const text = read(pointer);
  wasm.open_ttt_text_free(pointer);
  return text;
}

function read(pointer) {
  const memory = new Uint8Array(wasm.memory.buffer);
  return decoder.decode(memory.subarray(pointer, memory.indexOf(0, pointer)));
}

function fail() {
  const error = wasm.open_ttt_last_error();
  throw new Error(error === 0 ? 'an internal error' : read(error >>> 0));
}
