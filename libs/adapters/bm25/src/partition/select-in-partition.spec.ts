import { listedChunks } from '@palimpsest/contracts';
import type { LexicalPut } from '@palimpsest/knowledge/read-models';
import { chunkId } from '@palimpsest/knowledge/values';
import { toRecord } from './chunk-record.ts';
import { Partition } from './partition.ts';
import { selectIn } from './select-in-partition.ts';

type Texts = Readonly<Record<number, readonly [text: string, language: string]>>;

const partitionOf = (texts: Texts): Partition => {
  const partition = new Partition();
  for (const [number, [text, language]] of Object.entries(texts)) {
    const put: LexicalPut = { write: 'put', chunkId: chunkId(number.padStart(32, '0')), text, language, attributes: {} };
    partition.put(toRecord(put));
  }
  return partition;
};

type Asked = Readonly<{ required?: readonly string[]; excluded?: readonly string[]; query?: string; language?: string }>;

/** The numbers of the selected chunks, and the ignored entries. */
const select = (texts: Texts, { required = [], excluded = [], query = 'anything', language }: Asked) => {
  const { chunks, ignored } = selectIn(partitionOf(texts), { required, excluded }, query, language);
  const listed = new Set(listedChunks(chunks).map(Number));
  return [
    Object.keys(texts)
      .map(Number)
      .filter((number) => listed.has(number) === 'only' in chunks),
    ignored,
  ];
};

const MIXED: Texts = {
  1: ['cells die in the dark', 'en'],
  2: ['die Zelle ist klein', 'de'],
  3: ['all cells divide', 'en'],
  4: ['die', 'und'],
};

describe('A selection by words', () => {
  it('finds a word in the forms of the language of each chunk', () => {
    const texts: Texts = { 1: ['holiday', 'en'], 2: ['holidays', 'en'], 3: ['Häuser', 'de'], 4: ['Haus', 'de'], 5: ['holidays', 'und'] };
    expect(select(texts, { required: ['holidays'] })).toEqual([[1, 2, 5], []]);
    expect(select(texts, { required: ['Hauses'] })).toEqual([[3, 4], []]);
    expect(select(texts, { excluded: ['holiday'] })).toEqual([[3, 4, 5], []]);
  });

  it('ignores stop words of the language of the query, whether they are required or excluded', () => {
    expect(select(MIXED, { required: ['die'], query: 'die kleine Zelle ist das' })).toEqual([[1, 2, 3, 4], ['die']]);
    expect(select(MIXED, { required: ['the', 'cells'], excluded: ['all'], query: 'how do the cells divide' })).toEqual([
      [1, 3],
      ['the', 'all'],
    ]);
  });

  it('finds a word that is a stop word of another language', () => {
    expect(select(MIXED, { required: ['die'], query: 'how do the cells divide' })).toEqual([[1, 4], []]);
    expect(select(MIXED, { required: ['die'], language: 'en' })).toEqual([[1, 4], []]);
    expect(select(MIXED, { required: ['die'], language: 'de' })).toEqual([[1, 2, 3, 4], ['die']]);
  });

  it('excludes an identifier or a compound, not its parts', () => {
    const code: Texts = { 1: ['call getUserName first', 'en'], 2: ['the name of a user', 'en'], 3: ['get it', 'en'] };
    expect(select(code, { excluded: ['getUserName'] })).toEqual([[2, 3], []]);
    const ships: Texts = { 1: ['Dampfschiff', 'de'], 2: ['Dampf auf dem Schiff', 'de'] };
    expect(select(ships, { excluded: ['Dampfschiff'] })).toEqual([[2], []]);
    expect(select(ships, { required: ['Schiff'] })).toEqual([[1, 2], []]);
  });

  it('needs all words of a required entry, and leaves out only chunks with all words of an excluded one', () => {
    const texts: Texts = { 1: ['annual report', 'en'], 2: ['annual leave', 'en'], 3: ['leave report', 'en'] };
    expect(select(texts, { required: ['annual report'] })).toEqual([[1], []]);
    expect(select(texts, { excluded: ['annual report'] })).toEqual([[2, 3], []]);
    expect(select(texts, { required: ['report'], excluded: ['annual'] })).toEqual([[3], []]);
  });

  it('finds words of a script without spaces, emoji, and nothing for a word that no chunk has', () => {
    const texts: Texts = { 1: ['東京都の天気', 'ja'], 2: ['京都の天気', 'ja'], 3: ['the rocket 🚀 starts', 'en'] };
    expect(select(texts, { required: ['東京'] })).toEqual([[1], []]);
    expect(select(texts, { required: ['🚀'] })).toEqual([[3], []]);
    expect(select(texts, { required: ['volcano'] })).toEqual([[], []]);
    expect(select(texts, { excluded: ['volcano'] })).toEqual([[1, 2, 3], []]);
    expect(select(texts, { required: ['?!'] })).toEqual([[1, 2, 3], ['?!']]);
  });
});
