// A WebSocket that comes back.

/** How long to wait before the first try to come back, in milliseconds. */
const FIRST_WAIT = 400;
/** The longest wait between tries. */
const LONGEST_WAIT = 15_000;
/** How often the server is asked whether it is there. */
const PING_EVERY = 20_000;
/** How long an answer may take before the connection is taken for dead. */
const PATIENCE = 10_000;

/**
 * How long to wait before the next try: twice as long each time, up to a limit,
 * and never as long as all the others that lost their connection with us.
 * @param {number} tries those that have failed, from 0
 * @param {number} luck from 0 to 1
 */
export function waitBefore(tries, luck) {
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** tries) * (0.5 + luck / 2);
}

/** @typedef {"connecting" | "open" | "lost" | "ended"} Phase */

export class Connection {
  /**
   * @param {object} options
   * @param {string} options.url
   * @param {string} options.protocol
   * @param {() => object} options.hello the first message of a connection
   * @param {(message: any) => void} options.onMessage
   * @param {(phase: Phase) => void} options.onPhase
   */
  constructor(options) {
    this.options = options;
    this.tries = 0;
    this.pings = 0;
    /** @type {Phase} */
    this.phase = "connecting";
    /** @type {WebSocket | null} */
    this.socket = null;
    addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => document.hidden || this.hurry());
    // A page that comes back out of the browser's cache has lost its socket.
    addEventListener("pageshow", (event) => event.persisted && this.hurry());
  }

  open() {
    clearTimeout(this.retry);
    this.#drop();
    this.#turn(this.tries ? "lost" : "connecting");
    const socket = new WebSocket(this.options.url, this.options.protocol);
    this.socket = socket;
    this.#expectAnswer();
    socket.onopen = () => this.send(this.options.hello());
    socket.onmessage = ({ data }) => this.#hear(data);
    socket.onclose = () => socket === this.socket && this.#lost();
  }

  /** Tries at once, if it was waiting. */
  hurry() {
    if (this.phase === "lost") this.open();
    else if (this.phase === "open") this.#ping();
  }

  /** Ends it for good. */
  end() {
    clearTimeout(this.retry);
    this.#drop();
    this.#turn("ended");
  }

  /** Begins anew, as somebody else. */
  restart() {
    this.tries = 0;
    this.open();
  }

  /** @param {object} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** @param {string} data */
  #hear(data) {
    clearTimeout(this.deadline);
    const message = JSON.parse(data);
    if (message.type === "welcome") {
      this.tries = 0;
      this.#turn("open");
    }
    clearTimeout(this.idle);
    this.idle = setTimeout(() => this.#ping(), PING_EVERY);
    this.options.onMessage(message);
  }

  #ping() {
    this.pings += 1;
    this.send({ type: "ping", number: this.pings });
    this.#expectAnswer();
  }

  #expectAnswer() {
    clearTimeout(this.deadline);
    this.deadline = setTimeout(() => this.#lost(), PATIENCE);
  }

  #drop() {
    clearTimeout(this.deadline);
    clearTimeout(this.idle);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  #lost() {
    this.#drop();
    if (this.phase === "ended") return;
    const wait = waitBefore(this.tries, Math.random());
    this.tries += 1;
    this.#turn("lost");
    this.retry = setTimeout(() => this.open(), wait);
  }

  /** @param {Phase} phase */
  #turn(phase) {
    if (phase === this.phase) return;
    this.phase = phase;
    this.options.onPhase(phase);
  }
}
