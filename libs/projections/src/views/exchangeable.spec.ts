import { Exchangeable } from './exchangeable.ts';

/** Keeps its state private, as adapters do. */
class Store {
  readonly #name: string;
  #waiting: (() => void)[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  get name(): string {
    return this.#name;
  }

  now(): string {
    return this.#name;
  }

  async later(): Promise<string> {
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#name;
  }

  async fails(): Promise<never> {
    throw new Error(this.#name);
  }

  async *rows(): AsyncIterable<string> {
    yield `${this.#name} 1`;
    yield `${this.#name} 2`;
  }

  release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const aPair = () => {
  const [first, second] = [new Store('first'), new Store('second')];
  const exchangeable = new Exchangeable(first);
  const exchange = () => {
    const state = { unused: false };
    void exchangeable.exchange(second).then(() => (state.unused = true));
    return state;
  };
  return { first, second, exchangeable, port: exchangeable.port, exchange };
};

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('An exchangeable port', () => {
  it('passes calls, properties and failures to the current implementation', async () => {
    const { port, exchangeable, second, exchange } = aPair();
    expect([port.now(), port.name, exchangeable.current.name]).toEqual(['first', 'first', 'first']);
    await expect(port.fails()).rejects.toThrow('first');
    exchange();
    expect([port.now(), port.name, exchangeable.current]).toEqual(['second', 'second', second]);
    await expect(port.fails()).rejects.toThrow('second');
  });

  it('has an unused previous implementation at once if no call is running, also after failures', async () => {
    const { port, exchange } = aPair();
    await port.fails().catch(() => undefined);
    const state = exchange();
    await settle();
    expect(state.unused).toBe(true);
  });

  it('lets a running call end on the implementation that it began on', async () => {
    const { first, port, exchange } = aPair();
    const running = port.later();
    const state = exchange();
    await settle();
    expect([state.unused, port.now()]).toEqual([false, 'second']);
    first.release();
    expect(await running).toBe('first');
    await settle();
    expect(state.unused).toBe(true);
  });

  it('lets a running iteration end on the implementation that it began on, also if it is left early', async () => {
    const { port, exchange } = aPair();
    const whole = port.rows()[Symbol.asyncIterator]();
    const left = port.rows()[Symbol.asyncIterator]();
    expect([(await whole.next()).value, (await left.next()).value]).toEqual(['first 1', 'first 1']);
    const state = exchange();
    await left.return?.();
    await settle();
    expect(state.unused).toBe(false);
    expect([(await whole.next()).value, (await whole.next()).done]).toEqual(['first 2', true]);
    await settle();
    expect(state.unused).toBe(true);
  });
});
