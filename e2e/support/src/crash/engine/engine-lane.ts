import { pause } from '@palimpsest/foundation';
import { FaultyDisk, type DiskOrder } from '../../disk/faulty-disk.ts';
import type { Survives } from '../../disk/power-cut.ts';
import { aDataFolder } from '../../platform-under-test.ts';
import type { Run, Worker } from '../worker.ts';
import { Promises } from '../promises.ts';
import { documentProblems, differing, logProblems, type Shown } from '../state.ts';
import { copyKeys } from '../folder-keys.ts';
import { EngineProcess } from './engine-process.ts';
import { engineRound, type EngineStep, type Wave } from './engine-work.ts';

export type EngineLaneOptions = Readonly<{
  /** Record what a simulated power cut needs. */
  powerCuts?: boolean;
  /** The embedding model. */
  model?: string;
  /** The work of one run, from the number of previous rounds and the order of the run, if any; default: a full round. */
  work?: (n: number, order: DiskOrder | undefined) => readonly Wave[];
}>;

/** The problem of a run that had to be killed because it did not end. */
export const NO_END = 'the run did not end in time';

/** About one round. Without this limit, an engine that is killed early in each run would collect more and more work. */
const MAX_WAVES_LEFT = 6;

/** A run takes one or two seconds; on a busy machine it takes a minute. */
const RUN_TIMEOUT_MS = 300_000;

/** The visible state of the engine. */
export type EngineState = Shown &
  Readonly<{
    hits: unknown;
    partitions: unknown;
    clean: boolean;
    differences: readonly unknown[];
    logDamage: readonly string[];
    keys: readonly string[];
  }>;

type Undisturbed = Readonly<{ data: string; engine: EngineProcess; promises: Promises }>;

/** Runs of the engine on one folder of a faulty disk, and an undisturbed engine that does the same work on another folder. */
export class EngineLane implements Worker {
  readonly disk = FaultyDisk.make();
  readonly promises = new Promises();
  readonly #done: EngineStep[] = [];
  readonly #options: EngineLaneOptions;
  #waiting: EngineStep[][] = [];
  #undisturbed: Undisturbed | undefined;
  #replayed = 0;
  rounds = 0;

  constructor(options: EngineLaneOptions = {}) {
    this.#options = options;
  }

  /**
   * Starts the engine on the faulty disk, works until it ends or a round is complete, then stops it.
   * `patienceMs`: the maximum duration, after which the engine is killed and `NO_END` is reported.
   */
  async run(
    order?: DiskOrder,
    { end = 'stop', patienceMs = RUN_TIMEOUT_MS }: Readonly<{ end?: 'stop' | 'kill'; patienceMs?: number }> = {},
  ): Promise<Run> {
    if (order) this.disk.order(order);
    else this.disk.heal();
    const engine = EngineProcess.start(this.disk.root, this.#model, this.disk.settings({ bytes: this.#options.powerCuts ?? false }));
    const hung: string[] = [];
    const watchdog = setTimeout(() => (hung.push(NO_END), void engine.kill()), patienceMs);
    const readyMs = await engine.ready;
    const problems = readyMs === undefined ? [] : await this.#runRound(engine, order);
    const ended = await (end === 'kill' ? engine.kill() : engine.stop());
    clearTimeout(watchdog);
    const fired = this.disk.fired();
    problems.push(...hung);
    // A refused start prints its reason. Without an order, the engine must end only when it is stopped.
    if (readyMs === undefined && ended.signal === null) problems.push(`start: ${ended.stderr.trim()}`);
    else if (fired.count === 0 && end === 'stop' && ended.code !== 0 && hung.length === 0)
      problems.push(`the engine ended with ${ended.code ?? ended.signal}: ${ended.stderr}`);
    return { fired, problems, ...(readyMs === undefined ? {} : { readyMs }) };
  }

  /** First finishes the interrupted work, because a request without a response may have been executed or not. */
  async findProblems(): Promise<readonly string[]> {
    this.disk.heal();
    const engine = EngineProcess.start(this.disk.root, this.#model, this.disk.settings({ bytes: this.#options.powerCuts ?? false }));
    if ((await engine.ready) === undefined) return [`the engine does not start: ${(await engine.ended).stderr}`];
    const problems = await this.#work(engine);
    if (problems.length > 0) return problems;
    const state = await readState(engine);
    // While the engine runs: opening a closed log would create a write-ahead file that the disk shim does not see.
    const onTheLog = await logProblems(this.disk.root);
    await engine.stop();
    const expected = await this.#undisturbedState();
    const keyIds = new Set(state.keys);
    return [
      ...documentProblems(state, this.promises),
      ...[...this.promises.keys]
        .filter(([, { keyId, revoked }]) => keyIds.has(keyId) === revoked)
        .map(([name, { revoked }]) => `${name} was ${revoked ? 'revoked but still exists' : 'issued but is missing'}`),
      ...onTheLog,
      ...(state.clean ? [] : [`verify found ${JSON.stringify([...state.logDamage, ...state.differences].slice(0, 3))}`]),
      ...differences(state, expected),
    ];
  }

  powerCut(survives?: Survives): number {
    return this.disk.powerCut(survives);
  }

  /** Ends the undisturbed engine. */
  async end(): Promise<void> {
    await this.#undisturbed?.engine.kill();
    this.#undisturbed = undefined;
  }

  get #model(): string {
    return this.#options.model ?? 'one';
  }

  /** Finishes the interrupted round and does a new one, because the rest of a round may not contain the ordered call. */
  #runRound(engine: EngineProcess, order: DiskOrder | undefined): Promise<string[]> {
    const { work = (n) => engineRound(n) } = this.#options;
    const more = this.#waiting.length <= MAX_WAVES_LEFT ? work(this.rounds, order) : [];
    if (more.length > 0) this.rounds++;
    this.#waiting.push(...more.map((wave) => [...wave]));
    return this.#work(engine);
  }

