import { NotCaughtUp } from '@palimpsest/knowledge/errors';
import type { ReadModels } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';

/** Lets a request wait until its own change is visible. */
export class ReadModelWait {
  readonly #readModels: ReadModels;

  constructor(readModels: ReadModels) {
    this.#readModels = readModels;
  }

  /** Resolves when reads see everything up to `position`. `done`: what was recorded there, for the error. @throws NotCaughtUp after `timeoutMs` */
  async until(position: Position, timeoutMs: number, done: string): Promise<void> {
    if (await this.#readModels.reached(position, timeoutMs)) return;
    throw new NotCaughtUp(`${done} at position ${position}, but the read models have only reached ${this.#readModels.position()}`);
  }
}
