export {
  documentTitle,
  shownTitle,
  fileName,
  mediaType,
  languageTag,
  knowledgeBaseName,
  knowledgeBaseDescription,
  chunkText,
  remark,
} from '../values/texts.ts';
export { keywordsOf } from '../values/keywords.ts';
export { chunkPlace } from '../values/chunk-place.ts';
export { isWrittenLike, lettersOf, primaryLanguage } from '../values/written-language.ts';
export { FIELD_WEIGHTS, weightedTexts, type LexicalFields, type WeightedText } from '../values/lexical-fields.ts';
export {
  FILTER_LIMITS,
  LENGTHS,
  MAX_FIELDS,
  MAX_INDEX_RESULTS,
  MAX_LABELS,
  PATTERNS,
  REQUIRED_LABELS,
  SYNONYM_LIMITS,
} from '../values/value-limits.ts';
export {
  mentions,
  placedWords,
  synonymRules,
  synonyms,
  type PlacedWord,
  type SynonymRule,
  type Synonyms,
  type SynonymsInScope,
} from '../values/synonyms.ts';
