import { canonicalAttributes } from '@palimpsest/contracts';
import type { Attributes, Scalar } from '@palimpsest/knowledge/access';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { ChunkId } from '@palimpsest/knowledge/values';
import type { PartitionSeal } from './partition-seal.ts';

const ATTRIBUTES = 'attributes';

/**
 * Attributes become tokens of one keyword index, never names in the payload. So a name may be anything (dots and brackets would
 * be paths), cannot collide with a name of ours, and `true`, `1` and `"1"` stay three values.
 */
export const valueToken = (seal: PartitionSeal, field: string, value: Scalar): string =>
  seal.token('attribute', JSON.stringify([field, value]));
export const fieldToken = (seal: PartitionSeal, field: string): string => seal.token('attribute', JSON.stringify([field]));

/** `attributes`: sealed, for the conditions that tokens cannot express. */
export type AttributePayload = Readonly<{ attributes: string; has: readonly string[] }>;

/** @throws InvalidValue for a number that JSON cannot represent */
export const attributePayload = (seal: PartitionSeal, chunkId: ChunkId, attributes: Attributes): AttributePayload => {
  const has: string[] = [];
  for (const [field, value] of Object.entries(attributes)) {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new InvalidValue(`attributes.${field}`, 'a finite number', value);
    has.push(fieldToken(seal, field), valueToken(seal, field, value));
  }
  return { attributes: seal.seal(ATTRIBUTES, chunkId, Buffer.from(canonicalAttributes(attributes))), has };
};

/** Nothing if they were not sealed for this chunk. */
export const attributesIn = (
  seal: PartitionSeal,
  { chunkId, payload }: Readonly<{ chunkId: ChunkId; payload: Readonly<Record<string, unknown>> }>,
): Attributes | undefined => {
  const opened = seal.open(ATTRIBUTES, chunkId, payload[ATTRIBUTES]);
  return opened && (JSON.parse(opened.toString()) as Attributes);
};
