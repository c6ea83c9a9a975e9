import { untilReached, type Executed } from '@palimpsest/contracts';
import { ahead } from '@palimpsest/foundation';
import {
  comingGeneration,
  liveGenerations,
  openRanges,
  scope as decider,
  scopeStream,
  beginOfRange,
  rangeOf,
  rangesOf,
} from '@palimpsest/knowledge/deciders';
import { EmbeddingModelMismatch } from '@palimpsest/knowledge/errors';
import { awaitsEvaluation } from '@palimpsest/knowledge/evaluation';
import type { Generation, Scope, ScopeCommand, Swap } from '@palimpsest/knowledge/deciders';
import type { EventMetadata, ScopeEvent } from '@palimpsest/knowledge/events';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import type { Catalog, ReadModels } from '@palimpsest/knowledge/read-models';
import type { DocumentId, GenerationId, Position, TenantId, TenantScope } from '@palimpsest/knowledge/values';
import { ChunkLists, type MadeLists, type Rechunking } from './chunk-lists.ts';
import type { EvaluateBuilt } from './evaluate-built.ts';
import { requireSameModel, type ComparedModels } from './same-model.ts';
import { NOTHING, ReembedDocuments, type DocumentCounts, type ReembeddingPorts } from './reembed-documents.ts';
import type { Run } from './run.ts';
import { OPEN, type Gate, type Turns } from './throttle/turns.ts';

export type BuildGenerationPorts = ReembeddingPorts &
  Readonly<{
    providers: EmbeddingProviders & ComparedModels;
    catalog: Pick<Catalog, 'indexedDocuments' | 'listedVersions'>;
    rechunk: Rechunking;
    readModels: ReadModels;
    /** Evaluates a generation that is built, if its swap has a gate. */
    evaluate: Pick<EvaluateBuilt, 'run'>;
    /** The rate of what is built. Work for single documents does not wait. */
    turns: Turns;
    now: () => string;
    /** Milliseconds from any origin. */
    elapsed: () => number;
  }>;

const PAGE = 100;
/** Documents that are read from the log at the same time. */
const READ_AHEAD = 4;
/** How old the known state of a swap may be between two batches, in milliseconds. A pause takes effect after this time and one batch. */
const STATE_MS = 250;

type PassCounts = Readonly<{ total: DocumentCounts; ofGeneration: DocumentCounts; made: MadeLists }>;

/** The swap was paused or cancelled while it was worked on. */
class SwapStopped extends Error {}

/** Builds a generation range by range. Any number of processes can work on one scope; what is done is on the log. */
export class BuildGeneration {
  readonly #ports: BuildGenerationPorts;

  constructor(ports: BuildGenerationPorts) {
    this.#ports = ports;
  }

  /**
   * Embeds one range of documents. The run that completes the last range checks all documents and records that the generation is built.
   * Does nothing if the range is done, or if the swap is paused, cancelled or complete.
   * @throws EmbeddingModelMismatch; ModelChanged; retryable errors
   */
  async range(run: Run, generation: GenerationId, range: number): Promise<void> {
    let state = await this.#load(run.scope);
    // Later ranges need not wait for the vectors of earlier ones. Documents that a list lacks are found by the final check.
    if (!state.swap?.ranges.size) await this.#caughtUp(run.signal);
    // The process that built it ended before its evaluation was complete.
    if (awaitsEvaluation(state, generation)) return this.#ports.evaluate.run(run);
    const swap = workable(state, generation);
    if (!swap) return;
    // Before each range, and so also when a swap was resumed.
    const confirmed = this.#sameModel(run, state, generation);
    confirmed.catch(() => undefined); // reported where it is awaited
    // A model that had changed is available again only after it was compared.
    if (!this.#isAvailable(run, state, generation)) await confirmed;
    if (openRanges(swap).includes(range)) {
      const counts = await this.#pass(run, state, generation, [range], confirmed).catch(async (error: unknown) => {
        // A change of the model is the reason, whatever else it led to.
        await confirmed;
        throw error;
      });
      await confirmed;
      if (!counts) return;
      const { chunks, withoutVector } = counts.ofGeneration;
      const tokens = counts.total.tokens + counts.made.tokens;
      ({ state } = await this.#record(run, { type: 'RecordRange', generation, range, counts: { chunks, withoutVector, tokens } }));
    }
    await confirmed;
    await this.#finish(run, state, generation);
  }

