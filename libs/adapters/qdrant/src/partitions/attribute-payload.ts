import { createHash } from 'node:crypto';
import { canonicalAttributes } from '@palimpsest/contracts';
import type { Attributes, Scalar } from '@palimpsest/knowledge/access';
import { InvalidValue } from '@palimpsest/knowledge/errors';

/** Longer tokens are indexed by their hash. */
const MAX_TOKEN = 128;

const token = (json: string): string => (json.length <= MAX_TOKEN ? json : `#${createHash('sha256').update(json).digest('hex')}`);

/**
 * Attributes become values of one keyword index, never names in the payload. So a name may be anything (dots and brackets would
 * be paths), cannot collide with a name of ours, and `true`, `1` and `"1"` stay three values.
 */
export const valueToken = (field: string, value: Scalar): string => token(JSON.stringify([field, value]));
export const fieldToken = (field: string): string => token(JSON.stringify([field]));

/** The payload key of a number with this name, for ranges. */
export const numberKey = (field: string): string => `f${createHash('sha256').update(field).digest('hex').slice(0, 24)}`;

export type AttributePayload = Readonly<{ attributes: string; has: readonly string[]; numbers: Readonly<Record<string, number>> }>;

/** @throws InvalidValue for a number that JSON cannot represent */
export const attributePayload = (attributes: Attributes): AttributePayload => {
  const has: string[] = [];
  const numbers: Record<string, number> = {};
  for (const [field, value] of Object.entries(attributes)) {
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw new InvalidValue(`attributes.${field}`, 'a finite number', value);
      numbers[numberKey(field)] = value;
    }
    has.push(fieldToken(field), valueToken(field, value));
  }
  return { attributes: canonicalAttributes(attributes), has, numbers };
};

export const attributesIn = (json: unknown): Attributes => (typeof json === 'string' ? (JSON.parse(json) as Attributes) : {});
