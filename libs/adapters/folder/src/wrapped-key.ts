import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { Corrupt, KnowledgeError } from '@palimpsest/knowledge/errors';
import { openSealed, seal } from './sealed-bytes.ts';

/** The keys were wrapped with a different master key. Nothing is lost: start again with the correct one. */
export class WrongMasterKey extends KnowledgeError {
  readonly code = 'WrongMasterKey';
  readonly retryable = false;
}

/** The blob of a key: UTF-8 JSON, either a key wrapped with the master key of that id, or the record that it was destroyed. */
type Stored = Readonly<{ format: 1; masterKeyId: string; wrapped: string }> | Readonly<{ format: 1; destroyed: true }>;

/** Identifies a master key without revealing anything about it: 16 hexadecimal digits of an HMAC with the key. */
const masterKeyId = (masterKey: KeyObject): string =>
  createHmac('sha256', masterKey).update('palimpsest master key id').digest('hex').slice(0, 16);

/** What a blob contains, which its bytes are bound to, and how errors name it. */
export type Wrapped = Readonly<{ bound: readonly (string | number)[]; named: string }>;

const boundTo = ({ bound }: Wrapped): Buffer => Buffer.from(JSON.stringify(bound));

/** `content`: a key, or something else that only the owner of the master key may read. */
export const wrap = (masterKey: KeyObject, of: Wrapped, content: Uint8Array): Uint8Array => {
  const wrapped = Buffer.from(seal(masterKey, content, boundTo(of))).toString('base64');
  return encode({ format: 1, masterKeyId: masterKeyId(masterKey), wrapped });
};

export const tombstone = (): Uint8Array => encode({ format: 1, destroyed: true });

/** Whether the blob of a key says that it was destroyed. */
export const isTombstone = (blob: Uint8Array): boolean => 'destroyed' in (decode(blob) ?? {});

/** @throws WrongMasterKey, Corrupt */
export const unwrap = (masterKey: KeyObject, of: Wrapped, blob: Uint8Array): Uint8Array | 'destroyed' => {
  const stored = decode(blob);
  if (stored === undefined) throw new Corrupt(`${of.named}: the blob does not contain a wrapped key`);
  if ('destroyed' in stored) return 'destroyed';
  const id = masterKeyId(masterKey);
  if (stored.masterKeyId !== id)
    throw new WrongMasterKey(`the master key (${id}) is not the one that wrapped this scope's key (${stored.masterKeyId}): ${of.named}`);
  const content = openSealed(masterKey, Buffer.from(stored.wrapped, 'base64'), boundTo(of));
  if (content === undefined) throw new Corrupt(`${of.named} cannot be unwrapped: its blob was changed or belongs to another scope`);
  return content;
};

/** @throws WrongMasterKey, Corrupt */
export const unwrapKey = (masterKey: KeyObject, of: Wrapped, blob: Uint8Array): KeyObject | 'destroyed' => {
  const key = unwrap(masterKey, of, blob);
  if (key !== 'destroyed' && key.length !== 32) throw new Corrupt(`${of.named} cannot be unwrapped: it does not have 32 bytes`);
  return key === 'destroyed' ? key : createSecretKey(key);
};

const encode = (stored: Stored): Uint8Array => Buffer.from(JSON.stringify(stored));

const decode = (blob: Uint8Array): Stored | undefined => {
  const raw = parsed(Buffer.from(blob).toString('utf8'));
  if (typeof raw !== 'object' || raw === null || !('format' in raw) || raw.format !== 1) return undefined;
  if ('destroyed' in raw && raw.destroyed === true) return { format: 1, destroyed: true };
  if (!('masterKeyId' in raw) || !('wrapped' in raw)) return undefined;
  const { masterKeyId: id, wrapped } = raw;
  return typeof id === 'string' && typeof wrapped === 'string' ? { format: 1, masterKeyId: id, wrapped } : undefined;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
