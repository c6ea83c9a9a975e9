import { z } from 'zod';
import { list, named, part, view } from '../view.ts';
import { position } from './documents.ts';

const moment = part({ position, at: z.string() });

const entry = { position, at: z.string().describe('When it was recorded.') };

const chunkCounts = part({
  added: z.number(),
  removed: z.number(),
  kept: z.number().describe('Chunks with the same text and context as before; they keep their ids and vectors.'),
});

const ofDocument = {
  ...entry,
  documentId: z.string(),
  knowledgeBase: z.string(),
  source: z.string(),
  title: z.string(),
  version: z.number(),
};

export const timelineEntry = named(
  'TimelineEntry',
  z.discriminatedUnion('kind', [
    part({ kind: z.literal('arrived'), ...ofDocument, chunks: chunkCounts }),
    part({ kind: z.literal('changed'), ...ofDocument, chunks: chunkCounts }),
    part({ kind: z.literal('left'), ...ofDocument, chunks: chunkCounts }),
    part({
      kind: z.literal('failed'),
      ...ofDocument,
      reason: z.string().describe('A stable code. `detail` explains it in a sentence.'),
      detail: z.string(),
    }),
    part({
      kind: z.literal('model'),
      ...entry,
      change: z
        .enum(['started', 'activated', 'rolled-back', 'retired', 'cancelled'])
        .describe('`cancelled`: the generation is deleted without having served.'),
      generation: z.string(),
      embeddingVersion: z.string().describe('That of the generation.'),
      chunkList: z.string().describe('The chunking of the generation: `default` if each knowledge base has its own settings.'),
      serving: part({ generation: z.string(), embeddingVersion: z.string() })
        .exactOptional()
        .describe('What answers searches of the scope from then on. Missing until the first generation is activated.'),
    }),
    part({
      kind: z.literal('knowledge-base'),
      ...entry,
      knowledgeBase: z.string(),
      change: z.enum(['created', 'configured', 'paused', 'resumed', 'archived', 'deleting', 'deleted']),
      name: z.string().exactOptional().describe('Its name from then on, after `created` and `configured`.'),
    }),
    part({
      kind: z.literal('unreadable'),
      ...entry,
      reason: z
        .enum(['erased', 'history-removed', 'unreadable'])
        .describe(
          '`erased`: the key of the scope was destroyed. `history-removed`: what described the document was removed from the log. `unreadable`: this version of the program cannot read the event.',
        ),
    }),
  ]),
  'Something that happened in a scope. `arrived`: a document is in the scope for the first time, or again after it was deleted. `changed`: another version of it replaced the one before. `left`: it was deleted. `failed`: a version could not be indexed; the one before, if there is one, stays. `model`: the generations of the scope.',
);
export type TimelineEntry = z.infer<typeof timelineEntry>;

export const timelinePage = view(
  'TimelinePage',
  {
    entries: list(timelineEntry),
    next: z.string().exactOptional(),
    from: moment.exactOptional().describe('When the scope was opened, with its first document. Missing until then.'),
    to: moment.describe('The end of the log, and the time of the response.'),
  },
  'Newest first. One request examines a limited number of events, so a page may be short or empty and still have a `next`. `from` and `to`: how far the history of the scope reaches, whatever the page.',
);
export type TimelinePage = z.infer<typeof timelinePage>;
