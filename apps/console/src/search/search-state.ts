import type { Filter, Grounding, Origin, SearchRequest, Strategy } from '@palimpsest/client';

export type View = 'hits' | 'compare' | 'context';

/** Everything that a search page shows follows from its address: it can be bookmarked, sent, and gone back to. */
export type SearchState = Readonly<{
  query: string;
  view: View;
  knowledgeBases: readonly string[];
  scopes: readonly string[];
  origins: readonly Origin[];
  /** As it is typed; may be wrong. */
  filter: string;
  strategy: Strategy;
  topK: number;
  maxTokens: number;
  grounding: Grounding;
}>;

export const STRATEGIES: readonly Strategy[] = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'];
export const GROUNDINGS: readonly Grounding[] = ['Preferred', 'StrictlyGrounded', 'Permissive'];
export const ORIGINS: readonly Origin[] = ['UserContent', 'Narrative', 'Note', 'Synthetic'];
const VIEWS: readonly View[] = ['hits', 'compare', 'context'];

const oneOf = <T extends string>(values: readonly T[], given: string | null, usual: T): T => values.find((value) => value === given) ?? usual;

const whole = (given: string | null, least: number, most: number, usual: number): number => {
  const value = Number(given);
  return given !== null && Number.isInteger(value) && value >= least && value <= most ? value : usual;
};

export const DEFAULT_TOP_K = 10;
export const DEFAULT_MAX_TOKENS = 2_000;

/** What is not valid in an address is as good as left out. */
export const searchStateOf = (parameters: URLSearchParams): SearchState => ({
  query: parameters.get('q') ?? '',
  view: oneOf(VIEWS, parameters.get('view'), 'hits'),
  knowledgeBases: parameters.getAll('kb'),
  scopes: parameters.getAll('scope'),
  origins: ORIGINS.filter((origin) => parameters.getAll('origin').includes(origin)),
  filter: parameters.get('filter') ?? '',
  strategy: oneOf(STRATEGIES, parameters.get('strategy'), 'DenseSparseHybrid'),
  topK: whole(parameters.get('top'), 1, 100, DEFAULT_TOP_K),
  maxTokens: whole(parameters.get('tokens'), 50, 100_000, DEFAULT_MAX_TOKENS),
  grounding: oneOf(GROUNDINGS, parameters.get('grounding'), 'Preferred'),
});

/** What is as usual is not said. */
export const parametersOf = (state: SearchState): URLSearchParams => {
  const parameters = new URLSearchParams();
  const say = (name: string, value: string, usual = ''): void => {
    if (value !== usual) parameters.set(name, value);
  };
  say('q', state.query);
  say('view', state.view, 'hits');
  for (const id of state.knowledgeBases) parameters.append('kb', id);
  for (const scope of state.scopes) parameters.append('scope', scope);
  for (const origin of state.origins) parameters.append('origin', origin);
  say('filter', state.filter);
  say('strategy', state.strategy, 'DenseSparseHybrid');
  say('top', String(state.topK), String(DEFAULT_TOP_K));
  say('tokens', String(state.maxTokens), String(DEFAULT_MAX_TOKENS));
  say('grounding', state.grounding, 'Preferred');
  return parameters;
};

/** Conditions are typed as `name=value, name=value` (each on a label, all of them must hold), or as the filter language's JSON. */
export const filterOf = (typed: string): Filter | undefined => {
  const text = typed.trim();
  if (text === '') return undefined;
  if (text.startsWith('{')) return json(text);
  const conditions = text.split(',').filter((part) => part.trim() !== '').map(labelOf);
  const [only] = conditions;
  return conditions.length === 1 ? only : { and: conditions };
};

/** Not understood as it was typed; the message says what would be. */
export class FilterError extends Error {}

const json = (text: string): Filter => {
  try {
    // What it means, and whether it is allowed, the server says.
    return JSON.parse(text) as Filter;
  } catch {
    throw new FilterError('The filter begins with “{”, but is no JSON.');
  }
};

const labelOf = (part: string): Filter => {
  const [name, ...rest] = part.split('=');
  const field = name?.trim() ?? '';
  const value = rest.join('=').trim();
  if (field === '' || value === '') throw new FilterError(`“${part.trim()}” is no condition: write label=value, or JSON.`);
  return { eq: { field: `label.${field}`, value } };
};

/** What all three ways of asking have in common. @throws FilterError */
export const requestOf = ({ query, knowledgeBases, scopes, origins, filter, strategy, topK }: SearchState): SearchRequest => {
  const condition = filterOf(filter);
  return {
    query,
    strategy,
    topK,
    ...(knowledgeBases.length === 0 ? {} : { knowledgeBases }),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(origins.length === 0 ? {} : { origins }),
    ...(condition === undefined ? {} : { filter: condition }),
  };
};
