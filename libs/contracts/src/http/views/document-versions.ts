import { z } from 'zod';
import { list, named, part, view } from '../view.ts';
import { chunkView, position } from './documents.ts';

const moment = part({ position, at: z.string() });

const shared = {
  documentId: z.string(),
  knowledgeBase: z.string(),
  scope: z.string(),
  source: z.string(),
  deleted: z.boolean().describe('The document was deleted. Its versions can be read as long as the log has them.'),
  deletion: moment.exactOptional().describe('When it was deleted.'),
};

export const documentVersionDetails = view(
  'DocumentVersionDetails',
  {
    ...shared,
    version: z.number(),
    title: z.string(),
    status: z
      .enum(['indexed', 'failed', 'pending', 'superseded'])
      .describe('`superseded`: a later version was submitted before this one was indexed.'),
    submitted: moment,
    indexed: moment.exactOptional(),
    chunkList: z.string().describe('The chunking of the chunks: `default` if the knowledge base had its own settings.').exactOptional(),
    reason: z.string().describe('Why it could not be indexed: a stable code. `detail` explains it in a sentence.').exactOptional(),
    detail: z.string().exactOptional(),
    total: z.number().describe('Number of chunks on all pages.'),
    chunks: list(chunkView),
    next: z.string().exactOptional(),
  },
  'One version of a document, from the event log: also a version that was replaced, and one of a deleted document.',
);
export type DocumentVersionDetails = z.infer<typeof documentVersionDetails>;

const side = part({ version: z.number(), title: z.string(), indexed: moment, chunkList: z.string(), chunks: z.number() });

const chunkPlace = part({
  index: z.number(),
  fromLine: z.number(),
  toLine: z.number(),
  page: z.number().exactOptional(),
});

export const chunkDifference = view('ChunkDifference', {
  change: z.enum(['kept', 'added', 'removed']),
  chunkId: z.string(),
  headings: list(z.string()),
  from: chunkPlace.exactOptional().describe('Its place in the earlier version.'),
  to: chunkPlace.exactOptional().describe('Its place in the later version.'),
});
export type ChunkDifference = z.infer<typeof chunkDifference>;

export const documentDiff = view(
  'DocumentDiff',
  {
    ...shared,
    from: side,
    to: side,
    counts: part({ added: z.number(), removed: z.number(), kept: z.number() }).describe('Of all chunks.'),
    chunks: list(chunkDifference).describe('In text order; removed chunks are before the added ones that replace them.'),
    unified: z
      .string()
      .describe(
        'The difference of the texts as a unified diff with three lines of context; empty if the texts are the same. Texts are put together from the chunks, so that places which no chunk covers are blank, and line ends are LF.',
      )
      .exactOptional(),
    unifiedMissing: named(
      'UnifiedMissing',
      z.enum(['too-large', 'too-different']),
      'Why there is no unified diff. `too-large`: a text or the diff is too large. `too-different`: too many lines differ.',
    ).exactOptional(),
    truncated: z.boolean().describe('`chunks` or `unified` was cut at its limit. `counts` are complete.'),
  },
  'The difference of two versions of a document. A chunk is kept if its text and its context are the same.',
);
export type DocumentDiff = z.infer<typeof documentDiff>;
