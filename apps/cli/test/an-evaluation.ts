const query = (text: string, before: number, after: number) => ({
  ...{ source: 'self', name: 'c1', text, before, after },
  resultsBefore: [{ documentId: 'd1', source: '<b>one</b>.md' }],
  resultsAfter: [{ documentId: 'd2' }],
});
/** An evaluation of a generation, as the server returns it. */
export const evaluation = (verdict: string) => ({
  ...{ scope: 'team:red', generation: 'g2', against: 'g1', verdict, reasons: ['a loss beyond 0.02 is ruled out'], decidedBy: 'self' },
  ...{ margin: 0.02, seed: 7, from: '10', upTo: '12', unsettled: 0, evaluatedAt: '2026-11-22T08:00:00.000Z', by: 'person' },
  measures: [
    {
      ...{ source: 'self', measure: 'nDCG@10', queries: 400, before: 0.9, after: 0.91, difference: 0.01, interval: [-0.005, 0.02] },
      ...{ p: 0.4, smallestDetectableEffect: 0.02, verdict, better: 12, worse: 9 },
    },
  ],
  coverage: { chunks: 500, refused: 1, unexplained: 0 },
  golden: { used: 0, synthetic: 0, unusable: 0 },
  agreement: { overlap: 0.8, rbo: 0.75, scoreShift: -0.1, rankShift: 0.2 },
  past: {
    ...{ used: 212, leftOut: 3, withoutResults: { before: 4, after: 9 }, bestScore: { before: 0.58, after: 0.47 } },
    agreement: { overlap: 0.64, rbo: 0.61, scoreShift: -0.11, rankShift: 0.2 },
  },
  scoreFloors: {
    basis: 'people',
    queries: 212,
    floors: [
      { before: 0.35, after: 0.271, share: 0.8125, results: 375 },
      { before: 0.6, after: 0.483, share: 0.0105, results: 21 },
    ],
  },
  latency: { before: { p50: 4, p95: 9 }, after: { p50: 6, p95: 12 } },
  spotCheck: { checked: 200, mismatched: 0, lowest: 0.9999 },
  canaryStrings: { strings: 6, lowest: 0.9998 },
  ...{ sets: [], refused: [], unexplained: [], mismatched: [], missingDocuments: [] },
  worst: [query('<script>alert(1)</script> what is lost', 1, 0.5)],
  best: [query('what is gained', 0.5, 1)],
});
