import { Conflict, InvalidValue, NotFound, unreachable } from '../errors.ts';
import type { GoldenCounts, GoldenSetEvent } from '../events/golden-events.ts';
import { GOLDEN_LIMITS, type GoldenSetName } from '../values/golden-set.ts';
import type { Digest } from '../values/ids.ts';
import type { VectorScope } from '../values/scope.ts';
import type { Decider } from './decider.ts';

/** `expected`: the version that the caller knows, 0 if it knows of none. Without it, any version is replaced. */
type Change = Readonly<{ scope: VectorScope; set: GoldenSetName; expected?: number; now: string }>;

export type GoldenSetsCommand =
  /** The queries are stored before: the event makes them visible. */
  (Change & Readonly<{ type: 'ImportSet'; content: Digest; counts: GoldenCounts }>) | (Change & Readonly<{ type: 'RemoveSet' }>);

export type GoldenVersion = GoldenCounts & Readonly<{ set: GoldenSetName; version: number; content: Digest; importedAt: string }>;

/** `last`: the latest number of each set that there ever was. `current`: the versions of the sets that there are. */
export type GoldenSets = Readonly<{ last: ReadonlyMap<GoldenSetName, number>; current: ReadonlyMap<GoldenSetName, GoldenVersion> }>;

const decide = (command: GoldenSetsCommand, state: GoldenSets): readonly GoldenSetEvent[] => {
  const { scope, set, now } = command;
  const current = state.current.get(set);
  switch (command.type) {
    case 'ImportSet': {
      const { content, counts } = command;
      // Before the expected version: a repeated request must not be refused because of its own effect.
      if (current?.content === content) return [];
      requireExpected(command, current);
      requireRoom(state, set, counts);
      const version = (state.last.get(set) ?? 0) + 1;
      return [{ type: 'GoldenSetImported', data: { scope, set, version, content, ...counts, importedAt: now } }];
    }
    case 'RemoveSet':
      if (current === undefined) throw new NotFound('golden set', set);
      requireExpected(command, current);
      return [{ type: 'GoldenSetRemoved', data: { scope, set, version: current.version, removedAt: now } }];
    default:
      return unreachable(command);
  }
};

/** @throws Conflict */
const requireExpected = ({ set, expected }: Change, current: GoldenVersion | undefined): void => {
  const version = current?.version ?? 0;
  if (expected === undefined || expected === version) return;
  const now = current === undefined ? 'does not exist' : `is at version ${version}`;
  throw new Conflict(`golden set "${set}" ${now}, not at version ${expected}: read it again before you change it`);
};

/** @throws InvalidValue */
const requireRoom = ({ current }: GoldenSets, set: GoldenSetName, { bytes }: GoldenCounts): void => {
  const others = [...current.values()].filter((other) => other.set !== set);
  if (others.length >= GOLDEN_LIMITS.sets)
    throw new InvalidValue('set', `at most ${GOLDEN_LIMITS.sets} golden sets in a scope`, `"${set}", in addition to ${others.length}`);
  const used = others.reduce((sum, other) => sum + other.bytes, 0);
  if (used + bytes > GOLDEN_LIMITS.scopeBytes)
    throw new InvalidValue('body', `at most ${GOLDEN_LIMITS.scopeBytes} bytes in all golden sets of a scope`, `${used + bytes} bytes`);
};

const evolve = ({ last, current }: GoldenSets, event: GoldenSetEvent): GoldenSets => {
  switch (event.type) {
    case 'GoldenSetImported': {
      const { scope: _, ...version } = event.data;
      return { last: new Map(last).set(version.set, version.version), current: new Map(current).set(version.set, version) };
    }
    case 'GoldenSetRemoved':
      return { last, current: new Map([...current].filter(([set]) => set !== event.data.set)) };
    default:
      return unreachable(event);
  }
};

/** The golden sets of one scope. */
export const goldenSets: Decider<GoldenSetsCommand, GoldenSets, GoldenSetEvent> = {
  initial: () => ({ last: new Map(), current: new Map() }),
  decide,
  evolve,
};
