import { z } from 'zod';
import type { GoldenEvent } from '@palimpsest/knowledge/golden';
import type { WireEvents } from '../event-codec.ts';
import { wire } from '../schemas/values.ts';

const judgement = z.object({
  documentId: wire.documentId,
  grade: wire.count,
  knowledgeBase: wire.knowledgeBaseId.exactOptional(),
  sourceId: wire.sourceId.exactOptional(),
});

const set = { scope: wire.scope, set: wire.goldenSetName, version: wire.ordinal };

export const goldenEvents: WireEvents<GoldenEvent> = {
  GoldenQueriesStored: {
    schema: z.object({
      scope: wire.scope,
      content: wire.sha256,
      part: wire.count,
      queries: z.array(z.object({ id: z.string(), text: z.string(), synthetic: z.boolean(), judgements: z.array(judgement) })),
    }),
    sealed: { queries: [] },
  },
  GoldenSetImported: {
    schema: z.object({
      ...set,
      content: wire.sha256,
      parts: wire.ordinal,
      queries: wire.ordinal,
      judgements: wire.count,
      synthetic: wire.count,
      bytes: wire.count,
      importedAt: wire.time,
    }),
  },
  GoldenSetRemoved: { schema: z.object({ ...set, removedAt: wire.time }) },
};
