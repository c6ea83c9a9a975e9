import type { Delivery, Handler } from '@palimpsest/knowledge/ports';

const PATIENCE_MS = 10_000;

/** A handler for specs: records its deliveries, then runs the given behaviour. */
export class MessageRecorder {
  readonly deliveries: Delivery[] = [];
  readonly batches: (readonly Delivery[])[] = [];
  private readonly watchers = new Set<() => void>();
  private readonly behaviour: Handler;

  constructor(behaviour: Handler = async () => undefined) {
    this.behaviour = behaviour;
  }

  readonly handler: Handler = async (batch) => {
    this.batches.push(batch);
    this.deliveries.push(...batch);
    for (const look of this.watchers) look();
    await this.behaviour(batch);
  };

  get ids(): readonly string[] {
    return this.deliveries.map(({ id }) => id);
  }

  /** Resolves after `count` deliveries in total. */
  async until(count: number): Promise<void> {
    if (this.deliveries.length >= count) return;
    await new Promise<void>((resolve, reject) => {
      const tooLate = setTimeout(() => reject(new Error(`waited for ${count} deliveries, got ${this.ids.join(', ')}`)), PATIENCE_MS);
      const look = (): void => {
        if (this.deliveries.length < count) return;
        clearTimeout(tooLate);
        this.watchers.delete(look);
        resolve();
      };
      this.watchers.add(look);
    });
  }
}

/** A promise that the spec resolves with `open`. */
export const gate = (): Readonly<{ opened: Promise<void>; open: () => void }> => {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};

/** Rejects when the delivery's signal aborts, as a well-behaved handler does. */
export const untilAborted = ({ signal }: Pick<Delivery, 'signal'>): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
