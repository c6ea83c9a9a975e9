/**
 * The results of `work` in the order of the items. While one is used, up to `width` are worked on, so that the time of waiting is shared.
 * The first failure, in that order, ends it.
 */
export async function* ahead<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  width: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const running: Promise<R>[] = [];
  for await (const item of items) {
    const result = work(item);
    // It is thrown when its turn comes.
    result.catch(() => undefined);
    running.push(result);
    const oldest = running.length < width ? undefined : running.shift();
    if (oldest) yield await oldest;
  }
  for (const result of running) yield await result;
}
