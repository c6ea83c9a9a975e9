import { Conflict, unreachable } from '../errors.ts';
import type { HistoryEvent, HistoryRemovalCompleted, HistoryRemovalStarted } from '../events/history-events.ts';
import type { KnowledgeBaseId } from '../values/ids.ts';
import { laterOf, position, START, type Position } from '../values/position.ts';
import type { VectorScope } from '../values/scope.ts';
import type { Decider } from './decider.ts';

/** `knowledgeBase`: only the history of its documents. */
type Of = Readonly<{ scope: VectorScope; knowledgeBase?: KnowledgeBaseId; now: string }>;

export type HistoryRemovalCommand =
  | (Of & Readonly<{ type: 'Start'; upTo: Position; keepDays: number }>)
  | (Of & Readonly<{ type: 'Complete'; found: Readonly<{ documents: number; records: number; uploads: number; left: number }> }>);

/**
 * The removals of history in one scope. `earliest`: the earliest position that can be answered. `running`: the one in progress. `done`:
 * up to where each is complete, by knowledge base, and for the whole scope (`''`).
 */
export type HistoryRemoval = Readonly<{
  earliest: Position;
  running?: HistoryRemovalStarted['data'];
  last?: HistoryRemovalCompleted['data'];
  done: ReadonlyMap<KnowledgeBaseId | '', Position>;
}>;

/** Up to where the history of these documents was removed completely. */
export const removedUpTo = ({ done }: HistoryRemoval, knowledgeBase?: KnowledgeBaseId): Position =>
  laterOf(done.get('') ?? START, done.get(knowledgeBase ?? '') ?? START);

const decide = (command: HistoryRemovalCommand, state: HistoryRemoval): readonly HistoryEvent[] => {
  const { scope, knowledgeBase, now } = command;
  const of = { scope, ...(knowledgeBase === undefined ? {} : { knowledgeBase }) };
  switch (command.type) {
    case 'Start': {
      const { upTo, keepDays } = command;
      if (state.running) throw new Conflict(`history of scope "${scope}" is already being removed: wait until that is complete`);
      if (upTo <= removedUpTo(state, knowledgeBase)) return [];
      const earliest = String(laterOf(upTo, state.earliest));
      return [{ type: 'HistoryRemovalStarted', data: { ...of, upTo: String(upTo), earliest, keepDays, startedAt: now } }];
    }
    case 'Complete': {
      const { running } = state;
      if (running === undefined || running.knowledgeBase !== knowledgeBase) return [];
      const { upTo, earliest } = running;
      return [{ type: 'HistoryRemovalCompleted', data: { ...of, upTo, earliest, ...command.found, completedAt: now } }];
    }
    default:
      return unreachable(command);
  }
};

const evolve = (state: HistoryRemoval, event: HistoryEvent): HistoryRemoval => {
  const earliest = position(event.data.earliest);
  if (event.type === 'HistoryRemovalStarted') return { ...state, earliest, running: event.data };
  const { running: _, ...rest } = state;
  const { knowledgeBase = '', upTo, left } = event.data;
  const done = left > 0 ? state.done : new Map<KnowledgeBaseId | '', Position>([...state.done, [knowledgeBase, position(upTo)]]);
  return { ...rest, earliest, done, last: event.data };
};

/** Removes what was replaced or deleted long ago from the log. */
export const historyRemoval: Decider<HistoryRemovalCommand, HistoryRemoval, HistoryEvent> = {
  initial: () => ({ earliest: START, done: new Map() }),
  decide,
  evolve,
};
