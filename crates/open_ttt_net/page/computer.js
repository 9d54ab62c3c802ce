// Computers of chosen strength: what a person calls them, and what the catalog
// does. A computer is weaker by erring: it plays at random this often.

export const STRENGTHS = [
  { title: "Gentle", mistakes: 0.6 },
  { title: "Fair", mistakes: 0.3 },
  { title: "Strong", mistakes: 0.1 },
  { title: "Best", mistakes: 0 },
];

/**
 * A computer as the catalog writes it: `mcts(ms=1000,mistakes=0.3)`.
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
 * What a person calls it: `Computer, fair`; the catalog's name is too much.
 * @param {string} spec
 */
export function computerName(spec) {
  if (spec.startsWith("random")) return "Computer, at random";
  const mistakes = Number(/mistakes=([\d.]+)/.exec(spec)?.[1] ?? 0);
  const known = STRENGTHS.find((strength) => strength.mistakes === mistakes);
  return `Computer, ${known ? known.title.toLowerCase() : `${Math.round(mistakes * 100)} % mistakes`}`;
}
