// What a player can do besides moving.

import { levelChoice } from "./choice.js";
import { computerSpec } from "./computer.js";
import { h, update, write } from "./dom.js";
import { toastError } from "./notifications.js";
import { Pairing } from "./pairing.js";
import { opponent, seatIndex, seatName } from "./seat.js";
import { linkField } from "./share.js";
import * as storage from "./storage.js";
import { playerName } from "./text.js";

/** After this long an absence the player can claim the win, in milliseconds. */
const CLAIM_AFTER = 10_000;
/** The time the opponent has to answer a claim, in milliseconds. */
const CLAIM_TIME = 20_000;

export class Actions {
  /**
   * @param {import("./session.js").Session} session
   * @param {{onReplay: (number: number) => void}} listener
   */
  constructor(session, listener) {
    this.session = session;
    this.listener = listener;
    // It takes the focus from a button that disappears.
    this.element = h("section", { class: "actions", "aria-label": "Actions", tabindex: -1 });
    this.pairing = new Pairing(session.id);
    this.isResigning = false;
    /** What the other player has just refused. */
    this.refused = "";
    this.couldClaim = false;
    this.shown = "";
    /** The links to the match, drawn once. @type {HTMLElement | null} */
    this.links = null;
    /** The countdown of the player's claim. @type {HTMLElement | null} */
    this.countdown = null;
  }

  /** Redraws if anything that is drawn has changed: what a person types or has opened stays. @param {MatchView} view */
  show(view) {
    const { seat, replica, phase } = this.session;
    const { to_move, verdict, draw_offer, take_back, rematch, number, seats, movers, claim } = view;
    if (seats[0] && seats[1]) this.pairing.end();
    const open = !seats[0] ? 0 : !seats[1] ? 1 : null;
    if (open !== null) return this.#redraw(["waiting", open, seat, this.pairing.isWaiting], () => this.#waiting(view, open));
    if (seat === null) return this.#redraw(["watching", number, view.moves.length > 0], () => this.#watching(view));
    const canClaim = this.#canClaim(view);
    const state = ["playing", to_move === null, verdict, draw_offer, take_back, claim, rematch, number, seats, seat, replica.hasPending, phase, this.isResigning, canClaim, movers, this.refused];
    this.#redraw(state, () => this.#playing(view, seat, canClaim));
  }

