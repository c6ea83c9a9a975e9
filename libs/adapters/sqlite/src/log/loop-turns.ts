/** Milliseconds of work before other work gets a turn. The guaranteed limit is 10 ms; one large event may exceed it. */
const BUDGET_MS = 4;

let turnBegan: number | undefined;
const waiting: (() => void)[] = [];

/**
 * Returns true when the work of this turn should pause; the caller then awaits `nextTurn()`. The budget is shared by all logs, readers
 * and writers. Time counts from the first call in the turn.
 */
export const turnIsSpent = (): boolean => {
  if (turnBegan !== undefined) return performance.now() - turnBegan > BUDGET_MS;
  turnBegan = performance.now();
  // Two rounds: the event loop runs its timers after the first one, so timers never wait for two budgets.
  setImmediate(() => setImmediate(() => (turnBegan = undefined)));
  return false;
};

/** Resolves in a later turn of the event loop. Waiters resume one at a time; `urgent` ones go first. */
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
