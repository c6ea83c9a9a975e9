import { retrievalStream } from '@palimpsest/knowledge/deciders';
import type { QueryWindow } from '@palimpsest/knowledge/evaluation';
import type { Limits } from '@palimpsest/knowledge/limits';
import { tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { pastSearch, searchedBefore } from '../../test/past-searches.ts';
import { recorded } from '../../test/retrievals.ts';
import { SCOPE, World } from '../../test/world.ts';
import { asThePlatform } from './as-the-platform.ts';
import { MAX_RECORDS_READ, pastQueries } from './past-queries.ts';

const OTHER = tenantId('other');

type Read = Readonly<{ max?: number; limits?: Limits; window?: QueryWindow }>;

const read = async (world: World, { max = 100, limits = { recordQueries: true }, window = {} }: Read = {}) => {
  const quotaPolicy = { of: () => ({ limits }) };
  const { journal, keys } = world;
  const { signal } = new AbortController();
  const found = await pastQueries({ journal, keys, quotaPolicy }, asThePlatform(SCOPE, 'spec'), { max, window, signal });
  return found && { texts: found.queries.map(({ text }) => text), leftOut: found.leftOut };
};

describe('past queries', () => {
  it('are those that searched the scope, alone or among others, the newest first', async () => {
    const world = new World();
    await searchedBefore(world, [
      { text: 'the oldest' },
      { text: 'of another scope', scopes: ['team:blue'], keyScope: 'team:blue' },
      { text: 'of two scopes', scopes: ['team:blue', 'team:red'], keyScope: 'team:blue' },
      { text: 'by words only', strategy: 'SparseOnly' },
      { text: 'of a person', scopes: ['team:red', 'user:ann'], keyScope: 'user:ann' },
    ]);
    expect(await read(world)).toEqual({ texts: ['of a person', 'of two scopes', 'the oldest'], leftOut: 0 });
  });

  it('are used only while the tenant lets the platform record queries', async () => {
    const world = new World();
    await searchedBefore(world, [{ text: 'asked while it was allowed' }]);
    for (const limits of [{ recordQueries: false }, {}]) expect(await read(world, { limits })).toBeUndefined();
    expect(await read(world)).toMatchObject({ texts: ['asked while it was allowed'] });
  });

  it('are never those of another tenant', async () => {
    const world = new World();
    await searchedBefore(world, [{ text: 'of another tenant' }], OTHER);
    // Also not if its record is in the wrong stream.
    await world.journal.appendToEnd(retrievalStream(SCOPE.tenant), [await pastSearch(world, { text: 'misplaced', tenant: OTHER })], {
      ...{ tenant: SCOPE.tenant, actor: 'spec', correlationId: 'spec' },
    });
    await searchedBefore(world, [{ text: 'of this tenant' }]);
    expect(await read(world)).toEqual({ texts: ['of this tenant'], leftOut: 1 });
  });

  it('are those of a window, if one is named', async () => {
    const world = new World();
    const heads: string[] = [];
    for (const text of ['first', 'second', 'third']) {
      await searchedBefore(world, [{ text }]);
      heads.push(String(await world.journal.log.head()));
    }
    const texts = async (window: QueryWindow) => (await read(world, { window }))?.texts;
    const [first = '', second = '', third = ''] = heads;
    expect(await texts({ after: first })).toEqual(['third', 'second']);
    expect(await texts({ before: third })).toEqual(['second', 'first']);
    expect(await texts({ after: first, before: third })).toEqual(['second']);
    expect(await texts({ after: second, before: third })).toEqual([]);
    expect(await texts({ after: '2999-01-01T00:00:00Z' })).toEqual([]);
    expect(await texts({ before: '2999-01-01T00:00:00Z' })).toEqual(['third', 'second', 'first']);
  });

  it('are each asked once', async () => {
    const world = new World();
    await searchedBefore(world, [
      { text: 'twice', minScore: 0.1 },
      { text: 'once' },
      { text: 'twice', minScore: 0.2 },
      { text: 'once', scopes: ['team:red', 'user:ann'], keyScope: 'user:ann' },
    ]);
    expect(await read(world)).toEqual({ texts: ['once', 'twice'], leftOut: 0 });
  });

  it('leave out records without the text, of an erased scope, and those that do not open', async () => {
    const world = new World();
    await searchedBefore(world, [{ text: 'of a person', scopes: ['team:red', 'user:ann'], keyScope: 'user:ann' }, { text: undefined }]);
    const { type, data } = await pastSearch(world, { text: 'of another record' });
    await recorded(world, [{ type, data: { ...data, traceId: 'not the one that it was sealed for' } }]);
    await recorded(world, [{ type, data: { ...data, sealedRequest: 'AAAA' } }]);
    await searchedBefore(world, [{ text: 'of the team' }]);
    expect(await read(world)).toEqual({ texts: ['of the team', 'of a person'], leftOut: 3 });
    await world.keys.destroy({ tenant: SCOPE.tenant, scope: vectorScope('user:ann') });
    expect(await read(world)).toEqual({ texts: ['of the team'], leftOut: 4 });
  });

  it('are at most as many as are wanted, of a bounded number of records', async () => {
    const world = new World();
    await searchedBefore(world, [{ text: 'out of reach' }]);
    const other = await pastSearch(world, { text: 'of another scope', scopes: ['team:blue'], keyScope: 'team:blue' });
    for (let n = 0; n < MAX_RECORDS_READ - 2; n += 500)
      await recorded(
        world,
        Array.from({ length: Math.min(500, MAX_RECORDS_READ - 2 - n) }, () => other),
      );
    await searchedBefore(world, [{ text: 'older' }]);
    expect(await read(world)).toEqual({ texts: ['older', 'out of reach'], leftOut: 0 });
    await searchedBefore(world, [{ text: 'newer' }]);
    expect(await read(world)).toEqual({ texts: ['newer', 'older'], leftOut: 0 });
    expect(await read(world, { max: 1 })).toEqual({ texts: ['newer'], leftOut: 0 });
  });
});
