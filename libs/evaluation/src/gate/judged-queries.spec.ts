import { SeededRandom } from '@palimpsest/foundation';
import { drawJudgedQueries } from './judged-queries.ts';

type Given = Readonly<{ id: string; synthetic?: boolean; relevant: Readonly<Record<string, number>> }>;

const aSet = (...queries: readonly Given[]) => ({
  name: 'people',
  version: 2,
  queries: queries.map(({ id, synthetic = false, relevant }) => ({
    id,
    text: `what is ${id}?`,
    synthetic,
    relevant: new Map(Object.entries(relevant)),
  })),
});

const draw = (sets: readonly ReturnType<typeof aSet>[], over: Readonly<{ max?: number; withSynthetic?: boolean; seed?: number }> = {}) =>
  drawJudgedQueries(sets, {
    max: over.max ?? 10,
    random: new SeededRandom(over.seed ?? 1),
    withSynthetic: over.withSynthetic ?? false,
    existing: async (ids) => new Set(ids.filter((id) => id !== 'gone')),
  });

describe('Drawing judged queries', () => {
  it('leaves out judgements of documents that do not exist, and queries that have no other relevant ones', async () => {
    const drawn = await draw([aSet({ id: 'a', relevant: { tea: 1, gone: 2 } }, { id: 'b', relevant: { gone: 1, tea: 0 } })]);
    expect(drawn).toEqual({
      queries: [{ set: 'people', version: 2, id: 'a', text: 'what is a?', relevant: new Map([['tea', 1]]) }],
      sets: [{ name: 'people', version: 2, queries: 2 }],
      ...{ synthetic: 0, unusable: 1, missingDocuments: ['gone'] },
    });
  });

  it('uses queries of a model only on request', async () => {
    const sets = [aSet({ id: 'a', relevant: { tea: 1 } }, { id: 'b', relevant: { tea: 1 }, synthetic: true })];
    expect(await draw(sets)).toMatchObject({ queries: [{ id: 'a' }], synthetic: 1 });
    expect((await draw(sets, { withSynthetic: true })).queries).toHaveLength(2);
  });

  it('draws the same ones with the same seed, and others with another one', async () => {
    const set = aSet(...Array.from({ length: 100 }, (_, i) => ({ id: `q${i}`, relevant: { tea: 1 } })));
    const idsWith = async (seed: number) => (await draw([set], { max: 5, seed })).queries.map(({ id }) => id);
    expect(await idsWith(1)).toHaveLength(5);
    expect(await idsWith(1)).toEqual(await idsWith(1));
    expect(await idsWith(1)).not.toEqual(await idsWith(2));
  });
});
