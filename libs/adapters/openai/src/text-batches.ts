export type CutText = Readonly<{ text: string; truncated: boolean }>;

/** At most `maxChars` UTF-16 units, never ending inside a surrogate pair. */
export const cutText = (text: string, maxChars: number): CutText => {
  if (text.length <= maxChars) return { text, truncated: false };
  const last = text.charCodeAt(maxChars - 1);
  const endsInPair = last >= 0xd800 && last <= 0xdbff;
  return { text: text.slice(0, endsInPair ? maxChars - 1 : maxChars), truncated: true };
};

/** Neighbours together, at most `maxTexts` and `maxChars` in each batch; a longer text has a batch of its own. */
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