  /** Works until everything is acknowledged or the engine has ended. A refusal is a problem, because all requests are valid. */
  async #work(engine: EngineProcess): Promise<string[]> {
    const problems: string[] = [];
    for (let wave = this.#waiting[0]; wave !== undefined && problems.length === 0; wave = this.#waiting[0]) {
      let gone = false;
      const answers = await Promise.all(
        wave.map(async (step) => {
          const answer = await engine.ask(step.order(this.promises));
          if (answer === undefined) gone = true;
          else if ('refused' in answer) problems.push(`${step.name}: ${answer.refused}`);
          else {
            step.acknowledged(this.promises, answer.done);
            this.#done.push(step);
            return undefined;
          }
          return step;
        }),
      );
      this.#waiting[0] = answers.filter((step) => step !== undefined);
      if (gone) return problems;
      if (this.#waiting[0].length === 0) this.#waiting.shift();
    }
    return problems;
  }

  /** Has the keys of the faulty disk, because the ids of documents are derived from them. */
  async #startUndisturbed(): Promise<Undisturbed> {
    const data = await aDataFolder();
    await copyKeys(this.disk.root, data);
    return { data, engine: EngineProcess.start(data, this.#model), promises: new Promises() };
  }

  async #undisturbedState(): Promise<EngineState> {
    this.#undisturbed ??= await this.#startUndisturbed();
    const { data, engine, promises } = this.#undisturbed;
    await copyKeys(this.disk.root, data);
    for (; this.#replayed < this.#done.length; this.#replayed++) {
      const step = this.#done[this.#replayed];
      if (step) step.acknowledged(promises, doneBy(await engine.ask(step.order(promises))));
    }
    return readState(engine);
  }
}

/** The result of a task. @throws Error if the engine refused it, or ended */
export const doneBy = (answer: Awaited<ReturnType<EngineProcess['ask']>>): unknown => {
  if (answer === undefined || 'refused' in answer) throw new Error(`the engine refused a task: ${answer?.refused ?? 'it ended'}`);
  return answer.done;
};

/** Attempts to read the state while an index is rebuilt: the check after a start may find damage only now. */
const LOOKS = 20;

/** The state after all work is done. @throws Error */
export const readState = async (engine: EngineProcess): Promise<EngineState> => {
  for (let look = 1; ; look++) {
    doneBy(await engine.ask({ do: 'settle' }));
    const answer = await engine.ask({ do: 'look' });
    const isRebuilding = answer !== undefined && 'refused' in answer && answer.refused.includes('is being rebuilt');
    if (!isRebuilding || look === LOOKS) return doneBy(answer) as EngineState;
    await pause(500);
  }
};

/** How the state differs from that of an undisturbed engine, except for the ids of keys. */
export const differences = ({ keys: _keys, ...state }: EngineState, { keys: _others, ...expected }: EngineState): readonly string[] =>
  differing(state, expected);
