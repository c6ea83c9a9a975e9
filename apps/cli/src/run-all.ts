import pLimit from 'p-limit';

/** Does the work for every item, `concurrency` at a time. Results keep the order. After a failure, no further item is started. */
export const runAll = <Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const limit = pLimit(concurrency);
  const workOrStop = async (item: Item): Promise<Result> => {
    try {
      return await work(item);
    } catch (error) {
      limit.clearQueue();
      throw error;
    }
  };
  return Promise.all(items.map((item) => limit(workOrStop, item)));
};
