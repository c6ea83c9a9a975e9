import { START } from '@palimpsest/knowledge/values';
import type { Checkpoints } from '@palimpsest/knowledge/ports';
import type { Position } from '@palimpsest/knowledge/values';

export class InMemoryCheckpoints implements Checkpoints {
  readonly #stored: Map<string, Position>;

  constructor(stored = new Map<string, Position>()) {
    this.#stored = stored;
  }

  reopened(): InMemoryCheckpoints {
    return new InMemoryCheckpoints(this.#stored);
  }

  async get(name: string): Promise<Position> {
    return this.#stored.get(name) ?? START;
  }

  async set(name: string, position: Position): Promise<void> {
    this.#stored.set(name, position);
  }

  async close(): Promise<void> {
    // No resources to release.
  }
}
