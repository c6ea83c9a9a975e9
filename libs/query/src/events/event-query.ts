import { z } from 'zod';
import { domainCodec, parseInput, wire } from '@palimpsest/contracts';
import { documentStream, hasRole, InvalidValue, position, requireRole } from '@palimpsest/knowledge';
import { shownEvents } from './opened-data.ts';
import type { Access, DocumentId, DomainEventType, KnowledgeBaseId, Position, StreamName, VectorScope } from '@palimpsest/knowledge';

/** The types that the list of events shows, in the order of the reference. */
export const SHOWN_TYPES = domainCodec.types().filter((type) => shownEvents.handles.includes(type)) as [DomainEventType, ...DomainEventType[]];

const filters = {
  stream: z.string().min(1).max(400).exactOptional().describe('events of this stream'),
  type: z.array(z.enum(SHOWN_TYPES)).min(1).max(SHOWN_TYPES.length).exactOptional().describe('events of these types; can be repeated'),
  document: wire.documentId.exactOptional().describe('events of this document'),
  knowledgeBase: wire.knowledgeBaseId.exactOptional().describe('events of this knowledge base and its documents'),
  scope: wire.scope.exactOptional().describe('events of this scope'),
};

/** Query parameters of the list. */
export const eventsQuery = z.strictObject({
  ...filters,
  direction: z.enum(['backwards', 'forwards']).default('backwards').describe('backwards: newest first'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(40).exactOptional(),
});

/** Query parameters of the live stream. */
export const liveQuery = z.strictObject({ ...filters, after: z.string().max(20).exactOptional().describe('position to start after; the Last-Event-ID header takes precedence') });

/** An event must match every given condition. `streams` also contains the stream of `document`. */
export type EventFilter = Readonly<{ streams: readonly StreamName[]; document?: DocumentId; types?: ReadonlySet<string>; knowledgeBase?: KnowledgeBaseId; scope?: VectorScope }>;

export type Cursor = Readonly<{ position: Position }> | Readonly<{ revision: number }>;
export type EventQuery = Readonly<{ filter: EventFilter; direction: 'forwards' | 'backwards'; limit: number; cursor?: Cursor }>;

/** A parameter that is given once is not parsed as a list. */
const listed = (query: unknown): unknown => {
  const { type, ...rest } = (query ?? {}) as Record<string, unknown>;
  return type === undefined ? rest : { ...rest, type: Array.isArray(type) ? type : [type] };
};

/** Whether the filter names something; it then only finds events that the caller may read. */
export const namesThings = ({ streams, knowledgeBase, scope }: EventFilter): boolean => streams.length > 0 || knowledgeBase !== undefined || scope !== undefined;

const filterOf = (access: Access, given: Readonly<z.output<z.ZodObject<typeof filters>>>): EventFilter => {
  const { stream, type, document, knowledgeBase, scope } = given;
  const filter: EventFilter = {
    streams: [...(stream === undefined ? [] : [stream as StreamName]), ...(document === undefined ? [] : [documentStream(access.tenant, document)])],
    ...(document === undefined ? {} : { document }),
    ...(type === undefined ? {} : { types: new Set(type) }),
    ...(knowledgeBase === undefined ? {} : { knowledgeBase }),
    ...(scope === undefined ? {} : { scope }),
  };
  // An operator sees no names: a result for a name would reveal that it exists.
  if (namesThings(filter)) requireRole(access, 'reader');
  else if (!hasRole(access, 'operator')) requireRole(access, 'reader');
  return filter;
};

/** @throws InvalidValue, Forbidden */
export const eventQuery = (access: Access, query: unknown): EventQuery => {
  const { direction, limit, cursor, ...given } = parseInput(eventsQuery, listed(query));
  const filter = filterOf(access, given);
  return { filter, direction, limit, ...(cursor === undefined ? {} : { cursor: readCursor(cursor, filter) }) };
};

/** @throws InvalidValue, Forbidden */
export const liveEventQuery = (access: Access, query: unknown): Readonly<{ filter: EventFilter; after?: Position }> => {
  const { after, ...given } = parseInput(liveQuery, listed(query));
  return { filter: filterOf(access, given), ...(after === undefined ? {} : { after: position(after, 'after') }) };
};

/** Continues after the last scanned event, in the log or in the stream that is read. */
export const cursorOf = (cursor: Cursor): string => ('position' in cursor ? `p${cursor.position}` : `r${cursor.revision}`);

const readCursor = (raw: string, { streams }: EventFilter): Cursor => {
  const [, kind, digits = ''] = /^([pr])(0|[1-9][0-9]{0,18})$/.exec(raw) ?? [];
  const inStream = streams.length > 0;
  if (kind === 'p' && !inStream) return { position: position(digits, 'cursor') };
  if (kind === 'r' && inStream && Number.isSafeInteger(Number(digits))) return { revision: Number(digits) };
  throw new InvalidValue('cursor', 'the "next" value of an earlier response with the same filter', raw);
};
