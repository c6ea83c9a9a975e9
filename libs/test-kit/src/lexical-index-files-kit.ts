import type { LexicalIndex } from '@palimpsest/knowledge/read-models';
import { START } from '@palimpsest/knowledge/values';
import type { OpenIndexFolder } from './flush-manifest-promises.ts';
import { aPartition, entriesOf, readable, removal } from './index-fixture.ts';
import { describeIndexSealing, SECRET_CHUNK, spellingsOf } from './index-sealing-promises.ts';
import { describeIndexFiles, type CheckedIndex } from './index-files-promises.ts';
import { putText } from './lexical-index-fixture.ts';

export type OpenLexicalIndexFolder = OpenIndexFolder<CheckedIndex<LexicalIndex>>;

const partition = aPartition();

export const describeLexicalIndexFiles = (name: string, open: OpenLexicalIndexFolder): void => {
  describeIndexFiles(name, open, {
    partition,
    calls: [
      [putText(1, 'apple berry', { language: 'en' }), putText(2, 'berry')],
      [putText(3, 'apple'), removal(1)],
      [],
      [putText(2, 'berry apple apple', { language: 'de' }), putText(4, 'apple cedar')],
      [putText(5, 'apple dune'), putText(6, 'ember'), removal(3)],
    ],
    more: putText(7, 'fjord'),
    spellings: [Buffer.from('fjord'), Buffer.from('fjord', 'utf16le')],
    removal: removal(7),
    stateOf: async (index) => ({
      position: await index.position(partition),
      entries: await entriesOf(index, partition),
      found: await index.search(readable(partition), 'apple berry', { k: 10 }),
    }),
    nothing: { position: START, entries: [], found: [] },
    findsMore: async (index) => (await index.search(readable(partition), 'fjord', { k: 2 })).length === 1,
  });
  describeIndexSealing(name, open, {
    partition,
    put: {
      ...putText(8, 'hyperborean lighthouse', { sourceId: 'keeper-of-the-log.md', labels: 'confidential' }),
      chunkId: SECRET_CHUNK,
    },
    secrets: [
      { what: 'word', spellings: [Buffer.from('hyperborean'), Buffer.from('hyperborean', 'utf16le')] },
      { what: 'source', spellings: [Buffer.from('keeper-of-the-log')] },
      { what: 'label', spellings: [Buffer.from('confidential')] },
      { what: 'chunk id', spellings: spellingsOf(SECRET_CHUNK) },
    ],
    other: putText(9, 'ember'),
    removal: removal(9),
    finds: async (index, of) => (await index.search(readable(of), 'hyperborean', { k: 1 }))[0]?.chunkId === SECRET_CHUNK,
  });
};