  /** @param {unknown[]} state what is drawn @param {() => Child | Child[]} draw */
  #redraw(state, draw) {
    const text = JSON.stringify(state);
    if (text === this.shown) return;
    this.shown = text;
    this.countdown = null;
    const focused = this.element.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
    // What is drawn again as it was, such as opened links, stays and keeps the focus.
    update(this.element, [draw()].flat().filter((part) => part instanceof Element));
    if (!focused || this.element.contains(focused)) return;
    const { act } = focused.dataset;
    const same = act ? `[data-act="${act}"]` : focused.id && `#${focused.id}`;
    const again = same ? this.element.querySelector(`${same}:enabled`) : null;
    /** @type {HTMLElement} */ (again ?? this.element).focus({ preventScroll: true });
  }

  /** @param {MatchView} view */
  tick(view) {
    const canClaim = this.#canClaim(view);
    if (canClaim !== this.couldClaim) this.show(view);
    this.couldClaim = canClaim;
    if (!this.countdown || !view.claim) return;
    const seconds = Math.max(0, Math.ceil((view.claim[1] + CLAIM_TIME - this.session.now) / 1000));
    write(this.countdown, `You win in ${seconds} s unless your opponent returns.`);
  }

  /** @param {MatchView} view */
  #canClaim(view) {
    const { seat, away } = this.session;
    if (seat === null || view.verdict || !view.to_move || view.claim) return false;
    const since = away[opponent(seat)];
    return since !== null && Date.now() - since >= CLAIM_AFTER;
  }

  /** A button that proposes an act. @param {string} text @param {PlayerAct} act @param {string} [look] */
  #act(text, act, look = "quiet") {
    const { replica, phase } = this.session;
    const disabled = replica.hasPending || phase !== "open";
    const propose = () => {
      this.isResigning = false;
      this.session.propose(act);
    };
    return h("button", { type: "button", class: look, "data-act": String(act), disabled, onclick: propose }, text);
  }

  /** @param {MatchView} view @param {SeatIndex} seat @param {boolean} canClaim */
  #playing(view, seat, canClaim) {
    const other = playerName(view, opponent(seat));
    if (view.verdict) return this.#over(view, seat, other);
    const theirs = (/** @type {SeatName | null} */ asker) => asker !== null && seatIndex(asker) !== seat;
    const parts = [];
    if (view.claim && !theirs(view.claim[0])) parts.push((this.countdown = note("")));
    if (canClaim) parts.push(question(`${other} has been away for a while.`, this.#act("Claim the win", "claim", "main")));
    if (theirs(view.draw_offer)) {
      parts.push(question(`${other} offers a draw.`, this.#act("Accept", "accept_draw", "main"), this.#act("Decline", "refuse_draw")));
    }
    if (theirs(view.take_back)) {
      parts.push(question(`${other} asks to undo a move.`, this.#act("Allow", "grant_take_back", "main"), this.#act("Decline", "refuse_take_back")));
    }
    if (this.refused) parts.push(note(this.refused));
    if (view.draw_offer && !theirs(view.draw_offer)) parts.push(note("You offered a draw."));
    if (view.take_back && !theirs(view.take_back)) parts.push(note("You asked to undo your move."));
    if (this.isResigning) {
      parts.push(question("Resign this game?", this.#act("Resign", "resign", "main bad"), button("Keep playing", () => this.#askToResign(view, false))));
    } else {
      parts.push(
        row(
          // A computer declines each draw.
          view.draw_offer || view.seats[opponent(seat)]?.computer ? null : this.#act("Offer a draw", "offer_draw"),
          view.take_back || view.settings.rated || !view.movers.slice(view.settings.moves?.length ?? 0).includes(seatName(seat)) ? null : this.#act("Undo", "ask_take_back"),
          button("Resign", () => this.#askToResign(view, true), "resign-ask"),
        ),
      );
    }
    parts.push(this.#links(view));
    return parts;
  }

  /** @param {MatchView} view @param {boolean} isResigning */
  #askToResign(view, isResigning) {
    this.isResigning = isResigning;
    this.show(view);
    const target = isResigning ? ".question button:last-child" : "#resign-ask";
    /** @type {HTMLElement | null} */ (this.element.querySelector(target))?.focus();
  }

  /** @param {MatchView} view @param {SeatIndex} seat @param {string} other */
  #over(view, seat, other) {
    const mine = view.rematch[seat];
    return [
      view.rematch[opponent(seat)] ? note(`${other} wants a rematch.`) : null,
      mine ? note(`You asked for a rematch. Waiting for ${other}.`) : null,
      row(mine ? null : this.#act("Rematch", "rematch", "main"), this.#replayButton(view), allGames()),
    ];
  }

  /** @param {MatchView} view */
  #watching(view) {
    return row(this.#replayButton(view), allGames());
  }

  /** A button that replays the latest game with a move, if there is one. @param {MatchView} view */
  #replayButton({ number, moves }) {
    const latest = moves.length ? number : number - 1;
    return latest ? button("Replay", () => this.listener.onReplay(latest), "replay") : null;
  }

  /** The invitation while a seat is open. @param {MatchView} view @param {SeatIndex} open */
  #waiting(view, open) {
    if (this.session.seat === null) return this.#joinForm(open);
    if (this.pairing.isWaiting) return [this.pairing.element, this.#links(view)];
    const url = this.#url;
    return [
      h(
        "div",
        { class: "card invite" },
        h("h2", {}, "Send this link to a friend"),
        linkField({ url, label: "Game link", title: `A game of ${view.settings.game}` }).element,
        h("p", { class: "small" }, "The first person to open it plays; everyone else can watch. In a terminal: ", h("code", {}, `open_ttt join ${url}`)),
      ),
      view.settings.rated ? null : this.#computerForm(view, open),
      this.#links(view),
    ];
  }

  get #url() {
    return `${location.origin}/m/${this.session.id}`;
  }

  /** @param {SeatIndex} open */
  #joinForm(open) {
    const name = h("input", { type: "text", id: "name", maxlength: 32, autocomplete: "nickname", placeholder: "Guest", value: storage.playerName() });
    const join = (/** @type {Event} */ event) => {
      event.preventDefault();
      storage.savePlayerName(name.value.trim());
      this.#join({ person: name.value.trim() || "Guest" }, open);
    };
    return h(
      "form",
      { class: "card invite", onsubmit: join },
      h("h2", {}, "Join this game"),
      h("label", { class: "field", for: "name" }, h("span", {}, "Your name"), name),
      h("button", { type: "submit", class: "main", id: "join" }, "Join"),
    );
  }

  /** @param {MatchView} view @param {SeatIndex} open */
  #computerForm(view, open) {
    const level = levelChoice("level");
    const add = () => this.#join({ computer: computerSpec(level.value, view.settings.game) }, open);
    return h("details", { class: "card more" }, h("summary", {}, "Or play the computer"), level.element, button("Play the computer", add, "add-computer"));
  }

  /** @param {SeatRequest} player @param {SeatIndex} seat */
  async #join(player, seat) {
    try {
      await this.session.join(player, seat);
    } catch (error) {
      toastError(error);
    }
  }

  /** The links to the match. The private one gives access to the seat, so it is hidden at first. @param {MatchView} view */
  #links(view) {
    const token = storage.token(this.session.id);
    if (!token) return null;
    const url = this.#url;
    this.links ??= h(
      "details",
      { class: "more links" },
      h("summary", {}, "Links"),
      h("p", { class: "small" }, "For spectators:"),
      linkField({ url, label: "Spectator link", title: `A game of ${view.settings.game}` }).element,
      h("p", { class: "small" }, "To continue on another device. Keep this link private: it lets anyone play for you."),
      linkField({ url: `${url}#${token}`, label: "Private link", title: "My game" }).element,
    );
    return this.links;
  }
}

/** @param {string} text @param {() => void} onclick @param {string} [id] */
const button = (text, onclick, id) => h("button", { type: "button", class: "quiet", id, onclick }, text);

/** @param {...Child} children */
const row = (...children) => h("div", { class: "row" }, children);

/** @param {string} text */
const note = (text) => h("p", { class: "note" }, text);

/** @param {string} text @param {...Child} buttons */
const question = (text, ...buttons) => h("div", { class: "question" }, h("p", {}, text), row(...buttons));

const allGames = () => h("a", { class: "button quiet", href: "/" }, "All games");
