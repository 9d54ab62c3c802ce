// The client side of the replication: the confirmed state and the pending proposal.
// No sockets and no clock: messages go in, messages come out.
//
// A proposal names its base, the state it was made for, and can only become the
// change right after it. So it can be sent again with the same number and base
// until it is answered. The seat, the client's id and the number together identify
// it: ids are public, so another seat may use this one.

export class Replica {
  /** @param {SavedReplica} saved */
  constructor(saved) {
    this.client = saved.client;
    this.numbers = saved.numbers ?? 0;
    this.pending = saved.pending ?? null;
    this.sequence = -1;
    /** The seat that the server gave this client. @type {SeatName | null} */
    this.seat = null;
    /** @type {MatchView | null} */
    this.view = null;
  }

  /** The part that survives a reload. @returns {SavedReplica} */
  get saved() {
    return { client: this.client, numbers: this.numbers, pending: this.pending };
  }

  /** Whether a proposal is unanswered. */
  get hasPending() {
    return this.pending !== null;
  }

  /**
   * The act to show optimistically. One made for an older state is in doubt: the
   * current state may contain it already.
   */
  get optimistic() {
    return this.pending && this.pending.base === this.sequence ? this.pending.act : null;
  }

  /**
   * Proposes an act; false while another one is pending.
   * @param {PlayerAct} act
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
   * Handles a message of the server.
   * @param {ServerMessage} message
   * @returns {ReplicaUpdate}
   */
  receive(message) {
    switch (message.type) {
      case "welcome":
        this.seat = message.seat;
        return this.#show(message.sequence, message.state.view);
      case "change":
        return this.#apply(message);
      case "accepted":
        return this.#apply(message.change, this.#settle(message));
      case "duplicate":
        return { kind: this.#settle(message) ? "confirmed" : "unchanged" };
      case "overtaken":
      case "refused": {
        const settled = this.#settle(message);
        const refusal = message.type === "refused" ? { conflict: message.conflict, text: message.text } : undefined;
        return settled ? { kind: "rolled_back", act: settled.act, refusal } : { kind: "unchanged" };
      }
      case "delayed":
        return this.pending?.number === message.number
          ? { kind: "delayed", wait: message.retry_ms }
          : { kind: "unchanged" };
      default:
        return { kind: "unchanged" };
    }
  }

  /**
   * Removes and returns the pending proposal if this is its answer.
   * @param {{number: number}} answer
   */
  #settle({ number }) {
    const pending = this.pending?.number === number ? this.pending : null;
    if (pending) this.pending = null;
    return pending;
  }

  /** @param {number} sequence @param {MatchView | undefined} view @returns {ReplicaUpdate} */
  #show(sequence, view) {
    if (sequence < this.sequence || !view) return { kind: "unchanged" };
    this.sequence = sequence;
    this.view = view;
    return { kind: "advanced" };
  }

  /** @param {Change} change @param {Pending | null} [own] @returns {ReplicaUpdate} */
  #apply(change, own = null) {
    const { sequence, view, client, number, transition } = change;
    const before = this.view;
    const pending = this.pending;
    const isNew = sequence > this.sequence;
    if (isNew) this.#show(sequence, view);
    if (client === this.client && transition.by === this.seat && pending?.number === number) own = this.#settle({ number });
    if (own) return { kind: "confirmed", transition, before };
    if (!isNew) return { kind: "unchanged" };
    if (pending?.base === sequence - 1) {
      // Another change took the place of the proposal.
      this.pending = null;
      return { kind: "rolled_back", act: pending.act, transition, before };
    }
    return { kind: "advanced", transition, before };
  }
}
