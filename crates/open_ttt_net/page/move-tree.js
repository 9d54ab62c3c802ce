// The moves tried out from a position: a tree, of which each node is a position.

/**
 * @typedef {object} MoveNode
 * @property {string} move the move that leads to it; empty at the root
 * @property {MoveNode | null} parent
 * @property {MoveNode[]} children the main move first
 * @property {MoveNode | null} next the child that was visited last
 * @property {number} branch the number of the branch that it begins or continues, 0 for the main line
 * @property {number} branches at the root, how many branches there have been
 */

/** @param {string} move @param {MoveNode | null} parent @param {number} branch @returns {MoveNode} */
const node = (move, parent, branch) => ({ move, parent, children: [], next: null, branch, branches: 0 });

/** The start of a game. */
export const newTree = () => node("", null, 0);

/** The node after a move, which is added if it is new. @param {MoveNode} at @param {string} move */
export function play(at, move) {
  let child = at.children.find((it) => it.move === move);
  if (!child) {
    const branch = at.children.length ? ++rootOf(at).branches : at.branch;
    at.children.push((child = node(move, at, branch)));
  }
  at.next = child;
  return child;
}

/** @param {MoveNode} at */
export function rootOf(at) {
  while (at.parent) at = at.parent;
  return at;
}

/** The moves from the root to a node. @param {MoveNode} at @returns {string[]} */
export function movesTo(at) {
  const moves = [];
  for (let it = at; it.parent; it = it.parent) moves.unshift(it.move);
  return moves;
}

/** Removes a node with all that follows. @param {MoveNode} at @returns {MoveNode} its parent */
export function remove(at) {
  const { parent } = at;
  if (!parent) return at;
  parent.children = parent.children.filter((it) => it !== at);
  if (parent.next === at) parent.next = null;
  return parent;
}

/** Where a step from a node leads; the node itself if nowhere. @param {MoveNode} at @param {string} step a key */
export function step(at, step) {
  const forward = (/** @type {MoveNode} */ it) => it.next ?? it.children[0] ?? null;
  const siblings = at.parent?.children ?? [];
  const index = siblings.indexOf(at);
  switch (step) {
    case "ArrowLeft":
      return at.parent ?? at;
    case "ArrowRight":
      return forward(at) ?? at;
    case "ArrowUp":
      return siblings[index - 1] ?? at;
    case "ArrowDown":
      return siblings[index + 1] ?? at;
    case "Home":
      while (at.parent) at = at.parent;
      return at;
    case "End":
      for (let next = forward(at); next; next = forward(at)) at = next;
      return at;
    default:
      return at;
  }
}

/**
 * A line of the tree: successive nodes, each with the lines that branch off beside it.
 * @param {MoveNode} first
 * @returns {{node: MoveNode, branches: MoveNode[]}[]}
 */
export function lineFrom(first) {
  const line = [];
  for (let it = /** @type {MoveNode | undefined} */ (first); it; it = it.children[0]) {
    // The branches of the first node belong to the line that it branches off from.
    line.push({ node: it, branches: it === first ? [] : it.parent?.children.slice(1) ?? [] });
  }
  return line;
}
