import fc from 'fast-check';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { ChunkId } from '@palimpsest/knowledge/values';
import { CHUNK_WORDS, chunkIdAt, writeChunkWords } from './chunk-words.ts';

const anyId = fc.stringMatching(/^[0-9a-f]{32}$/) as fc.Arbitrary<ChunkId>;

describe('chunk ids as words', () => {
  it('are restored from any index', () => {
    fc.assert(
      fc.property(fc.array(anyId, { minLength: 1 }), (ids) => {
        const words = new Uint32Array(ids.length * CHUNK_WORDS);
        ids.forEach((id, at) => writeChunkWords(words, at, id));
        expect(ids.map((_, at) => chunkIdAt(words, at))).toEqual(ids);
      }),
    );
  });

  it('sort like their digits', () => {
    fc.assert(
      fc.property(anyId, anyId, (one, other) => {
        const words = new Uint32Array(2 * CHUNK_WORDS);
        writeChunkWords(words, 0, one);
        writeChunkWords(words, 1, other);
        const differing = [0, 1, 2, 3].find((word) => words[word] !== words[CHUNK_WORDS + word]);
        expect(differing === undefined ? 0 : Math.sign((words[differing] as number) - (words[CHUNK_WORDS + differing] as number))).toBe(
          one < other ? -1 : one > other ? 1 : 0,
        );
      }),
    );
  });

  it.each(['', 'abc', 'g'.repeat(32), 'A'.repeat(32), 'a'.repeat(33)])('reject %j', (text) => {
    expect(() => writeChunkWords(new Uint32Array(4), 0, text as ChunkId)).toThrow(InvalidValue);
  });
});
