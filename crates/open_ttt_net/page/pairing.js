// Waiting for an opponent for a quick game. The server pairs players who ask for the same
// game; whoever waits asks again, because two may have begun to wait at once.

import * as api from "./api.js";
import { h } from "./dom.js";
import { toastError } from "./notifications.js";
import { ownKey } from "./player-key.js";
import * as storage from "./storage.js";

/** The interval at which the server is asked again, in milliseconds. */
const INTERVAL = 5_000;

/** Asks for an opponent, and opens the match. @param {Omit<PairPlayer, "key">} wanted */
export async function pair(wanted) {
  const assigned = await api.pair({ ...wanted, key: ownKey() });
  const path = storage.keepSeat(assigned, wanted.game);
  storage.savePairing({ match: assigned.match, wanted: { ...wanted, waiting: assigned.match } });
  location.assign(path);
}

export class Pairing {
  /** @param {string} id the match */
  constructor(id) {
    this.id = id;
    const saved = storage.pairing();
    /** What is asked for; null unless the player waits in this match. */
    this.wanted = saved?.match === id ? saved.wanted : null;
    this.element = h(
      "div",
      { class: "card invite" },
      h("h2", {}, "Looking for an opponent…"),
      h("p", { class: "small" }, "Keep this page open. The game starts as soon as somebody asks for the same one."),
      h("button", { type: "button", class: "quiet", id: "cancel-pairing", onclick: () => this.#cancel() }, "Cancel"),
    );
    if (this.wanted) this.#wait();
  }

  get isWaiting() {
    return this.wanted !== null;
  }

  /** The opponent is here. */
  end() {
    clearTimeout(this.timer);
    if (this.wanted) storage.savePairing(null);
    this.wanted = null;
  }

  #wait() {
    this.timer = setTimeout(() => this.#ask(), INTERVAL);
  }

  async #ask() {
    const { wanted } = this;
    if (!wanted) return;
    try {
      const assigned = await api.pair({ ...wanted, key: ownKey() });
      const { match } = assigned;
      // The match left behind may be over for this page by now: the player has taken its
      // other seat, too.
      if (match !== this.id) {
        storage.removeSeat(this.id);
        const path = storage.keepSeat(assigned, wanted.game);
        storage.savePairing({ match, wanted: { ...wanted, waiting: match } });
        location.replace(path);
        return;
      }
    } catch {
      // The next request may succeed; the connection's state is shown anyway.
    }
    if (this.wanted) this.#wait();
  }

  async #cancel() {
    try {
      const { cancelled } = await api.cancelPairing({ match: this.id, key: ownKey() });
      this.end();
      // Somebody has come at the last moment: the game is on.
      if (!cancelled) return;
      storage.removeSeat(this.id);
      // Nothing is left of the match to go back to.
      location.replace("/");
    } catch (error) {
      toastError(error);
    }
  }
}
