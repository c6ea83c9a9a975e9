import { Conflict, NotFound, unreachable } from '../errors.ts';
import type { DocumentIds, KnowledgeBaseEvent, KnowledgeBaseSettings } from '../events/knowledge-base-events.ts';
import type { StrategyInUse } from '../events/strategy-events.ts';
import type { ChunkingSettings } from '../values/chunking.ts';
import type { KnowledgeBaseId } from '../values/ids.ts';
import type { VectorScope } from '../values/scope.ts';
import type { Decider } from './decider.ts';
import { decideStrategy, type StrategyCommand, type StrategyState } from './knowledge-base-strategy.ts';

export type KnowledgeBaseCommand =
  | StrategyCommand
  | Readonly<{ type: 'Create'; id: KnowledgeBaseId; scope: VectorScope; settings: KnowledgeBaseSettings; now: string }>
  | Readonly<{ type: 'Configure'; id: KnowledgeBaseId; settings: KnowledgeBaseSettings; now: string }>
  | Readonly<{ type: 'Archive'; id: KnowledgeBaseId; now: string }>
  | Readonly<{ type: 'Pause'; id: KnowledgeBaseId; now: string }>
  | Readonly<{ type: 'Resume'; id: KnowledgeBaseId; now: string }>
  | Readonly<{ type: 'RequestDeletion'; id: KnowledgeBaseId; now: string }>
  /** All its documents are deleted. */
  | Readonly<{ type: 'CompleteDeletion'; id: KnowledgeBaseId; now: string }>;

/** `deleting`: its deletion was requested. */
export type KnowledgeBaseStatus = 'active' | 'paused' | 'archived' | 'deleting';

/** `deleted` is like `none`, except that the id is not used again. */
export type KnowledgeBase =
  | Readonly<{ status: 'none' }>
  | Readonly<{ status: 'deleted' }>
  | (Readonly<{ status: KnowledgeBaseStatus; scope: VectorScope; documentIds: DocumentIds; settings: KnowledgeBaseSettings }> &
      StrategyState);

type Existing = Extract<KnowledgeBase, { scope: VectorScope }>;

/** Whether it does not exist, or does not exist any more. */
export const isGone = (state: KnowledgeBase): state is Exclude<KnowledgeBase, Existing> =>
  state.status === 'none' || state.status === 'deleted';

const same = (a: KnowledgeBaseSettings, b: KnowledgeBaseSettings): boolean =>
  a.name === b.name &&
  a.description === b.description &&
  a.language === b.language &&
  a.historyDays === b.historyDays &&
  JSON.stringify(a.fields) === JSON.stringify(b.fields) &&
  JSON.stringify(a.synonyms) === JSON.stringify(b.synonyms) &&
  JSON.stringify(withoutEmptyParts(a.chunking)) === JSON.stringify(withoutEmptyParts(b.chunking));

/** A part without numbers means the same as a missing one: a chunker may be newer than the settings. */
const withoutEmptyParts = (chunking: ChunkingSettings) => Object.entries(chunking).filter(([, numbers]) => Object.keys(numbers).length > 0);

/** `und` declares no language; 0 days, that history is kept; no fields, that values are compared as they are; no synonyms, none. */
const settingsOf = ({
  name,
  description,
  chunking,
  language = 'und',
  historyDays = 0,
  fields = {},
  synonyms = [],
}: KnowledgeBaseSettings): KnowledgeBaseSettings => ({
  name,
  description,
  chunking,
  ...(language === 'und' ? {} : { language }),
  ...(historyDays === 0 ? {} : { historyDays }),
  ...(Object.keys(fields).length === 0 ? {} : { fields }),
  ...(synonyms.length === 0 ? {} : { synonyms }),
});

const deletingConflict = (id: KnowledgeBaseId): Conflict => new Conflict(`knowledge base "${id}" is being deleted`);

