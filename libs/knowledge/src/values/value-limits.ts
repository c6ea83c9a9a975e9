/** Maximum lengths in UTF-16 units (of `sourceId`: in code points). Parsers, schemas, the OpenAPI document and docs take them from here. */
export const LENGTHS = {
  sourceId: 1_024,
  title: 500,
  shownTitle: 1_024,
  fileName: 1_024,
  mediaType: 200,
  language: 35,
  knowledgeBaseName: 200,
  knowledgeBaseDescription: 2_000,
  /** More than any chunker produces. */
  chunkText: 500_000,
  /** A heading, a warning, a metadata value. */
  remark: 10_000,
  labelName: 64,
  labelValue: 256,
  knowledgeBaseId: 64,
  tenantId: 63,
  /** A team or a user, in the name of a scope. */
  memberId: 128,
  /** A data subject, in characters (code points). */
  subjectId: 200,
  goldenSetName: 64,
  goldenQueryId: 200,
} as const;

/** Maximum number of labels of a document. */
export const MAX_LABELS = 32;

/** Labels that an API key requires, and values of each. */
export const REQUIRED_LABELS = { names: 8, values: 32 } as const;

/** Maximum number of fields that a knowledge base declares. */
export const MAX_FIELDS = 64;

/**
 * Synonyms of a knowledge base: maximum number of rules, of words and phrases in a rule, and of UTF-16 units in a word or phrase and in all
 * rules. A body of 64 KiB has room for all rules.
 */
export const SYNONYM_LIMITS = { rules: 500, words: 32, word: 100, units: 20_000 } as const;

/** Maximum nesting and number of conditions of a filter, and maximum length of a field name in it. */
export const FILTER_LIMITS = { levels: 16, conditions: 256, fieldName: 100 } as const;

/** Maximum number of results that one search of an index returns. */
export const MAX_INDEX_RESULTS = 1_000;

/** Forms of ids, as regular expressions that match the whole text; they contain the maximum lengths. */
export const PATTERNS = {
  documentId: '^[0-9a-f]{32}$',
  subjectKey: '^[0-9a-f]{32}$',
  fleetId: '^[0-9a-f]{12}$',
  generationId: '^g[1-9][0-9]{0,8}$',
  planId: '^p[1-9][0-9]{0,8}$',
  knowledgeBaseId: `^[a-z0-9]([a-z0-9._-]{0,${LENGTHS.knowledgeBaseId - 2}}[a-z0-9])?$`,
  labelName: `^[A-Za-z][A-Za-z0-9_.-]{0,${LENGTHS.labelName - 1}}$`,
  /** A label or metadata, as filters name it. */
  fieldName: `^(label[.][A-Za-z][A-Za-z0-9_.-]{0,${LENGTHS.labelName - 1}}|meta[.][^\\s].{0,94})$`,
  goldenSetName: `^[a-z0-9]([a-z0-9._-]{0,${LENGTHS.goldenSetName - 2}}[a-z0-9])?$`,
  /** An embedding version with `_` for `:`, `/` and other characters that a path cannot have. */
  modelId: '^[a-z0-9][A-Za-z0-9._-]{0,249}$',
  position: '^(0|[1-9][0-9]{0,19})$',
  /** RFC 3339, without leap seconds. */
  time: '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$',
  /** `platform`, `deployment`, `team:<id>` or `user:<id>`. */
  scope: `^(platform|deployment|(team|user):[A-Za-z0-9]([A-Za-z0-9._@-]{0,${LENGTHS.memberId - 2}}[A-Za-z0-9])?)$`,
  tenantId: `^[a-z0-9]([a-z0-9_-]{0,${LENGTHS.tenantId - 2}}[a-z0-9])?$`,
} as const;
