export { MUTANTS } from './faults/mutants.ts';
export { optionsOf, printed, type SimulationOptions } from './options.ts';
export { simulate, type SimulationOutcome } from './simulate.ts';
