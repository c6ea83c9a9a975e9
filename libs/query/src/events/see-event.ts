import { domainCodec, UnreadableEvent } from '@palimpsest/contracts';
import { Corrupt, ScopeKeyDestroyed, secondLook } from '@palimpsest/knowledge';
import type { Access, DomainEvent, Fact, RecordedEvent, ScopeCipher, ScopeKeys } from '@palimpsest/knowledge';
import { categoryOf, scopeOf, sightOf } from './event-sight.ts';
import { openedData, type OpenedData } from './opened-data.ts';

/** An event as a caller sees it; see `EventView` of the typed client. */
export type SeenEvent = Readonly<{
  position: string;
  type: string;
  schemaVersion: number;
  category: string;
  stream?: string;
  revision: number;
  recordedAt: string;
  actor: string;
  correlationId: string;
  causationId?: string;
  scope?: string;
  documentId?: string;
  bytes: number;
  content: 'open' | 'withheld' | 'erased' | 'unreadable';
  data?: OpenedData;
}>;

type Content = Pick<SeenEvent, 'content' | 'data' | 'documentId'>;

/** Nothing, for who may not even know of it. Neither damage nor an erased scope is a fault of who looks: it is told as such. */
export const seeEvent = async (access: Access, event: RecordedEvent, keys: ScopeKeys): Promise<SeenEvent | undefined> => {
  const sight = sightOf(access, event);
  if (sight === 'hidden') return undefined;
  if (sight === 'withheld') return { ...envelopeOf(event), content: 'withheld' };
  const scope = scopeOf(event);
  if (scope !== undefined) secondLook(access, { scope });
  return { ...envelopeOf(event), stream: event.stream, ...(scope === undefined ? {} : { scope }), ...(await contentOf(access, event, keys)) };
};

const envelopeOf = (event: RecordedEvent) => {
  const { type, revision, recordedAt, metadata } = event;
  const { schemaVersion, actor, correlationId, causationId } = metadata;
  return {
    position: String(event.position),
    type,
    schemaVersion: typeof schemaVersion === 'number' ? schemaVersion : 0,
    category: categoryOf(event),
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
    const fact = domainCodec.decode(recorded);
    const data = openedData(access, fact.event, await cipherOf(fact, keys));
    return { content: 'open', ...('documentId' in fact.event.data ? { documentId: fact.event.data.documentId } : {}), data };
  } catch (error) {
    if (error instanceof ScopeKeyDestroyed) return { content: 'erased' };
    if (error instanceof UnreadableEvent || error instanceof Corrupt) return { content: 'unreadable' };
    throw error;
  }
};

/** Also of what is not sealed: once a scope is erased, none of it is shown. */
const cipherOf = async ({ metadata: { tenant, scope } }: Fact<DomainEvent>, keys: ScopeKeys): Promise<ScopeCipher | undefined> =>
  scope === undefined ? undefined : keys.cipher({ tenant, scope });
