import type { TimelineEntry } from '@palimpsest/client';
import { counted } from '../format/format.ts';
import { inTime, justBefore } from '../past/as-of.ts';

type ModelChange = Extract<TimelineEntry, { kind: 'model' }>['change'];

const OF_A_GENERATION: Readonly<Record<ModelChange, string>> = {
  started: 'was started',
  activated: 'was activated',
  'rolled-back': 'was rolled back to',
  retired: 'was retired',
  cancelled: 'was cancelled',
};

/** What happened, as a sentence without a full stop. */
export const happeningOf = (entry: TimelineEntry): string => {
  switch (entry.kind) {
    case 'arrived':
      return `“${entry.title}” arrived`;
    case 'changed':
      return `“${entry.title}” changed to version ${entry.version}`;
    case 'left':
      return `“${entry.title}” was deleted`;
    case 'failed':
      return `Version ${entry.version} of “${entry.title}” could not be indexed`;
    case 'model':
      return `The generation ${entry.generation} ${OF_A_GENERATION[entry.change]}`;
    case 'knowledge-base':
      return `The knowledge base ${entry.knowledgeBase} was ${entry.change}`;
    case 'unreadable':
      return 'Something happened that cannot be read';
  }
};

const chunksText = ({ added, removed, kept }: Readonly<{ added: number; removed: number; kept: number }>): string =>
  [
    [added, 'added'],
    [removed, 'removed'],
    [kept, 'kept'],
  ]
    .filter(([number]) => number !== 0)
    .map(([number, what], index) => (index === 0 ? `${counted(Number(number), 'chunk')} ${what}` : `${number} ${what}`))
    .join(', ');

const UNREADABLE = {
  erased: 'The encryption key of the scope was destroyed.',
  'history-removed': 'What described the document was removed from the log with its history.',
  unreadable: 'This version of Palimpsest does not know the format of the event.',
} as const;

/** More about it; empty if there is nothing to add. */
export const detailsOf = (entry: TimelineEntry): readonly string[] => {
  switch (entry.kind) {
    case 'arrived':
    case 'changed':
    case 'left':
      return [entry.source, entry.knowledgeBase, chunksText(entry.chunks)].filter((part) => part !== '');
    case 'failed':
      return [entry.source, entry.knowledgeBase, entry.detail];
    case 'model':
      return [
        entry.embeddingVersion,
        ...(entry.chunkList === 'default' ? [] : [`chunking ${entry.chunkList}`]),
        entry.serving === undefined ? 'no generation serves searches yet' : `${entry.serving.generation} serves searches`,
      ];
    case 'knowledge-base':
      return entry.name === undefined ? [] : [entry.name];
    case 'unreadable':
      return [UNREADABLE[entry.reason]];
  }
};

/** The page of the document as it was then; of a deleted one, as it was just before. */
export const documentPathOf = (entry: TimelineEntry): string | undefined => {
  if (!('documentId' in entry)) return undefined;
  return inTime(`/documents/${entry.documentId}`, entry.kind === 'left' ? justBefore(entry.position) : entry.position);
};
