// The page of a match: board, players, actions and moves.

import { Actions } from "./actions.js";
import { Board } from "./board.js";
import { gameKey, gameOf, games, isTurnedFor } from "./catalog.js";
import { Coach } from "./coach.js";
import { followResult } from "./computer.js";
import { byId, h, replace, write } from "./dom.js";
import { Moves } from "./moves.js";
import { announce, toast } from "./notifications.js";
import { PlayerPanel } from "./player.js";
import { Replay } from "./replay.js";
import { ScoredLines } from "./scored-lines.js";
import { opponent, seatIndex } from "./seat.js";
import { Session } from "./session.js";
import { muteButton, play } from "./sound.js";
import * as storage from "./storage.js";
import { changeText, playerName, requestTexts, rollbackText, sentence, statusText } from "./text.js";
import { victory } from "./victory.js";

/** The interval at which the clocks are drawn, in milliseconds. */
const TICK = 100;
/** The pause between a piece that has landed and the answer, in milliseconds. */
const PAUSE = 200;
/** So many updates that have not been shown are shown at once. */
const MAX_QUEUE = 3;

/** The acts of the other player that ask for an answer or refuse one. */
const REQUESTS = new Set(["offer_draw", "ask_take_back", "rematch", "claim"]);
const REFUSALS = new Set(["refuse_draw", "refuse_take_back"]);

/** The errors of matches that will never be shown. */
const GONE = new Set(["no_such_match", "closed", "damaged"]);

const PHASES = { connecting: "Connecting…", open: "Connected", lost: "Connection lost. Reconnecting…", ended: "Disconnected" };

