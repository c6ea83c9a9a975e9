import { FaultyDisk, type DiskOrder } from '../../test/disk/faulty-disk.ts';
import type { Survives } from '../../test/disk/power-cut.ts';
import { aDataFolder } from '../../test/platform-under-test.ts';
import type { Life, Mortal } from '../mortal.ts';
import { Promises } from '../promises.ts';
import { brokenAboutDocuments, differing, wrongOnTheLog, type Shown } from '../state.ts';
import { EngineProcess } from './engine-process.ts';
import { engineRound, type EngineStep, type Wave } from './engine-work.ts';

export type EngineLaneOptions = Readonly<{
  /** Note what a power cut needs. */
  powerCuts?: boolean;
  /** What texts are embedded by. */
  model?: string;
  /** The work of one life, by the number of rounds before and what is to happen in it, if any; default a round of everything. */
  work?: (n: number, order: DiskOrder | undefined) => readonly Wave[];
}>;

/** What is told of a life that had to be ended since it went on and on. */
export const NO_END = 'it came to no end';

/** A round, more or less: who is killed early in each life would have more and more to do. */
const MOST_WAVES_LEFT = 6;

/** A life takes a second or two, a minute on a machine that has much else to do. */
const NOBODY_WAITS_SO_LONG_MS = 300_000;

/** What the engine tells when it is asked to look around. */
export type Looked = Shown & Readonly<{ hits: unknown; partitions: unknown; clean: boolean; differences: readonly unknown[]; logDamage: readonly string[]; keys: readonly string[] }>;

/** One folder on a disk under orders, the engine's work on it life after life, and the same work on a folder to which nothing happens. */
export class EngineLane implements Mortal {
  readonly disk = FaultyDisk.make();
  readonly promises = new Promises();
  readonly #done: EngineStep[] = [];
  readonly #options: EngineLaneOptions;
  #waiting: EngineStep[][] = [];
  #undisturbed: Readonly<{ engine: EngineProcess; promises: Promises }> | undefined;
  #told = 0;
  rounds = 0;

  constructor(options: EngineLaneOptions = {}) {
    this.#options = options;
  }

  /**
   * Starts the engine on a disk under orders, works until it ends or a round is through, then tells it to stop.
   * `patienceMs`: what that takes at most, before it is ended as one that comes to no end.
   */
  async live(order?: DiskOrder, { end = 'stop', patienceMs = NOBODY_WAITS_SO_LONG_MS }: Readonly<{ end?: 'stop' | 'kill'; patienceMs?: number }> = {}): Promise<Life> {
    if (order) this.disk.order(order);
    else this.disk.heal();
    const engine = EngineProcess.start(this.disk.root, this.#model, this.disk.settings({ bytes: this.#options.powerCuts ?? false }));
    const hung: string[] = [];
    const watchdog = setTimeout(() => (hung.push(NO_END), void engine.kill()), patienceMs);
    const readyMs = await engine.ready;
    const problems = readyMs === undefined ? [] : await this.#goOn(engine, order);
    const ended = await (end === 'kill' ? engine.kill() : engine.stop());
    clearTimeout(watchdog);
    const fired = this.disk.fired();
    problems.push(...hung);
    // A start that is refused says why, in a line; and without an order nothing ends but as it was told.
    if (readyMs === undefined && ended.signal === null) problems.push(`start: ${ended.stderr.trim()}`);
    else if (fired.count === 0 && end === 'stop' && ended.code !== 0 && hung.length === 0) problems.push(`it ended with ${ended.code ?? ended.signal}: ${ended.stderr}`);
    return { fired, problems, ...(readyMs === undefined ? {} : { readyMs }) };
  }

  /** What was asked for and not answered may have been done or not: it is finished first. */
  async wrong(): Promise<readonly string[]> {
    this.disk.heal();
    const engine = EngineProcess.start(this.disk.root, this.#model, this.disk.settings({ bytes: this.#options.powerCuts ?? false }));
    if ((await engine.ready) === undefined) return [`it does not start: ${(await engine.ended).stderr}`];
    const problems = await this.#work(engine);
    if (problems.length > 0) return problems;
    const looked = await lookedAt(engine);
    // While it runs: who opens a log that nobody has open makes a write-ahead file, and that would go past the seam.
    const onTheLog = await wrongOnTheLog(this.disk.root);
    await engine.stop();
    const expected = await this.#undisturbedLook();
    const held = new Set(looked.keys);
    return [
      ...brokenAboutDocuments(looked, this.promises),
      ...[...this.promises.keys].filter(([, { keyId, revoked }]) => held.has(keyId) === revoked).map(([name, { revoked }]) => `${name} was ${revoked ? 'revoked, and is there' : 'issued, and is gone'}`),
      ...onTheLog,
      ...(looked.clean ? [] : [`verify found ${JSON.stringify([...looked.logDamage, ...looked.differences].slice(0, 3))}`]),
      ...differences(looked, expected),
    ];
  }

  powerCut(survives?: Survives): number {
    return this.disk.powerCut(survives);
  }

  /** The process beside it is not needed any longer. */
  async end(): Promise<void> {
    await this.#undisturbed?.engine.kill();
    this.#undisturbed = undefined;
  }

  get #model(): string {
    return this.#options.model ?? 'one';
  }

  /** What is left of the round that was begun, and a new one: what is left may not come to what was ordered. */
  #goOn(engine: EngineProcess, order: DiskOrder | undefined): Promise<string[]> {
    const { work = (n) => engineRound(n) } = this.#options;
    const more = this.#waiting.length <= MOST_WAVES_LEFT ? work(this.rounds, order) : [];
    if (more.length > 0) this.rounds++;
    this.#waiting.push(...more.map((wave) => [...wave]));
    return this.#work(engine);
  }

