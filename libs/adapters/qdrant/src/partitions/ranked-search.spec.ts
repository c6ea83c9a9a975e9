import { selectionIds } from '@palimpsest/contracts';
import type { ChunkSelection } from '@palimpsest/knowledge/selections';
import { chunkId } from '@palimpsest/knowledge/values';
import type { FoundPoint } from './partition-points.ts';
import type { PartitionSeal } from './partition-seal.ts';
import { rankedSearch } from './ranked-search.ts';

const aChunk = (number: number) => chunkId(number.toString(16).padStart(32, '0'));
const chunks = (count: number, from = 0) => Array.from({ length: count }, (_, i) => aChunk(from + i));

/** A server with 60,000 points, the lower numbers first; it does not apply conditions. */
const search = async (selection: ChunkSelection) => {
  const asked: (readonly [limit: number, conditions: number])[] = [];
  const hits = await rankedSearch({
    k: 2,
    filter: undefined,
    chunks: selection,
    seal: undefined as unknown as PartitionSeal,
    slack: 0,
    among: () => ({ has_id: [] }),
    ask: async (limit, conditions) => {
      asked.push([limit, conditions.length]);
      return Array.from({ length: Math.min(limit, 60_000) }, (_, i): FoundPoint => {
        return { id: i, chunkId: aChunk(i), score: -i, payload: {}, vector: undefined };
      });
    },
    score: async (points) => points,
  });
  return { hits: hits.map((hit) => hit.chunkId), asked };
};

describe('A ranked search among chunks', () => {
  it('leaves a list to the server', async () => {
    expect((await search({ only: selectionIds(chunks(50_000)) })).asked).toEqual([[3, 1]]);
  });

  it('compares results with a list that is too long for a request, and asks for more', async () => {
    const only = selectionIds(chunks(50_001, 1_000));
    expect(await search({ only })).toEqual({
      hits: [aChunk(1_000), aChunk(1_001)],
      asked: [
        [20, 0],
        [80, 0],
        [320, 0],
        [1_280, 0],
      ],
    });
    expect((await search({ except: selectionIds(chunks(50_001)) })).hits).toEqual([aChunk(50_001), aChunk(50_002)]);
  });
});
