import { setImmediate as nextTick } from 'node:timers/promises';

/** Milliseconds of work between two pauses. */
const SLICE_MS = 4;

/** Runs work in small steps with pauses in between, so that it blocks the event loop for a few milliseconds at most. Returns its result. */
export const runCooperatively = async <T>(steps: Generator<unknown, T>): Promise<T> => {
  let began = performance.now();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (performance.now() - began < SLICE_MS) continue;
    await nextTick();
    began = performance.now();
  }
};

/** Runs the same work without pauses. */
export const runToCompletion = <T>(steps: Generator<unknown, T>): T => {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
};
