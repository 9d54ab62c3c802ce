// Searches in steps, so that it hears when to stop. See analyst.js.

import { Game, Player, load, loadBook, missingBooks } from './open_ttt.js';

/// The positions of a step. The first ones are short, so that there is something to show.
const FIRST_STEP = 1_000;
const LAST_STEP = 200_000;

let loaded;
const stopped = new Set();

onmessage = async ({ data }) => {
  if (data.stop !== undefined) {
    stopped.add(data.stop);
    return;
  }
  const { id, task } = data;
  try {
    await (loaded ??= loading(task.wasm));
    await useBook(task.name);
    const result = task.player ? choose(task) : await values(id, task);
    postMessage({ id, result });
  } catch (error) {
    postMessage({ id, error: error.message });
  } finally {
    stopped.delete(id);
  }
};

/// Loads the module. If that fails, the next question tries again.
async function loading(wasm) {
  try {
    await load(wasm);
  } catch (error) {
    loaded = undefined;
    throw error;
  }
}

/// Loads the book of a game that has one; without it only perfect players are missing.
async function useBook(name) {
  const [key] = name.split('(');
  if (missingBooks().includes(key)) await loadBook(key).catch(() => {});
}

function choose({ name, moves, player }) {
  const game = new Game(name, moves);
  const computer = new Player(game, player);
  try {
    return computer.choose(game);
  } finally {
    computer.free();
    game.free();
  }
}

async function values(id, { name, moves, nodes }) {
  const game = new Game(name, moves);
  try {
    let left = nodes;
    for (let step = FIRST_STEP; ; step = Math.min(step * 2, LAST_STEP)) {
      const found = game.values({ nodes: Math.min(step, left) });
      left -= step;
      if (left <= 0 || found.every((value) => value.exact)) return found;
      postMessage({ id, progress: { values: found, done: 1 - left / nodes } });
      // Between two steps, messages come in.
      await new Promise((resolve) => setTimeout(resolve));
      if (stopped.has(id)) return found;
    }
  } finally {
    game.free();
  }
}
