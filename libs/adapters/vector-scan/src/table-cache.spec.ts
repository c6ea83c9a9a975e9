import { TableCache, type CachedTable } from './table-cache.ts';

/** A table of 30 bytes for the codes and 70 for the float32 values. `gone` collects what leaves the memory. */
const tableIn = (gone: string[], name: string): CachedTable => {
  let [codes, originals] = [30, 70];
  return {
    bytes: () => codes + originals,
    originalBytes: () => originals,
    evictOriginals: () => {
      if (originals > 0) gone.push(`${name} float32`);
      originals = 0;
    },
    evict: () => {
      gone.push(name);
      codes = 0;
    },
  };
};

describe('the cache of tables', () => {
  const used = (limit: number, names: string): string[] => {
    const gone: string[] = [];
    const [cache, tables] = [new TableCache(limit), new Map<string, CachedTable>()];
    for (const name of names) {
      const table = tables.get(name) ?? tableIn(gone, name);
      tables.set(name, table);
      cache.use(table);
    }
    return gone;
  };

  it.each([
    ['keeps everything that fits', 300, 'abc', []],
    ['first lets go of the float32 values, the least recently used table first', 230, 'abc', ['a float32']],
    ['knows which table was used last', 230, 'abac', ['b float32']],
    ['lets go of all float32 values before any codes', 100, 'abc', ['a float32', 'b float32', 'c float32']],
    ['then lets go of whole tables, the least recently used first', 60, 'abc', ['a float32', 'b float32', 'c float32', 'a']],
    ['never lets go of the codes of the table in use', 0, 'ab', ['a float32', 'b float32', 'a']],
  ])('%s', (_, limit, names, gone) => expect(used(limit, names)).toEqual(gone));
});
