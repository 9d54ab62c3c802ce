// Searches longer and longer, so that it hears between two searches when to stop. See analyst.js.

import { searches } from './nodes.js';
import { Game, Player, load, loadBook, missingBooks } from './open_ttt.js';

const stopped = new Set();

onmessage = async ({ data }) => {
  if (data.stop !== undefined) {
    stopped.add(data.stop);
    return;
  }
  const { id, task } = data;
  try {
    await load(task.wasm);
    await useBook(task.name);
    const result = task.player ? choose(task) : await values(id, task);
    postMessage({ id, result });
  } catch (error) {
    postMessage({ id, error: error.message });
  } finally {
    stopped.delete(id);
  }
};

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

/// What `Game.values` finds with that many positions, after it has found less with fewer.
async function values(id, { name, moves, nodes }) {
  const game = new Game(name, moves);
  try {
    const numbers = searches(nodes);
    const all = numbers.reduce((sum, number) => sum + number);
    let searched = 0;
    for (const number of numbers) {
      const found = game.values({ nodes: number });
      searched += number;
      const next = numbers.find((later) => later > number);
      if (next === undefined || found.every((value) => value.exact)) return found;
      postMessage({ id, progress: { values: found, done: searched / all }, next });
      // Between two searches, messages come in.
      await new Promise((resolve) => setTimeout(resolve));
      if (stopped.has(id)) return found;
    }
  } finally {
    game.free();
  }
}
