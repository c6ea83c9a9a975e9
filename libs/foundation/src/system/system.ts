import { systemClock, type Clock } from './clock.ts';
import { systemIds, type Ids } from './ids.ts';
import { systemRandom, type Random } from './random.ts';
import { systemScheduler, type Scheduler } from './scheduler.ts';

/**
 * Everything that is different each time a program runs: time, chance, ids, and the order of delayed work. Code takes it as a parameter,
 * so that a simulation can run it repeatably; lint refuses the global functions outside of this folder and of adapters.
 */
export type System = Readonly<{ clock: Clock; random: Random; ids: Ids; scheduler: Scheduler }>;

/** The system of the process: the real clock, real chance, real timers. */
export const SYSTEM: System = { clock: systemClock, random: systemRandom, ids: systemIds, scheduler: systemScheduler };
