import { REQUEST_LIMITS } from '@palimpsest/client';
import type { Filter, Grounding, Origin, SearchRequest, Strategy } from '@palimpsest/client';
import { AS_OF, asOfIn, type AsOf } from '../past/as-of.ts';
import { optionsIn, optionsInUse, requestedOptions, type SearchOptions } from './search-options.ts';

export type View = 'hits' | 'compare' | 'context';

/** The state of a search page. All of it is in the address, so a search can be bookmarked, shared and reached with the back button. */
export type SearchState = Readonly<{
  query: string;
  view: View;
  knowledgeBases: readonly string[];
  scopes: readonly string[];
  origins: readonly Origin[];
  /** As entered; may be invalid. */
  filter: string;
  /** Empty: the default of the searched knowledge bases. */
  strategy: Strategy | '';
  topK: number;
  options: SearchOptions;
  maxTokens: number;
  grounding: Grounding;
  asOf: AsOf;
}>;

export const STRATEGIES: readonly Strategy[] = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly', 'DenseSparseRerank'];
export const GROUNDINGS: readonly Grounding[] = ['Preferred', 'StrictlyGrounded', 'Permissive'];
export const ORIGINS: readonly Origin[] = ['UserContent', 'Narrative', 'Note', 'Synthetic'];
const VIEWS: readonly View[] = ['hits', 'compare', 'context'];

const oneOf = <T extends string, D extends string>(values: readonly T[], given: string | null, byDefault: D): T | D =>
  values.find((value) => value === given) ?? byDefault;

const whole = (given: string | null, min: number, max: number, byDefault: number): number => {
  const value = Number(given);
  return given !== null && Number.isInteger(value) && value >= min && value <= max ? value : byDefault;
};

const { topK, contextTokens } = REQUEST_LIMITS;
export const DEFAULT_TOP_K = topK.default;
const DEFAULT_MAX_TOKENS = contextTokens.default;

/** Reads the state from an address. An invalid value counts as missing. */
export const searchStateOf = (parameters: URLSearchParams): SearchState => ({
  query: parameters.get('q') ?? '',
  view: oneOf(VIEWS, parameters.get('view'), 'hits'),
  knowledgeBases: parameters.getAll('kb'),
  scopes: parameters.getAll('scope'),
  origins: ORIGINS.filter((origin) => parameters.getAll('origin').includes(origin)),
  filter: parameters.get('filter') ?? '',
  strategy: oneOf(STRATEGIES, parameters.get('strategy'), ''),
  topK: whole(parameters.get('top'), 1, topK.max, DEFAULT_TOP_K),
  options: optionsIn(parameters),
  maxTokens: whole(parameters.get('tokens'), contextTokens.min, contextTokens.max, DEFAULT_MAX_TOKENS),
  grounding: oneOf(GROUNDINGS, parameters.get('grounding'), 'Preferred'),
  asOf: asOfIn(parameters),
});

/** The address of a state. Default values are omitted. */
export const parametersOf = (state: SearchState): URLSearchParams => {
  const parameters = new URLSearchParams();
  const set = (name: string, value: string, byDefault = ''): void => {
    if (value !== byDefault) parameters.set(name, value);
  };
  set('q', state.query);
  set('view', state.view, 'hits');
  for (const id of state.knowledgeBases) parameters.append('kb', id);
  for (const scope of state.scopes) parameters.append('scope', scope);
  for (const origin of state.origins) parameters.append('origin', origin);
  set('filter', state.filter);
  set('strategy', state.strategy);
  set('top', String(state.topK), String(DEFAULT_TOP_K));
  for (const [name, value] of optionsInUse(state.options)) parameters.set(name, value);
  set('tokens', String(state.maxTokens), String(DEFAULT_MAX_TOKENS));
  set('grounding', state.grounding, 'Preferred');
  set(AS_OF, state.asOf ?? '');
  return parameters;
};

/** Parses a filter: `name=value, name=value` (each is a condition on a label, all must hold), or the JSON of the filter language. */
export const filterOf = (entered: string): Filter | undefined => {
  const text = entered.trim();
  if (text === '') return undefined;
  if (text.startsWith('{')) return json(text);
  const conditions = text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(labelOf);
  const [only] = conditions;
  return conditions.length === 1 ? only : { and: conditions };
};

/** The filter is invalid; the message says what is expected. */
export class FilterError extends Error {}

const json = (text: string): Filter => {
  try {
    // The server validates the filter itself.
    return JSON.parse(text) as Filter;
  } catch {
    throw new FilterError('The filter starts with “{” but is not valid JSON.');
  }
};

const labelOf = (part: string): Filter => {
  const [name, ...rest] = part.split('=');
  const field = name?.trim() ?? '';
  const value = rest.join('=').trim();
  if (field === '' || value === '') throw new FilterError(`“${part.trim()}” is not a valid condition. Use label=value, or JSON.`);
  return { eq: { field: `label.${field}`, value } };
};

/** The request fields that all three views share. @throws FilterError */
export const requestOf = ({
  query,
  knowledgeBases,
  scopes,
  origins,
  filter,
  strategy,
  topK,
  options,
  asOf,
}: SearchState): SearchRequest => {
  const condition = filterOf(filter);
  return {
    query,
    topK,
    ...(strategy === '' ? {} : { strategy }),
    ...requestedOptions(options),
    ...(knowledgeBases.length === 0 ? {} : { knowledgeBases }),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(origins.length === 0 ? {} : { origins }),
    ...(condition === undefined ? {} : { filter: condition }),
    ...(asOf === undefined ? {} : { asOf }),
  };
};
