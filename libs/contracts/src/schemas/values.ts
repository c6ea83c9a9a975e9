import { z } from 'zod';
import { FIELD_TYPES, fields, givenLabels } from '@palimpsest/knowledge/access';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { blobKey } from '@palimpsest/knowledge/ports';
import {
  chunkText,
  documentTitle,
  fileName,
  knowledgeBaseDescription,
  knowledgeBaseName,
  languageTag,
  LENGTHS,
  MAX_FIELDS,
  MAX_LABELS,
  mediaType,
  PATTERNS,
  remark,
  shownTitle,
  SYNONYM_LIMITS,
  synonyms,
} from '@palimpsest/knowledge/texts';
import { fleetId } from '@palimpsest/knowledge/fleet';
import { goldenQueryId, goldenSetName } from '@palimpsest/knowledge/golden';
import { modelId } from '@palimpsest/knowledge/models';
import { planId } from '@palimpsest/knowledge/plans';
import { subjectId, subjectKey } from '@palimpsest/knowledge/subjects';
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
import { asOf } from '@palimpsest/knowledge/past';

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

export const wire = {
  asOf: parsedBy((raw) => asOf(raw), { pattern: `${PATTERNS.position}|${PATTERNS.time}` }),
  blobKey: parsedBy((raw) => blobKey(raw)),
  chunkId: parsedBy((raw) => chunkId(raw)),
  chunkListId: parsedBy((raw) => chunkListId(raw)),
  chunkingVersion: parsedBy((raw) => chunkingVersion(raw)),
  documentId: parsedBy((raw) => documentId(raw), { pattern: PATTERNS.documentId }),
  embeddingVersion: parsedBy((raw) => embeddingVersion(raw)),
  fleetId: parsedBy((raw) => fleetId(raw), { pattern: PATTERNS.fleetId }),
  generationId: parsedBy((raw) => generationId(raw), { pattern: PATTERNS.generationId }),
  goldenQueryId: parsedBy((raw) => goldenQueryId(raw), { minLength: 1, maxLength: LENGTHS.goldenQueryId }),
  goldenSetName: parsedBy((raw) => goldenSetName(raw), { pattern: PATTERNS.goldenSetName }),
  knowledgeBaseId: parsedBy((raw) => knowledgeBaseId(raw), { pattern: PATTERNS.knowledgeBaseId }),
  modelId: parsedBy((raw) => modelId(raw), { pattern: PATTERNS.modelId }),
  planId: parsedBy((raw) => planId(raw), { pattern: PATTERNS.planId }),
  origin: parsedBy((raw) => origin(raw), { enum: [...ORIGINS] }),
  position: parsedBy((raw) => position(raw), { pattern: PATTERNS.position }),
  sha256: parsedBy((raw) => sha256(raw)),
  sourceId: parsedBy((raw) => sourceId(raw), { minLength: 1, maxLength: LENGTHS.sourceId }),
  subjectId: parsedBy((raw) => subjectId(raw), { minLength: 1, maxLength: LENGTHS.subjectId }),
  subjectKey: parsedBy((raw) => subjectKey(raw), { pattern: PATTERNS.subjectKey }),
  scope: parsedBy((raw) => vectorScope(raw), { pattern: PATTERNS.scope }),
  givenLabels: z
    .record(z.string(), z.union([z.string(), z.array(z.string()).readonly()]))
    .meta({
      propertyNames: { pattern: PATTERNS.labelName },
      additionalProperties: {
        anyOf: [
          { type: 'string', maxLength: LENGTHS.labelValue },
          { type: 'array', items: { type: 'string', pattern: '\\S' }, maxItems: LENGTHS.labelValue / 2 },
        ],
      },
      maxProperties: MAX_LABELS,
    })
    .transform((raw) => givenLabels(raw)),
  labels: z
    .record(z.string(), z.string())
    .meta({
      propertyNames: { pattern: PATTERNS.labelName },
      additionalProperties: { type: 'string', maxLength: LENGTHS.labelValue },
      maxProperties: MAX_LABELS,
    })
    .transform((raw) => labels(raw)),
  fields: z
    .record(z.string(), z.enum(FIELD_TYPES))
    .meta({ propertyNames: { pattern: PATTERNS.fieldName }, maxProperties: MAX_FIELDS })
    .transform((raw) => fields(raw)),
  synonyms: z
    .array(z.string())
    .meta({ items: { type: 'string', minLength: 3 }, maxItems: SYNONYM_LIMITS.rules })
    .transform((raw) => synonyms(raw)),
  tenantId: parsedBy((raw) => tenantId(raw), { pattern: PATTERNS.tenantId }),
  title: parsedBy((raw) => documentTitle(raw), { minLength: 1, maxLength: LENGTHS.title }),
  shownTitle: parsedBy((raw) => shownTitle(raw), { minLength: 1, maxLength: LENGTHS.shownTitle }),
  fileName: parsedBy((raw) => fileName(raw), { minLength: 1, maxLength: LENGTHS.fileName }),
  mediaType: parsedBy((raw) => mediaType(raw), { maxLength: LENGTHS.mediaType }),
  language: parsedBy((raw) => languageTag(raw), { minLength: 2, maxLength: LENGTHS.language }),
  knowledgeBaseName: parsedBy((raw) => knowledgeBaseName(raw), { minLength: 1, maxLength: LENGTHS.knowledgeBaseName }),
  knowledgeBaseDescription: parsedBy((raw) => knowledgeBaseDescription(raw), { maxLength: LENGTHS.knowledgeBaseDescription }),
  chunkText: parsedBy((raw) => chunkText(raw), { minLength: 1 }),
  remark: parsedBy((raw) => remark(raw), { maxLength: LENGTHS.remark }),
  time: z.iso.datetime({ offset: true }),
  count: z.number().int().nonnegative(),
  ordinal: z.number().int().positive(),
  base64: z.base64(),
  strings: z.record(z.string(), z.string()),
};
