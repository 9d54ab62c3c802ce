// How long to search, as numbers of positions.

/// The number, if it is one.
export function checkedNodes(nodes) {
  if (!Number.isSafeInteger(nodes) || nodes < 1) {
    throw new RangeError(`the number of positions must be at least 1, not ${nodes}`);
  }
  return nodes;
}

/// The first search is short, so that there is something to show.
const FIRST = 1_000;

/// Each search looks at so many times the positions of the one before. Most games begin a search
/// anew, so all before the last one together take a third of its time.
const GROWTH = 4;

/// The numbers of positions of searches after each other, the last with all of them.
export function searches(nodes) {
  const numbers = [nodes];
  while (numbers[0] > FIRST) numbers.unshift(Math.ceil(numbers[0] / GROWTH));
  return numbers;
}
