// What one can do at a table besides moving.

import { strengthChoice } from "./choice.js";
import { computerSpec } from "./computer.js";
import * as api from "./api.js";
import { h, replace, write } from "./dom.js";
import * as keepsake from "./keepsake.js";
import { toast } from "./notice.js";
import { linkField } from "./share.js";
import { index, playerName } from "./words.js";

/** After how long an absence the page offers to claim the win, in milliseconds. */
const LEFT_AFTER = 10_000;
/** How long the other side has to answer a claim, in milliseconds. */
const CLAIM = 20_000;

export class Actions {
  /**
   * @param {import("./session.js").Session} session
   * @param {{onReplay: (number: number) => void, onDone: () => void}} listener
   */
  constructor(session, listener) {
    this.session = session;
    this.listener = listener;
    this.element = h("section", { class: "actions", "aria-label": "Actions" });
    this.asking = false;
    this.shown = "";
    /** How long the other side still has to answer a claim. @type {HTMLElement | null} */
    this.left = null;
  }

  /** Draws itself anew where anything has changed; what has not keeps its focus. */
  show() {
    const { view, seat, replica, phase, presence } = this.session;
    const { to_move, verdict, draw_offer, take_back, rematch, number, seats } = view;
    const claim = this.#mayClaim();
    const state = [to_move === null, verdict, draw_offer, take_back, view.claim, rematch, number, seats, seat, replica.waiting, phase, this.asking, claim];
    const text = JSON.stringify([state, view.moves.length > 0, presence.seats]);
    if (text === this.shown) return;
    this.shown = text;
    this.left = null;
    const open = [0, 1].filter((place) => !seats[place]);
    replace(this.element, open.length ? this.#waiting(open) : seat === null ? this.#watching() : this.#playing(claim));
  }

  tick() {
    const may = this.#mayClaim();
    if (may !== this.could) this.show();
    this.could = may;
    const { view, now } = this.session;
    if (!this.left || !view.claim) return;
    const seconds = Math.max(0, Math.ceil((view.claim[1] + CLAIM - now) / 1000));
    write(this.left, `You claim the win. It is yours in ${seconds} s.`);
  }

  #mayClaim() {
    const { view, seat, away } = this.session;
    if (seat === null || view.verdict || !view.to_move || view.claim) return false;
    const since = away[1 - seat];
    return since !== null && Date.now() - since >= LEFT_AFTER;
  }

  /** @param {string} text @param {any} act @param {string} [look] */
  #button(text, act, look = "quiet") {
    const { replica, phase } = this.session;
    const disabled = replica.waiting || phase !== "open";
    return h("button", { type: "button", class: look, "data-act": act, disabled, onclick: () => this.#do(act) }, text);
  }

  /** @param {any} act */
  #do(act) {
    this.asking = false;
    this.session.propose(act);
  }

