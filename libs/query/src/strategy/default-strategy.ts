import type { DeclaredFields } from '@palimpsest/knowledge/access';
import { DEFAULT_IN_USE, nameOf, strategyInUse, type RerankerInUse, type StrategyInUse } from '@palimpsest/knowledge/evaluation';
import { companionOf } from '@palimpsest/knowledge/deciders';
import type { ScopeView } from '@palimpsest/knowledge/read-models';
import type { ConfiguredReranker } from '../pipeline/rerank.ts';

/** `detail`: why, in words for people; missing if none of the knowledge bases has a strategy of its own. */
export type DefaultUse = Readonly<{ used: StrategyInUse; detail?: string }>;

/** Knowledge bases that a sentence names. */
const NAMED = 5;

/** What reranks searches of these scopes; undefined if nothing does. The version of companions is that of their models. */
export const rerankerInUse = (
  configured: ConfiguredReranker | undefined,
  scopes: readonly Pick<ScopeView, 'generations'>[],
): RerankerInUse | undefined => {
  if (configured === undefined) return undefined;
  const { reranker, weight, candidates } = configured;
  const version = reranker === 'companion' ? companionModels(scopes) : reranker.version;
  return version === undefined ? undefined : { version, weight, candidates };
};

const companionModels = (scopes: readonly Pick<ScopeView, 'generations'>[]): string | undefined =>
  [...new Set(scopes.flatMap((scope) => companionOf(scope)?.embeddingVersion ?? []))].join(' + ') || undefined;

/**
 * What a search of these knowledge bases uses if it names no strategy. Results of one search are ordered in one way, so different
 * strategies give the common one. A reranker other than the one that was set was not evaluated, so it is not used.
 */
export const defaultStrategy = (
  bases: readonly Pick<DeclaredFields, 'id' | 'strategy'>[],
  reranker: RerankerInUse | undefined,
): DefaultUse => {
  const named = bases.map(({ id, strategy = DEFAULT_IN_USE }) => ({ id, strategy, name: nameOf(strategy) }));
  const [first, ...others] = named;
  const common = nameOf(DEFAULT_IN_USE);
  if (first === undefined || named.every(({ name }) => name === common)) return { used: DEFAULT_IN_USE };
  if (others.some(({ name }) => name !== first.name)) {
    const more = named.length > NAMED ? [`and ${named.length - NAMED} more`] : [];
    const list = [...named.slice(0, NAMED).map(({ id, name }) => `${id}: ${name}`), ...more].join('; ');
    return { used: DEFAULT_IN_USE, detail: `${common} was used, since the searched knowledge bases have different strategies (${list})` };
  }
  const { strategy, name } = first;
  if (strategyInUse(strategy, reranker) === strategy)
    return { used: strategy, detail: `${name} is the default strategy of the searched knowledge bases` };
  const now = reranker === undefined ? 'no reranker' : nameOf({ strategy: strategy.strategy, reranker });
  return { used: DEFAULT_IN_USE, detail: `${common} was used instead of ${name}, since this installation has ${now}: evaluate it first` };
};
