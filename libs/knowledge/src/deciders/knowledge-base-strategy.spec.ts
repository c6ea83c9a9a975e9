import { NOW } from '../../test/builders.ts';
import { specify } from '../../test/given-when-then.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { KnowledgeBaseEvent } from '../events/knowledge-base-events.ts';
import type { StrategyEvaluation, StrategyInUse } from '../events/strategy-events.ts';
import { knowledgeBaseId } from '../values/ids.ts';
import { DEPLOYMENT } from '../values/scope.ts';
import { knowledgeBase, type KnowledgeBaseCommand } from './knowledge-base.ts';
import { strategyInUse } from './knowledge-base-strategy.ts';

const { given } = specify(knowledgeBase);
const id = knowledgeBaseId('handbook');

const HYBRID: StrategyInUse = { strategy: 'DenseSparseHybrid' };
const DENSE: StrategyInUse = { strategy: 'DenseOnly' };
const RERANKER = { version: 'endpoint:bge@1', weight: 0.5, candidates: 30 };
const RERANK: StrategyInUse = { strategy: 'DenseSparseRerank', reranker: RERANKER };

const settings = { name: 'Handbook', description: '', chunking: { markdown: {}, tokens: {}, sheets: {}, code: {} } };
const created: KnowledgeBaseEvent = {
  type: 'KnowledgeBaseCreated',
  data: { id, scope: DEPLOYMENT, documentIds: 'keyed', ...settings, createdAt: NOW },
};
const evaluation = (
  verdict: StrategyEvaluation['verdict'],
  { of = RERANK, against = HYBRID }: Readonly<{ of?: StrategyInUse; against?: StrategyInUse }> = {},
): StrategyEvaluation => ({
  ...of,
  ...{ against, verdict, reasons: ['nDCG@10 changed by some'], margin: 0.02, seed: 1, from: '7', upTo: '9', unsettled: 0 },
  golden: { used: 60, synthetic: 0, unusable: 0 },
});
const evaluated = (...of: Parameters<typeof evaluation>): KnowledgeBaseEvent => ({
  type: 'KnowledgeBaseStrategyEvaluated',
  data: { id, ...evaluation(...of), evaluatedAt: NOW },
});
const wasSet = (strategy: StrategyInUse, forced?: string): KnowledgeBaseEvent => ({
  type: 'KnowledgeBaseStrategySet',
  data: { id, ...strategy, ...(forced === undefined ? {} : { forced }), setAt: NOW },
});

const set = (strategy: StrategyInUse, over: Readonly<{ forced?: string; reranker?: StrategyInUse['reranker'] }> = {}) =>
  ({ type: 'SetStrategy', id, strategy, reranker: RERANKER, ...over, now: NOW }) as KnowledgeBaseCommand;
const record = (...of: Parameters<typeof evaluation>): KnowledgeBaseCommand => ({
  type: 'RecordStrategyEvaluation',
  ...{ id, evaluation: evaluation(...of), reranker: RERANKER, now: NOW },
});

describe('the default strategy of a knowledge base', () => {
  it('is set once it was evaluated as not worse', () =>
    void given(created)
      .when(record('not-worse'))
      .then(evaluated('not-worse'))
      .when(set(RERANK))
      .then(wasSet(RERANK))
      .when(set(RERANK))
      .then());

  it.each<[string, readonly KnowledgeBaseEvent[], RegExp]>([
    ['was not evaluated', [], /DenseSparseRerank with endpoint:bge@1 \(weight 0.5, best 30 results\) was not evaluated: evaluate it/],
    ['was worse', [evaluated('worse')], /was evaluated as worse \(nDCG@10 changed by some\)/],
    ['is undecided', [evaluated('undecided')], /was evaluated as undecided/],
    [
      'was evaluated with another weight',
      [evaluated('not-worse', { of: { ...RERANK, reranker: { ...RERANKER, weight: 0.9 } } })],
      /was not evaluated/,
    ],
    [
      'was compared with another one',
      [evaluated('not-worse', { against: DENSE })],
      /was compared with DenseOnly, and searches use DenseSparseHybrid now/,
    ],
    ['is not the last one that was evaluated', [evaluated('not-worse'), evaluated('not-worse', { of: DENSE })], /was not evaluated/],
  ])('is refused if it %s, unless it is forced with a reason', (_, before, message) => {
    given(created, ...before)
      .when(set(RERANK))
      .thenRefuses(Conflict, message);
    given(created, ...before)
      .when(set(RERANK, { forced: 'the pilot group asked for it' }))
      .then(wasSet(RERANK, 'the pilot group asked for it'));
  });

  it('notes no reason that was not needed', () =>
    void given(created, evaluated('not-worse'))
      .when(set(RERANK, { forced: 'to be sure' }))
      .then(wasSet(RERANK)));

  it('returns to the common one without evidence, and then forth with what was found before', () =>
    void given(created, evaluated('not-worse'), wasSet(RERANK))
      .when(set(HYBRID))
      .then(wasSet(HYBRID))
      .when(set(RERANK))
      .then(wasSet(RERANK)));

  it('counts the comparison with what searches use, if the reranker that was set is gone', () => {
    const next = { ...RERANKER, version: 'endpoint:bge@2' };
    const RERANK_NEXT: StrategyInUse = { strategy: 'DenseSparseRerank', reranker: next };
    given(created, wasSet(RERANK), evaluated('not-worse', { of: RERANK_NEXT }))
      .when(set(RERANK_NEXT, { reranker: next }))
      .then(wasSet(RERANK_NEXT));
    given(created, wasSet(RERANK), evaluated('not-worse', { of: DENSE }))
      .when(set(DENSE))
      .thenRefuses(Conflict, /DenseOnly was compared with DenseSparseHybrid, and searches use DenseSparseRerank with/);
  });

  it('is kept when other settings change', () =>
    given(created, evaluated('not-worse'), wasSet(RERANK))
      .when({ type: 'Configure', id, settings: { ...settings, name: 'Manual' }, now: NOW })
      .thenState((state) => expect(state).toMatchObject({ strategy: RERANK, strategyEvaluation: { verdict: 'not-worse' } })));

  it('is neither set nor evaluated while the knowledge base is deleted, or if it does not exist', () => {
    const requested: KnowledgeBaseEvent = { type: 'KnowledgeBaseDeletionRequested', data: { id, requestedAt: NOW } };
    for (const command of [set(HYBRID), record('not-worse')]) {
      given(created, requested)
        .when(command)
        .thenRefuses(Conflict, /is being deleted/);
      given().when(command).thenRefuses(NotFound);
    }
  });

  it('is in the past of an evaluation that began before it was set', () =>
    given(created, evaluated('not-worse'), wasSet(RERANK))
      .when(record('not-worse', { of: DENSE }))
      .thenRefuses(Conflict, /was changed during the evaluation: evaluate again/));
});

describe('what searches use', () => {
  it('is the common strategy instead of one with another reranker', () => {
    expect(strategyInUse(undefined, RERANKER)).toEqual(HYBRID);
    expect(strategyInUse(RERANK, RERANKER)).toEqual(RERANK);
    expect(strategyInUse(DENSE, undefined)).toEqual(DENSE);
    for (const other of [undefined, { ...RERANKER, version: 'other' }, { ...RERANKER, weight: 1 }, { ...RERANKER, candidates: 10 }])
      expect(strategyInUse(RERANK, other)).toEqual(HYBRID);
  });
});
