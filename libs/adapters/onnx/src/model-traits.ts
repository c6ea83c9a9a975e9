import { createHash } from 'node:crypto';
import type { ModelTraits } from '@palimpsest/knowledge/ports';
import type { ModelDescription } from './model-description.ts';

/** What the recipe of a generation records of the model. `digest` covers all of its files, by their SHA-256 in `model.json`. */
export const modelTraits = ({
  pooling,
  normalize,
  queryPrefix,
  passagePrefix,
  lowercase,
  maxTokens,
  files,
}: ModelDescription): ModelTraits => ({
  pooling,
  normalised: normalize,
  queryPrefix,
  passagePrefix,
  digest: createHash('sha256')
    .update(JSON.stringify([lowercase, maxTokens, Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))]))
    .digest('hex'),
});
