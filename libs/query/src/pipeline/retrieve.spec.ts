import fc from 'fast-check';
import { authorise } from '@palimpsest/knowledge/access';
import { spreadOf, type LexicalPut, type VectorPut } from '@palimpsest/knowledge/read-models';
import {
  chunkId,
  DEFAULT_TENANT,
  embeddingVersion,
  generationId,
  position,
  recipeWith,
  vectorScope,
  type ChunkId,
  type EmbeddingVersion,
  type TenantScope,
} from '@palimpsest/knowledge/values';
import { InMemoryLexicalIndex, InMemoryVectorIndex } from '@palimpsest/test-kit';
import { FOREIGN_DENSE_WEIGHT, DENSE_WEIGHT } from '../ranking/fusion.ts';
import { denseWeightOf, denseWeights } from './dense-weight.ts';
import { retrieveDense } from './retrieve-dense.ts';
import { retrieveLexical } from './retrieve-lexical.ts';
import type { Wanted } from './search-state.ts';
import type { SearchTarget } from './search-targets.ts';
import { VisibilityFilter } from './visibility-filter.ts';

const CONTEXT = { skipped: {}, othersTurn: () => Promise.resolve() };
const wide = embeddingVersion('test:wide/16');
const narrow = embeddingVersion('test:narrow/16');
const generation = generationId('g1');
const inScope = (name: string): Readonly<{ scope: TenantScope; generation: typeof generation }> => ({
  scope: { tenant: DEFAULT_TENANT, scope: vectorScope(name) },
  generation,
});
const [team, other] = [inScope('team:red'), inScope('team:blue')];
const searchableIn = ({ scope: { scope: name } }: typeof team, version = wide): SearchTarget => {
  const [scope] = authorise({ tenant: DEFAULT_TENANT, teams: ['*'], roles: ['reader'], actor: 'test' }, [name]);
  if (scope === undefined) throw new Error(`the caller may not read ${name}`);
  return { partition: { scope, generation }, scope, embeddingVersion: version, recipe: recipeWith({ version }) };
};
const aChunk = (number: number): ChunkId => chunkId(number.toString(16).padStart(32, '0'));
const put = (number: number, vector: Float32Array): VectorPut => ({ write: 'put', chunkId: aChunk(number), vector, attributes: {} });
const putText = (number: number, text: string, language = 'und'): LexicalPut => ({
  write: 'put',
  chunkId: aChunk(number),
  text,
  language,
  attributes: {},
});
const everything = { visible: async (_: unknown, ids: readonly ChunkId[]) => new Set(ids), chunks: async () => [] };
const wanted = (searchable: readonly SearchTarget[]): Wanted => ({
  searchable,
  filter: undefined,
  pool: 100,
  shown: new VisibilityFilter(
    everything,
    searchable.map(({ scope }) => scope),
  ),
});

const denseIn = async (
  vectors: InMemoryVectorIndex,
  queryVectors: ReadonlyMap<EmbeddingVersion, Float32Array>,
  searchable: readonly SearchTarget[],
) => (await retrieveDense.run({ view: { vectors }, wanted: wanted(searchable), queryVectors, backgrounds: new Map() }, CONTEXT)).dense;
const lexicalIn = async (lexical: InMemoryLexicalIndex, query: string, sought: Wanted) =>
  retrieveLexical.run({ request: { query, strategy: 'SparseOnly' }, view: { lexical }, wanted: sought }, CONTEXT);

/** A vector with this cosine to the query. */
const at = (cosine: number, n: number) =>
  Float32Array.from({ length: 16 }, (_, i) => (i === 0 ? cosine : i === 1 + (n % 15) ? Math.sqrt(1 - cosine ** 2) : 0));
const first = at(1, 0);
const best = (hits: readonly Readonly<{ chunkId: ChunkId }>[], count: number) =>
  hits.slice(0, count).map(({ chunkId }) => Number.parseInt(chunkId, 16));

