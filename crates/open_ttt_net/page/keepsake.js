// What the browser keeps: the name, the seats that are one's own, and for each
// tab what it has proposed. A browser that keeps nothing is no reason to fail.

const NAME = "open_ttt.name";
const SEATS = "open_ttt.seats";
const CLIENT = "open_ttt.client.";
const MOST_SEATS = 60;

/**
 * @param {Storage} storage @param {string} key
 * @returns {any}
 */
function read(storage, key) {
  try {
    return JSON.parse(storage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** @param {Storage} storage @param {string} key @param {any} value */
function keep(storage, key, value) {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    // Full, or forbidden: the page works without until it is left.
  }
}

/** The name one goes by; empty if one has said none. */
export const name = () => String(read(localStorage, NAME) ?? "");

/** @param {string} value */
export const keepName = (value) => keep(localStorage, NAME, value);

/**
 * @typedef {object} Keep a seat of one's own
 * @property {string} id the match
 * @property {string} token what proves it
 * @property {string} [game]
 * @property {number} at when it was taken, in milliseconds since 1970
 */

/** One's own seats, the latest first. @returns {Keep[]} */
export function seats() {
  const kept = read(localStorage, SEATS);
  return Array.isArray(kept) ? kept.filter((seat) => seat?.id && seat.token) : [];
}

/** @param {string} id @returns {string | undefined} */
export const token = (id) => seats().find((seat) => seat.id === id)?.token;

/** @param {string} id @param {string} token @param {string} [game] */
export function keepSeat(id, token, game) {
  const others = seats().filter((seat) => seat.id !== id);
  keep(localStorage, SEATS, [{ id, token, game, at: Date.now() }, ...others].slice(0, MOST_SEATS));
}

/** @param {string} id */
export function forgetSeat(id) {
  keep(localStorage, SEATS, seats().filter((seat) => seat.id !== id));
}

/**
 * What this tab has proposed in a match. It is the tab's alone: two tabs that
 * counted their proposals together would take each other's for their own.
 * @param {string} id
 */
export function client(id) {
  const kept = read(sessionStorage, CLIENT + id);
  if (kept?.client) return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return { client: Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("") };
}

/** @param {string} id @param {object} saved */
export const keepClient = (id, saved) => keep(sessionStorage, CLIENT + id, saved);