  /** @param {boolean} claim */
  #playing(claim) {
    const { view, seat } = this.session;
    const other = playerName(view, /** @type {0 | 1} */ (1 - /** @type {number} */ (seat)));
    if (view.verdict) return this.#over(other);
    const theirs = (/** @type {string | null} */ asker) => asker !== null && index(asker) !== seat;
    const parts = [];
    if (view.claim && !theirs(view.claim[0])) parts.push((this.left = h("p", { class: "said" })));
    if (claim) parts.push(this.#question(`${other} has been away for a while.`, this.#button("Claim the win", "claim", "main")));
    if (theirs(view.draw_offer)) {
      parts.push(this.#question(`${other} offers a draw.`, this.#button("Accept", "accept_draw", "main"), this.#button("Refuse", "refuse_draw")));
    }
    if (theirs(view.take_back)) {
      parts.push(this.#question(`${other} asks for their move back.`, this.#button("Allow", "grant_take_back", "main"), this.#button("Refuse", "refuse_take_back")));
    }
    if (view.draw_offer && !theirs(view.draw_offer)) parts.push(h("p", { class: "said" }, "You offer a draw."));
    if (view.take_back && !theirs(view.take_back)) parts.push(h("p", { class: "said" }, "You ask for your move back."));
    if (this.asking) {
      parts.push(this.#question("Give this game up?", this.#button("Resign", "resign", "main bad"), this.#plain("Play on", () => this.#ask(false))));
    } else {
      parts.push(
        h(
          "div",
          { class: "row" },
          view.draw_offer ? null : this.#button("Offer a draw", "offer_draw"),
          view.take_back || !view.moves.length ? null : this.#button("Take back", "ask_take_back"),
          this.#plain("Resign …", () => this.#ask(true), "resign-ask"),
        ),
      );
    }
    parts.push(this.#device());
    return parts;
  }

  /** @param {boolean} asking */
  #ask(asking) {
    this.asking = asking;
    this.show();
    const button = asking ? ".question button:last-child" : "#resign-ask";
    this.element.querySelector(button)?.focus();
  }

  /** @param {string} other */
  #over(other) {
    const { view, seat } = this.session;
    const mine = view.rematch[/** @type {number} */ (seat)];
    const theirs = view.rematch[1 - /** @type {number} */ (seat)];
    return [
      theirs ? h("p", { class: "said" }, `${other} wants another game.`) : null,
      mine ? h("p", { class: "said" }, `You want another game. Waiting for ${other}.`) : null,
      h("div", { class: "row" }, mine ? null : this.#button("Play again", "rematch", "main"), this.#replayButton(), h("a", { class: "button quiet", href: "/" }, "Other games")),
    ];
  }

  #watching() {
    const { view } = this.session;
    return h("div", { class: "row" }, view.verdict || view.number > 1 ? this.#replayButton() : null, h("a", { class: "button quiet", href: "/" }, "Other games"));
  }

  #replayButton() {
    const { number, verdict } = this.session.view;
    return this.#plain("Replay", () => this.listener.onReplay(verdict ? number : number - 1), "replay");
  }

  /** What there is to do while a seat is free. @param {number[]} open */
  #waiting(open) {
    const { id, view, seat } = this.session;
    const free = /** @type {0 | 1} */ (open[0]);
    if (seat === null) return this.#sitDown(free);
    const url = `${location.origin}/m/${id}`;
    return [
      h(
        "div",
        { class: "card invite" },
        h("h2", {}, "Send this link to a friend"),
        linkField({ url, label: "The link to this table", title: `A game of ${view.settings.game}` }),
        h("p", { class: "small" }, "Who opens it may sit down; who comes later watches. From a terminal: ", h("code", {}, `open_ttt join ${url}`)),
      ),
      this.#seatComputer(free),
      this.#device(),
    ];
  }

  /** @param {0 | 1} free */
  #sitDown(free) {
    const name = h("input", { type: "text", id: "name", maxlength: 32, autocomplete: "nickname", placeholder: "Guest", value: keepsake.name() });
    const sit = async (/** @type {Event} */ event) => {
      event.preventDefault();
      keepsake.keepName(name.value.trim());
      await this.#join({ person: name.value.trim() || "Guest" }, free);
    };
    return h(
      "form",
      { class: "card invite", onsubmit: sit },
      h("h2", {}, "A seat is free"),
      h("label", { class: "field", for: "name" }, h("span", {}, "Your name"), name),
      h("button", { type: "submit", class: "main", id: "sit" }, "Sit down"),
    );
  }

  /** @param {0 | 1} free */
  #seatComputer(free) {
    const strength = strengthChoice("strength");
    const call = async () => {
      try {
        const games = await api.games();
        const key = this.session.view.settings.game.split("(")[0];
        const game = games.find((/** @type {any} */ it) => it.game.split("(")[0] === key);
        await this.#join({ computer: computerSpec(game?.strongest ?? "mcts", strength.value) }, free);
      } catch (error) {
        toast(/** @type {Error} */ (error).message, "bad");
      }
    };
    return h("details", { class: "card more" }, h("summary", {}, "Or play a computer"), strength.element, this.#plain("Seat the computer", call, "seat-computer"));
  }

  /** @param {object} player @param {0 | 1} seat */
  async #join(player, seat) {
    try {
      await this.session.join(player, seat);
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
    }
  }

  /** The own seat's link, which is a key: it is shown when asked for. */
  #device() {
    const { id, view } = this.session;
    const token = keepsake.token(id);
    if (!token) return null;
    const friend = linkField({ url: `${location.origin}/m/${id}`, label: "The link to watch", title: `A game of ${view.settings.game}` });
    const own = linkField({ url: `${location.origin}/m/${id}#${token}`, label: "The link to your own seat", title: "My seat" });
    return h(
      "details",
      { class: "more links" },
      h("summary", {}, "Links"),
      h("p", { class: "small" }, "To watch this table:"),
      friend,
      h("p", { class: "small" }, "To play on from another device. It opens your seat: keep it to yourself."),
      own,
    );
  }

  /** @param {string} text @param {() => void} onclick @param {string} [id] */
  #plain(text, onclick, id) {
    return h("button", { type: "button", class: "quiet", id, onclick }, text);
  }

  /** @param {string} text @param {...any} buttons */
  #question(text, ...buttons) {
    return h("div", { class: "question" }, h("p", {}, text), h("div", { class: "row" }, buttons));
  }
}