/** 50 chunks whose cosines start at `from` and increase by `step`. */
const spreadOut = (first: number, from: number, step: number) =>
  Array.from({ length: 50 }, (_, n) => put(first + n, at(from + n * step, n)));

describe('Candidates of several scopes', () => {
  it('of two models are ordered by standard scores, not by cosines that are not comparable', async () => {
    const vectors = new InMemoryVectorIndex();
    await vectors.apply(team, [...spreadOut(100, -0.1, 0.004), put(1, at(0.6, 0))], position(1n));
    // To this model all texts are similar.
    await vectors.apply(other, spreadOut(200, 0.8, 0.001), position(1n));
    const scopes = [searchableIn(team, wide), searchableIn(other, narrow)];
    const { hits } = await denseIn(
      vectors,
      new Map([
        [wide, first],
        [narrow, first],
      ]),
      scopes,
    );
    expect(best(hits, 1)).toEqual([1]);
    expect(hits[0]?.score).toBeCloseTo(0.6);
    expect(hits.find(({ scopeAt }) => scopeAt === 1)?.score).toBeGreaterThan(0.8);
  });

  it('have standard scores that do not change when all scores of one model are scaled and shifted', async () => {
    const scores = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 12 });
    const scopes = [searchableIn(team, wide), searchableIn(other, narrow)];
    const queryVectors = new Map([wide, narrow].map((version) => [version, first] as const));
    /** Standard scores by chunk. Chunks of the first scope have even numbers. */
    const standards = async (ofScope: readonly (readonly number[])[]) => {
      const scoresOf = ({ scope: { scope } }: typeof team) => ofScope[scope === team.scope.scope ? 0 : 1] ?? [];
      const vectors = {
        spread: async (partition: typeof team) => spreadOf(scoresOf(partition)),
        search: async (partition: typeof team) =>
          scoresOf(partition).map((score, n) => ({ chunkId: aChunk(2 * n + (scoresOf(partition) === ofScope[0] ? 0 : 1)), score })),
      };
      const found = await retrieveDense.run({ view: { vectors }, wanted: wanted(scopes), queryVectors, backgrounds: new Map() }, CONTEXT);
      expect(found.dense.hits.map(({ standard }) => standard)).toEqual(
        found.dense.hits.map(({ standard }) => standard).sort((a, b) => b - a),
      );
      return new Map(found.dense.hits.map(({ chunkId, standard }) => [chunkId, standard]));
    };
    await fc.assert(
      fc.asyncProperty(scores, scores, fc.integer({ min: 1, max: 9 }), fc.integer({ min: -9, max: 9 }), async (one, two, factor, shift) => {
        const original = await standards([one, two]);
        const changed = await standards([one, two.map((score) => factor * score + shift)]);
        for (const [chunk, standard] of original) expect(changed.get(chunk)).toBeCloseTo(standard, 6);
      }),
    );
  });

  it('of one model keep the order of their cosines, even if a scope has few chunks', async () => {
    const vectors = new InMemoryVectorIndex();
    await vectors.apply(team, spreadOut(100, 0, 0.01), position(1n));
    await vectors.apply(other, [put(1, at(0.7, 0)), put(2, at(0.455, 1))], position(1n));
    const { hits } = await denseIn(vectors, new Map([[wide, first]]), [searchableIn(team), searchableIn(other)]);
    expect(best(hits, 6)).toEqual([1, 149, 148, 147, 146, 2]);
  });

  it('are not ranked lower by BM25 for being in a small scope, where no word is rare', async () => {
    const lexical = new InMemoryLexicalIndex();
    await lexical.apply(
      team,
      Array.from({ length: 200 }, (_, n) => putText(100 + n, n < 20 ? 'stripes grove' : 'heath knoll')),
      position(1n),
    );
    await lexical.apply(other, [putText(1, 'zebra stripes'), putText(2, 'grove'), putText(3, 'heath')], position(1n));
    const { lexical: list } = await lexicalIn(lexical, 'zebra stripes', wanted([searchableIn(team), searchableIn(other)]));
    expect(best(list.hits, 1)).toEqual([1]);
    expect(list.hits[0]?.score).toBeLessThan(list.hits[1]?.score ?? 0);
    expect(list.absent).toBeLessThan(0);
  });

  it('know the share of the query whose words occur in the scope that knows most of them', async () => {
    const lexical = new InMemoryLexicalIndex();
    await lexical.apply(team, [putText(1, 'stripes'), putText(2, 'heath')], position(1n));
    await lexical.apply(other, [putText(3, 'zebra stripes'), putText(4, 'heath')], position(1n));
    const known = async (text: string, ...scopes: readonly SearchTarget[]) => (await lexicalIn(lexical, text, wanted(scopes))).known;
    const both = [searchableIn(team), searchableIn(other)];
    expect([await known('zebra stripes', ...both), await known('unicorn', ...both)]).toEqual([1, 0]);
    // A word that occurs nowhere counts as the rarest.
    expect(await known('zebra stripes', searchableIn(team))).toBeCloseTo(Math.log(2) / (Math.log(2) + Math.log(6)), 6);
  });

  it('are analysed in the language given for the query, otherwise in that of the scope', async () => {
    const lexical = new InMemoryLexicalIndex();
    await lexical.apply(team, [putText(1, 'die Zelle', 'de'), putText(2, 'cells die', 'en'), putText(3, 'cells', 'en')], position(1n));
    const languages = async (named: object) => (await lexicalIn(lexical, 'die', { ...wanted([searchableIn(team)]), ...named })).languages;
    expect([await languages({}), await languages({ language: 'de' }), await languages({ language: 'ru' })]).toEqual([
      ['en'],
      ['de'],
      ['ru'],
    ]);
  });
});

