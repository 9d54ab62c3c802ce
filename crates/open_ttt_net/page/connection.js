// A WebSocket that reconnects.

/** The longest delay before the first attempt to reconnect, in milliseconds. */
const FIRST_DELAY = 400;
/** The longest delay between attempts. */
const MAX_DELAY = 15_000;
/** How long a connection must last until the next one that is lost counts as the first, in milliseconds. */
const STEADY = 15_000;
/** The interval of pings while nothing is received. */
const PING_INTERVAL = 20_000;
/** The time limit of a response, after which the connection counts as dead. */
const RESPONSE_LIMIT = 10_000;

/**
 * The delay before the next attempt: exponential backoff with jitter.
 * @param {number} attempts the number of failed attempts
 * @param {number} random from 0 to 1
 */
export function reconnectDelay(attempts, random) {
  return Math.min(MAX_DELAY, FIRST_DELAY * 2 ** attempts) * (0.5 + random / 2);
}

export class Connection {
  /**
   * @param {object} options
   * @param {string} options.url
   * @param {string} options.protocol
   * @param {() => object} options.hello the first message of a connection
   * @param {(message: ServerMessage) => void} options.onMessage
   * @param {(phase: ConnectionPhase) => void} options.onPhase
   */
  constructor(options) {
    this.options = options;
    this.attempts = 0;
    this.pings = 0;
    /** @type {ConnectionPhase} */
    this.phase = "connecting";
    /** @type {WebSocket | null} */
    this.socket = null;
    addEventListener("online", () => this.check());
    document.addEventListener("visibilitychange", () => document.hidden || this.check());
    // The browser may keep a page that was left, to show it again later. Meanwhile the
    // player is not here.
    addEventListener("pagehide", () => this.#suspend());
    addEventListener("pageshow", (event) => event.persisted && this.phase !== "ended" && this.open());
  }

  open() {
    clearTimeout(this.retry);
    this.#drop();
    this.#setPhase(this.attempts ? "lost" : "connecting");
    const socket = new WebSocket(this.options.url, this.options.protocol);
    this.socket = socket;
    this.#expectResponse();
    socket.onopen = () => this.send(this.options.hello());
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = () => socket === this.socket && this.#reconnect();
  }

  /** Reconnects at once, or tests an open connection. */
  check() {
    if (this.phase === "lost") this.open();
    else if (this.phase === "open") this.#ping();
  }

  /** Disconnects for good. */
  end() {
    clearTimeout(this.retry);
    this.#drop();
    this.#setPhase("ended");
  }

  /** Disconnects until the page is shown again. */
  #suspend() {
    clearTimeout(this.retry);
    this.#drop();
  }

  /** Connects anew, with another token. */
  restart() {
    this.attempts = 0;
    this.open();
  }

  /** @param {object} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** @param {string} data */
  #receive(data) {
    clearTimeout(this.deadline);
    const message = JSON.parse(data);
    if (message.type === "welcome") {
      // A server that soon closes connections again, such as the ninth of a seat, isn't asked without a pause.
      this.steady = setTimeout(() => (this.attempts = 0), STEADY);
      this.#setPhase("open");
    }
    clearTimeout(this.idle);
    this.idle = setTimeout(() => this.#ping(), PING_INTERVAL);
    this.options.onMessage(message);
  }

  #ping() {
    this.pings += 1;
    this.send({ type: "ping", number: this.pings });
    this.#expectResponse();
  }

  #expectResponse() {
    clearTimeout(this.deadline);
    this.deadline = setTimeout(() => this.#reconnect(), RESPONSE_LIMIT);
  }

  #drop() {
    clearTimeout(this.deadline);
    clearTimeout(this.idle);
    clearTimeout(this.steady);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  #reconnect() {
    this.#drop();
    if (this.phase === "ended") return;
    const delay = reconnectDelay(this.attempts, Math.random());
    this.attempts += 1;
    this.#setPhase("lost");
    this.retry = setTimeout(() => this.open(), delay);
  }

  /** @param {ConnectionPhase} phase */
  #setPhase(phase) {
    if (phase === this.phase) return;
    this.phase = phase;
    this.options.onPhase(phase);
  }
}
