import { REQUEST_LIMITS } from '@palimpsest/client';
import type { ReplayRequest, Strategy } from '@palimpsest/client';
import { counted } from '../format/format.ts';
import { filterOf, STRATEGIES } from '../search/search-state.ts';

type Against = NonNullable<ReplayRequest['against']>;
type Fusion = NonNullable<Against['fusion']>;

export const FUSIONS: readonly Fusion[] = ['zscore', 'rrf', 'weighted', 'simple'];

/** What past searches are compared with, as entered: an empty field is as recorded, an empty moment is now. All of it is in the address. */
export type Candidate = Readonly<{
  /** A position or a time. */
  at: string;
  strategy: Strategy | '';
  fusion: Fusion | '';
  top: string;
  minScore: string;
  minRelevance: string;
  filter: string;
  /** `team:red g3`: a generation of a scope. */
  generation: string;
}>;

export const NOW: Candidate = { at: '', strategy: '', fusion: '', top: '', minScore: '', minRelevance: '', filter: '', generation: '' };

const NAMES = Object.keys(NOW) as readonly (keyof Candidate)[];

/** Reads it from an address. A name that is not known counts as missing; the server checks everything else. */
export const candidateOf = (parameters: URLSearchParams): Candidate => {
  const given = (name: keyof Candidate): string => parameters.get(name)?.trim() ?? '';
  return {
    ...(Object.fromEntries(NAMES.map((name) => [name, given(name)])) as Candidate),
    strategy: STRATEGIES.find((each) => each === given('strategy')) ?? '',
    fusion: FUSIONS.find((each) => each === given('fusion')) ?? '',
  };
};

/** Its part of an address. */
export const parametersOf = (candidate: Candidate): Readonly<Record<string, string>> =>
  Object.fromEntries(NAMES.map((name) => [name, candidate[name].trim()]).filter(([, value]) => value !== ''));

export const isNow = (candidate: Candidate): boolean => Object.keys(parametersOf(candidate)).length === 0;

/** As a request has it. @throws FilterError */
export const againstOf = ({ at, strategy, fusion, top, minScore, minRelevance, filter, generation }: Candidate): Against => {
  const asked = filterOf(filter);
  const [scope, id] = generation.split(' ');
  return {
    ...(at.trim() === '' ? {} : { asOf: at.trim() }),
    ...(strategy === '' ? {} : { strategy }),
    ...(fusion === '' ? {} : { fusion }),
    ...(top.trim() === '' ? {} : { topK: Number(top) }),
    ...(minScore.trim() === '' ? {} : { minScore: Number(minScore) }),
    ...(minRelevance.trim() === '' ? {} : { minRelevance: Number(minRelevance) }),
    ...(asked === undefined ? {} : { filter: asked }),
    ...(scope === undefined || id === undefined ? {} : { generations: { [scope]: id } }),
  };
};

/** `now, SparseOnly, 5 results`. */
export const candidateText = ({ at, strategy, fusion, top, minScore, minRelevance, filter, generation }: Candidate): string =>
  [
    at === '' ? 'now' : /^\d+$/.test(at) ? `position ${at}` : at,
    ...(generation === '' ? [] : [`generation ${generation.split(' ').reverse().join(' of ')}`]),
    ...(strategy === '' ? [] : [strategy]),
    ...(fusion === '' ? [] : [`fusion ${fusion}`]),
    ...(top === '' ? [] : [counted(Number(top), 'result')]),
    ...(minScore === '' ? [] : [`score from ${minScore}`]),
    ...(minRelevance === '' ? [] : [`relevance from ${minRelevance}`]),
    ...(filter === '' ? [] : ['another filter']),
  ].join(', ');

export const MAX_RESULTS = REQUEST_LIMITS.topK.max;
