import { explanationOf } from './explanation.ts';

describe('the explanation of a result', () => {
  it('is read from the server’s explanation', () => {
    const explain = {
      fusion: {
        label: 'reciprocal rank fusion',
        value: 0.03,
        parts: [
          { label: '1 / (60 + 1)', value: 0.016 },
          { label: '1 / (60 + 3)', value: 0.014 },
        ],
      },
      dense: { rank: 1, score: 0.62 },
      lexical: { rank: 3, score: 7.25, terms: ['back', 'up'] },
      document: { version: 2, indexedAt: '2026-11-22T08:00:00.000Z' },
    };
    expect(explanationOf(explain)).toEqual({
      dense: { rank: 1, score: 0.62 },
      lexical: { rank: 3, score: 7.25, terms: ['back', 'up'] },
      fusion: {
        label: 'reciprocal rank fusion',
        value: 0.03,
        parts: [
          { label: '1 / (60 + 1)', value: 0.016, parts: [] },
          { label: '1 / (60 + 3)', value: 0.014, parts: [] },
        ],
      },
      version: 2,
      indexedAt: '2026-11-22T08:00:00.000Z',
    });
  });
  it('never breaks a page, whatever the server sends', () => {
    for (const odd of [undefined, null, 7, 'x', [], { dense: 'x', lexical: { rank: 1 }, fusion: { label: 1 }, document: null }])
      expect(explanationOf(odd)).toEqual({
        dense: undefined,
        lexical: undefined,
        fusion: undefined,
        version: undefined,
        indexedAt: undefined,
      });
  });
});
