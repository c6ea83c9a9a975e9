import { z } from 'zod';
import {
  blobKey, chunkId, chunkingVersion, documentId, embeddingVersion, generationId, knowledgeBaseId, origin, sha256, sourceId, vectorScope, labels,
  InvalidValue,
} from '@palimpsest/knowledge';

/** A string that the domain's own parser accepts; its branded type comes out. */
const parsedBy = <Out>(parse: (raw: string) => Out) =>
  z.string().transform((raw, context) => {
    try {
      return parse(raw);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });

export const wire = {
  blobKey: parsedBy((raw) => blobKey(raw)),
  chunkId: parsedBy((raw) => chunkId(raw)),
  chunkingVersion: parsedBy((raw) => chunkingVersion(raw)),
  documentId: parsedBy((raw) => documentId(raw)),
  embeddingVersion: parsedBy((raw) => embeddingVersion(raw)),
  generationId: parsedBy((raw) => generationId(raw)),
  knowledgeBaseId: parsedBy((raw) => knowledgeBaseId(raw)),
  origin: parsedBy((raw) => origin(raw)),
  sha256: parsedBy((raw) => sha256(raw)),
  sourceId: parsedBy((raw) => sourceId(raw)),
  scope: parsedBy((raw) => vectorScope(raw)),
  labels: z.record(z.string(), z.string()).transform((raw) => labels(raw)),
  time: z.iso.datetime({ offset: true }),
  count: z.number().int().nonnegative(),
  ordinal: z.number().int().positive(),
  base64: z.base64(),
  strings: z.record(z.string(), z.string()),
};
