// A match: the board, who plays, and what one can do.

import { Actions } from "./actions.js";
import { Board } from "./board.js";
import { h, replace, write } from "./dom.js";
import * as keepsake from "./keepsake.js";
import { announce, toast } from "./notice.js";
import { Moves } from "./moves.js";
import { Player } from "./player.js";
import { Replay } from "./replay.js";
import { Session } from "./session.js";
import { actName, index, newsText, playerName, statusText } from "./words.js";

/** How often the clocks are drawn, in milliseconds. */
const TICK = 100;

export class Table {
  /**
   * @param {string} id the match
   * @param {HTMLElement} root
   * @param {string} [token] of the link that led here
   */
  constructor(id, root, token) {
    this.id = id;
    this.root = root;
    this.session = new Session(id, {
      onNews: (heard) => this.#news(heard),
      onEnd: (text) => this.#end(text),
      onTrouble: (text) => toast(text, "bad"),
    }, token);
    this.board = new Board((text) => this.#play(text));
    this.players = [new Player(), new Player()];
    this.status = h("p", { class: "status" }, "Looking for the table …");
    this.actions = new Actions(this.session, {
      onReplay: (number) => this.#replay(number),
      onDone: () => this.#render(),
    });
    this.moves = new Moves((text) => this.#play(text));
    this.frame = h("div", { class: "frame" }, this.board.element);
    this.side = h("aside", { class: "side" }, this.status, this.actions.element, this.moves.element);
    this.stage = h("section", { class: "stage", "aria-label": "Board" }, this.players[1].element, this.frame, this.players[0].element);
    this.connection = h("span", { class: "sign" });
    this.watchers = h("span", { class: "sign" });
    /** @type {Replay | null} */
    this.replay = null;
  }

  open() {
    replace(this.root, h("div", { class: "table waiting" }, this.stage, this.side));
    replace(/** @type {Element} */ (document.getElementById("signs")), this.watchers, this.connection);
    this.session.open();
    this.#signs();
    setInterval(() => this.#tick(), TICK);
  }

  /** @param {string} text */
  #play(text) {
    const { view, seat } = this.session;
    if (!view || view.to_move === null || index(view.to_move) !== seat) {
      announce("It is not your turn.");
      return;
    }
    this.session.propose({ move: { text } });
  }

  /** @param {import("./replica.js").Heard | null} heard */
  #news(heard) {
    const { view, seat } = this.session;
    if (heard?.kind === "taken_back") this.#takenBack(heard);
    if (view) this.#render();
    this.#signs();
    if (view && heard?.transition) announce(newsText(heard.transition, view, heard.before, seat));
    else if (view && heard?.kind === "followed") announce(statusText(view, seat));
  }

  /** @param {import("./replica.js").Heard} heard */
  #takenBack({ act, reason, transition, before }) {
    const { view, seat } = this.session;
    if (act.move) this.board.takeBack(act.move.text);
    const first = transition ? newsText(transition, view, before, seat) : "Something else came first.";
    toast(`Taken back: ${actName(act)}. ${reason ? sentence(reason) : first}`, "bad");
  }

  #render() {
    const { session } = this;
    const { view, seat, replica } = session;
    this.root.firstElementChild?.classList.remove("waiting");
    const hoped = replica.hope?.move;
    const mover = view.to_move ? index(view.to_move) : null;
    const mine = mover !== null && mover === seat;
    const status = statusText(view, seat);
    const open = session.phase === "open";
    document.title = mine ? `● ${status} – open_ttt` : `${status} – open_ttt`;
    const [low, high] = seat === 1 ? [1, 0] : [0, 1];
    this.players[0].show(session, /** @type {0 | 1} */ (low));
    this.players[1].show(session, /** @type {0 | 1} */ (high));
    this.actions.show();
    // A new game is worth leaving an old one for.
    if (this.replay && view.number !== this.seen) return this.replay.close();
    if (this.replay) return;
    write(this.status, status);
    this.status.classList.toggle("yours", mine);
    this.status.classList.toggle("over", view.verdict !== null);
    this.board.show({
      board: view.board,
      title: `${view.settings.game}, ${status}`,
      mover: mine && open ? mover : null,
      hope: hoped && seat !== null ? { text: hoped.text, seat } : null,
    });
    this.moves.show(view, mine && open && !replica.waiting, hoped?.text);
  }

  #signs() {
    const { phase, presence, view, seat } = this.session;
    const texts = { connecting: "Connecting …", open: "Connected", lost: "Connection lost, trying again …", ended: "Not connected" };
    if (this.phase !== phase) {
      if (this.phase === "lost" && phase === "open") announce("Connected again.");
      if (phase === "lost") announce("The connection is lost. Trying again.");
      this.phase = phase;
    }
    write(this.connection, texts[phase]);
    this.connection.className = `sign ${phase}`;
    this.root.firstElementChild?.classList.toggle("offline", phase !== "open");
    const others = presence.watchers - (seat === null && phase === "open" ? 1 : 0);
    const watching = seat === null && view ? "You are watching" : "";
    const more = others > 0 ? `${others} ${watching ? "more" : others === 1 ? "watches" : "watch"}` : "";
    write(this.watchers, [watching, more].filter(Boolean).join(", "));
  }

  #tick() {
    if (!this.session.view) return;
    for (const player of this.players) player.tick(this.session);
    this.actions.tick();
  }

  /** @param {string} text */
  #end(text) {
    if (this.session.view) {
      toast(text, "bad");
      this.#signs();
      return;
    }
    keepsake.forgetSeat(this.id);
    announce(text);
    const box = h("div", { class: "card lone" }, h("h1", {}, "There is no table here"), h("p", {}, sentence(text)), h("a", { class: "button main", href: "/" }, "All games"));
    replace(this.root, box);
  }

  /** @param {number} number the game */
  #replay(number) {
    const { view } = this.session;
    const names = /** @type {[string, string]} */ ([playerName(view, 0), playerName(view, 1)]);
    const last = view.verdict ? view.number : view.number - 1;
    this.seen = view.number;
    this.replay = new Replay({ id: this.id, number, last, game: view.settings.game, names }, () => {
      this.replay = null;
      replace(this.frame, this.board.element);
      replace(this.side, this.status, this.actions.element, this.moves.element);
      this.#render();
    });
    replace(this.frame, this.replay.board.element);
    replace(this.side, this.replay.element);
    this.replay.open();
  }
}

/** @param {string} text */
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
