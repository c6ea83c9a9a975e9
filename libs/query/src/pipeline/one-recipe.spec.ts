import fc from 'fast-check';
import { sealText } from '@palimpsest/contracts';
import type { CatalogChange } from '@palimpsest/knowledge/read-models';
import {
  chunkId,
  chunkingVersion,
  chunkListOf,
  DEFAULT_CHUNK_LIST,
  embeddingVersion,
  generationId,
  position,
  recipeWith,
  sha256,
  UNKNOWN_ANALYSER,
  type ChunkId,
  type ChunkingRecipe,
  type GenerationId,
} from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { aDocument, ACME, DEPLOYMENT_SCOPE, reader, SearchWorld } from '../../test/search-world.ts';
import { searchRequest } from '../search/search-request.ts';
import { runSearch } from './run-search.ts';
import { searchStages } from './search-stages.ts';

const SCOPE = { tenant: ACME, scope: DEPLOYMENT_SCOPE };
const [G1, G2] = [generationId('g1'), generationId('g2')];
const SMALL: ChunkingRecipe = { settings: { markdown: { maxChars: 200 } }, contextual: 'none' };
const OTHER = aFakeEmbeddingProvider({ version: embeddingVersion('fake:new/16') });
const DOCUMENTS = [1, 2, 3, 4];
const PARTS = ['espresso is brewed', 'with hot water', 'under pressure'];

const partId = (document: number, part: number): ChunkId => chunkId(`${document}${part}`.padStart(32, 'a'));

/** Every document has one chunk in `g1`, and one for each part in `g2`, which has another chunking, and may have another model. */
const aWorld = async (model?: typeof OTHER) => {
  const world = new SearchWorld();
  for (const number of DOCUMENTS) await world.add(number, PARTS.join(' '));
  const made = model ?? world.model;
  world.configured = [world.model, OTHER];
  let at = 1_000n;
  const next = () => position(at++);
  const apply = (...changes: readonly CatalogChange[]) => world.catalog.apply(changes, next());
  const recipe = recipeWith({ version: made.version }, UNKNOWN_ANALYSER, SMALL);
  await apply(
    { change: 'generation', scope: SCOPE, generation: { id: G2, embeddingVersion: made.version, recipe, status: 'building' } },
    { change: 'generation-built', scope: SCOPE, id: G2 },
  );
  const cipher = await world.keys.cipher(SCOPE);
  for (const number of DOCUMENTS) {
    const chunks = PARTS.map((text, part) => ({ text, chunkId: partId(number, part), start: part, end: part + 1, fromLine: 1, toLine: 1 }));
    await apply({
      change: 'document-indexed',
      ...SCOPE,
      documentId: aDocument(number),
      version: 1,
      chunkList: chunkListOf(SMALL),
      title: `Document ${number}`,
      mediaType: 'text/plain',
      language: 'en',
      chunkingVersion: chunkingVersion('plain@1'),
      labels: {},
      origin: 'UserContent',
      metadata: {},
      failedChunks: 0,
      warnings: [],
      at: '2026-01-01T00:00:00.000Z',
      chunks: chunks.map(({ text: _, ...place }) => place),
      contents: chunks.map(({ text, chunkId: id }) => ({
        chunkId: id,
        contentHash: sha256('f'.repeat(64)),
        sealedText: sealText(cipher, id, { text, contextPrefix: '', headings: [] }),
        language: 'en',
      })),
    });
    for (const { text, chunkId: id } of chunks) {
      const [embedding] = await made.embed([text], 'passage');
      const attributes = { knowledgeBase: 'handbook', origin: 'UserContent' };
      const put = { write: 'put' as const, chunkId: id, attributes };
      await world.vectors.apply({ scope: SCOPE, generation: G2 }, [{ ...put, vector: embedding?.vector ?? new Float32Array() }], next());
      await world.lexical.apply({ scope: SCOPE, generation: G2 }, [{ ...put, text, language: 'en' }], next());
    }
  }
  return { world, activate: (id: GenerationId) => apply({ change: 'generation-activated', scope: SCOPE, id }) };
};

/** Calls `meanwhile` before each call of a method. */
const interrupted = <Port extends object>(port: Port, meanwhile: () => Promise<unknown>): Port =>
  new Proxy(port, {
    get: (_, name) => {
      const found: unknown = Reflect.get(port, name, port);
      if (typeof found !== 'function') return found;
      return async (...call: unknown[]) => {
        await meanwhile();
        return (await Reflect.apply(found, port, call)) as unknown;
      };
    },
  });

describe('a search while the generations of its scope are exchanged', () => {
  it('meets one recipe: all results are of the chunk list of the generation that it began on, and none is lost', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(undefined, OTHER),
        fc.constantFrom(G1, G2),
        fc.array(fc.constantFrom(G1, G2, undefined), { maxLength: 12 }),
        fc.constantFrom('DenseOnly', 'SparseOnly', 'DenseSparseHybrid'),
        fc.boolean(),
        async (model, first, exchanges, strategy, canary) => {
          const { world, activate } = await aWorld(model);
          await activate(first);
          const left = [...exchanges];
          const meanwhile = async (): Promise<void> => {
            const id = left.shift();
            if (id !== undefined) await activate(id);
          };
          const { view } = world;
          const { hits, targets } = await runSearch(searchStages(world.ports), {
            request: searchRequest({ query: 'espresso brewed with water under pressure', strategy, topK: 20 }),
            access: reader(),
            view: {
              ...view,
              catalog: interrupted(view.catalog, meanwhile),
              vectors: interrupted(view.vectors, meanwhile),
              lexical: interrupted(view.lexical, meanwhile),
            },
            ...(canary ? { canaries: { generationFor: () => G2 } } : {}),
          });
          const [target] = targets.searchable;
          const list = target && chunkListOf(target.recipe.chunking);
          const isOfG2 = target?.partition.generation === G2;
          expect(list).toBe(isOfG2 ? chunkListOf(SMALL) : DEFAULT_CHUNK_LIST);
          const parts = new Set(DOCUMENTS.flatMap((number) => PARTS.map((_, part) => partId(number, part))));
          expect(hits.map(({ chunkId: id }) => parts.has(id))).toEqual(hits.map(() => isOfG2));
          expect(new Set(hits.map(({ documentId }) => documentId)).size).toBe(DOCUMENTS.length);
        },
      ),
      { numRuns: 150 },
    ));
});
