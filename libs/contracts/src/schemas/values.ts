import { z } from 'zod';
import {
  blobKey, chunkId, chunkingVersion, documentId, embeddingVersion, generationId, knowledgeBaseId, origin, sha256, sourceId, vectorScope, labels,
  InvalidValue, ORIGINS,
} from '@palimpsest/knowledge';

/** What a description of the string says of it; the parser decides. */
type Form = Readonly<{ pattern?: string; enum?: string[]; minLength?: number; maxLength?: number }>;

/** A string that the domain's own parser accepts; its branded type comes out. */
const parsedBy = <Out>(parse: (raw: string) => Out, form: Form = {}) =>
  z.string().meta(form).transform((raw, context) => {
    try {
      return parse(raw);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });

/** `platform`, `deployment`, `team:<id>` or `user:<id>`. */
const SCOPE = '^(platform|deployment|(team|user):[A-Za-z0-9]([A-Za-z0-9._@-]{0,126}[A-Za-z0-9])?)$';

export const wire = {
  blobKey: parsedBy((raw) => blobKey(raw)),
  chunkId: parsedBy((raw) => chunkId(raw)),
  chunkingVersion: parsedBy((raw) => chunkingVersion(raw)),
  documentId: parsedBy((raw) => documentId(raw), { pattern: '^[0-9a-f]{32}$' }),
  embeddingVersion: parsedBy((raw) => embeddingVersion(raw)),
  generationId: parsedBy((raw) => generationId(raw)),
  knowledgeBaseId: parsedBy((raw) => knowledgeBaseId(raw), { pattern: '^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$' }),
  origin: parsedBy((raw) => origin(raw), { enum: [...ORIGINS] }),
  sha256: parsedBy((raw) => sha256(raw)),
  sourceId: parsedBy((raw) => sourceId(raw), { minLength: 1, maxLength: 1_024 }),
  scope: parsedBy((raw) => vectorScope(raw), { pattern: SCOPE }),
  labels: z.record(z.string(), z.string()).meta({ propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,63}$' }, additionalProperties: { type: 'string', maxLength: 256 }, maxProperties: 32 }).transform((raw) => labels(raw)),
  time: z.iso.datetime({ offset: true }),
  count: z.number().int().nonnegative(),
  ordinal: z.number().int().positive(),
  base64: z.base64(),
  strings: z.record(z.string(), z.string()),
};
