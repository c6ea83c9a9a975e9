import fc from 'fast-check';
import {
  FilterError,
  filterOf,
  GROUNDINGS,
  ORIGINS,
  parametersOf,
  requestOf,
  searchStateOf,
  STRATEGIES,
  type SearchState,
} from './search-state.ts';
import { DIVERSITIES } from './search-options.ts';

const aState: fc.Arbitrary<SearchState> = fc.record({
  query: fc.string(),
  view: fc.constantFrom('hits', 'compare', 'context'),
  knowledgeBases: fc.array(fc.string()),
  scopes: fc.array(fc.string()),
  origins: fc.subarray([...ORIGINS]),
  filter: fc.string(),
  strategy: fc.constantFrom('', ...STRATEGIES),
  topK: fc.integer({ min: 1, max: 100 }),
  options: fc.record({
    required: fc.string(),
    excluded: fc.string(),
    phrases: fc.string(),
    collapse: fc.boolean(),
    groupBy: fc.constantFrom('', 'document'),
    diversity: fc.constantFrom('', ...DIVERSITIES),
    expand: fc.constantFrom('', 'neighbours', 'section'),
    rewrite: fc.constantFrom('', 'queries', 'hypothetical'),
  }),
  maxTokens: fc.integer({ min: 50, max: 100_000 }),
  grounding: fc.constantFrom(...GROUNDINGS),
  asOf: fc.constantFrom(undefined, '12', '2026-11-20T09:30:00+01:00'),
});

describe('the state of a search', () => {
  it('survives a round trip through the address', () => {
    fc.assert(
      fc.property(aState, (state) => void expect(searchStateOf(new URLSearchParams(parametersOf(state).toString()))).toEqual(state)),
    );
  });
  it('uses the defaults for invalid values in the address', () => {
    expect(searchStateOf(new URLSearchParams('top=0&tokens=many&strategy=Best&view=x&origin=Unknown'))).toEqual(
      searchStateOf(new URLSearchParams()),
    );
  });
  it('leaves the address empty when all values are defaults', () =>
    expect(parametersOf(searchStateOf(new URLSearchParams())).toString()).toBe(''));
});

describe('the strategy of a search', () => {
  it.each(STRATEGIES)('is sent as %s if it is chosen, also if it is the common default', (strategy) =>
    expect(requestOf(searchStateOf(new URLSearchParams({ strategy })))).toMatchObject({ strategy }),
  );
  it('is left to the knowledge bases otherwise', () =>
    expect(requestOf(searchStateOf(new URLSearchParams()))).not.toHaveProperty('strategy'));
});

describe('a filter that is entered', () => {
  it('is undefined when empty', () => expect(filterOf('  ')).toBeUndefined());
  it('is one condition on a label, or several that must all hold', () => {
    expect(filterOf('team=red')).toEqual({ eq: { field: 'label.team', value: 'red' } });
    expect(filterOf('team = red, url=a=b')).toEqual({
      and: [{ eq: { field: 'label.team', value: 'red' } }, { eq: { field: 'label.url', value: 'a=b' } }],
    });
  });
  it('is JSON when it starts with a brace', () =>
    expect(filterOf('{"exists":{"field":"label.team"}}')).toEqual({ exists: { field: 'label.team' } }));
  it.each(['team', 'team=', '=red', '{"eq":'])('is refused as %s', (typed) => expect(() => filterOf(typed)).toThrow(FilterError));
  it('is omitted from the request when empty, like every other unset limit', () => {
    expect(requestOf(searchStateOf(new URLSearchParams('q=warranty')))).toEqual({
      query: 'warranty',
      topK: 10,
    });
  });
});