  /** Until everything is acknowledged or the engine is no more. What it refuses is told: nothing here deserves it. */
  async #work(engine: EngineProcess): Promise<string[]> {
    const problems: string[] = [];
    for (let wave = this.#waiting[0]; wave !== undefined && problems.length === 0; wave = this.#waiting[0]) {
      let gone = false;
      const answers = await Promise.all(wave.map(async (step) => {
        const answer = await engine.ask(step.order(this.promises));
        if (answer === undefined) gone = true;
        else if ('refused' in answer) problems.push(`${step.name}: ${answer.refused}`);
        else {
          step.acknowledged(this.promises, answer.done);
          this.#done.push(step);
          return undefined;
        }
        return step;
      }));
      this.#waiting[0] = answers.filter((step) => step !== undefined);
      if (gone) return problems;
      if (this.#waiting[0].length === 0) this.#waiting.shift();
    }
    return problems;
  }

  async #undisturbedLook(): Promise<Looked> {
    this.#undisturbed ??= { engine: EngineProcess.start(await aDataFolder(), this.#model), promises: new Promises() };
    const { engine, promises } = this.#undisturbed;
    for (; this.#told < this.#done.length; this.#told++) {
      const step = this.#done[this.#told];
      if (step) step.acknowledged(promises, doneBy(await engine.ask(step.order(promises))));
    }
    return lookedAt(engine);
  }
}

/** @throws Error when it refused, or ended */
export const doneBy = (answer: Awaited<ReturnType<EngineProcess['ask']>>): unknown => {
  if (answer === undefined || 'refused' in answer) throw new Error(`the engine would not: ${answer?.refused ?? 'it ended'}`);
  return answer.done;
};

/** Once everything has come to rest. @throws Error */
export const lookedAt = async (engine: EngineProcess): Promise<Looked> => {
  doneBy(await engine.ask({ do: 'settle' }));
  return doneBy(await engine.ask({ do: 'look' })) as Looked;
};

/** What is not as an engine shows it to which nothing happened, but for the ids of keys. */
export const differences = ({ keys: _keys, ...looked }: Looked, { keys: _others, ...expected }: Looked): readonly string[] => differing(looked, expected);
