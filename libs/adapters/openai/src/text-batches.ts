/** Makes batches of consecutive texts with at most `maxTexts` and `maxChars` each; a longer text gets its own batch. */
export const textBatches = (texts: readonly string[], maxTexts: number, maxChars: number): readonly (readonly string[])[] => {
  const batches: string[][] = [];
  let batch: string[] = [];
  let chars = 0;
  for (const text of texts) {
    if (batch.length > 0 && (batch.length >= maxTexts || chars + text.length > maxChars)) {
      batches.push(batch);
      [batch, chars] = [[], 0];
    }
    batch.push(text);
    chars += text.length;
  }
  return batch.length > 0 ? [...batches, batch] : batches;
};
