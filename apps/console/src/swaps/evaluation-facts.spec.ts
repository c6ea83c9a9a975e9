import { agreementOf, factsOf, signed } from './evaluation-facts.ts';

const document = (documentId: string) => ({ documentId });

describe('the evidence of an evaluation', () => {
  it('has signed differences', () => {
    expect([signed(0.0123), signed(-0.09), signed(0)]).toEqual(['+0.012', '−0.090', '+0.000']);
  });

  it('counts the documents that both sides found', () => {
    const resultsBefore = ['a', 'b', 'c'].map(document);
    expect(agreementOf({ resultsBefore, resultsAfter: ['c', 'a', 'd'].map(document) })).toBe('2 common documents');
    expect(agreementOf({ resultsBefore, resultsAfter: ['c'].map(document) })).toBe('1 common document');
  });

  it('names only what was found', () => {
    const evaluation = {
      coverage: { chunks: 3, refused: 1, unexplained: 0 },
      spotCheck: { checked: 2, mismatched: 0 },
      golden: { used: 0, synthetic: 0, unusable: 0 },
      missingDocuments: [],
      unsettled: 0,
    };
    expect(factsOf(evaluation).map(([name]) => name)).toEqual(['Vectors', 'Spot check', 'Judged queries']);
    expect(factsOf({ ...evaluation, canaryStrings: { strings: 6, lowest: 0.99987 } })).toContainEqual([
      'Model',
      'the same as when it was first used: lowest cosine 0.9999 over 6 canary strings',
    ]);
    const none = { used: 0, leftOut: 1, withoutResults: { before: 0, after: 0 } };
    expect(factsOf({ ...evaluation, past: none })).toContainEqual(['Past queries', '0 asked again, 1 record left out']);
    expect(factsOf({ ...evaluation, past: { ...none, window: { after: '4711', before: '2026-11-24T12:00:00' } } })).toContainEqual([
      'Past queries',
      'after position 4711; before 24 Nov 2026, 12:00:00; 0 asked again, 1 record left out',
    ]);
    const past = {
      ...{ used: 212, leftOut: 3, withoutResults: { before: 4, after: 9 }, bestScore: { before: 0.58, after: 0.47 } },
      agreement: { overlap: 0.64, rbo: 0.61, scoreShift: -0.11, rankShift: 0.2 },
    };
    expect(factsOf({ ...evaluation, past })).toContainEqual([
      'Past queries',
      '212 asked again, 3 records left out; 64 % of the first ten are the same; best score 0.580 → 0.470; without results 4 → 9',
    ]);
    const latency = { before: { p50: 10, p95: 20 }, after: { p50: 1, p95: 2 } };
    const agreement = { overlap: 0.5, rbo: 0, scoreShift: 0, rankShift: 0 };
    expect(factsOf({ ...evaluation, missingDocuments: ['a'], unsettled: 1, latency, agreement }).slice(3)).toEqual([
      ['Missing documents', '1 judged document not there any more; they do not count'],
      ['Left out', '1 query: documents changed during each attempt'],
      ['Same results', '50 % of the first ten'],
      ['Latency', 'p50 10 ms → 1.0 ms, p95 20 ms → 2.0 ms'],
    ]);
  });
});
