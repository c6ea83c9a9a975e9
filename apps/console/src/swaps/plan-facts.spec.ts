import { factsOf } from './plan-facts.ts';

const plan = {
  ...{ documents: 12, chunks: 300, reusable: { chunks: 50, exact: false }, cost: 0.005 },
  tokens: { texts: 60_000, embedded: 50_000, method: 'sampled' as const, tokenizer: 'w', read: 200, error: 0.0212 },
  time: { seconds: 130, sampledChunks: 64, sampleSeconds: 2.5, refused: 1, limitedBy: 'model' as const },
  bytes: { vectors: 1_228_800, memory: 1_700_000, disk: 1_250_000 },
};

describe('the facts of a plan', () => {
  it('say what a swap would take', () => {
    const facts = Object.fromEntries(factsOf(plan));
    expect(facts['Contents']).toMatch(/12 documents, 300 chunks, 60.000 tokens \(from 200 chunks, ± 2.1 %\)/);
    expect(facts['To embed']).toMatch(/50.000 tokens; about 50 chunks with a vector/);
    expect(facts['Cost']).toBe('$0.0050');
    expect(facts['Time']).toBe('about 3 min, from 64 chunks; the model rejects 1 of the sample');
    expect(facts['Space']).toMatch(/of memory and .* of disk/);
  });

  it('say how many documents were chunked again', () => {
    const shown = (rechunked: Parameters<typeof factsOf>[0]['rechunked']) =>
      Object.fromEntries(factsOf({ ...plan, ...(rechunked ? { rechunked } : {}) }))['Chunked again'];
    expect(shown(undefined)).toBeUndefined();
    expect(shown({ present: 12, read: 12, kept: 0, exact: true })).toBe('all 12 documents, to count this');
    expect(shown({ present: 300, read: 100, kept: 2, exact: false, error: 0.0341 })).toBe(
      '100 documents, to estimate this: chunks ± 3.4 %; 2 would keep their chunks',
    );
  });

  it('say what is not known, and why', () => {
    const { cost: _, time: __, ...rest } = plan;
    const facts = Object.fromEntries(factsOf({ ...rest, bytes: { vectors: 8 }, tokens: { ...plan.tokens, method: 'estimated' } }));
    expect(facts).toMatchObject({
      Cost: 'unknown: the model has no price',
      Time: 'unknown: no sample was embedded',
      Space: expect.stringMatching(/index server/),
      Contents: expect.stringMatching(/no tokenizer here/),
    });
  });
});
