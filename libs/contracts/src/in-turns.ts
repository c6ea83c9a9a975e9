import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds after which others get their turn. */
const TURN_MS = 4;

/** Runs work that pauses after each of many small steps, so that it holds up the event loop for a few milliseconds at most. Answers what the work returns. */
export const inTurns = async <T>(steps: Generator<unknown, T>): Promise<T> => {
  let began = performance.now();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (performance.now() - began < TURN_MS) continue;
    await nextTurn();
    began = performance.now();
  }
};

/** Runs the same work to its end without a pause. */
export const atOnce = <T>(steps: Generator<unknown, T>): T => {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
};
