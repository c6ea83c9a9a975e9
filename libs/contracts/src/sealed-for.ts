import { ScopeKeyDestroyed, type RecordedEvent, type ScopeCipher, type ScopeKeys } from '@palimpsest/knowledge/ports';
import { subjectKey, subjectOf, type Sealing, type SubjectKey } from '@palimpsest/knowledge/subjects';
import { tenantId, vectorScope } from '@palimpsest/knowledge/values';
import type { ChunkText, EventMetadata } from '@palimpsest/knowledge/events';
import type { ChunkId, TenantScope } from '@palimpsest/knowledge/values';
import { openText } from './sealing.ts';

type Ciphers = Pick<ScopeKeys, 'cipher'>;
type SealedChunk = Readonly<{ chunkId: ChunkId; sealedText: Uint8Array }>;

/** `subject`: the data subject whom the content is about, if there is one. */
export const sealing = ({ tenant, scope }: TenantScope, subject: SubjectKey | undefined): Sealing => ({
  tenant,
  scope,
  ...(subject === undefined ? {} : { subject }),
});

/** What the content of an event was sealed for; undefined if it concerns no scope. */
export const sealedFor = ({ tenant, scope, subject }: EventMetadata): Sealing | undefined =>
  scope === undefined ? undefined : sealing({ tenant, scope }, subject);

/** The same of an event that is not decoded. @throws InvalidValue */
export const sealedForRecord = ({ metadata: { tenant, scope, subject } }: Pick<RecordedEvent, 'metadata'>): Sealing | undefined =>
  typeof scope === 'string'
    ? sealing(
        { tenant: tenantId(tenant), scope: vectorScope(scope) },
        subject === undefined ? undefined : subjectKey(subject, 'metadata.subject'),
      )
    : undefined;

/** The cipher under which content of a scope was sealed: that of the scope, or of a data subject. @throws ScopeKeyDestroyed */
export const cipherOf = (keys: Ciphers, scope: TenantScope, sealed: Uint8Array): Promise<ScopeCipher> =>
  keys.cipher(sealing(scope, subjectOf(sealed)));

/** The cipher; undefined if its key was destroyed. */
export const cipherIfAny = async (keys: Ciphers, of: Sealing): Promise<ScopeCipher | undefined> => {
  try {
    return await keys.cipher(of);
  } catch (error) {
    if (error instanceof ScopeKeyDestroyed) return undefined;
    throw error;
  }
};

/** The text of a chunk; undefined if its key was destroyed. @throws Corrupt */
export const textIfAny = async (
  keys: Ciphers,
  scope: TenantScope,
  { chunkId, sealedText }: SealedChunk,
): Promise<ChunkText | undefined> => {
  const cipher = await cipherIfAny(keys, sealing(scope, subjectOf(sealedText)));
  return cipher && openText(cipher, chunkId, sealedText);
};