export class MatchPage {
  /**
   * @param {string} id the match
   * @param {HTMLElement} root
   * @param {string} [token] of the link that opened the page
   * @param {{number: number, ply: number}} [position] the position that the link shows
   */
  constructor(id, root, token, position) {
    this.id = id;
    this.position = position;
    this.root = root;
    this.session = new Session(id, {
      onUpdate: (update) => this.#update(update),
      onEnd: (error) => this.#end(error),
      onWarning: (text) => this.#warn(text),
    }, token);
    this.board = new Board((text) => this.#play(text), announce);
    this.players = [new PlayerPanel(), new PlayerPanel()];
    this.status = h("p", { class: "status" }, "Loading the game…");
    this.game = "";
    /** What the catalog has of the game. @type {GameInfo | undefined} */
    this.info = undefined;
    /** The game's title. */
    this.heading = h("h1", {}, "Game");
    /** Where to play, if not everywhere. */
    this.advice = h("p", { class: "advice" });
    this.result = h("div", { class: "result" });
    this.resultLook = "";
    this.actions = new Actions(this.session, { onReplay: (number) => this.#replay(number) });
    this.moves = new Moves((text) => this.#play(text), (ply) => this.#lookBack(ply));
    this.coach = new Coach(() => this.view && this.#render(this.view));
    this.lines = new ScoredLines(this.board);
    this.frame = h("div", { class: "frame" }, this.board.element, this.board.bar);
    this.side = h("div", { class: "side" });
    this.parts = [this.heading, this.result, h("div", {}, this.status, this.advice), this.coach.element, this.actions.element, this.lines.element, this.moves.element];
    this.stage = h("section", { class: "stage", "aria-label": "Board" }, this.players[1].element, this.frame, this.players[0].element);
    this.connection = h("span", { class: "sign", id: "connection" });
    this.watchers = h("span", { class: "sign" });
    /** The view that is shown. @type {MatchView | null} */
    this.view = null;
    /** What the server has sent since. @type {{update: ReplicaUpdate | null, view: MatchView | null}[]} */
    this.queue = [];
    /** @type {ConnectionPhase | null} */
    this.phase = null;
    /** @type {Replay | null} */
    this.replay = null;
    /** What was shown when the replay was opened. @type {MatchView | undefined} */
    this.replayedView = undefined;
  }

  open() {
    replace(this.side, ...this.parts);
    replace(this.root, h("div", { class: "match waiting" }, this.stage, this.side));
    replace(byId("signs"), this.watchers, this.connection, muteButton());
    this.session.open();
    this.#showSigns();
    setInterval(() => this.#tick(), TICK);
    document.addEventListener("keydown", (event) => this.#key(event));
    const skip = byId("skip");
    write(skip, "Skip to the board");
    skip.addEventListener("click", (event) => {
      event.preventDefault();
      (this.replay?.board ?? this.board).focus();
    });
  }

  /** While nothing has the focus: digits play in columns, the left arrow steps back. @param {KeyboardEvent} event */
  #key(event) {
    const isFree = event.target === document.body || event.target === this.actions.element;
    if (!isFree || event.ctrlKey || event.metaKey || event.altKey || this.replay) return;
    if (event.key === "ArrowLeft" && this.view?.moves.length) this.#lookBack(this.view.moves.length - 1);
    else if (!/^\d$/.test(event.key) || !this.board.pressLabel(event.key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** Shows the title of the game; its key if the catalog can't be loaded. @param {string} game */
  async #entitle(game) {
    if (this.game === game) return;
    this.game = game;
    this.info = gameOf(await games().catch(() => []), game);
    write(this.heading, this.info?.title ?? gameKey(game));
    if (this.view) this.#render(this.view);
  }

  /** @param {string} text */
  #play(text) {
    const { view } = this;
    if (!view?.to_move || seatIndex(view.to_move) !== this.session.seat) {
      toast("It's not your turn.", "bad");
      return;
    }
    this.session.propose({ move: { text } });
    if (this.session.replica.optimistic) play("own", this.board.movesFor);
  }

  /** @param {ReplicaUpdate | null} update */
  #update(update) {
    this.queue.push({ update, view: this.session.view });
    if (!this.landing) this.#showQueue();
    this.#showSigns();
  }

  /** Shows what has arrived; an answer waits until the piece before has landed. */
  #showQueue() {
    this.landing = undefined;
    for (let next = this.queue[0]; next; next = this.queue[0]) {
      const { movesFor } = this.board;
      if (movesFor && this.queue.length <= MAX_QUEUE && this.#isAnswer(next.update)) {
        this.landing = setTimeout(() => this.#showQueue(), movesFor + PAUSE);
        return;
      }
      this.queue.shift();
      this.view = next.view;
      if (next.view) this.#show(next.update, next.view);
      if (next.view && this.position) this.#openPosition(this.position, next.view);
    }
  }

  /** Opens the position of the page's link, once. @param {{number: number, ply: number}} position @param {MatchView} view */
  #openPosition({ number, ply }, view) {
    this.position = undefined;
    const last = view.moves.length ? view.number : view.number - 1;
    if (number <= last) this.#replay(number, ply);
    else toast("This match has no such game yet.", "bad");
  }

  /** Whether this is a move that the page doesn't show yet. @param {ReplicaUpdate | null} update */
  #isAnswer(update) {
    const transition = update && "transition" in update ? update.transition : null;
    return transition !== null && typeof transition?.act === "object" && "move" in transition.act && update?.kind !== "confirmed";
  }

  /** @param {ReplicaUpdate | null} update @param {MatchView} view */
  #show(update, view) {
    const { seat } = this.session;
    if (update?.kind === "rolled_back") this.#rollBack(update, view);
    const transition = update && "transition" in update ? update.transition : undefined;
    const before = (update && "before" in update && update.before) || null;
    const text = transition ? changeText(transition, view, before, seat) : "";
    const isOwn = transition?.by === (seat === null ? null : "ab"[seat]);
    const act = typeof transition?.act === "string" ? transition.act : "";
    if (transition) this.actions.refused = REFUSALS.has(act) && !isOwn ? text : "";
    this.#render(view);
    if (transition) {
      if (REFUSALS.has(act) && !isOwn) toast(text, "bad");
      else announce(`${text} ${this.board.advice}`.trim());
      this.#sound(act, isOwn, this.#isAnswer(update));
      if (view.verdict && !before?.verdict) this.#tellResult(view, view.verdict);
    } else if (update?.kind === "advanced") announce(`${statusText(view, seat)}. ${this.board.advice}`.trim());
  }

  /** @param {string} act @param {boolean} isOwn @param {boolean} isAnswer */
  #sound(act, isOwn, isAnswer) {
    if (isAnswer) play(isOwn ? "own" : "other", this.board.movesFor);
    else if (!isOwn && REQUESTS.has(act)) play("ask");
    else if (!isOwn && REFUSALS.has(act)) play("refusal");
  }

  /** @param {MatchView} view @param {GameVerdict} verdict */
  #tellResult(view, { winner }) {
    const { seat } = this.session;
    const isLost = winner !== null && seat !== null && seatIndex(winner) !== seat;
    play(winner === null ? "draw" : isLost ? "loss" : "win", this.board.movesFor + PAUSE);
    const computer = seat !== null && view.seats[opponent(seat)]?.computer;
    if (computer) followResult(computer, view.settings.game, winner === null ? 0.5 : isLost ? 0 : 1);
  }

  /** @param {Rollback} rollback @param {MatchView} view */
  #rollBack(rollback, view) {
    if (typeof rollback.act === "object") {
      this.board.rollBack(rollback.act.move.text);
      this.moves.giveBack(rollback.act.move.text);
    }
    toast(rollbackText(rollback, view, this.session.seat), "bad");
    play("refusal");
  }