describe('The weight of the cosine', () => {
  /** Two configured models, the first of which reports these languages. */
  const modelOf = (languages?: readonly string[]) => (version: EmbeddingVersion) => ({
    ...(version === wide && languages !== undefined ? { languages } : {}),
  });
  const weight = (languages: readonly string[], model: ReturnType<typeof modelOf>, { scopeAt = 0, known = 1 } = {}) =>
    denseWeightOf(denseWeights([searchableIn(team), searchableIn(other)], { languages, known }, model), [{ chunkId: aChunk(1), scopeAt }])(
      aChunk(1),
    );

  it('is lower where the model does not know the language', () => {
    expect(weight(['ru', 'en'], modelOf(['en']))).toBe(FOREIGN_DENSE_WEIGHT);
    expect(weight(['ru', 'en'], modelOf(['en']), { scopeAt: 1 })).toBe(DENSE_WEIGHT);
  });
  it('is 0 where the query has no vector of the model', () => {
    const weights = denseWeights([searchableIn(team), searchableIn(other, narrow)], { languages: ['en', 'en'], known: 0.5 }, (version) =>
      version === wide ? {} : undefined,
    );
    expect(weights).toEqual([(1 + DENSE_WEIGHT) / 2, 0]);
  });
  it('has the part of the query words that occur nowhere, if the model knows the language', () => {
    const english = modelOf(['en']);
    const weights = [0, 0.5, 1].map((known) => weight(['en'], english, { known }));
    expect(weights).toEqual([1, (1 + DENSE_WEIGHT) / 2, DENSE_WEIGHT]);
    expect(weight(['ru'], english, { known: 0.5 })).toBe(FOREIGN_DENSE_WEIGHT);
  });
  it('is unchanged where the language, or that of the model, is unknown', () => {
    expect(weight(['und'], modelOf(['en']))).toBe(DENSE_WEIGHT);
    expect(weight([], modelOf(['en']))).toBe(DENSE_WEIGHT);
    expect(weight(['ru'], modelOf())).toBe(DENSE_WEIGHT);
  });
});
