import { Registry } from 'prom-client';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { RetrievalSeen } from '@palimpsest/query';
import { createSearchInstruments } from './search-instruments.ts';

const SEEN: RetrievalSeen = {
  id: 'r',
  strategy: 'DenseSparseRerank',
  topK: 5,
  queryLength: 9,
  models: [],
  hits: [],
  stages: [],
  skipped: {},
};

describe('The metrics of searches', () => {
  const registry = new Registry();
  const { observe } = createSearchInstruments([registry]);
  const after = async (seen: Partial<RetrievalSeen>) =>
    observe(
      async () => 'found',
      () => ({ ...SEEN, ...seen }),
    );
  const valuesOf = async (name: string) =>
    (await registry.getSingleMetric(name)?.get())?.values.map(({ labels, value, ...rest }) => ({
      ...('metricName' in rest ? { name: rest.metricName } : {}),
      labels,
      value,
    }));

  it('are the duration of each stage, the stages that were skipped, and the outcomes of rerankings', async () => {
    const stages = [
      { stage: 'dense', ms: 4, candidates: 9 },
      { stage: 'rerank', ms: 500, candidates: 9, note: 'skipped: took longer than 500 ms' },
    ];
    expect(await after({ stages, skipped: { rerank: 'over-budget' }, reranking: 'skipped' })).toBe('found');
    await after({ stages: stages.slice(0, 1) });
    await after({ reranking: 'blended' });
    const durations = (await valuesOf('palimpsest_search_stage_duration_seconds'))?.filter(({ name }) =>
      /_(sum|count)$/.test(String(name)),
    );
    expect(durations?.map(({ labels: { stage }, value }) => [stage, value])).toEqual([
      ['dense', 0.008],
      ['dense', 2],
      ['rerank', 0.5],
      ['rerank', 1],
    ]);
    expect(await valuesOf('palimpsest_search_stage_skips_total')).toEqual([
      { labels: { stage: 'rerank', reason: 'over-budget' }, value: 1 },
    ]);
    expect(await valuesOf('palimpsest_rerankings_total')).toEqual([
      { labels: { outcome: 'skipped' }, value: 1 },
      { labels: { outcome: 'blended' }, value: 1 },
    ]);
  });

  it('change neither the result nor the error of a search', () =>
    expect(
      observe(
        () => Promise.reject(new Unavailable('the read models are catching up')),
        () => SEEN,
      ),
    ).rejects.toThrow('the read models are catching up'));
});
