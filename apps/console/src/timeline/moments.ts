import type { TimelineEntry } from '@palimpsest/client';
import { isShown, type AsOf } from '../past/as-of.ts';

/** The steps of the slider: the loaded entries, oldest first. The step after the last one is now. */
export const stepsOf = (newestFirst: readonly TimelineEntry[]): readonly TimelineEntry[] => newestFirst.toReversed();

/** The step of a moment: the last entry that it shows. A moment before all of them has the first step. */
export const stepAt = (steps: readonly TimelineEntry[], asOf: AsOf): number =>
  asOf === undefined
    ? steps.length
    : Math.max(
        0,
        steps.findLastIndex((step) => isShown(step, asOf)),
      );

const two = (part: number): string => String(part).padStart(2, '0');

/** A time as an input of the type `datetime-local` takes it, in the reader's own time zone, to the second. */
export const localTime = (iso: string): string => {
  const date = new Date(iso);
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
};

/** The time that the reader entered, in UTC; undefined for what is no time. */
export const enteredTime = (local: string): string | undefined => {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
};
