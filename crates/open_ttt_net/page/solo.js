// Matches against a computer that are played in this browser alone. The WebAssembly module
// knows the rules and plays the computer; the matches are kept in the browser's storage.

import * as api from "./api.js";
import { EngineError } from "./engine.js";
import { opponent, seatIndex } from "./seat.js";

const PREFIX = "solo-";
const KEY = "open_ttt.";
/** The most matches that are kept. */
const MAX_KEPT = 60;

/** Whether a match is one of these. @param {string} id */
export const isSolo = (id) => id.startsWith(PREFIX);

/** @param {string} id @returns {KeptMatch | null} */
function read(id) {
  try {
    return JSON.parse(localStorage.getItem(KEY + id) ?? "null");
  } catch {
    return null;
  }
}

/** The browser has no room for a match, or keeps nothing. */
class NoRoom extends Error {}

/** Keeps a match. The oldest others make room if there is none. @param {string} id @param {KeptMatch} match */
function write(id, match) {
  const text = JSON.stringify(match);
  for (;;) {
    try {
      return localStorage.setItem(KEY + id, text);
    } catch {
      const oldest = kept().findLast((other) => other.id !== id);
      if (!oldest) throw new NoRoom("This browser has no room to keep another move.");
      localStorage.removeItem(KEY + oldest.id);
    }
  }
}

/** The matches of this browser, the latest first. */
export function kept() {
  /** @type {(KeptMatch & {id: string})[]} */
  const found = [];
  try {
    for (const key of Object.keys(localStorage)) {
      const id = key.startsWith(KEY + PREFIX) && key.slice(KEY.length);
      const it = id && read(id);
      if (it) found.push({ ...it, id });
    }
  } catch {
    // Storage is forbidden, so there are none.
  }
  return found.sort((one, other) => other.at - one.at);
}

/**
 * What lists of games tell of a match.
 * @param {MatchView} view @param {SeatIndex} seat the person's
 */
const summary = ({ settings, seats, verdict, to_move, number }, seat) => ({
  game: settings.game,
  computer: seats[opponent(seat)]?.computer ?? "",
  seat,
  verdict,
  number,
  isTurn: to_move !== null && seatIndex(to_move) === seat,
});

/**
 * Creates a match: in this browser if it is against a computer, without a clock, of a game that
 * the module has, and if the match can be kept; on the server otherwise.
 * @param {CreateMatch} wanted
 * @returns {Promise<SeatAssignment>}
 */
export async function createMatch(wanted) {
  const isAlone = wanted.seats.some((seat) => seat && "computer" in seat) && !wanted.clock;
  if (isAlone && (await api.isLocal(wanted.game))) {
    try {
      return await begin(wanted);
    } catch (error) {
      // The computers of the server are still there.
      if (error instanceof api.RequestError) throw error;
    }
  }
  return api.create(wanted);
}

/** @param {CreateMatch} wanted @returns {Promise<SeatAssignment>} */
async function begin({ key: _, ...wanted }) {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  const id = PREFIX + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const now = Date.now();
  const match = await api.answered("table", { begin: { wanted: { ...wanted, listed: false, rated: false }, now } });
  const { state, seat } = await api.answered("table", { welcome: { id, solo: match, now } });
  for (const { id } of kept().slice(MAX_KEPT - 1)) localStorage.removeItem(KEY + id);
  write(id, { match, at: now, ...summary(state.view, seatIndex(seat)) });
  return { match: id, seat, token: null, path: `/m/${id}` };
}

/** A game of a match. @param {string} id @param {number} number @param {number} from @returns {Promise<GameFrames>} */
export async function frames(id, number, from) {
  return api.answered("table", { frames: { solo: read(id)?.match, number, from } });
}

