// The client's side of the replication: what is certain, and what it hopes for.
// No sockets and no clock: messages in, messages out.
//
// A proposal names its base, the state it was made for, and can only become the
// change right behind it. So it may be sent as often as one likes, always with
// the same number and the same base, until it has its answer.

/**
 * @typedef {object} Pending
 * @property {number} number which of this client's proposals it is
 * @property {number} base the state it was made for
 * @property {any} act
 */

/**
 * @typedef {object} Heard
 * @property {"nothing" | "followed" | "confirmed" | "taken_back" | "delayed"} kind
 * @property {any} [act] what was confirmed or taken back
 * @property {string} [reason] why the server refused it; none if it was overtaken
 * @property {any} [transition] what has happened
 * @property {any} [before] what there was to see before it
 * @property {number} [wait] for how long to wait before sending again, in milliseconds
 */

export class Replica {
  /**
   * @param {{client: string, numbers?: number, pending?: Pending | null}} saved
   */
  constructor(saved) {
    this.client = saved.client;
    this.numbers = saved.numbers ?? 0;
    /** @type {Pending | null} */
    this.pending = saved.pending ?? null;
    this.sequence = -1;
    /** @type {any} */
    this.view = null;
  }

  /** What is worth keeping over a reload. */
  get saved() {
    return { client: this.client, numbers: this.numbers, pending: this.pending };
  }

  /** Whether something proposed has no answer yet. */
  get waiting() {
    return this.pending !== null;
  }

  /**
   * The act to show as if it were done. One that was made for an older state is
   * in doubt: it may be part of what is seen already.
   */
  get hope() {
    return this.pending && this.pending.base === this.sequence ? this.pending.act : null;
  }

  /**
   * Proposes an act; false while another has no answer.
   * @param {any} act
   */
  propose(act) {
    if (this.pending || this.sequence < 0) return false;
    this.numbers += 1;
    this.pending = { number: this.numbers, base: this.sequence, act };
    return true;
  }

  /** The message to send, for the first time or again. */
  get outgoing() {
    return this.pending && { type: "propose", ...this.pending };
  }

  /**
   * Takes in a message of the server.
   * @param {any} message
   * @returns {Heard}
   */
  hear(message) {
    switch (message.type) {
      case "welcome":
        return this.#see(message.sequence, message.state.view);
      case "change":
        return this.#follow(message);
      case "accepted":
        return this.#follow(message.change, this.#answered(message));
      case "duplicate": {
        const pending = this.#answered(message);
        return pending ? { kind: "confirmed", act: pending.act } : { kind: "nothing" };
      }
      case "overtaken":
      case "refused": {
        const pending = this.#answered(message);
        return pending
          ? { kind: "taken_back", act: pending.act, reason: message.text }
          : { kind: "nothing" };
      }
      case "delayed":
        return this.pending?.number === message.number
          ? { kind: "delayed", wait: message.retry_ms }
          : { kind: "nothing" };
      default:
        return { kind: "nothing" };
    }
  }

  /**
   * The pending proposal, which has its answer now.
   * @param {{number: number}} answer
   */
  #answered({ number }) {
    const pending = this.pending?.number === number ? this.pending : null;
    if (pending) this.pending = null;
    return pending;
  }

  /** @param {number} sequence @param {any} view @returns {Heard} */
  #see(sequence, view) {
    if (sequence < this.sequence || !view) return { kind: "nothing" };
    this.sequence = sequence;
    this.view = view;
    return { kind: "followed" };
  }

  /** @param {any} change @param {Pending | null} [own] @returns {Heard} */
  #follow(change, own = null) {
    const { sequence, view, client, number, transition } = change;
    const before = this.view;
    const behind = this.pending?.base === sequence - 1;
    const news = sequence > this.sequence;
    if (news) this.#see(sequence, view);
    if (client === this.client && this.pending?.number === number) own = this.#answered({ number });
    if (own) return { kind: "confirmed", act: own.act, transition, before };
    if (!news) return { kind: "nothing" };
    if (behind && this.pending) {
      // The place that the proposal was for is taken: it can come no more.
      const { act } = this.pending;
      this.pending = null;
      return { kind: "taken_back", act, transition, before };
    }
    return { kind: "followed", transition, before };
  }
}
