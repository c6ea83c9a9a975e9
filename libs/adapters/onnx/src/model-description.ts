import { MAX_DIMENSIONS } from '@palimpsest/knowledge/values';
import { check, checked, DESCRIPTION_CHECKS, isWhole, type Checks } from './description-checks.ts';

/**
 * The content of `model.json` in a model's folder. Supports any sentence embedding model of the BERT family (XLM-RoBERTa included) that was
 * exported to ONNX with one vector per token as an output.
 */
export type ModelDescription = Readonly<{
  provider: 'onnx';
  /** The name in the `EmbeddingVersion`. A model that produces different vectors must have a different name. */
  model: string;
  dimensions: number;
  /** How token vectors are combined: their mean, or the vector of the first or last token. */
  pooling: 'mean' | 'cls' | 'last';
  /** Longer texts are truncated; includes special tokens. */
  maxTokens: number;
  /** Vectors are scaled to unit length. The platform requires it. */
  normalize: true;
  /** Prepended to each query or passage; '' for none. */
  queryPrefix: string;
  passagePrefix: string;
  /** Lower-case the text first, for a model whose tokenizer fails to do it. */
  lowercase: boolean;
  /** Languages (ISO 639-1) that the model supports. For others, searches give sparse results more weight. Omitted: any language. */
  languages?: readonly string[];
  /** File name to SHA-256, at least `model.onnx` and `tokenizer.json`. */
  files: Readonly<Record<string, string>>;
  /** Where the files came from, as `palimpsest models download` records it. For people: nothing reads it. */
  source?: Readonly<Record<string, unknown>>;
}>;

const CHECKS: Checks<ModelDescription> = {
  ...DESCRIPTION_CHECKS,
  dimensions: check(`a whole number from 1 to ${MAX_DIMENSIONS}`, (value) => isWhole(value, MAX_DIMENSIONS)),
  pooling: check('"mean", "cls" or "last"', (value) => value === 'mean' || value === 'cls' || value === 'last'),
  normalize: check('true', (value) => value === true),
  queryPrefix: check('a string', (value) => typeof value === 'string'),
  passagePrefix: check('a string', (value) => typeof value === 'string'),
  languages: check('a list of ISO 639-1 codes, such as ["en"], or nothing', (value) => value === undefined || isListOfCodes(value)),
};

/** @throws InvalidValue that names the field */
export const modelDescription = (raw: unknown): ModelDescription => checked(raw, CHECKS);

const isListOfCodes = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((code) => typeof code === 'string' && /^[a-z]{2}$/.test(code));
