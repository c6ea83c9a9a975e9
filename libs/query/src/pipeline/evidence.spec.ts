import { aChunk } from '../../test/search-world.ts';
import { evidenceOf } from './evidence.ts';

const near = (number: number, standing: number) => ({ chunkId: aChunk(number), score: 0.5, standard: 1, standing, scopeAt: 0 });
const worded = (number: number, share: number) => ({ chunkId: aChunk(number), score: 9, standard: 1, share, terms: [], scopeAt: 0 });
const dense = { hits: [near(1, 4), near(2, 1.5)], absent: 0 };
const lexical = { hits: [worded(1, 0.6), worded(3, 0.2)], absent: 0 };
const NOTHING = { hits: [], absent: 0 };

describe('The evidence for a candidate', () => {
  it.each([
    ['found by both searches', 1, { standing: 4, share: 0.6 }],
    ['found by vectors only', 2, { standing: 1.5, share: 0 }],
    ['found by words only: it is at most as near as the last of the nearest', 3, { standing: 1.5, share: 0.2 }],
  ])('%s', (_, number, expected) => expect(evidenceOf({ dense, lexical }, { words: true })(aChunk(number))).toEqual(expected));

  it('is the cosine alone if words were not searched', () =>
    expect(evidenceOf({ dense, lexical: NOTHING }, { words: false })(aChunk(1))).toEqual({ standing: 4 }));

  it('is the words alone if there are no vectors', () =>
    expect(evidenceOf({ dense: NOTHING, lexical }, { words: true })(aChunk(1))).toEqual({ share: 0.6 }));
});
