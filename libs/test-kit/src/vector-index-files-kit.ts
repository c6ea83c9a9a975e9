import type { VectorIndex } from '@palimpsest/knowledge/read-models';
import { START } from '@palimpsest/knowledge/values';
import type { OpenIndexFolder } from './flush-manifest-promises.ts';
import { aChunk, aPartition, entriesOf, readable, removal } from './index-fixture.ts';
import { describeIndexSealing, SECRET_CHUNK, spellingsOf } from './index-sealing-promises.ts';
import { describeIndexFiles, type CheckedIndex } from './index-files-promises.ts';
import { exactVector, put } from './vector-index-fixture.ts';

export type OpenVectorIndexFolder = OpenIndexFolder<CheckedIndex<VectorIndex>>;

const partition = aPartition();
/** 64 bytes. */
const secretVector = exactVector(0x5ec3);

export const describeVectorIndexFiles = (name: string, open: OpenVectorIndexFolder): void => {
  describeIndexFiles(name, open, {
    partition,
    calls: [
      [put(1, exactVector(1), { language: 'en' }), put(2, exactVector(2))],
      [put(3, exactVector(3)), removal(1)],
      [],
      [put(2, exactVector(9), { language: 'de' }), put(4, exactVector(4))],
      [put(5, exactVector(5), {}, [exactVector(15), exactVector(25)]), put(6, exactVector(6)), removal(3)],
    ],
    more: put(7, exactVector(7)),
    spellings: [new Uint8Array(exactVector(7).buffer)],
    removal: removal(7),
    stateOf: async (index) => ({ position: await index.position(partition), entries: await entriesOf(index, partition) }),
    nothing: { position: START, entries: [] },
    findsMore: async (index) => (await index.search(readable(partition), exactVector(7), { k: 1 }))[0]?.chunkId === aChunk(7),
  });
  describeIndexSealing(name, open, {
    partition,
    put: { ...put(8, secretVector, { sourceId: 'lighthouse-keeper.md', labels: 'confidential' }), chunkId: SECRET_CHUNK },
    secrets: [
      { what: 'vector', spellings: [new Uint8Array(secretVector.buffer)] },
      { what: 'source', spellings: [Buffer.from('lighthouse-keeper')] },
      { what: 'label', spellings: [Buffer.from('confidential')] },
      { what: 'chunk id', spellings: spellingsOf(SECRET_CHUNK) },
    ],
    other: put(9, exactVector(9)),
    removal: removal(9),
    finds: async (index, of) => (await index.search(readable(of), secretVector, { k: 1 }))[0]?.chunkId === SECRET_CHUNK,
  });
};
