import { isMiss, MISS_FLOOR } from './retrieval-miss.ts';

describe('a retrieval', () => {
  it.each([
    ['nothing was found', [], true],
    ['nothing relevant was found, however much', Array.from({ length: 10 }, () => MISS_FLOOR - 0.01), true],
    ['one result was asked for, and it is relevant', [MISS_FLOOR], false],
    ['the relevant result is not the first', [0.1, 0.9], false],
  ])('when %s: miss %s', (_, relevances, miss) => expect(isMiss(relevances.map((relevance) => ({ relevance })))).toBe(miss));
});
