import fc from 'fast-check';
import { runToCompletion } from '@palimpsest/foundation';
import type { LexicalHit } from '@palimpsest/knowledge/read-models';
import { chunkId } from '@palimpsest/knowledge/values';
import { analyse } from '../analysis/analyse.ts';
import { analyseQuery } from '../analysis/analyse-query.ts';
import { impactOf, lengthNorm, roundedAverage, toScore, weightOf } from '../scoring/bm25.ts';
import { encodeRecords } from '../storage/batch.ts';
import { toRecord } from './chunk-record.ts';
import { explainTerms } from './explain-terms.ts';
import { Partition } from './partition.ts';
import { searchPartition } from './search-partition.ts';
import { spreadIn } from './spread-in-partition.ts';

const PARAMETERS = { k1: 1.2, b: 0.75 };
type Text = Readonly<{ text: string; language: string }>;
const idOf = (number: number) => chunkId((((number * 0x9e3779b1) % 2 ** 32) >>> 0).toString(16).padStart(8, '0').repeat(4));
const record = (number: number, { text, language }: Text) =>
  toRecord({ write: 'put', chunkId: idOf(number), text, language, attributes: { number } });

/** Scores each live chunk individually, using only the formulas of `bm25.ts`. */
const oracle = (live: ReadonlyMap<number, Text>, query: string): readonly Omit<LexicalHit, 'terms'>[] => {
  const chunks = [...live].map(([number, { text, language }]) => ({ chunkId: idOf(number), language, ...analyse(text, language) }));
  const average = roundedAverage(
    chunks.reduce((sum, { length }) => sum + length, 0),
    chunks.length,
  );
  const asked = [...analyseQuery(query, [...new Set(chunks.map(({ language }) => language))])];
  return chunks
    .map(({ chunkId, terms, length }) => {
      const points = asked.reduce((sum, [term, times]) => {
        const tf = terms.get(term);
        if (tf === undefined) return sum;
        const df = chunks.filter((other) => other.terms.has(term)).length;
        return sum + times * weightOf(chunks.length, df) * impactOf(tf, lengthNorm({ ...PARAMETERS, average }, length));
      }, 0);
      return { chunkId, score: toScore(points) };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
};

const words = fc.constantFrom(
  'the',
  'die',
  'Zelle',
  'cells',
  'cell',
  'getUserName',
  'user_name',
  'os.path',
  'mice',
  'Mäuse',
  '2.5',
  '細胞',
  '猫',
);
const text = fc.record({
  text: fc.array(words, { maxLength: 15 }).map((all) => all.join(' ')),
  language: fc.constantFrom('en', 'en', 'de', 'und', 'ja'),
});
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ put: fc.nat(60), text }) },
  { weight: 4, arbitrary: fc.record({ remove: fc.nat(60) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      puts: fc.uniqueArray(fc.record({ put: fc.nat(60), text }), { selector: ({ put }) => put, maxLength: 40 }),
      removals: fc.uniqueArray(fc.nat(60), { maxLength: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant('search' as const) },
  { weight: 1, arbitrary: fc.constantFrom('compact' as const, 'merge' as const) },
);

describe('a partition in memory', () => {
  it.each([0, 1e9])(
    'scores every live chunk exactly, after any sequence of puts, deletes, seals and merges (kernel from %d chunks)',
    (kernelFrom) =>
      fc.assert(
        fc.property(
          fc.array(step, { minLength: 1, maxLength: 120 }),
          fc.array(words, { minLength: 1, maxLength: 5 }),
          fc.integer({ min: 1, max: 20 }),
          (steps, asked, k) => {
            const partition = new Partition(kernelFrom);
            const live = new Map<number, Text>();
            const query = asked.join(' ');
            for (const one of steps) {
              if (one === 'search') searchPartition(partition, query, { k }, PARAMETERS);
              else if (one === 'compact' || one === 'merge') {
                const before = searchPartition(partition, query, { k }, PARAMETERS);
                // Searches between the steps.
                for (const _ of one === 'merge' ? partition.mergeSteps(PARAMETERS) : partition.compactSteps(PARAMETERS))
                  expect(searchPartition(partition, query, { k }, PARAMETERS)).toEqual(before);
              } else if ('puts' in one) {
                const before = searchPartition(partition, query, { k }, PARAMETERS);
                const puts = encodeRecords(one.puts.map(({ put, text }) => record(put, text)));
                // Searches between the steps see nothing of it.
                const removals = one.removals.filter((number) => !one.puts.some(({ put }) => put === number));
                for (const _ of partition.writeSteps({ puts, removals: removals.map(idOf) }, PARAMETERS))
                  expect(searchPartition(partition, query, { k }, PARAMETERS)).toEqual(before);
                for (const number of removals) live.delete(number);
                for (const { put, text } of one.puts) live.set(put, text);
              } else if ('remove' in one) {
                partition.remove(idOf(one.remove));
                live.delete(one.remove);
              } else {
                partition.put(record(one.put, one.text));
                live.set(one.put, one.text);
              }
            }
            const hits = searchPartition(partition, query, { k }, PARAMETERS);
            expect(hits.map(({ chunkId, score }) => ({ chunkId, score }))).toEqual(oracle(live, query).slice(0, k));
            for (const { chunkId, score, terms } of hits) {
              const explained = explainTerms(partition, query, chunkId, PARAMETERS);
              expect(explained.map(({ term }) => term)).toEqual(terms);
              expect(explained.reduce((sum, part) => sum + part.score, 0)).toBeCloseTo(score, 10);
            }
            partition.release();
          },
        ),
        { numRuns: 80 },
      ),
  );

  it('ignores a deleted chunk in all statistics, both before and after its segment is merged', () => {
    const [indirect, direct] = [new Partition(), new Partition()];
    const ask = (partition: Partition) => searchPartition(partition, 'cell 2.5', { k: 5 }, PARAMETERS);
    for (let n = 0; n < 10; n++) indirect.put(record(n, { text: `cells ${'mice '.repeat(n)}`, language: 'en' }));
    ask(indirect);
    for (let n = 0; n < 8; n++) indirect.remove(idOf(n));
    for (const n of [9, 8]) direct.put(record(n, { text: `cells ${'mice '.repeat(n)}`, language: 'en' }));
    expect(indirect.segments().map(({ segment, liveCount }) => [segment.size, liveCount])).toEqual([[10, 2]]);
    expect(ask(indirect)).toEqual(ask(direct));
    expect(ask(direct)).toHaveLength(2);
    runToCompletion(indirect.compactSteps());
    expect(ask(indirect)).toEqual(ask(direct));
  });

  it('has few segments, no matter how often searches run between writes', () => {
    const partition = new Partition();
    for (let n = 0; n < 300; n++) {
      partition.put(record(n, { text: 'cells', language: 'en' }));
      searchPartition(partition, 'cell', { k: 1 }, PARAMETERS);
      runToCompletion(partition.mergeSteps(PARAMETERS));
    }
    const sizes = partition.segments().map(({ segment }) => segment.size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(300);
    expect(sizes.slice(1).every((size, i) => (sizes[i] as number) > size * 3)).toBe(true);
  });

  it('prepares a merged segment for the next search when its inputs were searched before', () => {
    const partition = new Partition();
    for (const n of [1, 2]) {
      partition.put(record(n, { text: 'cells', language: 'en' }));
      searchPartition(partition, 'cell', { k: 1 }, PARAMETERS);
    }
    runToCompletion(partition.mergeSteps(PARAMETERS));
    expect(partition.segments().map(({ segment, isPrepared }) => [segment.size, isPrepared])).toEqual([[2, true]]);
    runToCompletion(partition.compactSteps(PARAMETERS));
    expect(partition.segments().map(({ isPrepared }) => isPrepared)).toEqual([true]);
  });

  it('prepares searched segments for the average length after a write, before the write is visible', () => {
    const partition = new Partition();
    const search = () => searchPartition(partition, 'cell', { k: 1 }, PARAMETERS);
    partition.put(record(1, { text: 'cells', language: 'en' }));
    search();
    const puts = encodeRecords([record(2, { text: 'mice '.repeat(99), language: 'en' })]);
    runToCompletion(partition.writeSteps({ puts, removals: [] }, PARAMETERS));
    const scoring = { ...PARAMETERS, average: roundedAverage(100, 2) };
    expect(partition.segments().map((live) => live.prepareSteps(scoring).next().done)).toEqual([true, false]);
  });

  it('evaluates a known filter only on new attributes', () => {
    const partition = new Partition();
    const filter = { range: { field: 'number', gte: 2, lt: 4 } };
    const found = () => searchPartition(partition, 'cell', { k: 9, filter }, PARAMETERS).map(({ chunkId }) => chunkId);
    for (let n = 1; n <= 5; n++) {
      partition.put(record(n, { text: 'cell', language: 'en' }));
      expect([...found()].sort()).toEqual(
        [2, 3]
          .filter((known) => known <= n)
          .map(idOf)
          .sort(),
      );
    }
  });

  it('counts exactly in a chunk of a million tokens', () => {
    const partition = new Partition();
    partition.put(record(1, { text: 'grain '.repeat(1_000_000), language: 'en' }));
    partition.put(record(2, { text: 'grain of sand', language: 'en' }));
    const [first] = explainTerms(partition, 'grain', idOf(1), PARAMETERS);
    expect(first).toMatchObject({ frequency: 1_000_000, length: 1_000_000, documentFrequency: 2 });
    partition.put(record(3, { text: 'sand', language: 'en' }));
    runToCompletion(partition.compactSteps());
    expect(explainTerms(partition, 'grain', idOf(1), PARAMETERS)).toMatchObject([{ frequency: 1_000_000 }]);
  });

  it('drops data that no live chunk uses on compaction', () => {
    const partition = new Partition();
    for (let n = 0; n < 50; n++) partition.put(record(n, { text: `word${n}`, language: n % 2 ? 'en' : 'fr' }));
    for (let n = 1; n < 50; n++) partition.remove(idOf(n));
    const { dictionary, attributeSets, languages, segment } = runToCompletion(partition.compactSteps());
    expect([dictionary.size, attributeSets, languages, segment.size]).toEqual([1, ['{"number":0}'], ['fr'], 1]);
    expect(partition.languages()).toEqual(['fr']);
    expect(searchPartition(partition, 'word0', { k: 5 }, PARAMETERS)).toHaveLength(1);
  });

  it('uses only the 128 terms with the highest weight of a very long query', () => {
    const partition = new Partition();
    const rare = Array.from({ length: 200 }, (_, i) => `rare${i}`);
    for (let n = 0; n < 20; n++) partition.put(record(n, { text: `common ${rare.slice(n * 10, n * 10 + 10).join(' ')}`, language: 'und' }));
    const hits = searchPartition(partition, ['common', ...rare].join(' '), { k: 20 }, PARAMETERS);
    expect(hits.flatMap(({ terms }) => terms)).toHaveLength(128);
    expect(hits.flatMap(({ terms }) => terms)).not.toContain('common');
  });
});

describe('a query with a given language', () => {
  const texts: readonly Text[] = [
    { text: 'der Mann die Zelle', language: 'de' },
    { text: 'cells die', language: 'en' },
    { text: 'Zellen', language: 'und' },
  ];
  const partition = new Partition();
  texts.forEach((text, number) => partition.put(record(number, text)));
  const found = (language?: string) =>
    searchPartition(partition, 'Zellen', { k: 9, ...(language === undefined ? {} : { language }) }, PARAMETERS)
      .map(({ chunkId: id }) => texts.findIndex((_, number) => idOf(number) === id))
      .sort();

  it('is analysed in it, and without stemming for chunks without a language', () =>
    expect([found('en'), found('de')]).toEqual([[2], [0, 2]]));
  it('is analysed in all languages when no chunk is in it', () => expect(found('fr')).toEqual(found()));
  it('has a score spread that is based on that analysis', () => {
    expect(spreadIn(partition, 'Zellen', 'de', PARAMETERS)).toMatchObject({ language: 'de' });
    expect(spreadIn(partition, 'Zellen', 'en', PARAMETERS)).toMatchObject({ language: 'en' });
    expect(spreadIn(partition, 'Zellen', 'de', PARAMETERS).mean).toBeGreaterThan(spreadIn(partition, 'Zellen', 'en', PARAMETERS).mean);
  });
});
