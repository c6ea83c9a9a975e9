import type { Event } from '../events/event.ts';

/**
 * Pure business rules. `decide` returns the events that follow from a command: an empty list means nothing to do, a refusal throws a
 * KnowledgeError. `evolve` returns the state after an event; `revision` is the place of the event in its stream. The command carries
 * time and ids.
 */
export type Decider<Command, State, E extends Event<string, unknown>> = Readonly<{
  initial: () => State;
  decide: (command: Command, state: State) => readonly E[];
  evolve: (state: State, event: E, revision: number) => State;
}>;
