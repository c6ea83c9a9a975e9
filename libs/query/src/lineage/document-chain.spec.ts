import { Corrupt } from '@palimpsest/knowledge/errors';
import { documentStream } from '@palimpsest/knowledge/deciders';
import type { JsonObject } from '@palimpsest/knowledge/ports';
import { chunkId, type ChunkId, type Position } from '@palimpsest/knowledge/values';
import { aJournal, InMemoryEventLog } from '@palimpsest/test-kit';
import { aDocument } from '../../test/event-world.ts';
import { ACME } from '../../test/search-world.ts';
import { chainsOf } from './document-chain.ts';

const STREAM = documentStream(ACME, aDocument(1));
const id = (digit: string): ChunkId => chunkId(digit.repeat(32));
const [A, B] = [id('a'), id('b')];

/** Version 1 has passage A, version 2 also B; then A gets a vector of another model. */
const aLog = async () => {
  const log = new InMemoryEventLog();
  const at: Position[] = [];
  const events: readonly (readonly [string, JsonObject])[] = [
    ['DocumentSubmitted', { version: 1 }],
    ['KnowledgeChunkIndexed', { chunkId: A, embeddingVersion: 'small' }],
    ['DocumentIndexed', { version: 1, chunks: [{ chunkId: A }] }],
    ['DocumentSubmitted', { version: 2 }],
    ['KnowledgeChunkIndexed', { chunkId: B, embeddingVersion: 'small' }],
    ['DocumentIndexed', { version: 2, chunks: [{ chunkId: A }, { chunkId: B }] }],
    ['KnowledgeChunkReembedded', { chunkId: A, embeddingVersion: 'large' }],
  ];
  for (const [n, [type, data]] of events.entries()) {
    const event = { id: `00000000-0000-4000-8000-00000000000${n}`, type, data, metadata: {} };
    const result = await log.append(STREAM, [event], n === 0 ? 'no-stream' : n - 1);
    if (result.outcome === 'appended') at.push(result.position);
  }
  const chains = async (wanted: readonly ChunkId[], seen: number, embeddingVersion = 'small', recorded = 6) => {
    const positions = { seen: at[seen] as Position, recorded: at[recorded] as Position };
    const found = await chainsOf(aJournal(log), STREAM, new Set(wanted), { ...positions, embeddingVersion });
    return wanted.map((each) => {
      const { submitted, chunk, indexed, vector } = found.get(each) ?? {};
      return [submitted, chunk, indexed, vector].map((event) => (event ? at.indexOf(event.position) : undefined));
    });
  };
  return { chains };
};

describe('The chain of a passage', () => {
  it('is that of the version that the search saw', async () => {
    const { chains } = await aLog();
    expect(await chains([A], 2)).toEqual([[0, 1, 2, undefined]]);
    expect(await chains([A, B], 5)).toEqual([
      [3, 1, 5, undefined],
      [3, 4, 5, undefined],
    ]);
  });

  it('has the vector of the generation that was searched, if another model made it later', async () => {
    const { chains } = await aLog();
    expect(await chains([A], 6, 'large')).toEqual([[3, 1, 5, 6]]);
    expect(await chains([A], 5, 'large')).toEqual([[3, 1, 5, undefined]]);
  });

  it('may be later than the position of a search that ran while events were projected, but not than its record', async () => {
    const { chains } = await aLog();
    expect(await chains([A, B], 2)).toEqual([
      [0, 1, 2, undefined],
      [3, 4, 5, undefined],
    ]);
    await expect(chains([B], 2, 'small', 4)).rejects.toThrow(Corrupt);
    await expect(chains([id('c')], 6)).rejects.toThrow(Corrupt);
  });
});
