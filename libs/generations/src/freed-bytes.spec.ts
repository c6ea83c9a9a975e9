import { authorise } from '@palimpsest/knowledge/access';
import { generationId, position } from '@palimpsest/knowledge/values';
import { ADMIN, SCOPE } from '../test/world.ts';
import { measuringFreed, type MeasuredIndexes } from './freed-bytes.ts';

const [scope] = authorise(ADMIN, [SCOPE.scope]);
if (!scope) throw new Error('the scope is readable');
const partition = { scope, generation: generationId('g1') };

/** Indexes that use this much until the generation is retired. `reached`: whether the read models follow in time. */
const ports = (reached = true) => {
  let isRetired = false;
  const left = (memory: number, disk: number) => async () => (isRetired ? { memory: 0, disk: 0 } : { memory, disk });
  return {
    given: {
      vectors: { bytes: left(100, 1_000) },
      lexical: { bytes: left(10, 200) },
      readModels: { reached: async () => reached },
    } satisfies MeasuredIndexes,
    retire: async () => {
      isRetired = true;
      return { position: position(7n) };
    },
  };
};

describe('retiring a generation', () => {
  it('reports what both indexes used before and no longer use', async () => {
    const { given, retire } = ports();
    expect(await measuringFreed(given, partition, retire)).toEqual({ position: 7n, freed: { memory: 110, disk: 1_200 } });
  });

  it('does not count what is still used', async () => {
    const { given, retire } = ports();
    const lexical = { bytes: async () => ({ memory: 10, disk: 200 }) };
    expect((await measuringFreed({ ...given, lexical }, partition, retire)).freed).toEqual({ memory: 100, disk: 1_000 });
  });

  it.each<[string, Partial<MeasuredIndexes>, boolean]>([
    ['the index is a server', { vectors: {} }, true],
    ['the read models are behind', {}, false],
  ])('reports nothing if %s', async (_, over, reached) => {
    const { given, retire } = ports(reached);
    expect(await measuringFreed({ ...given, ...over }, partition, retire)).toEqual({ position: 7n });
  });
});
