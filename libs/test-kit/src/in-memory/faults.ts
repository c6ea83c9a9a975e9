/** Thrown by a faulty store: the process has ended. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/**
 * Ends a process at a chosen call. Counts all calls of the wrapped stores; the chosen call and all later ones throw and do
 * nothing.
 */
export class Faults {
  #calls = 0;
  readonly #failAt: number;
  readonly #before: (call: string) => Promise<void>;

  /** `failAt`: 1 for the first call; Infinity for no fault. `before` runs before each call. */
  constructor(failAt = Infinity, before: (call: string) => Promise<void> = async () => {}) {
    this.#failAt = failAt;
    this.#before = before;
  }

  get calls(): number {
    return this.#calls;
  }

  /** Returns the same store, in which these methods can fail. */
  wrap<Store extends object>(store: Store, ...methods: readonly (keyof Store & string)[]): Store {
    return new Proxy(store, {
      get: (target, property) => {
        const found: unknown = Reflect.get(target, property);
        if (typeof found !== 'function') return found;
        const method = found.bind(target) as (...args: unknown[]) => unknown;
        if (!methods.includes(property as keyof Store & string)) return method;
        return async (...args: unknown[]) => {
          await this.#count(String(property));
          return method(...args);
        };
      },
    });
  }

  async #count(call: string): Promise<void> {
    this.#calls++;
    if (this.#calls >= this.#failAt) throw new Crash(`at call ${this.#failAt}`);
    await this.#before(call);
  }
}
