import { spreadOf, type ScoreSpread } from '@palimpsest/knowledge/read-models';
import { BACKGROUND_TEXTS } from '@palimpsest/knowledge/models';
import type { Embedder } from '@palimpsest/knowledge/ports';
import type { EmbeddingVersion } from '@palimpsest/knowledge/values';

/**
 * Vectors of unrelated passages, embedded once for each model when a search first needs them. A scope with a few chunks shows nothing of
 * what its model gives to unrelated passages; these do.
 */
export class Background {
  readonly #vectors = new Map<EmbeddingVersion, Promise<readonly Float32Array[]>>();

  /** The spread of the cosines of these passages to a query. @throws what the model throws; the next search tries again */
  async spread(model: Pick<Embedder, 'version' | 'embed'>, query: Float32Array): Promise<ScoreSpread> {
    const vectors = await this.#of(model);
    return spreadOf(vectors.map((vector) => dot(vector, query)));
  }

  #of(model: Pick<Embedder, 'version' | 'embed'>): Promise<readonly Float32Array[]> {
    const known = this.#vectors.get(model.version);
    if (known !== undefined) return known;
    const vectors = model.embed(BACKGROUND_TEXTS, 'passage').then((embedded) => embedded.map(({ vector }) => vector));
    this.#vectors.set(model.version, vectors);
    vectors.catch(() => this.#vectors.delete(model.version));
    return vectors;
  }
}

const dot = (one: Float32Array, other: Float32Array): number => one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0);
