// The page's side of a match: the connection, the replica and the seat.

import * as api from "./api.js";
import { Connection } from "./connection.js";
import { ownKey } from "./player-key.js";
import { Replica } from "./replica.js";
import { seatIndex, seatName } from "./seat.js";
import { isSolo, SoloConnection } from "./solo.js";
import * as storage from "./storage.js";
import { sentence } from "./text.js";

const VERSION = 1;
const SUBPROTOCOL = "open_ttt.v1";
/** The delay before an unanswered proposal is sent again, in milliseconds. */
const RESEND_AFTER = 4_000;
/**
 * Errors after which another attempt may succeed. All others are for good, also those that a later
 * server may add. The last three are those of a request that got no answer of the server's.
 */
const PASSING = new Set(["too_many", "too_slow", "timed_out", "shutting_down", "unavailable", "offline", "not_json", "unknown"]);

/**
 * @typedef {object} Listener
 * @property {(update: ReplicaUpdate | null) => void} onUpdate anything has changed
 * @property {(error: ErrorReport) => void} onEnd the connection has failed for good
 * @property {(text: string) => void} onWarning
 */

export class Session {
  /**
   * @param {string} id the match
   * @param {Listener} listener
   * @param {string} [claimed] a token that is saved once the server has accepted it
   */
  constructor(id, listener, claimed) {
    this.id = id;
    this.claimed = claimed;
    this.listener = listener;
    this.replica = new Replica(storage.replica(id));
    /** The player's seat. @type {SeatIndex | null} */
    this.seat = null;
    /** @type {Presence} */
    this.presence = { seats: [false, false], watchers: 0 };
    /** The offset of the server's clock, in milliseconds. */
    this.offset = 0;
    /** Since when each seat has been away, by this browser's clock. @type {(number | null)[]} */
    this.away = [null, null];
    /** Why the connection was refused last, as the player knows. */
    this.told = "";
    const url = new URL(`/api/v1/matches/${id}/socket`, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const handlers = {
      hello: () => this.#hello(),
      onMessage: (/** @type {ServerMessage} */ message) => this.#receive(message),
      onPhase: (/** @type {ConnectionPhase} */ phase) => this.#phaseChanged(phase),
    };
    this.connection = this.isSolo ? new SoloConnection({ id, ...handlers }) : new Connection({ url: url.href, protocol: SUBPROTOCOL, ...handlers });
  }

  open() {
    this.connection.open();
  }

  /** Whether the match is played in this browser alone. */
  get isSolo() {
    return isSolo(this.id);
  }

  get view() {
    return this.replica.view;
  }

  get phase() {
    return this.connection.phase;
  }

  /** The server's time, in milliseconds since 1970. */
  get now() {
    return Date.now() + this.offset;
  }

  /** @param {PlayerAct} act */
  propose(act) {
    if (!this.replica.propose(act)) return;
    this.#save();
    this.#send();
    this.listener.onUpdate(null);
  }

  /** Takes a seat, for the player or for a computer. @param {SeatRequest} player @param {SeatIndex} seat */
  async join(player, seat) {
    const token = storage.token(this.id);
    const assigned = await api.join(this.id, { player, seat: seatName(seat), token, key: ownKey() });
    if (assigned.token) {
      storage.saveSeat(this.id, assigned.token, this.view?.settings.game, assigned.seat);
      this.connection.restart();
    }
  }

  #hello() {
    const token = this.claimed ?? storage.token(this.id);
    return { type: "hello", protocol: VERSION, client: this.replica.client, token, key: storage.playerKey(), shape: "views" };
  }

  #send() {
    clearTimeout(this.resend);
    const message = this.replica.outgoing;
    if (!message) return;
    this.connection.send(message);
    this.#sendAfter(RESEND_AFTER);
  }

  /** @param {number} delay */
  #sendAfter(delay) {
    this.resend = setTimeout(() => this.#send(), delay);
  }

  #save() {
    storage.saveReplica(this.id, this.replica.saved);
  }

  /** @param {ServerMessage} message */
  #receive(message) {
    if ("now" in message) this.offset = message.now - Date.now();
    if (message.type === "error") return this.#fail(message);
    if (message.type === "notice") return this.listener.onWarning(message.text);
    if (message.type === "presence") this.#setPresence(message);
    if (message.type === "welcome") {
      this.seat = message.seat && seatIndex(message.seat);
      this.#setPresence(message.presence);
      if (this.claimed && message.seat) storage.saveSeat(this.id, this.claimed, message.state.view.settings.game, message.seat);
      this.claimed = undefined;
      this.told = "";
    }
    const update = this.replica.receive(message);
    this.#save();
    clearTimeout(this.resend);
    if (update.kind === "delayed") this.#sendAfter(update.wait);
    else if (message.type === "welcome") this.#send();
    else if (this.replica.hasPending) this.#sendAfter(RESEND_AFTER);
    this.listener.onUpdate(update);
  }

  /** @param {Presence} presence */
  #setPresence({ seats, watchers }) {
    this.presence = { seats, watchers };
    this.away = seats.map((isHere, seat) => (isHere ? null : (this.away[seat] ?? Date.now())));
  }

  /** @param {ErrorReport} error */
  #fail(error) {
    if (error.code === "bad_token") {
      // A wrong token in the link does not cost the player a saved seat.
      if (this.claimed) this.claimed = undefined;
      else storage.removeSeat(this.id);
      this.listener.onWarning("This private link isn't valid.");
      this.connection.restart();
    } else this.#refused(error);
  }

  /** The server refuses the connection, for good or for now. @param {ErrorReport} error */
  #refused(error) {
    if (!PASSING.has(error.code)) {
      this.connection.end();
      return this.listener.onEnd(error);
    }
    // Each attempt may be refused for the same reason.
    if (error.text !== this.told) this.listener.onWarning(sentence(error.text));
    this.told = error.text;
  }

  /** @param {ConnectionPhase} phase */
  async #phaseChanged(phase) {
    this.listener.onUpdate(null);
    if (phase !== "lost" || this.view) return;
    // A WebSocket does not tell why it was refused; a request does.
    try {
      await api.status(this.id);
    } catch (error) {
      const { code, message } = /** @type {api.RequestError} */ (error);
      this.#refused({ code, text: message });
    }
  }
}
