import { pause } from '@palimpsest/foundation';
import { answerTo } from './answers.ts';
import { SERVICES, type Service, type Supervisor } from './supervisor.ts';
import type { Uploaders } from './uploaders.ts';
import { probeUpload, probeWord } from './uploads.ts';

/** Longer than a Kafka session timeout and a rebalance on a busy machine. */
const PATIENCE_MS = 300_000;
const EVERY_MS = 100;

type Measured = Readonly<{ answersMs: number; foundMs: number }>;

/** Measures after each type of fault how long it takes until probes of every service succeed. */
export class Recovery {
  readonly #measured = new Map<string, Measured[]>();
  readonly #supervisor: Supervisor;
  readonly #uploaders: Uploaders;
  readonly #key: string;
  #probes = 0;

  constructor(supervisor: Supervisor, uploaders: Uploaders, key: string) {
    [this.#supervisor, this.#uploaders, this.#key] = [supervisor, uploaders, key];
  }

  /**
   * Measures from the end of a fault until every replica of these services responds correctly, and until a document accepted then is
   * found on every query replica. @throws if that does not happen in time
   */
  async measure(kind: string, services: readonly Service[] = SERVICES): Promise<void> {
    const begun = performance.now();
    const n = this.#probes++;
    const answering = Promise.all(services.map((service) => this.#allAnswer(service, n)));
    // The probe document needs ingestion, whichever service had the fault.
    await (services.includes('ingestion')
      ? answering
      : Promise.all([answering, this.#until('a probe is accepted', () => this.#uploaders.send(probeUpload(n)))]));
    const answersMs = performance.now() - begun;
    await this.#found(n);
    const list = this.#measured.get(kind) ?? [];
    this.#measured.set(kind, [...list, { answersMs, foundMs: performance.now() - begun }]);
  }

  /** For each type of fault: count, and median and maximum time until all services respond and until a new document is found. */
  get table(): string {
    const heading = ['fault', 'count', 'answers: median', 'max', 'found: median', 'max'];
    const rows = [...this.#measured].sort().map(([kind, list]) => {
      const [answers, found] = [list.map(({ answersMs }) => answersMs), list.map(({ foundMs }) => foundMs)];
      return [
        kind,
        String(list.length),
        ...[median(answers), Math.max(...answers), median(found), Math.max(...found)].map((ms) => `${(ms / 1000).toFixed(1)} s`),
      ];
    });
    const widths = heading.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
    return [heading, ...rows]
      .map((row) => row.map((cell, column) => cell[column === 0 ? 'padEnd' : 'padStart'](widths[column] ?? 0)).join('  '))
      .join('\n');
  }

  async #allAnswer(service: Service, n: number): Promise<void> {
    const addresses = await this.#supervisor.addressesOf(service);
    await Promise.all(
      addresses.map((address) => this.#until(`${service} at ${address} answers`, () => this.#answers(service, address, n))),
    );
  }

  async #answers(service: Service, address: string, n: number): Promise<boolean> {
    if (service === 'ingestion') return this.#uploaders.send(probeUpload(n), address);
    const answer =
      service === 'query'
        ? await answerTo(address, 'POST /v1/search', { key: this.#key, json: { query: 'a probe', topK: 1 } })
        : await answerTo(address, 'GET /v1/scopes/deployment/reembed', { key: this.#key });
    return !(answer instanceof Error) && answer.status === 200;
  }

  async #found(n: number): Promise<void> {
    const finds = async (address: string): Promise<boolean> => {
      const answer = await answerTo(address, 'POST /v1/search', { key: this.#key, json: { query: probeWord(n), strategy: 'SparseOnly' } });
      return !(answer instanceof Error) && answer.status === 200 && answer.text.includes(probeWord(n));
    };
    await Promise.all(
      (await this.#supervisor.addressesOf('query')).map((address) => this.#until(`probe ${n} is found`, () => finds(address))),
    );
  }

  async #until(what: string, done: () => Promise<boolean>): Promise<void> {
    for (const until = performance.now() + PATIENCE_MS; !(await done()); await pause(EVERY_MS))
      if (performance.now() > until) throw new Error(`timed out waiting until ${what}`);
  }
}

const median = (list: readonly number[]): number => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
