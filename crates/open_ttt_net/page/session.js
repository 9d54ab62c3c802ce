// One's part in a match: the connection, the copy of the match, the seat.

import * as api from "./api.js";
import { Connection } from "./connection.js";
import * as keepsake from "./keepsake.js";
import { Replica } from "./replica.js";

const VERSION = 1;
const SUBPROTOCOL = "open_ttt.v1";
/** How long to wait for an answer before sending again, in milliseconds. */
const SEND_AGAIN = 4_000;
/** Errors that another try would not mend. */
const FINAL = new Set(["bad_message", "bad_version", "bad_origin", "no_such_match", "not_found", "wrong_method", "too_long"]);

/**
 * @typedef {object} Listener
 * @property {(heard: import("./replica.js").Heard | null) => void} onNews anything has changed
 * @property {(text: string) => void} onEnd there is no going on
 * @property {(text: string) => void} onTrouble
 */

export class Session {
  /**
   * @param {string} id the match
   * @param {Listener} listener
   * @param {string} [claimed] a token that is kept only once it has opened a seat
   */
  constructor(id, listener, claimed) {
    this.id = id;
    this.claimed = claimed;
    this.listener = listener;
    this.replica = new Replica(keepsake.client(id));
    /** @type {0 | 1 | null} the seat that is one's own */
    this.seat = null;
    this.presence = { seats: [false, false], watchers: 0 };
    /** By how much the server's clock is ahead, in milliseconds. */
    this.ahead = 0;
    /** Since when each seat has been away, by this browser's clock. @type {(number | null)[]} */
    this.away = [null, null];
    const url = new URL(`/api/v1/matches/${id}/socket`, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    this.connection = new Connection({
      url: url.href,
      protocol: SUBPROTOCOL,
      hello: () => this.#hello(),
      onMessage: (message) => this.#hear(message),
      onPhase: (phase) => this.#turn(phase),
    });
  }

  open() {
    this.connection.open();
  }

  get view() {
    return this.replica.view;
  }

  get phase() {
    return this.connection.phase;
  }

  /** The server's time, in milliseconds since 1970. */
  get now() {
    return Date.now() + this.ahead;
  }

  /** @param {any} act */
  propose(act) {
    if (!this.replica.propose(act)) return;
    this.#keep();
    this.#send();
    this.listener.onNews(null);
  }

  /** Takes a seat, for oneself or for a computer. @param {object} player a `SeatRequest` @param {0 | 1} seat */
  async join(player, seat) {
    const token = keepsake.token(this.id);
    const seated = await api.join(this.id, { player, seat: "ab"[seat], token });
    if (seated.token) {
      keepsake.keepSeat(this.id, seated.token, this.view?.settings.game);
      this.connection.restart();
    }
  }

  #hello() {
    const token = this.claimed ?? keepsake.token(this.id);
    return { type: "hello", protocol: VERSION, client: this.replica.client, token, shape: "views" };
  }

  #send() {
    clearTimeout(this.again);
    const message = this.replica.outgoing;
    if (!message) return;
    this.connection.send(message);
    this.again = setTimeout(() => this.#send(), SEND_AGAIN);
  }

  #keep() {
    keepsake.keepClient(this.id, this.replica.saved);
  }

  /** @param {any} message */
  #hear(message) {
    if (message.now !== undefined) this.ahead = message.now - Date.now();
    if (message.type === "error") return this.#fail(message);
    if (message.type === "presence") this.#note(message);
    if (message.type === "welcome") {
      this.seat = message.seat ? /** @type {0 | 1} */ ("ab".indexOf(message.seat)) : null;
      this.#note(message.presence);
      if (this.claimed && message.seat) keepsake.keepSeat(this.id, this.claimed, message.state.view.settings.game);
      this.claimed = undefined;
    }
    const heard = this.replica.hear(message);
    this.#keep();
    clearTimeout(this.again);
    if (heard.kind === "delayed") this.again = setTimeout(() => this.#send(), heard.wait);
    else if (message.type === "welcome") this.#send();
    else if (this.replica.waiting) this.again = setTimeout(() => this.#send(), SEND_AGAIN);
    this.listener.onNews(heard);
  }

  /** @param {{seats: boolean[], watchers: number}} presence */
  #note({ seats, watchers }) {
    this.presence = { seats, watchers };
    this.away = seats.map((here, seat) => (here ? null : (this.away[seat] ?? Date.now())));
  }

  /** @param {{code: string, text: string}} error */
  #fail({ code, text }) {
    if (code === "bad_token") {
      // What the link claimed was wrong, which costs nobody a seat they have.
      if (this.claimed) this.claimed = undefined;
      else keepsake.forgetSeat(this.id);
      this.listener.onTrouble("The link opens no seat here.");
      this.connection.restart();
    } else if (FINAL.has(code)) {
      this.connection.end();
      this.listener.onEnd(text);
    }
  }

  /** @param {import("./connection.js").Phase} phase */
  async #turn(phase) {
    this.listener.onNews(null);
    if (phase !== "lost" || this.view) return;
    // A socket does not say why it was refused; a request does.
    try {
      await api.status(this.id);
    } catch (error) {
      const { code, message } = /** @type {api.RequestError} */ (error);
      if (FINAL.has(code) || code === "bad_request") {
        this.connection.end();
        this.listener.onEnd(message);
      }
    }
  }
}
