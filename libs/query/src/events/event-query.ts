import type { InputOf } from '@palimpsest/contracts/http';
import type { listEvents } from '@palimpsest/contracts/routes/events';
import { hasRole } from '@palimpsest/knowledge/access';
import { documentStream } from '@palimpsest/knowledge/deciders';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { position } from '@palimpsest/knowledge/values';
import type { Access, Role } from '@palimpsest/knowledge/access';
import type { StreamName } from '@palimpsest/knowledge/ports';
import type { DocumentId, KnowledgeBaseId, Position, VectorScope } from '@palimpsest/knowledge/values';

export type AskedEvents = InputOf<typeof listEvents>['query'];
/** What a live stream may be asked for, too. */
export type AskedFilter = Omit<AskedEvents, 'direction' | 'limit' | 'cursor'>;

/** An event must match every given condition. `streams` also contains the stream of `document`. */
export type EventFilter = Readonly<{
  streams: readonly StreamName[];
  document?: DocumentId;
  types?: ReadonlySet<string>;
  knowledgeBase?: KnowledgeBaseId;
  scope?: VectorScope;
}>;

export type Cursor = Readonly<{ position: Position }> | Readonly<{ revision: number }>;
export type EventQuery = Readonly<{ filter: EventFilter; direction: 'forwards' | 'backwards'; limit: number; cursor?: Cursor }>;

/** Whether the filter names something; it then only finds events that the caller may read. */
export const namesThings = ({ streams, knowledgeBase, scope }: EventFilter): boolean =>
  streams.length > 0 || knowledgeBase !== undefined || scope !== undefined;

/** The role that the filter requires. An operator sees no names: a result for a name would reveal that it exists. */
export const roleFor = (asked: AskedFilter, access: Access): Role | undefined =>
  namesThings(eventFilter(access, asked)) || !hasRole(access, 'operator') ? 'reader' : undefined;

export const eventFilter = (access: Access, { stream, type, document, knowledgeBase, scope }: AskedFilter): EventFilter => ({
  streams: [
    ...(stream === undefined ? [] : [stream as StreamName]),
    ...(document === undefined ? [] : [documentStream(access.tenant, document)]),
  ],
  ...(document === undefined ? {} : { document }),
  ...(type === undefined ? {} : { types: new Set(type) }),
  ...(knowledgeBase === undefined ? {} : { knowledgeBase }),
  ...(scope === undefined ? {} : { scope }),
});

/** @throws InvalidValue (cursor) */
export const eventQuery = (access: Access, { direction, limit, cursor, ...given }: AskedEvents): EventQuery => {
  const filter = eventFilter(access, given);
  return { filter, direction, limit, ...(cursor === undefined ? {} : { cursor: readCursor(cursor, filter) }) };
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
