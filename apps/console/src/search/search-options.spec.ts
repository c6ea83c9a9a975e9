import { listProblem, NO_OPTIONS, optionsIn, optionsInUse, requestedOptions } from './search-options.ts';

describe('the options of a search', () => {
  it('add nothing to a request and an address until they are used', () => {
    expect(requestedOptions(NO_OPTIONS)).toEqual({});
    expect(optionsInUse(NO_OPTIONS)).toEqual([]);
    expect(optionsIn(new URLSearchParams('collapse=1&group=page&diversity=9&expand=all&rewrite=yes'))).toEqual(NO_OPTIONS);
  });

  it('become fields of the request, and lists of words', () => {
    const address = 'with=red,+blue+sea,&without=green&collapse=true&group=document&diversity=0.5&expand=section&rewrite=queries';
    expect(requestedOptions(optionsIn(new URLSearchParams(address)))).toEqual({
      terms: { required: ['red', 'blue sea'], excluded: ['green'] },
      collapse: true,
      groupBy: 'document',
      diversity: 0.5,
      expand: 'section',
      rewrite: 'queries',
    });
    expect(requestedOptions({ ...NO_OPTIONS, phrases: ' , ' })).toEqual({});
  });

  it('say what is wrong with a list', () => {
    expect(listProblem('a, b,, c')).toBeUndefined();
    expect(listProblem(Array(17).fill('a').join())).toBe('At most 16 entries, separated by commas.');
    expect(listProblem(`a, ${'b'.repeat(201)}`)).toBe('At most 200 characters for each entry.');
  });
});
