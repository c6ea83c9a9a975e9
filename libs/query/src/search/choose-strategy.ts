import { authorise, type Access } from '@palimpsest/knowledge/access';
import type { Downgrade, QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';
import type { ConfiguredReranker } from '../pipeline/rerank.ts';
import { defaultStrategy, rerankerInUse, type DefaultUse } from '../strategy/default-strategy.ts';
import { checkedRewriting } from './checked-rewriting.ts';
import { refuseWithoutReranker } from './describe-reranking.ts';
import type { DescribedDefault } from './search-answer.ts';
import type { AskedSearch, SearchRequest } from './search-request.ts';

/** `request`: with the strategy that the search uses. */
export type ChosenStrategy = Readonly<{ request: SearchRequest; downgraded?: Downgrade; defaultStrategy?: DescribedDefault }>;

type Ports = Readonly<{ quotaPolicy: Pick<QuotaPolicy, 'downgrade'>; reranker?: ConfiguredReranker | undefined }>;
type Bases = Pick<CatalogReader, 'scopes' | 'declaredFields'>;

/**
 * The strategy that the request names, or else that of the knowledge bases that it searches, as they are in a catalog.
 * @throws InvalidValue at once if the request names one that is not possible here
 */
export const chooseStrategy = (ports: Ports, access: Access, asked: AskedSearch): ((catalog: Bases) => Promise<ChosenStrategy>) => {
  const { strategy } = asked;
  if (strategy === undefined) return (catalog) => byDefault(ports, access, asked, catalog);
  const chosen = permitted(ports, access, { ...asked, strategy });
  return async () => chosen;
};

const byDefault = async (ports: Ports, access: Access, asked: AskedSearch, catalog: Bases): Promise<ChosenStrategy> => {
  const { used, detail } = await defaultOf(ports, access, asked, catalog);
  const chosen = permitted(ports, access, checkedRewriting({ ...asked, strategy: used.strategy }));
  return { ...chosen, ...(detail === undefined ? {} : { defaultStrategy: { used: chosen.request.strategy, detail } }) };
};

const defaultOf = async (
  { reranker }: Ports,
  access: Access,
  { scopes: wanted, knowledgeBases }: AskedSearch,
  catalog: Bases,
): Promise<DefaultUse> => {
  // A tenant may have thousands of scopes, so they are only read where they are needed.
  const present = wanted === undefined || reranker?.reranker === 'companion' ? await catalog.scopes(access.tenant) : [];
  const scopes = wanted ?? present.map(({ scope: { scope } }) => scope);
  const permittedScopes = authorise(access, scopes);
  const bases = await catalog.declaredFields(permittedScopes);
  const searched = present.filter(({ scope: { scope } }) => permittedScopes.some((one) => one.scope === scope));
  return defaultStrategy(
    bases.filter(({ id }) => knowledgeBases?.includes(id) ?? true),
    rerankerInUse(reranker, searched),
  );
};

/** @throws InvalidValue if it needs a reranker, and there is none */
const permitted = ({ quotaPolicy, reranker }: Ports, { tenant }: Access, asked: SearchRequest): ChosenStrategy => {
  const downgraded = quotaPolicy.downgrade(tenant, asked.strategy);
  const request = downgraded ? { ...asked, strategy: downgraded.used } : asked;
  refuseWithoutReranker(request, reranker);
  return { request, ...(downgraded ? { downgraded } : {}) };
};
