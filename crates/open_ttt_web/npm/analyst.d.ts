import type { MoveValue } from './open_ttt.js';

/** Values that are improving; `done` is from 0 to 1. */
export interface Progress {
  values: MoveValue[];
  done: number;
}

/**
 * Searches in a worker, so that the page stays responsive. If the worker can't be loaded or fails,
 * everything that it is asked is refused; another `Analyst` begins anew.
 */
export class Analyst {
  /**
   * `wasm` is the address of the module, if it isn't beside `analyst.js`; it may be relative to the
   * page.
   */
  constructor(options?: { wasm?: URL | string });
  /**
   * What every move is worth, as `Game.values` says it for so many `nodes`. Shorter searches come
   * before, so that there is progress to report. With an aborted `signal` the last values are
   * returned at once.
   */
  values(
    name: string,
    moves: string,
    options?: {
      nodes?: number;
      onProgress?: (progress: Progress) => void;
      signal?: AbortSignal;
    },
  ): Promise<MoveValue[]>;
  /** The move that a computer player chooses. */
  choose(name: string, moves: string, player: string): Promise<string>;
  /** Ends the worker; what it was asked is refused, and what it is asked from now on. */
  close(): void;
}
