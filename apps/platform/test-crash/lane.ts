import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConnectionError, PalimpsestClient, ProblemError } from '@palimpsest/client';
import { FaultyDisk, type DiskOrder } from '../test/disk/faulty-disk.ts';
import type { Survives } from '../test/disk/power-cut.ts';
import type { EmbeddingStandIn } from '../test/embedding-stand-in.ts';
import { aDataFolder, PlatformUnderTest, type Ended, type Settings } from '../test/platform-under-test.ts';
import { Promises } from './promises.ts';
import type { Life, Mortal } from './mortal.ts';
import { brokenPromises, differing, visibleState, type VisibleState } from './state.ts';
import { round, settled, type Hands, type Step } from './work.ts';

export type LaneOptions = Readonly<{
  standIn: EmbeddingStandIn;
  /** Note what a power cut needs. */
  powerCuts?: boolean;
  /** What a step waits at most for work to come to rest. */
  patienceMs?: number;
  settings?: Settings;
  /** The work of one life; default a round of everything. */
  work?: (n: number) => readonly Step[];
}>;

export type PlatformLife = Life & Readonly<{ ended: Ended | undefined }>;

/** No request of ours takes longer, unless nobody will ever answer it. */
const ANSWER_WITHIN_MS = 60_000;
/** A disk that fails for a while: more failures of one life add nothing. */
const MOST_PROBLEMS = 4;

/** One folder, the work that is done on it life after life, and the same work on a folder to which nothing happens. */
export class Lane implements Mortal {
  readonly disk = FaultyDisk.make();
  readonly promises = new Promises();
  readonly done: Step[] = [];
  model = 'one';
  readonly #options: LaneOptions;
  #waiting: Step[] = [];
  #rounds = 0;
  #undisturbed: { platform: PlatformUnderTest; promises: Promises; done: number; model: string } | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  get rounds(): number {
    return this.#rounds;
  }

  /** Comes before the next round. */
  add(...steps: readonly Step[]): void {
    this.#waiting.push(...steps);
  }

  /** Starts the platform on a disk under orders, works until it ends or a round is through, then tells it to stop. */
  async live(order?: DiskOrder, { end = 'stop' }: Readonly<{ end?: 'stop' | 'kill' }> = {}): Promise<PlatformLife> {
    if (order) this.disk.order(order);
    else this.disk.heal();
    const began = performance.now();
    const problems: string[] = [];
    let platform: PlatformUnderTest;
    try {
      platform = await PlatformUnderTest.start(this.disk.root, this.#settings(), { ready: true });
    } catch (error) {
      // It did not come to listen, or ended on its way from there to being ready: what became of it tells which.
      await this.#gone();
      return { fired: this.disk.fired(), ended: undefined, problems: [String(error)] };
    }
    const readyMs = performance.now() - began;
    if (this.#waiting.length === 0) this.#waiting.push(...(this.#options.work ?? round)(this.#rounds++));
    const alive = await this.#work(this.#hands(platform), problems);
    const ended = alive && end === 'stop' ? await platform.stop() : await platform.kill();
    return { fired: this.disk.fired(), readyMs, ended, problems };
  }

  /**
   * What is wrong after all that happened, once it is left alone. Starts the platform, finishes what was begun, since what was
   * asked for and not answered may have been done or not, and stops it.
   */
  async wrong(): Promise<readonly string[]> {
    this.disk.heal();
    const platform = await PlatformUnderTest.start(this.disk.root, this.#settings());
    const problems: string[] = [];
    const hands = this.#hands(platform, 180_000);
    if (!(await this.#work(hands, problems))) problems.push('it ended by itself');
    if (problems.length > 0) return problems;
    await settled.run(hands);
    const broken = await brokenPromises(platform, this.promises);
    const state = await visibleState(platform);
    await platform.stop();
    return [...broken, ...differing(state, await this.#undisturbedState())];
  }

  /** Only between lives. */
  powerCut(survives?: Survives): number {
    return this.disk.powerCut(survives);
  }

  #hands(platform: PlatformUnderTest, patienceMs = this.#options.patienceMs ?? 120_000): Hands {
    return { platform, client: clientOf(platform), promises: this.promises, patienceMs };
  }

  /** True when it still answers after all that waited. */
  async #work(hands: Hands, problems: string[]): Promise<boolean> {
    while (problems.length < MOST_PROBLEMS) {
      const [step] = this.#waiting;
      if (step === undefined) return true;
      try {
        await step.run(hands);
        this.#waiting.shift();
        this.done.push(step);
      } catch (error) {
        if (error instanceof ConnectionError) return false;
        problems.push(`${step.name}: ${error instanceof ProblemError ? `${error.status} ${error.code}: ${error.detail}` : String(error)}`);
      }
    }
    return true;
  }

  async #undisturbedState(): Promise<VisibleState> {
    const { standIn, settings } = this.#options;
    const start = async (data: string) => PlatformUnderTest.start(data, { ...standIn.settings(this.model), ...COMMON, ...settings });
    this.#undisturbed ??= { platform: await start(await aDataFolder()), promises: new Promises(), done: 0, model: this.model };
    if (this.#undisturbed.model !== this.model) throw new Error('tell the undisturbed platform of the other model first');
    const { platform, promises } = this.#undisturbed;
    const hands = { platform, client: clientOf(platform), promises, patienceMs: 180_000 };
    for (; this.#undisturbed.done < this.done.length; this.#undisturbed.done++) await this.done[this.#undisturbed.done]?.run(hands);
    await settled.run(hands);
    return visibleState(platform);
  }

  /** From here on both platforms are started with another model; what was done so far was done with the old one. */
  async changeModel(model: string): Promise<void> {
    await this.#undisturbedState();
    this.model = model;
    const before = this.#undisturbed;
    if (before === undefined) return;
    await before.platform.stop();
    const { standIn, settings } = this.#options;
    this.#undisturbed = { ...before, model, platform: await PlatformUnderTest.start(before.platform.data, { ...standIn.settings(model), ...COMMON, ...settings }) };
  }

  #settings(): Settings {
    const { standIn, powerCuts = false, settings } = this.#options;
    return { ...standIn.settings(this.model), ...COMMON, ...this.disk.settings({ bytes: powerCuts }), ...settings };
  }

  /** A start that failed may have left its process for a moment. */
  async #gone(): Promise<void> {
    await PlatformUnderTest.killAllOn(this.disk.root);
  }
}

/** Kills count as attempts at what was in hand: here there are more of them than anybody else has. */
const COMMON: Settings = {
  NODE_COMPILE_CACHE: join(tmpdir(), 'palimpsest-compiled'),
  PALIMPSEST_INGESTION_ATTEMPTS: '20', PALIMPSEST_PARSERS: '1', PALIMPSEST_INGESTION_CONCURRENCY: '2', PALIMPSEST_LOG_LEVEL: 'error' };

const clientOf = (platform: PlatformUnderTest): PalimpsestClient =>
  new PalimpsestClient({
    url: platform.url, apiKey: platform.key, retries: 0,
    fetch: (input, init) => fetch(input, { ...init, signal: init?.signal ?? AbortSignal.timeout(ANSWER_WITHIN_MS) }),
  });
