/**
 * Runs `work` on every item, at most `width` at the same time, and returns the results in order. The first failure rejects the
 * whole call, and aborts the rest through the signal passed to `work`.
 */
export const inParallel = async <Item, Answer>(
  items: readonly Item[],
  width: number,
  signal: AbortSignal,
  work: (item: Item, stop: AbortSignal) => Promise<Answer>,
): Promise<readonly Answer[]> => {
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const answers: Answer[] = [];
  const queue = items.entries();

  // All lanes share the same iterator.
  const lane = async (): Promise<void> => {
    for (const [i, item] of queue) answers[i] = await work(item, stop);
  };
  try {
    await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  } catch (error) {
    failed.abort(error);
    throw error;
  }
  return answers;
};
