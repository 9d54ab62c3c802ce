// The page of a match: board, players, actions and moves.

import { Actions } from "./actions.js";
import { Board } from "./board.js";
import { byId, h, replace, write } from "./dom.js";
import { Moves } from "./moves.js";
import { announce, toast } from "./notifications.js";
import { PlayerPanel } from "./player.js";
import { Replay } from "./replay.js";
import { opponent, seatIndex } from "./seat.js";
import { Session } from "./session.js";
import * as storage from "./storage.js";
import { changeText, playerName, rollbackText, sentence, statusText } from "./text.js";

/** The interval at which the clocks are drawn, in milliseconds. */
const TICK = 100;

const PHASES = { connecting: "Connecting…", open: "Connected", lost: "Connection lost. Reconnecting…", ended: "Disconnected" };

export class MatchPage {
  /**
   * @param {string} id the match
   * @param {HTMLElement} root
   * @param {string} [token] of the link that opened the page
   */
  constructor(id, root, token) {
    this.id = id;
    this.root = root;
    this.session = new Session(id, {
      onUpdate: (update) => this.#update(update),
      onEnd: (error) => this.#end(error),
      onWarning: (text) => toast(text, "bad"),
    }, token);
    this.board = new Board((text) => this.#play(text), announce);
    this.players = [new PlayerPanel(), new PlayerPanel()];
    this.status = h("p", { class: "status" }, "Loading the game…");
    this.actions = new Actions(this.session, { onReplay: (number) => this.#replay(number) });
    this.moves = new Moves((text) => this.#play(text));
    this.frame = h("div", { class: "frame" }, this.board.element, this.board.bar);
    this.side = h("aside", { class: "side" }, this.status, this.actions.element, this.moves.element);
    this.stage = h("section", { class: "stage", "aria-label": "Board" }, this.players[1].element, this.frame, this.players[0].element);
    this.connection = h("span", { class: "sign" });
    this.watchers = h("span", { class: "sign" });
    /** @type {ConnectionPhase | null} */
    this.phase = null;
    /** @type {Replay | null} */
    this.replay = null;
  }

  open() {
    replace(this.root, h("div", { class: "match waiting" }, this.stage, this.side));
    replace(byId("signs"), this.watchers, this.connection);
    this.session.open();
    this.#showSigns();
    setInterval(() => this.#tick(), TICK);
  }

  /** @param {string} text */
  #play(text) {
    const { view, seat } = this.session;
    if (!view?.to_move || seatIndex(view.to_move) !== seat) {
      announce("It's not your turn.");
      return;
    }
    this.session.propose({ move: { text } });
  }

  /** @param {ReplicaUpdate | null} update */
  #update(update) {
    const { view, seat } = this.session;
    if (view) {
      if (update?.kind === "rolled_back") this.#rollBack(update, view);
      this.#render(view);
    }
    this.#showSigns();
    if (!view || !update) return;
    if ("transition" in update && update.transition) announce(changeText(update.transition, view, update.before ?? null, seat));
    else if (update.kind === "advanced") announce(statusText(view, seat));
  }

  /** @param {Rollback} rollback @param {MatchView} view */
  #rollBack(rollback, view) {
    if (typeof rollback.act === "object") this.board.rollBack(rollback.act.move.text);
    toast(rollbackText(rollback, view, this.session.seat), "bad");
  }

  /** @param {MatchView} view */
  #render(view) {
    const { session } = this;
    const { seat, replica } = session;
    this.root.firstElementChild?.classList.remove("waiting");
    const act = replica.optimistic;
    const move = act && typeof act === "object" ? act.move.text : undefined;
    const mover = view.to_move && seatIndex(view.to_move);
    const isMine = mover !== null && mover === seat;
    const status = statusText(view, seat);
    const isOpen = session.phase === "open";
    document.title = isMine ? `● ${status} – open_ttt` : `${status} – open_ttt`;
    const low = seat ?? 0;
    this.players[0].show(session, view, low);
    this.players[1].show(session, view, opponent(low));
    this.actions.show(view);
    // A new game closes the replay of an old one.
    if (this.replay && view.number !== this.replayedDuring) return this.replay.close();
    if (this.replay) return;
    write(this.status, status);
    this.status.classList.toggle("yours", isMine);
    this.status.classList.toggle("over", view.verdict !== null);
    this.board.show({
      board: view.board,
      title: `${view.settings.game}, ${status}`,
      mover: isMine && isOpen ? mover : null,
      pending: move && seat !== null ? { text: move, seat } : null,
    });
    this.moves.show(view, isMine && isOpen && !replica.hasPending, move);
  }

  #showSigns() {
    const { phase, presence, view, seat } = this.session;
    if (this.phase !== phase) {
      if (this.phase === "lost" && phase === "open") announce("Reconnected.");
      if (phase === "lost") announce(PHASES.lost);
      this.phase = phase;
    }
    write(this.connection, PHASES[phase]);
    this.connection.className = `sign ${phase}`;
    this.root.firstElementChild?.classList.toggle("offline", phase !== "open");
    const isSpectator = seat === null && view !== null;
    const others = presence.watchers - (seat === null && phase === "open" ? 1 : 0);
    const watching = others > 0 ? `${others} ${isSpectator ? (others === 1 ? "other" : "others") : "watching"}` : "";
    write(this.watchers, isSpectator ? `You're watching${watching && ` with ${watching}`}` : watching);
  }

  #tick() {
    const { view } = this.session;
    if (!view) return;
    for (const player of this.players) player.tick(this.session, view);
    this.actions.tick(view);
  }

  /** @param {ErrorReport} error */
  #end({ code, text }) {
    if (this.session.view) {
      toast(sentence(text), "bad");
      this.#showSigns();
      return;
    }
    storage.removeSeat(this.id);
    const [title, advice] = code === "no_such_match" ? ["This game doesn't exist.", "Check the link."] : ["Can't open this game.", sentence(text)];
    announce(`${title} ${advice}`);
    replace(this.root, h("div", { class: "card lone" }, h("h1", {}, title), h("p", {}, advice), h("a", { class: "button main", href: "/" }, "All games")));
  }

  /** @param {number} number the game */
  #replay(number) {
    const { view } = this.session;
    if (!view) return;
    /** @type {[string, string]} */
    const names = [playerName(view, 0), playerName(view, 1)];
    const last = view.verdict ? view.number : view.number - 1;
    this.replayedDuring = view.number;
    this.replay = new Replay({ id: this.id, number, last, game: view.settings.game, names }, () => {
      this.replay = null;
      replace(this.frame, this.board.element, this.board.bar);
      replace(this.side, this.status, this.actions.element, this.moves.element);
      if (this.session.view) this.#render(this.session.view);
    });
    replace(this.frame, this.replay.board.element, this.replay.board.bar);
    replace(this.side, this.replay.element);
    this.replay.open();
  }
}
