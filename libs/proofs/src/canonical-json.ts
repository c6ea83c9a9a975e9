import canonicalize from 'canonicalize';
import type { JsonObject } from '@palimpsest/knowledge/ports';

/** The JSON text that signatures and digests cover: RFC 8785 (keys sorted, no white space). @throws TypeError if a text has an unpaired surrogate */
export const canonicalJson = (value: JsonObject): string => {
  let text: string | undefined;
  try {
    text = canonicalize(value);
  } catch (cause) {
    throw new TypeError('the value has no canonical JSON', { cause });
  }
  if (text === undefined) throw new TypeError('the value has no canonical JSON');
  return text;
};
