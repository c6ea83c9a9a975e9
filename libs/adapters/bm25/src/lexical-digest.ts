import { createHash } from 'node:crypto';
import type { Attributes, LexicalPut } from '@palimpsest/knowledge';

/** JSON with its keys in code-unit order: equal attributes give equal text. */
export const canonicalAttributes = (attributes: Attributes): string =>
  `{${Object.keys(attributes).sort().map((name) => `${JSON.stringify(name)}:${JSON.stringify(attributes[name])}`).join(',')}}`;

/**
 * SHA-256, 64 hexadecimal digits, over everything that a put says of its chunk: what `entries()` answers, and what `verify`
 * computes again from the log. The parts are written as JSON strings, so that they cannot run into each other.
 */
export const lexicalDigest = ({ chunkId, text, language, attributes }: Omit<LexicalPut, 'write'>): string =>
  createHash('sha256')
    .update(`[${JSON.stringify(chunkId)},${JSON.stringify(text)},${JSON.stringify(language)},${canonicalAttributes(attributes)}]`)
    .digest('hex');
