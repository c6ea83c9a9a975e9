import { isMiss, MISS_FLOOR } from './retrieval-miss.ts';

describe('A retrieval', () => {
  it.each([
    ['nothing was found', [], true],
    ['many results were found, but none is relevant', Array.from({ length: 10 }, () => MISS_FLOOR - 0.01), true],
    ['one result was requested, and it is relevant', [MISS_FLOOR], false],
    ['the relevant result is not the first', [0.01, 0.9], false],
  ])('when %s: miss %s', (_, relevances, miss) => expect(isMiss(relevances.map((relevance) => ({ relevance })))).toBe(miss));
});
