import { badFormat } from './refusal.mjs';

const UUID = /^(?:urn:uuid:)?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;

/** An unsigned integer (this server: up to 2^53) or a UUID, in canonical form. */
export const pointId = (raw) => {
  if (Number.isSafeInteger(raw) && raw >= 0) return raw;
  const parts = typeof raw === 'string' ? UUID.exec(raw) : null;
  if (parts === null)
    throw badFormat(`value ${JSON.stringify(raw)} is not a valid point ID, valid values are either an unsigned integer or a UUID`);
  return parts.slice(1).join('-').toLowerCase();
};

/** Numbers before UUIDs. */
export const compareIds = (a, b) => {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
};
