import { setTimeout as sleep } from 'node:timers/promises';

/** A node as reported by the control of the test cluster; `leads`: partitions by topic. */
export type Node = Readonly<{
  broker: number;
  pid: number | null;
  registered: boolean;
  leads: Readonly<Record<string, readonly number[]>>;
}>;

/** The control of a test cluster: kills, stops and starts its nodes. */
export class Control {
  readonly #address: string;

  constructor(address: string) {
    this.#address = address;
  }

  kill(broker: number): Promise<void> {
    return this.#post('/kill', broker);
  }

  start(broker: number): Promise<void> {
    return this.#post('/start', broker);
  }

  async nodes(): Promise<readonly Node[]> {
    for (;;) {
      const response = await fetch(`${this.#address}/brokers`);
      if (response.ok) return response.json() as Promise<readonly Node[]>;
      await sleep(200);
    }
  }

  /** The node that leads most partitions of a topic. */
  async leaderOf(topic: string): Promise<number> {
    const led = (await this.nodes()).map(({ broker, leads }) => ({ broker, count: leads[topic]?.length ?? 0 }));
    return led.reduce((max, one) => (one.count > max.count ? one : max)).broker;
  }

  async #post(path: string, broker: number): Promise<void> {
    const response = await fetch(this.#address + path, { method: 'POST', body: JSON.stringify({ broker }) });
    if (!response.ok) throw new Error(`${path} ${broker}: ${await response.text()}`);
  }
}
