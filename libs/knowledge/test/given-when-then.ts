import type { Decider } from '../src/deciders/decider.ts';
import type { Event } from '../src/events/event.ts';

type Given<Command, State, E> = Readonly<{
  when: (command: Command) => Then<Command, State, E>;
}>;

type Then<Command, State, E> = Readonly<{
  /** Exactly these events follow; none for "nothing to do". */
  then: (...expected: readonly E[]) => Given<Command, State, E>;
  /** The decider refuses, with an error of this class whose message matches. */
  thenRefuses: (error: new (...args: never[]) => Error, message?: RegExp) => void;
  /** Inspects the state after the resulting events. */
  thenState: (look: (state: State) => void) => void;
}>;

/**
 * Tests a decider: `specify(document).given(...events).when(command).then(...events)`. Revisions are numbered from 0. Each command is
 * decided twice, to verify that deciding has no side effects. `then` can be followed by another `when`.
 */
export const specify = <Command, State, E extends Event<string, unknown>>(decider: Decider<Command, State, E>) => {
  const evolved = (history: readonly E[]): State =>
    history.reduce((state, event, revision) => decider.evolve(state, event, revision), decider.initial());
  const given = (...history: readonly E[]): Given<Command, State, E> => ({
    when: (command) => {
      const decide = (): readonly E[] => decider.decide(command, evolved(history));
      return {
        then: (...expected) => {
          const state = evolved(history);
          expect(decider.decide(command, state)).toEqual(expected);
          expect(decider.decide(command, state)).toEqual(expected);
          return given(...history, ...expected);
        },
        thenRefuses: (error, message = /./) => {
          expect(decide).toThrow(error);
          expect(decide).toThrow(message);
        },
        thenState: (look) => look(evolved([...history, ...decide()])),
      };
    },
  });
  return { given };
};