  /** @param {MatchView} view */
  #render(view) {
    const { session } = this;
    this.#entitle(view.settings.game);
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
    if (this.replay && view.number !== this.replayedView?.number) return this.replay.close();
    if (this.replay) return this.replay.tell(this.#news(view));
    this.#showResult(view);
    write(this.status, status);
    this.status.classList.toggle("yours", isMine);
    this.status.classList.toggle("over", view.verdict !== null);
    this.coach.show(view, seat, [playerName(view, 0), playerName(view, 1)]);
    this.board.show({
      board: view.board,
      hints: this.coach.hints,
      values: this.coach.values,
      title: `${this.heading.textContent}, ${status}`,
      mover: isMine && isOpen ? mover : null,
      pending: move && seat !== null ? { text: move, seat } : null,
      isTurned: this.#isTurned(view.board),
    });
    write(this.advice, this.board.advice);
    this.lines.show(view.board, (of) => playerName(view, of));
    this.moves.show(view, seat !== null && mover !== null, isMine && isOpen && !replica.hasPending, move);
  }

  /** What has happened since the replay was opened, and what the player is asked. @param {MatchView} view */
  #news(view) {
    const { seat } = this.session;
    const before = this.replayedView;
    const parts = requestTexts(view, seat);
    if (view.verdict && !before?.verdict) parts.unshift(`The game is over. ${statusText(view, seat)}.`);
    else if (view.moves.join() !== before?.moves.join()) parts.unshift(`The game goes on: ${statusText(view, seat)}.`);
    return parts.join(" ");
  }

  /** Whether the board of a game is turned for the player here. @param {BoardView} board */
  #isTurned({ first }) {
    const { seat } = this.session;
    return seat !== null && isTurnedFor(this.info, seatIndex(first) === seat);
  }

  /** Draws the result once. @param {MatchView} view */
  #showResult({ verdict, board, number }) {
    const look = verdict ? `${number} ${verdict.winner}` : "";
    if (look === this.resultLook) return;
    this.resultLook = look;
    replace(this.result, verdict ? victory(board, verdict.winner, this.session.seat) : null);
  }

  #showSigns() {
    const { phase, presence, seat } = this.session;
    const { view } = this;
    if (this.phase !== phase) {
      if (this.phase === "lost" && phase === "open") announce("Reconnected.");
      if (phase === "lost") announce(PHASES.lost);
      this.phase = phase;
    }
    write(this.connection, this.session.isSolo && phase === "open" ? "In this browser" : PHASES[phase]);
    this.connection.className = `sign ${phase}`;
    this.root.firstElementChild?.classList.toggle("offline", phase !== "open");
    const isSpectator = seat === null && view !== null;
    const others = presence.watchers - (seat === null && phase === "open" ? 1 : 0);
    const watching = others > 0 ? `${others} ${isSpectator ? (others === 1 ? "other" : "others") : "watching"}` : "";
    write(this.watchers, isSpectator ? `You're watching${watching && ` with ${watching}`}` : watching);
  }

  #tick() {
    const { view } = this;
    if (!view) return;
    for (const player of this.players) player.tick(this.session, view);
    this.actions.tick(view);
  }

  /** @param {string} text */
  #warn(text) {
    toast(text, "bad");
    // It stays while there is no game to show.
    if (!this.view) write(this.status, text);
  }

  /** @param {ErrorReport} error */
  #end({ code, text }) {
    if (this.session.view) {
      toast(sentence(text), "bad");
      this.#showSigns();
      return;
    }
    const isGone = GONE.has(code);
    if (isGone) storage.removeSeat(this.id);
    const [title, advice] = code === "no_such_match" ? ["This game doesn't exist.", "Check the link."] : ["Can't open this game.", sentence(text)];
    announce(`${title} ${advice}`);
    const again = isGone ? null : h("button", { type: "button", class: "quiet", id: "again", onclick: () => location.reload() }, "Try again");
    const buttons = h("div", { class: "row" }, h("a", { class: "button main", href: "/" }, "All games"), again);
    replace(this.root, h("div", { class: "card lone" }, h("h1", {}, title), h("p", {}, advice), buttons));
  }

  /** Shows the current game after so many moves. @param {number} ply */
  #lookBack(ply) {
    if (this.view) this.#replay(this.view.number, ply);
  }

  /** @param {number} number the game @param {number} [ply] */
  #replay(number, ply) {
    const { view } = this;
    if (!view) return;
    /** @type {[string, string]} */
    const names = [playerName(view, 0), playerName(view, 1)];
    const last = view.moves.length ? view.number : view.number - 1;
    this.replayedView = view;
    const title = this.heading.textContent ?? "";
    const isTurned = (/** @type {BoardView} */ board) => this.#isTurned(board);
    this.replay = new Replay({ id: this.id, number, last, game: view.settings.game, title, names, ply, isTurned }, () => {
      this.replay = null;
      replace(this.frame, this.board.element, this.board.bar);
      replace(this.side, ...this.parts);
      if (this.view) this.#render(this.view);
      this.actions.element.focus({ preventScroll: true });
    });
    replace(this.frame, this.replay.board.element, this.replay.board.bar);
    replace(this.side, this.heading, this.replay.element);
    this.replay.element.focus({ preventScroll: true });
    this.replay.open();
  }
}
