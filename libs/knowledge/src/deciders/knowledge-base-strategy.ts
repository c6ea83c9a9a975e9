import { Conflict } from '../errors.ts';
import type { KnowledgeBaseEvent } from '../events/knowledge-base-events.ts';
import type { RerankerInUse, StrategyEvaluation, StrategyInUse } from '../events/strategy-events.ts';
import type { KnowledgeBaseId } from '../values/ids.ts';
import { DEFAULT_STRATEGY } from '../values/strategy.ts';

/** `reranker`: of the installation that sends the command, if it has one. */
type Sent = Readonly<{ id: KnowledgeBaseId; reranker?: RerankerInUse; now: string }>;
export type StrategyCommand =
  | (Readonly<{ type: 'RecordStrategyEvaluation'; evaluation: StrategyEvaluation }> & Sent)
  /** `forced`: why, although no evaluation found that it is not worse. */
  | (Readonly<{ type: 'SetStrategy'; strategy: StrategyInUse; forced?: string }> & Sent);

/** What a knowledge base has of its strategy: the one that was set, and its latest evaluation. */
export type StrategyState = Readonly<{ strategy?: StrategyInUse; strategyEvaluation?: StrategyEvaluation }>;

/** Of a knowledge base that has no other one. */
export const DEFAULT_IN_USE: StrategyInUse = { strategy: DEFAULT_STRATEGY };

export const sameStrategy = (one: StrategyInUse, other: StrategyInUse): boolean =>
  one.strategy === other.strategy && sameReranker(one.reranker, other.reranker);

const sameReranker = (one: RerankerInUse | undefined, other: RerankerInUse | undefined): boolean =>
  one?.version === other?.version && one?.weight === other?.weight && one?.candidates === other?.candidates;

/** What searches use where a strategy was set: one with another reranker than there is was not evaluated, so it is not used. */
export const strategyInUse = (set: StrategyInUse = DEFAULT_IN_USE, reranker: RerankerInUse | undefined): StrategyInUse =>
  set.reranker === undefined || sameReranker(set.reranker, reranker) ? set : DEFAULT_IN_USE;

/** @throws Conflict if the strategy was not evaluated as not worse than the one that is used, and no reason is given to use it anyway */
export const decideStrategy = (command: StrategyCommand, state: StrategyState): readonly KnowledgeBaseEvent[] => {
  const { id, now } = command;
  const inUse = strategyInUse(state.strategy, command.reranker);
  if (command.type === 'RecordStrategyEvaluation') {
    const { evaluation } = command;
    if (!sameStrategy(evaluation.against, inUse))
      throw new Conflict(`the default strategy of knowledge base "${id}" was changed during the evaluation: evaluate again`);
    return [{ type: 'KnowledgeBaseStrategyEvaluated', data: { id, ...evaluation, evaluatedAt: now } }];
  }
  const { strategy, forced } = command;
  if (sameStrategy(strategy, state.strategy ?? DEFAULT_IN_USE)) return [];
  const refusal = isFallback(strategy) ? undefined : whyNotAdmitted(strategy, inUse, state.strategyEvaluation);
  if (refusal !== undefined && forced === undefined)
    throw new Conflict(`${refusal}: evaluate it for knowledge base "${id}", or force it with a reason`);
  const reason = refusal === undefined || forced === undefined ? {} : { forced };
  return [{ type: 'KnowledgeBaseStrategySet', data: { id, ...strategy, ...reason, setAt: now } }];
};

/** The way back needs no evidence. */
const isFallback = (strategy: StrategyInUse): boolean => sameStrategy(strategy, DEFAULT_IN_USE);

const whyNotAdmitted = (wanted: StrategyInUse, inUse: StrategyInUse, evaluation: StrategyEvaluation | undefined): string | undefined => {
  const name = nameOf(wanted);
  if (evaluation === undefined || !sameStrategy(evaluation, wanted)) return `${name} was not evaluated`;
  if (!sameStrategy(evaluation.against, inUse))
    return `${name} was compared with ${nameOf(evaluation.against)}, and searches use ${nameOf(inUse)} now`;
  return evaluation.verdict === 'not-worse'
    ? undefined
    : `${name} was evaluated as ${evaluation.verdict} (${evaluation.reasons.join('; ')})`;
};

/** For people. */
export const nameOf = ({ strategy, reranker }: StrategyInUse): string =>
  reranker === undefined
    ? strategy
    : `${strategy} with ${reranker.version} (weight ${reranker.weight}, best ${reranker.candidates} results)`;
