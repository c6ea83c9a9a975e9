import { InvalidValue } from '@palimpsest/knowledge/errors';
import { isRecord } from './json-fields.ts';

const SUPPORTED = ['WordPiece', 'Unigram', 'BPE'];

/** @throws InvalidValue for a kind of tokenizer that the platform cannot read */
export const checkTokenizer = (tokenizer: unknown): void => {
  const model = isRecord(tokenizer) ? tokenizer['model'] : undefined;
  const kind = isRecord(model) ? model['type'] : undefined;
  if (typeof kind !== 'string' || !SUPPORTED.includes(kind))
    throw new InvalidValue('tokenizer.json', `a tokenizer of the kind ${SUPPORTED.join(', ')}`, kind);
};