const decide = (command: KnowledgeBaseCommand, state: KnowledgeBase): readonly KnowledgeBaseEvent[] => {
  const { id, now } = command;
  if (command.type === 'Create') {
    const { scope } = command;
    const settings = settingsOf(command.settings);
    if (state.status === 'none')
      return [{ type: 'KnowledgeBaseCreated', data: { id, scope, documentIds: 'keyed', ...settings, createdAt: now } }];
    if (state.status === 'deleted') throw new Conflict(`knowledge base "${id}" was deleted, and its id is not used again`);
    if (state.status === 'deleting') throw deletingConflict(id);
    // The same settings again: a retry, not a conflict.
    if (state.status !== 'archived' && state.scope === scope && same(state.settings, settings)) return [];
    throw new Conflict(`knowledge base "${id}" already exists with different settings`);
  }
  if (isGone(state)) throw new NotFound('knowledge base', id);
  if (command.type === 'RequestDeletion' || command.type === 'CompleteDeletion') return decideDeletion(command, state);
  if (state.status === 'deleting') throw deletingConflict(id);
  return command.type === 'RecordStrategyEvaluation' || command.type === 'SetStrategy'
    ? decideStrategy(command, state)
    : change(command, state);
};

const decideDeletion = (
  { type, id, now }: Extract<KnowledgeBaseCommand, { type: 'RequestDeletion' | 'CompleteDeletion' }>,
  { status }: Existing,
): readonly KnowledgeBaseEvent[] => {
  if (type === 'CompleteDeletion') return status === 'deleting' ? [{ type: 'KnowledgeBaseDeleted', data: { id, deletedAt: now } }] : [];
  return status === 'deleting' ? [] : [{ type: 'KnowledgeBaseDeletionRequested', data: { id, requestedAt: now } }];
};

const change = (
  command: Extract<KnowledgeBaseCommand, { type: 'Configure' | 'Archive' | 'Pause' | 'Resume' }>,
  state: Existing,
): readonly KnowledgeBaseEvent[] => {
  const { id, now } = command;
  switch (command.type) {
    case 'Configure':
      if (state.status === 'archived') throw new Conflict(`knowledge base "${id}" is archived`);
      return same(state.settings, settingsOf(command.settings))
        ? []
        : [{ type: 'KnowledgeBaseConfigured', data: { id, ...settingsOf(command.settings), configuredAt: now } }];
    case 'Archive':
      // A paused knowledge base can hold accepted documents. Archived, they would never be indexed.
      if (state.status === 'paused') throw new Conflict(`knowledge base "${id}" is paused: resume it before archiving it`);
      return state.status === 'archived' ? [] : [{ type: 'KnowledgeBaseArchived', data: { id, archivedAt: now } }];
    case 'Pause':
      if (state.status === 'archived') throw new Conflict(`knowledge base "${id}" is archived`);
      return state.status === 'paused' ? [] : [{ type: 'KnowledgeBasePaused', data: { id, pausedAt: now } }];
    case 'Resume':
      if (state.status === 'archived') throw new Conflict(`knowledge base "${id}" is archived`);
      return state.status === 'active' ? [] : [{ type: 'KnowledgeBaseResumed', data: { id, resumedAt: now } }];
    default:
      return unreachable(command);
  }
};

const evolve = (state: KnowledgeBase, event: KnowledgeBaseEvent): KnowledgeBase => {
  switch (event.type) {
    case 'KnowledgeBaseCreated':
      return { status: 'active', scope: event.data.scope, documentIds: event.data.documentIds, settings: settingsOf(event.data) };
    case 'KnowledgeBaseConfigured':
      return isGone(state) ? state : { ...state, settings: settingsOf(event.data) };
    case 'KnowledgeBaseArchived':
      return isGone(state) ? state : { ...state, status: 'archived' };
    case 'KnowledgeBasePaused':
      return isGone(state) ? state : { ...state, status: 'paused' };
    case 'KnowledgeBaseResumed':
      return isGone(state) ? state : { ...state, status: 'active' };
    case 'KnowledgeBaseStrategyEvaluated': {
      const { id: _, evaluatedAt: __, ...strategyEvaluation } = event.data;
      return isGone(state) ? state : { ...state, strategyEvaluation };
    }
    case 'KnowledgeBaseStrategySet':
      return isGone(state) ? state : { ...state, strategy: strategyOf(event.data) };
    case 'KnowledgeBaseDeletionRequested':
      return isGone(state) ? state : { ...state, status: 'deleting' };
    case 'KnowledgeBaseDeleted':
      return { status: 'deleted' };
    default:
      return unreachable(event);
  }
};

const strategyOf = ({ strategy, reranker }: StrategyInUse): StrategyInUse => ({ strategy, ...(reranker ? { reranker } : {}) });

/** A named collection of documents in one scope; the scope never changes. */
export const knowledgeBase: Decider<KnowledgeBaseCommand, KnowledgeBase, KnowledgeBaseEvent> = {
  initial: () => ({ status: 'none' }),
  decide,
  evolve,
};
