import { refusedChunks } from './refused-chunks.ts';

describe('what a document says about chunks that the model refused', () => {
  it.each([
    [0, 0, []],
    [1, 0, ['1 refused by the model']],
    [0, 2_000, ['2,000 found by words only']],
    [1, 2, ['1 refused by the model', '2 found by words only']],
  ])('%d left out, %d without a vector', (failedChunks, withoutVector, expected) => {
    expect(refusedChunks({ failedChunks, withoutVector })).toEqual(expected);
  });
});
