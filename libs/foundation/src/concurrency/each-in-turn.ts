/** Processes items sequentially until `over` returns true, also after failures: one damaged item must not hold up the rest. @throws the first failure */
export const eachInTurn = async <T>(all: Iterable<T>, work: (one: T) => Promise<void>, over: () => boolean): Promise<void> => {
  const failures: unknown[] = [];
  for (const one of all) {
    if (over()) break;
    await work(one).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
};
