import { domainCodec, sealedForRecord, UnreadableEvent } from '@palimpsest/contracts';
import type { EventCategory, EventView } from '@palimpsest/contracts/http';
import { assertVisible } from '@palimpsest/knowledge/access';
import { Corrupt, InvalidValue } from '@palimpsest/knowledge/errors';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import { tenantId, vectorScope } from '@palimpsest/knowledge/values';
import type { Access } from '@palimpsest/knowledge/access';
import type { RecordedEvent, ScopeCipher, ScopeKeys } from '@palimpsest/knowledge/ports';
import { categoryOf, scopeOf, visibilityOf } from './event-visibility.ts';
import { openedData } from './opened-data.ts';

/** An event as the caller sees it. */
export type VisibleEvent = EventView;

type Content = Pick<VisibleEvent, 'content' | 'data' | 'documentId'>;

/** Undefined if the event is hidden from the caller. Damage and erased scopes are reported in `content`, not as an error. */
export const toEventView = async (access: Access, event: RecordedEvent, keys: ScopeKeys): Promise<VisibleEvent | undefined> => {
  const visibility = visibilityOf(access, event);
  const category = categoryOf(event);
  if (visibility === 'hidden' || category === undefined) return undefined;
  if (visibility === 'withheld') return { ...envelopeOf(event, category), content: 'withheld' };
  const scope = scopeOf(event);
  if (scope !== undefined) assertVisible(access, { scope });
  return {
    ...envelopeOf(event, category),
    stream: event.stream,
    ...(scope === undefined ? {} : { scope }),
    ...(await contentOf(access, event, keys)),
  };
};

const envelopeOf = (event: RecordedEvent, category: EventCategory) => {
  const { type, revision, recordedAt, metadata } = event;
  const { schemaVersion, actor, correlationId, causationId } = metadata;
  return {
    position: String(event.position),
    type,
    schemaVersion: typeof schemaVersion === 'number' ? schemaVersion : 0,
    category,
    revision,
    recordedAt,
    actor: typeof actor === 'string' ? actor : 'unknown',
    correlationId: typeof correlationId === 'string' ? correlationId : '',
    ...(typeof causationId === 'string' ? { causationId } : {}),
    bytes: Buffer.byteLength(JSON.stringify(event.data)),
  };
};

const contentOf = async (access: Access, recorded: RecordedEvent, keys: ScopeKeys): Promise<Content> => {
  try {
    const cipher = await cipherOf(recorded, keys);
    const fact = domainCodec.decode(recorded, cipher);
    const data = openedData(access, fact, cipher);
    return { content: 'open', ...('documentId' in fact.event.data ? { documentId: fact.event.data.documentId } : {}), data };
  } catch (error) {
    if (error instanceof ScopeKeyDestroyed) return { content: 'erased' };
    if (error instanceof UnreadableEvent || error instanceof Corrupt || error instanceof InvalidValue) return { content: 'unreadable' };
    throw error;
  }
};

/**
 * Also required for events without sealed data: once a scope is erased, none of its events are shown. A retrieval concerns several
 * scopes; its record says whose key sealed it.
 */
const cipherOf = async (recorded: RecordedEvent, keys: ScopeKeys): Promise<ScopeCipher | undefined> => {
  const { keyScope } = recorded.data;
  const isRetrieval = typeof keyScope === 'string' && categoryOf(recorded) === 'retrieval';
  const of = isRetrieval ? { tenant: tenantId(recorded.metadata['tenant']), scope: vectorScope(keyScope) } : sealedForRecord(recorded);
  return of && keys.cipher(of);
};