/** In place of the connection to a server: the same messages, from the module. */
export class SoloConnection {
  /**
   * @param {object} options
   * @param {string} options.id
   * @param {() => object} options.hello
   * @param {(message: ServerMessage) => void} options.onMessage
   * @param {(phase: ConnectionPhase) => void} options.onPhase
   */
  constructor(options) {
    this.options = options;
    /** @type {ConnectionPhase} */
    this.phase = "connecting";
    this.client = "";
    /** One step after the other. */
    this.last = Promise.resolve();
    /** @type {AbortController | undefined} */
    this.thinking = undefined;
    // Another tab may show the same match.
    addEventListener("storage", ({ key }) => key === KEY + options.id && this.#reopen());
    // Meanwhile this page may have been one that the browser only kept.
    addEventListener("pageshow", ({ persisted }) => persisted && this.#reopen());
  }

  open() {
    this.send(this.options.hello());
  }

  restart() {
    this.open();
  }

  #reopen() {
    if (this.phase === "open") this.open();
  }

  check() {}

  end() {
    this.thinking?.abort();
    this.#setPhase("ended");
  }

  /** @param {any} message */
  send(message) {
    if (message.type === "hello") this.#after(() => this.#welcome(message.client));
    else if (message.type === "propose") {
      const { number, base, act } = message;
      this.#after(() => this.#propose({ client: this.client, number, base, act }));
    }
  }

  /** @param {() => Promise<void>} step */
  #after(step) {
    this.last = this.last.then(step).catch((error) => this.#fail(error));
  }

  /** @param {Error & {code?: string}} error */
  #fail(error) {
    if (this.phase === "ended") return;
    // What was played before is kept, and the move is tried again.
    if (error instanceof NoRoom) return this.options.onMessage({ type: "notice", text: error.message });
    const isEngine = error instanceof EngineError;
    const text = isEngine ? "The part of this page that plays without the server can't be loaded." : error.message;
    this.options.onMessage({ type: "error", code: isEngine ? "no_module" : "damaged", text });
  }

  /** @param {string} client */
  async #welcome(client) {
    const { id, onMessage } = this.options;
    this.client = client;
    const solo = read(id);
    if (!solo) return onMessage({ type: "error", code: "damaged", text: "It's kept in the browser in which it began." });
    const welcome = await api.answered("table", { welcome: { id, solo: solo.match, now: Date.now() } });
    this.#setPhase("open");
    onMessage(welcome);
    const { view } = welcome.state;
    this.#think(view.to_move !== null && view.to_move !== welcome.seat);
  }

  /** @param {{client: string, number: number, base: number, act: PlayerAct, by_computer?: boolean}} proposed @returns {Promise<void>} */
  async #propose(proposed) {
    const { id, onMessage } = this.options;
    const before = read(id);
    if (!before) throw new Error("This game isn't kept any more.");
    const now = Date.now();
    const { entries, messages, computer_to_move } = await api.answered("table", { propose: { solo: before.match, proposal: { ...proposed, now } } });
    // Another tab was faster.
    if (read(id)?.match.entries.length !== before.match.entries.length) return this.#propose(proposed);
    if (entries.length) {
      before.match.entries.push(...entries);
      const { change } = messages.at(-1);
      const view = change?.view ?? messages.at(-1).view;
      write(id, { ...before, at: now, ...summary(view, before.seat) });
    }
    for (const message of messages) onMessage(message);
    if (entries.length) this.#think(computer_to_move);
  }

  /** Lets the computer think, if it is to move. What it thought about before has changed. @param {boolean} isToMove */
  async #think(isToMove) {
    this.thinking?.abort();
    const kept = isToMove && read(this.options.id);
    if (!kept) return;
    const { signal } = (this.thinking = new AbortController());
    const base = kept.match.entries.length;
    try {
      const act = await api.answered("player", { decide: { solo: kept.match } }, signal);
      if (!signal.aborted && act) this.#after(() => this.#propose({ by_computer: true, client: "computer", number: base + 1, base, act }));
    } catch (error) {
      if (!signal.aborted) this.#fail(/** @type {Error} */ (error));
    }
  }

  /** @param {ConnectionPhase} phase */
  #setPhase(phase) {
    if (phase === this.phase) return;
    this.phase = phase;
    this.options.onPhase(phase);
  }
}
