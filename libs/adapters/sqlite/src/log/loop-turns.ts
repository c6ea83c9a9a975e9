/** Most milliseconds of work between two chances for others; the promise is 10, one large event may come on top. */
const BUDGET_MS = 4;

let turnBegan: number | undefined;
const waiting: (() => void)[] = [];

/**
 * True when the work of this turn, that of all logs, readers and writers together, should stop for now: then
 * `await nextTurn()`. Time counts from the first call in the turn.
 */
export const turnIsSpent = (): boolean => {
  if (turnBegan !== undefined) return performance.now() - turnBegan > BUDGET_MS;
  turnBegan = performance.now();
  // Two rounds: the event loop runs its timers after the first, so never two budgets lie between them.
  setImmediate(() => setImmediate(() => (turnBegan = undefined)));
  return false;
};

/** Resolves in a later turn of the event loop; those who wait go on one by one. `urgent` goes before the others. */
export const nextTurn = (urgency: 'urgent' | 'in order' = 'in order'): Promise<void> =>
  new Promise((resolve) => {
    if (urgency === 'urgent') waiting.unshift(resolve);
    else waiting.push(resolve);
    if (waiting.length === 1) setImmediate(wakeOne);
  });

const wakeOne = (): void => {
  if (!turnIsSpent()) waiting.shift()?.();
  if (waiting.length > 0) setImmediate(wakeOne);
};
