// Whether the server can be reached, as far as the last request tells.

/** @type {Set<(isReached: boolean) => void>} */
const listeners = new Set();
let isReached = true;

/** Calls a function now and whenever it changes. @param {(isReached: boolean) => void} listener */
export function onReach(listener) {
  listeners.add(listener);
  listener(isReached);
}

/** @param {boolean} now */
export function setReached(now) {
  if (now === isReached) return;
  isReached = now;
  for (const listener of listeners) listener(now);
}
