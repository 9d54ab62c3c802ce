// The strengths of the computer: their names and the catalog's specs. A weaker
// computer misses the best result with the given probability. The library has the
// same table for the terminal.

export const STRENGTHS = [
  { title: "Easy", mistakes: 0.6 },
  { title: "Medium", mistakes: 0.3 },
  { title: "Hard", mistakes: 0.1 },
  { title: "Expert", mistakes: 0 },
];

/**
 * The catalog's spec of a computer: `mcts(ms=1000,mistakes=0.3)`.
 * @param {string} strongest
 * @param {number} mistakes from 0 to 1
 */
export function computerSpec(strongest, mistakes) {
  if (mistakes <= 0) return strongest;
  const parameter = `mistakes=${mistakes}`;
  return strongest.endsWith(")")
    ? `${strongest.slice(0, -1)},${parameter})`
    : `${strongest}(${parameter})`;
}

/**
 * The name to display for a spec: `Computer (medium)`.
 * @param {string} spec
 */
export function computerName(spec) {
  if (spec.startsWith("random")) return "Computer (random)";
  const mistakes = Number(/mistakes=([\d.]+)/.exec(spec)?.[1] ?? 0);
  const known = STRENGTHS.find((strength) => strength.mistakes === mistakes);
  return `Computer (${known ? known.title.toLowerCase() : `${Math.round(mistakes * 100)}% mistakes`})`;
}