  /** Embeds whatever is missing in a scope, and builds its generation if one is being built. @throws as `range` */
  async whole(run: Run): Promise<void> {
    await this.#caughtUp(run.signal);
    const state = await this.#load(run.scope);
    const coming = comingGeneration(state);
    if (coming?.status !== 'building') {
      const all = rangesOf();
      while (foundWork(await this.#pass(run, await this.#load(run.scope), undefined, all))) await this.#caughtUp(run.signal);
      return;
    }
    const open = state.swap ? openRanges(state.swap) : [];
    // With no open range, any of them makes the final check.
    for (const range of open.length > 0 ? open : [0]) await this.range(run, coming.id, range);
  }

  /** Makes the missing chunk lists and vectors of one document for every live generation. */
  async document(run: Run, id: DocumentId): Promise<void> {
    const state = await this.#load(run.scope);
    const generations = this.#computable(run.scope.tenant, state);
    const documents = new ReembedDocuments(this.#ports, run);
    try {
      await new ChunkLists(this.#ports, run, state, generations, OPEN).addNow(id);
      await documents.add(await documents.open(id), generations);
      await documents.end();
    } finally {
      await documents.close();
    }
  }

  /** Repeats complete passes until one finds no missing chunk list and no missing vector. */
  async #finish(run: Run, known: Scope, generation: GenerationId): Promise<void> {
    for (let state = known; ; state = await this.#load(run.scope)) {
      const swap = workable(state, generation);
      if (!swap || openRanges(swap).length > 0) return;
      const upTo = String(await this.#caughtUp(run.signal));
      const counts = await this.#pass(run, state, generation, rangesOf(swap.rangeCount));
      if (!counts) return;
      if (foundWork(counts)) continue;
      const { chunks, withoutVector } = counts.ofGeneration;
      await this.#sameModel(run, state, generation);
      const built = await this.#record(run, { type: 'RecordBuilt', generation, counts: { chunks, withoutVector, upTo } });
      // Only the worker that recorded it evaluates it.
      if (built.events.length > 0 && awaitsEvaluation(built.state, generation)) await this.#ports.evaluate.run(run);
      return;
    }
  }

  /**
   * Makes the missing chunk lists and vectors of these ranges, in every live generation whose model is configured. Records nothing before
   * `confirmed`. Returns undefined if the swap was paused or cancelled meanwhile.
   */
  async #pass(
    run: Run,
    state: Scope,
    generation: GenerationId | undefined,
    ranges: readonly number[],
    confirmed: Promise<unknown> = Promise.resolve(),
  ): Promise<PassCounts | undefined> {
    const building = state.generations.find(({ id }) => id === generation);
    const { scope, signal } = run;
    const { providers } = this.#ports;
    if (building && !providers.of(building.embeddingVersion, scope.tenant))
      throw new EmbeddingModelMismatch(building.embeddingVersion, providers.versions());
    const gate = this.#gate(scope, generation);
    const rangeCount = generation === undefined ? undefined : state.swap?.rangeCount;
    const generations = this.#computable(scope.tenant, state);
    const { turns } = this.#ports;
    const gateOfLists: Gate = async () => {
      await confirmed;
      await gate();
    };
    const lists = new ChunkLists(this.#ports, run, state, generations, gateOfLists, turns);
    const documents = new ReembedDocuments(this.#ports, run, { gate, turns, confirmed });
    try {
      for (const range of ranges) {
        for await (const known of ahead(this.#documents(scope, range, rangeCount), READ_AHEAD, (id) => documents.open(id))) {
          signal.throwIfAborted();
          await gate();
          const isChanged = await lists.add(known.id);
          await documents.add(isChanged ? await documents.open(known.id) : known, generations);
        }
      }
      await documents.end();
    } catch (error) {
      if (error instanceof SwapStopped) return undefined;
      throw error;
    } finally {
      await documents.close();
    }
    const ofGeneration = generation === undefined ? NOTHING : documents.counts(generation);
    return { total: documents.total(), ofGeneration, made: lists.made };
  }

  async #sameModel({ signal }: Run, { generations }: Scope, id: GenerationId): Promise<void> {
    const building = generations.find((generation) => generation.id === id);
    if (building) await requireSameModel(this.#ports.providers, building, signal);
  }

  #isAvailable({ scope }: Run, { generations }: Scope, id: GenerationId): boolean {
    const building = generations.find((generation) => generation.id === id);
    return building !== undefined && this.#ports.providers.of(building.embeddingVersion, scope.tenant) !== undefined;
  }

  /** Skips generations whose model is no longer configured; their missing vectors are not computed. */
  #computable(tenant: TenantId, state: Scope): readonly Generation[] {
    return liveGenerations(state).filter(({ embeddingVersion }) => this.#ports.providers.of(embeddingVersion, tenant) !== undefined);
  }

  /** Throws SwapStopped once the swap is paused or cancelled. Reads the log at most four times a second. */
  #gate(scope: TenantScope, generation: GenerationId | undefined): Gate {
    const { elapsed } = this.#ports;
    let checkedAt = elapsed();
    return async () => {
      if (generation === undefined || elapsed() - checkedAt < STATE_MS) return;
      if (!workable(await this.#load(scope), generation)) throw new SwapStopped();
      checkedAt = elapsed();
    };
  }

  async *#documents(scope: TenantScope, range: number, count?: number): AsyncGenerator<DocumentId> {
    for (let after = beginOfRange(range, count); ;) {
      const page = await this.#ports.catalog.indexedDocuments(scope, PAGE, after);
      for (const id of page) {
        if (rangeOf(id, count) !== range) return;
        yield id;
      }
      if (page.length < PAGE) return;
      after = page.at(-1);
    }
  }

  async #load(scope: TenantScope): Promise<Scope> {
    return (await this.#ports.journal.load(decider, scopeStream(scope))).state;
  }

  async #record({ scope, correlationId }: Run, command: Recorded): Promise<Executed<Scope, ScopeEvent>> {
    const metadata: EventMetadata = { ...scope, actor: 'reembedding-worker', correlationId };
    const { journal, now } = this.#ports;
    return journal.execute(decider, scopeStream(scope), { ...command, scope: scope.scope, now: now() }, metadata);
  }

  /** Waits without a time limit: a rebuild of the read models, for example after a restore, must not fail the work. */
  async #caughtUp(signal: AbortSignal): Promise<Position> {
    const head = await this.#ports.journal.log.head();
    await untilReached(this.#ports.readModels, head, signal);
    signal.throwIfAborted();
    return head;
  }
}

const foundWork = (counts: PassCounts | undefined): boolean => counts !== undefined && counts.total.embedded + counts.made.lists > 0;

type RecordCommand = Extract<ScopeCommand, { type: 'RecordRange' | 'RecordBuilt' }>;
type Recorded = RecordCommand extends infer C ? (C extends unknown ? Omit<C, 'scope' | 'now'> : never) : never;

/** The swap of this generation, if there is work: it is being built and not paused. */
const workable = ({ swap, generations }: Scope, generation: GenerationId): Swap | undefined =>
  swap?.generation === generation && !swap.paused && generations.some(({ id, status }) => id === generation && status === 'building')
    ? swap
    : undefined;
