import { FIELD_WEIGHTS, weightedTexts } from './lexical-fields.ts';

describe('The texts by which a chunk is found', () => {
  it('are its text, which counts once, and its fields with their weights, in one order', () => {
    const fields = { symbol: 'boilWater', title: 'Tea' };
    expect(weightedTexts({ text: 'Fill the kettle.', fields })).toEqual([
      { text: 'Fill the kettle.', weight: 1 },
      { text: 'Tea', weight: FIELD_WEIGHTS.title },
      { text: 'boilWater', weight: FIELD_WEIGHTS.symbol },
    ]);
    expect(weightedTexts({ text: 'Fill the kettle.' })).toEqual([{ text: 'Fill the kettle.', weight: 1 }]);
  });

  it('have whole weights: frequencies are stored as whole numbers', () => {
    for (const weight of Object.values(FIELD_WEIGHTS)) expect(Number.isInteger(weight) && weight > 0).toBe(true);
  });
});
