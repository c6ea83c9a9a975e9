import { nextTurn } from '../system/scheduler.ts';
import { SYSTEM, type System } from '../system/system.ts';

/** Milliseconds of work between two pauses. */
const SLICE_MS = 4;

/** Runs work in small steps with pauses in between, so that it blocks the event loop for a few milliseconds at most. Returns its result. */
export const runCooperatively = async <T>(
  steps: Generator<unknown, T>,
  { clock, scheduler }: Pick<System, 'clock' | 'scheduler'> = SYSTEM,
): Promise<T> => {
  let began = clock.elapsed();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (clock.elapsed() - began < SLICE_MS) continue;
    await nextTurn(scheduler);
    began = clock.elapsed();
  }
};

/** Runs the same work without pauses. */
export const runToCompletion = <T>(steps: Generator<unknown, T>): T => {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
};
