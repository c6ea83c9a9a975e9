import { specify } from '../../test/given-when-then.ts';
import { Conflict } from '../errors.ts';
import type { HistoryEvent } from '../events/history-events.ts';
import { knowledgeBaseId, type KnowledgeBaseId } from '../values/ids.ts';
import { position, START } from '../values/position.ts';
import { vectorScope } from '../values/scope.ts';
import { historyRemoval, removedUpTo, type HistoryRemovalCommand } from './history-removal.ts';

const { given } = specify(historyRemoval);

const NOW = '2026-11-28T08:00:00.000Z';
const scope = vectorScope('team:red');
const BASE = knowledgeBaseId('handbook');
const found = { documents: 2, records: 9, uploads: 1, left: 0 };

const of = (knowledgeBase?: KnowledgeBaseId) => ({ scope, ...(knowledgeBase ? { knowledgeBase } : {}) });
const start = (upTo: number, knowledgeBase?: KnowledgeBaseId): HistoryRemovalCommand => ({
  type: 'Start',
  ...of(knowledgeBase),
  upTo: position(BigInt(upTo)),
  keepDays: 30,
  now: NOW,
});
const complete = (knowledgeBase?: KnowledgeBaseId, left = 0): HistoryRemovalCommand => ({
  type: 'Complete',
  ...of(knowledgeBase),
  found: { ...found, left },
  now: NOW,
});
const started = (upTo: number, earliest = upTo, knowledgeBase?: KnowledgeBaseId): HistoryEvent => ({
  type: 'HistoryRemovalStarted',
  data: { ...of(knowledgeBase), upTo: String(upTo), earliest: String(earliest), keepDays: 30, startedAt: NOW },
});
const completed = (upTo: number, earliest = upTo, knowledgeBase?: KnowledgeBaseId, left = 0): HistoryEvent => ({
  type: 'HistoryRemovalCompleted',
  data: { ...of(knowledgeBase), upTo: String(upTo), earliest: String(earliest), ...found, left, completedAt: NOW },
});

describe('The removal of history', () => {
  it('starts, and is complete once', () => {
    given().when(start(7)).then(started(7)).when(complete()).then(completed(7)).when(complete()).then();
  });

  it('does not start twice, and not for what is removed already', () => {
    given(started(7))
      .when(start(8))
      .thenRefuses(Conflict, /already being removed/);
    given(started(7), completed(7)).when(start(7)).then();
    given(started(7), completed(7)).when(start(6, BASE)).then();
    given(started(7), completed(7))
      .when(start(9, BASE))
      .then(started(9, 9, BASE));
  });

  it('never makes an earlier moment answerable again', () => {
    given(started(9, 9, BASE), completed(9, 9, BASE))
      .when(start(7))
      .then(started(7, 9))
      .when(complete())
      .then(completed(7, 9));
  });

  it('is done again from the same place if documents were left', () => {
    const left = [started(7), completed(7, 7, undefined, 1)];
    given(...left)
      .when(start(7))
      .then(started(7));
    given(...left)
      .when(start(8))
      .thenState((state) => expect(removedUpTo(state)).toBe(START));
  });

  it('of a knowledge base says nothing about others', () => {
    given(started(7, 7, BASE), completed(7, 7, BASE))
      .when(complete())
      .thenState((state) => {
        expect([removedUpTo(state, BASE), removedUpTo(state), removedUpTo(state, knowledgeBaseId('other'))]).toEqual([7n, START, START]);
      });
  });
});
