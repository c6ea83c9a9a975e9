/**
 * A port whose implementation can be exchanged while it is used. A call, or an iteration, ends on the implementation that it began on.
 */
export class Exchangeable<T extends object> {
  /** Passes every call to the current implementation. */
  readonly port: T;
  #current: Used<T>;

  constructor(first: T) {
    this.#current = new Used(first);
    this.port = new Proxy(first, {
      get: (_, name) => this.#current.property(name),
      has: (_, name) => name in this.#current.implementation,
    });
  }

  get current(): T {
    return this.#current.implementation;
  }

  /** Resolves when no call to the previous implementation is running. New calls go to the next one at once. */
  exchange(next: T): Promise<void> {
    const previous = this.#current;
    this.#current = new Used(next);
    return previous.unused();
  }
}

/** An implementation, and how many calls to it are running. */
class Used<T extends object> {
  readonly implementation: T;
  #calls = 0;
  #ended: (() => void) | undefined;

  constructor(implementation: T) {
    this.implementation = implementation;
  }

  property(name: string | symbol): unknown {
    const found: unknown = Reflect.get(this.implementation, name, this.implementation);
    return typeof found === 'function'
      ? (...call: unknown[]) => this.#counted(() => Reflect.apply(found, this.implementation, call) as unknown)
      : found;
  }

  unused(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#calls === 0) resolve();
      else this.#ended = resolve;
    });
  }

  #counted(call: () => unknown): unknown {
    const result = call();
    if (result instanceof Promise) return this.#during(result);
    return isIterable(result) ? this.#iteration(result) : result;
  }

  async #during(result: Promise<unknown>): Promise<unknown> {
    this.#calls++;
    try {
      return await result;
    } finally {
      this.#release();
    }
  }

  async *#iteration(iterable: AsyncIterable<unknown>): AsyncIterable<unknown> {
    this.#calls++;
    try {
      yield* iterable;
    } finally {
      this.#release();
    }
  }

  #release(): void {
    this.#calls--;
    if (this.#calls === 0) this.#ended?.();
  }
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
