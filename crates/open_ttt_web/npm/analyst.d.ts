import type { MoveValue } from './open_ttt.js';

/** Values that are improving; `done` is from 0 to 1. */
export interface Progress {
  values: MoveValue[];
  done: number;
}

/** Searches in a worker, so that the page stays responsive. */
export class Analyst {
  /** `wasm` is the address of the module, if it isn't beside `analyst.js`. */
  constructor(options?: { wasm?: URL | string });
  /** What every move is worth. With an aborted `signal` the last values are returned. */
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
  /** Ends the worker; what it was asked is refused. */
  close(): void;
}
