import { z } from 'zod';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { blobKey } from '@palimpsest/knowledge/ports';
import {
  chunkText,
  documentTitle,
  fileName,
  knowledgeBaseDescription,
  knowledgeBaseName,
  languageTag,
  mediaType,
  remark,
  shownTitle,
} from '@palimpsest/knowledge/texts';
import {
  chunkId,
  chunkListId,
  chunkingVersion,
  documentId,
  embeddingVersion,
  generationId,
  knowledgeBaseId,
  origin,
  position,
  sha256,
  sourceId,
  tenantId,
  vectorScope,
  labels,
  ORIGINS,
} from '@palimpsest/knowledge/values';

/** Constraints for the published JSON schema. The parser validates. */
type Form = Readonly<{ pattern?: string; enum?: string[]; minLength?: number; maxLength?: number }>;

/** A string that the domain parser validates and returns with its branded type. */
const parsedBy = <Out>(parse: (raw: string) => Out, form: Form = {}) =>
  z
    .string()
    .meta(form)
    .transform((raw, context) => {
      try {
        return parse(raw);
      } catch (error) {
        if (!(error instanceof InvalidValue)) throw error;
        context.addIssue({ code: 'custom', message: error.message, params: { field: error.field } });
        return z.NEVER;
      }
    });

/** `platform`, `deployment`, `team:<id>` or `user:<id>`. */
const SCOPE = '^(platform|deployment|(team|user):[A-Za-z0-9]([A-Za-z0-9._@-]{0,126}[A-Za-z0-9])?)$';

export const wire = {
  blobKey: parsedBy((raw) => blobKey(raw)),
  chunkId: parsedBy((raw) => chunkId(raw)),
  chunkListId: parsedBy((raw) => chunkListId(raw)),
  chunkingVersion: parsedBy((raw) => chunkingVersion(raw)),
  documentId: parsedBy((raw) => documentId(raw), { pattern: '^[0-9a-f]{32}$' }),
  embeddingVersion: parsedBy((raw) => embeddingVersion(raw)),
  generationId: parsedBy((raw) => generationId(raw), { pattern: '^g[1-9][0-9]{0,5}$' }),
  knowledgeBaseId: parsedBy((raw) => knowledgeBaseId(raw), { pattern: '^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$' }),
  origin: parsedBy((raw) => origin(raw), { enum: [...ORIGINS] }),
  position: parsedBy((raw) => position(raw), { pattern: '^(0|[1-9][0-9]{0,19})$' }),
  sha256: parsedBy((raw) => sha256(raw)),
  sourceId: parsedBy((raw) => sourceId(raw), { minLength: 1, maxLength: 1_024 }),
  scope: parsedBy((raw) => vectorScope(raw), { pattern: SCOPE }),
  labels: z
    .record(z.string(), z.string())
    .meta({
      propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,63}$' },
      additionalProperties: { type: 'string', maxLength: 256 },
      maxProperties: 32,
    })
    .transform((raw) => labels(raw)),
  tenantId: parsedBy((raw) => tenantId(raw), { pattern: '^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$' }),
  title: parsedBy((raw) => documentTitle(raw), { minLength: 1, maxLength: 500 }),
  shownTitle: parsedBy((raw) => shownTitle(raw), { minLength: 1, maxLength: 1_024 }),
  fileName: parsedBy((raw) => fileName(raw), { minLength: 1, maxLength: 1_024 }),
  mediaType: parsedBy((raw) => mediaType(raw), { maxLength: 200 }),
  language: parsedBy((raw) => languageTag(raw), { minLength: 2, maxLength: 35 }),
  knowledgeBaseName: parsedBy((raw) => knowledgeBaseName(raw), { minLength: 1, maxLength: 200 }),
  knowledgeBaseDescription: parsedBy((raw) => knowledgeBaseDescription(raw), { maxLength: 2_000 }),
  chunkText: parsedBy((raw) => chunkText(raw), { minLength: 1 }),
  remark: parsedBy((raw) => remark(raw), { maxLength: 10_000 }),
  time: z.iso.datetime({ offset: true }),
  count: z.number().int().nonnegative(),
  ordinal: z.number().int().positive(),
  base64: z.base64(),
  strings: z.record(z.string(), z.string()),
};
