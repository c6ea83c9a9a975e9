import { REQUEST_LIMITS } from '@palimpsest/client';
import type { SearchRequest } from '@palimpsest/client';

/** What most searches do without. Texts as entered. */
export type SearchOptions = Readonly<{
  /** Words and phrases, separated by commas. */
  required: string;
  excluded: string;
  phrases: string;
  collapse: boolean;
  groupBy: '' | 'document';
  diversity: string;
  expand: '' | 'neighbours' | 'section';
  rewrite: '' | 'queries' | 'hypothetical';
}>;

export const NO_OPTIONS: SearchOptions = {
  ...{ required: '', excluded: '', phrases: '', collapse: false, groupBy: '', diversity: '', expand: '', rewrite: '' },
};

export const DIVERSITIES = ['0.3', '0.5', '0.7'] as const;
const EXPANSIONS = ['neighbours', 'section'] as const;
const REWRITINGS = ['queries', 'hypothetical'] as const;

/** Name in the address. */
const NAMES: Readonly<Record<keyof SearchOptions, string>> = {
  required: 'with',
  excluded: 'without',
  phrases: 'phrase',
  collapse: 'collapse',
  groupBy: 'group',
  diversity: 'diversity',
  expand: 'expand',
  rewrite: 'rewrite',
};

const oneOf = <T extends string>(values: readonly T[], given: string): T | '' => values.find((value) => value === given) ?? '';

/** An invalid value counts as missing. */
export const optionsIn = (parameters: URLSearchParams): SearchOptions => {
  const given = (option: keyof SearchOptions): string => parameters.get(NAMES[option]) ?? '';
  return {
    required: given('required'),
    excluded: given('excluded'),
    phrases: given('phrases'),
    collapse: given('collapse') === 'true',
    groupBy: oneOf(['document'], given('groupBy')),
    diversity: oneOf(DIVERSITIES, given('diversity')),
    expand: oneOf(EXPANSIONS, given('expand')),
    rewrite: oneOf(REWRITINGS, given('rewrite')),
  };
};

/** Options in use, as they are in the address. */
export const optionsInUse = (options: SearchOptions): readonly (readonly [string, string])[] =>
  (Object.keys(NAMES) as (keyof SearchOptions)[]).flatMap((option) =>
    options[option] === NO_OPTIONS[option] ? [] : [[NAMES[option], String(options[option])] as const],
  );

const listIn = (entered: string): readonly string[] =>
  entered
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');

/** The part of the request that they are. */
export const requestedOptions = (options: SearchOptions): Partial<SearchRequest> => {
  const { required, excluded, phrases, collapse, groupBy, diversity, expand, rewrite } = options;
  const lists = Object.entries({ required, excluded, phrases })
    .map(([name, entered]) => [name, listIn(entered)] as const)
    .filter(([, list]) => list.length > 0);
  return {
    ...(lists.length === 0 ? {} : { terms: Object.fromEntries(lists) }),
    ...(collapse ? { collapse } : {}),
    ...(groupBy === '' ? {} : { groupBy }),
    ...(diversity === '' ? {} : { diversity: Number(diversity) }),
    ...(expand === '' ? {} : { expand }),
    ...(rewrite === '' ? {} : { rewrite }),
  };
};

const { entries, characters } = REQUEST_LIMITS.terms;

/** What is wrong with a list of words, before it is sent. */
export const listProblem = (entered: string): string | undefined => {
  const list = listIn(entered);
  if (list.length > entries) return `At most ${entries} entries, separated by commas.`;
  return list.some((text) => text.length > characters) ? `At most ${characters} characters for each entry.` : undefined;
};
