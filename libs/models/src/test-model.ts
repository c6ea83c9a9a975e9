import { createHash } from 'node:crypto';
import { lowestSimilarity } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { ModelTest } from '@palimpsest/contracts/http';
import { testModel } from '@palimpsest/contracts/routes/models';
import { Conflict, NotFound, Unavailable } from '@palimpsest/knowledge/errors';
import { command, on, type UseCase } from '@palimpsest/knowledge/messages';
import type { Embedding, ModelRegistry } from '@palimpsest/knowledge/ports';
import { CANARY_STRINGS, type ModelId } from '@palimpsest/knowledge/models';
import type { AddedModels } from './added-models.ts';

/** `input`: the id of the model. */
export class TestModel extends command<ModelId, ModelTest>(testModel) {}

const LIMIT_MS = 60_000;

type Parts = Readonly<{
  providers: Pick<ModelRegistry, 'models' | 'direct' | 'fingerprint'>;
  added: Pick<AddedModels, 'list'>;
  system: Pick<System, 'clock' | 'scheduler'>;
}>;

/** Embeds a few fixed sentences, to show whether a model works, how fast it is, and whether it is still the same. */
export class TestModels implements UseCase {
  readonly handlers = [on(TestModel, ({ input }) => this.#test(input))];
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws NotFound; Conflict if it is not available in this process; EmbeddingModelMismatch; Unavailable with a reason for operators */
  async #test(id: ModelId): Promise<ModelTest> {
    const { providers, added, system } = this.#parts;
    const version = providers.models().find((model) => model.id === id)?.version;
    const model = version === undefined ? undefined : providers.direct(version);
    if (version === undefined || model === undefined) {
      const problem = added.list().find((other) => other.id === id)?.problem;
      if (problem === undefined) throw new NotFound('model', id);
      throw new Conflict(`the model ${id} is not available in this process: ${problem}`);
    }
    const [first = ''] = CANARY_STRINGS;
    const late = new AbortController();
    const cancel = system.scheduler.after(LIMIT_MS, () =>
      late.abort(new Unavailable(`the model ${version} did not respond within ${LIMIT_MS} ms`, { forCallers: true })),
    );
    try {
      const [alone, loadMs] = await this.#timed(() => model.embed([first], 'passage', late.signal));
      const [together, ms] = await this.#timed(() => model.embed(CANARY_STRINGS, 'passage', late.signal));
      const recorded = providers.fingerprint(version);
      const tokens = together.reduce((sum, one) => sum + one.tokens, 0);
      return {
        id,
        version,
        dimensions: together[0]?.vector.length ?? 0,
        texts: CANARY_STRINGS.length,
        tokens,
        loadMs: Math.round(loadMs),
        ms: Math.round(ms),
        tokensPerSecond: Math.round((tokens * 1_000) / Math.max(ms, 0.001)),
        unitLengthError: Math.max(...together.map(({ vector }) => Math.abs(lengthOf(vector) - 1))),
        repeatable: digestOf(alone) === digestOf(together.slice(0, 1)),
        digest: digestOf(together),
        ...(recorded === undefined
          ? {}
          : {
              similarity: lowestSimilarity(
                recorded,
                together.map(({ vector }) => vector),
              ),
            }),
      };
    } catch (error) {
      // The reason is for operators, and only they may call this.
      throw error instanceof Unavailable && !error.forCallers ? new Unavailable(error.message, { forCallers: true, cause: error }) : error;
    } finally {
      cancel();
    }
  }

  async #timed<T>(work: () => Promise<T>): Promise<readonly [result: T, ms: number]> {
    const { clock } = this.#parts.system;
    const start = clock.elapsed();
    const result = await work();
    return [result, clock.elapsed() - start];
  }
}

const lengthOf = (vector: Float32Array): number => Math.hypot(...vector);

/** SHA-256 over the vectors, as 32-bit floats in the byte order of the machine. */
const digestOf = (embeddings: readonly Embedding[]): string => {
  const hash = createHash('sha256');
  for (const { vector } of embeddings) hash.update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  return hash.digest('hex');
};
