import type { Event } from '../events/event.ts';

/**
 * A pure rule book: `decide` says which facts follow from a command ("nothing to do" is an empty list; a refusal throws a
 * KnowledgeError), `evolve` what is so after a fact. Time and ids come in with the command. `revision` is where the fact
 * lies on its stream.
 */
export type Decider<Command, State, E extends Event<string, unknown>> = Readonly<{
  initial: () => State;
  decide: (command: Command, state: State) => readonly E[];
  evolve: (state: State, event: E, revision: number) => State;
}>;
