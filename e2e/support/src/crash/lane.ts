import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConnectionError, PalimpsestClient, ProblemError } from '@palimpsest/client';
import { FaultyDisk, type DiskOrder } from '../disk/faulty-disk.ts';
import type { Survives } from '../disk/power-cut.ts';
import type { EmbeddingStandIn } from '../embedding-stand-in.ts';
import { aDataFolder, PlatformUnderTest, type Ended, type Settings } from '../platform-under-test.ts';
import { copyKeys } from './folder-keys.ts';
import { Promises } from './promises.ts';
import type { Run, Worker } from './worker.ts';
import { brokenPromises, differing, visibleState, type VisibleState } from './state.ts';
import { round, settled, type StepContext, type Step } from './work.ts';

export type LaneOptions = Readonly<{
  standIn: EmbeddingStandIn;
  /** Record what a simulated power cut needs. */
  powerCuts?: boolean;
  /** The maximum time that a step waits until all work is done. */
  patienceMs?: number;
  settings?: Settings;
  /** The work of one run; default: a full round. */
  work?: (n: number) => readonly Step[];
}>;

export type PlatformRun = Run & Readonly<{ ended: Ended | undefined }>;

/** A request that takes longer will never get a response. */
const ANSWER_WITHIN_MS = 60_000;
/** More problems of one run, on a disk that keeps failing, would add nothing. */
const MAX_PROBLEMS = 4;

/** Runs of the platform on one folder of a faulty disk, and an undisturbed platform that does the same work on another folder. */
export class Lane implements Worker {
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

  /** Adds steps before the next round. */
  add(...steps: readonly Step[]): void {
    this.#waiting.push(...steps);
  }

  /** Starts the platform on the faulty disk, works until it ends or a round is complete, then stops it. */
  async run(order?: DiskOrder, { end = 'stop' }: Readonly<{ end?: 'stop' | 'kill' }> = {}): Promise<PlatformRun> {
    if (order) this.disk.order(order);
    else this.disk.heal();
    const began = performance.now();
    const problems: string[] = [];
    let platform: PlatformUnderTest;
    try {
      platform = await PlatformUnderTest.start(this.disk.root, this.#settings(), { ready: true });
    } catch (error) {
      // It ended before it listened, or between listening and being ready; the error says which.
      await this.#gone();
      return { fired: this.disk.fired(), ended: undefined, problems: [String(error)] };
    }
    const readyMs = performance.now() - began;
    if (this.#waiting.length === 0) this.#waiting.push(...(this.#options.work ?? round)(this.#rounds++));
    const alive = await this.#work(this.#contextOf(platform), problems);
    const ended = alive && end === 'stop' ? await platform.stop() : await platform.kill();
    return { fired: this.disk.fired(), readyMs, ended, problems };
  }

  /**
   * Starts the platform without faults, finishes the interrupted work, because a request without a response may have been executed or
   * not, checks the state and stops the platform.
   */
  async findProblems(): Promise<readonly string[]> {
    this.disk.heal();
    const platform = await PlatformUnderTest.start(this.disk.root, this.#settings());
    const problems: string[] = [];
    const context = this.#contextOf(platform, 180_000);
    if (!(await this.#work(context, problems))) problems.push('the platform ended unexpectedly');
    if (problems.length > 0) return problems;
    await settled.run(context);
    const broken = await brokenPromises(platform, this.promises);
    const state = await visibleState(platform);
    await platform.stop();
    return [...broken, ...differing(state, await this.#undisturbedState())];
  }

  /** Only between runs. */
  powerCut(survives?: Survives): number {
    return this.disk.powerCut(survives);
  }

  #contextOf(platform: PlatformUnderTest, patienceMs = this.#options.patienceMs ?? 120_000): StepContext {
    return { platform, client: clientOf(platform), promises: this.promises, patienceMs };
  }

  /** Runs all waiting steps. Returns whether the platform still responds. */
  async #work(context: StepContext, problems: string[]): Promise<boolean> {
    while (problems.length < MAX_PROBLEMS) {
      const [step] = this.#waiting;
      if (step === undefined) return true;
      try {
        await step.run(context);
        this.#waiting.shift();
        this.done.push(step);
      } catch (error) {
        if (error instanceof ConnectionError) return false;
        problems.push(`${step.name}: ${error instanceof ProblemError ? `${error.status} ${error.code}: ${error.detail}` : String(error)}`);
      }
    }
    return true;
  }

  /** With the keys of the faulty disk, because the ids of documents are derived from them. */
  async #folderWithKeys(): Promise<string> {
    const data = await aDataFolder();
    await copyKeys(this.disk.root, data);
    return data;
  }

  async #undisturbedState(): Promise<VisibleState> {
    const { standIn, settings } = this.#options;
    const start = async (data: string) => PlatformUnderTest.start(data, { ...standIn.settings(this.model), ...COMMON, ...settings });
    this.#undisturbed ??= { platform: await start(await this.#folderWithKeys()), promises: new Promises(), done: 0, model: this.model };
    if (this.#undisturbed.model !== this.model) throw new Error('call changeModel first: the undisturbed platform uses another model');
    const { platform, promises } = this.#undisturbed;
    await copyKeys(this.disk.root, platform.data);
    const context = { platform, client: clientOf(platform), promises, patienceMs: 180_000 };
    for (; this.#undisturbed.done < this.done.length; this.#undisturbed.done++) await this.done[this.#undisturbed.done]?.run(context);
    await settled.run(context);
    return visibleState(platform);
  }

  /** Changes the model of both platforms for later starts. Previous work is first replayed with the old model. */
  async changeModel(model: string): Promise<void> {
    await this.#undisturbedState();
    this.model = model;
    const before = this.#undisturbed;
    if (before === undefined) return;
    await before.platform.stop();
    const { standIn, settings } = this.#options;
    this.#undisturbed = {
      ...before,
      model,
      platform: await PlatformUnderTest.start(before.platform.data, { ...standIn.settings(model), ...COMMON, ...settings }),
    };
  }

  #settings(): Settings {
    const { standIn, powerCuts = false, settings } = this.#options;
    return { ...standIn.settings(this.model), ...COMMON, ...this.disk.settings({ bytes: powerCuts }), ...settings };
  }

  /** After a failed start, the process may still run for a moment. */
  async #gone(): Promise<void> {
    await PlatformUnderTest.killAllOn(this.disk.root);
  }
}

/** A kill counts as an attempt of the current work, so the number of attempts is higher than the default. */
const COMMON: Settings = {
  NODE_COMPILE_CACHE: join(tmpdir(), 'palimpsest-compiled'),
  PALIMPSEST_INGESTION_ATTEMPTS: '20',
  PALIMPSEST_PARSERS: '1',
  PALIMPSEST_INGESTION_CONCURRENCY: '2',
  PALIMPSEST_LOG_LEVEL: 'error',
};

const clientOf = (platform: PlatformUnderTest): PalimpsestClient =>
  new PalimpsestClient({
    url: platform.url,
    apiKey: platform.key,
    retries: 0,
    fetch: (input, init) => fetch(input, { ...init, signal: init?.signal ?? AbortSignal.timeout(ANSWER_WITHIN_MS) }),
  });
