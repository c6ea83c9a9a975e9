import { createHash } from 'node:crypto';

import { check, checked, DESCRIPTION_CHECKS, type Checks } from './description-checks.ts';
import { readCheckedFolder } from './model-folder.ts';

/** The content of `model.json` in the folder of a cross-encoder that was exported to ONNX with one or two logits as output. */
export type PairDescription = Readonly<{
  provider: 'onnx';
  /** What kind of model it is: an embedding model has no such field. */
  task: 'rerank';
  model: string;
  /** The window for a pair; includes special tokens. */
  maxTokens: number;
  /** Lower-case the texts first, for a model whose tokenizer fails to do it. */
  lowercase: boolean;
  /** `sigmoid`: scores are probabilities; `none`: logits. */
  activation: 'sigmoid' | 'none';
  /** File name to SHA-256, at least `model.onnx` and `tokenizer.json`. */
  files: Readonly<Record<string, string>>;
  /** Where the files came from. For people: nothing reads it. */
  source?: Readonly<Record<string, unknown>>;
}>;

/** A cross-encoder whose files match the checksums in `model.json`. */
export type PairFolder = Readonly<{ folder: string; description: PairDescription }>;

const { provider, model, maxTokens, lowercase, files, source } = DESCRIPTION_CHECKS;
const CHECKS: Checks<PairDescription> = {
  ...{ provider, model, maxTokens, lowercase, files, source },
  task: check('"rerank"', (value) => value === 'rerank'),
  activation: check('"sigmoid" or "none"', (value) => value === 'sigmoid' || value === 'none'),
};

/** @throws InvalidValue that names the field; Corrupt if a file does not match its checksum */
export const readPairFolder = (folder: string): Promise<PairFolder> => readCheckedFolder(folder, (raw) => checked(raw, CHECKS));

/** Names the model and everything that its scores depend on. */
export const pairVersion = ({ model: name, maxTokens: window, lowercase: lower, activation, files: sums }: PairDescription): string => {
  const all = JSON.stringify([window, lower, activation, Object.entries(sums).sort(([a], [b]) => (a < b ? -1 : 1))]);
  return `onnx:${name}@${createHash('sha256').update(all).digest('hex').slice(0, 12)}`;
};
