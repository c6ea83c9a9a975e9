import { describeFloors } from './score-floors.ts';

const floor = { before: 0.35, after: 0.2705, share: 0.8125 };

describe('the description of score floors', () => {
  it('names what they rest on, and marks those that rest on few results', () => {
    const floors = [
      { ...floor, results: 50 },
      { before: 0.4, after: 0.3, share: 0.02, results: 49 },
    ];
    expect(describeFloors({ basis: 'people', queries: 212, floors })).toEqual({
      basis: '212 queries of people',
      rows: [
        { before: '0.35', after: '0.271', kept: '81.3 %', isRough: false },
        { before: '0.40', after: '0.300', kept: '2.0 %', isRough: true },
      ],
      note: 'Rough: the floor keeps, or leaves out, fewer than 50 results.',
    });
  });

  it('has no mark for evaluations that do not say how many results there were', () => {
    expect(describeFloors({ basis: 'passages', queries: 60, floors: [floor] })).toEqual({
      basis: '60 passages of the scope as queries',
      rows: [{ before: '0.35', after: '0.271', kept: '81.3 %', isRough: false }],
    });
  });

  it('does not exist without floors', () => {
    expect(describeFloors(undefined)).toBeUndefined();
    expect(describeFloors({ basis: 'people', queries: 50, floors: [] })).toBeUndefined();
  });
});
