import { EVENT_CATEGORIES, type EventCategory } from '@palimpsest/contracts/http';
import { authorise, hasRole } from '@palimpsest/knowledge/access';
import { vectorScope } from '@palimpsest/knowledge/values';
import type { Access } from '@palimpsest/knowledge/access';
import type { JsonObject, RecordedEvent } from '@palimpsest/knowledge/ports';
import type { VectorScope } from '@palimpsest/knowledge/values';

/** `open`: everything. `withheld`: only that the event exists, without its data and names. `hidden`: nothing. */
export type Visibility = 'open' | 'withheld' | 'hidden';

/** The first part of a stream's name: the kind of thing that the stream is about. */
export const categoryOf = ({ stream }: Pick<RecordedEvent, 'stream'>): EventCategory | undefined => {
  const name = (stream.split('-', 1)[0] ?? '').replace(/^_platform\./, '');
  // The audit trail has its own page: in this list, each request would show up as the next event.
  return EVENT_CATEGORIES.find((category) => category === name);
};

/** Decides what the caller may see of an event. Data that it cannot interpret makes the event hidden or withheld. */
export const visibilityOf = (access: Access, event: RecordedEvent): Visibility => {
  if (event.metadata['tenant'] !== access.tenant || categoryOf(event) === undefined) return 'hidden';
  if (mayRead(access, event)) return 'open';
  return hasRole(access, 'operator') ? 'withheld' : 'hidden';
};

/** Events of a scope are for its readers, API keys for admins, and retrievals for the caller who searched. */
const mayRead = (access: Access, event: RecordedEvent): boolean => {
  switch (categoryOf(event)) {
    case 'tenant':
      return hasRole(access, 'admin');
    case 'retrieval':
      return hasRole(access, 'reader') && mayReadRetrieval(access, event);
    default: {
      const scope = scopeOf(event);
      return scope !== undefined && authorise(access, [scope]).length > 0;
    }
  }
};

/** An admin also sees other callers' retrievals, unless they searched a scope that the admin may not read. */
const mayReadRetrieval = (access: Access, { metadata, data }: RecordedEvent): boolean => {
  if (metadata['actor'] !== access.actor && !hasRole(access, 'admin')) return false;
  const scopes = scopesIn(data, 'permittedScopes');
  return scopes !== undefined && authorise(access, scopes).length === new Set(scopes).size;
};

export const scopeOf = ({ metadata }: Pick<RecordedEvent, 'metadata'>): VectorScope | undefined => parsed(metadata['scope']);

/** Undefined when the field is not a list of valid scopes. */
const scopesIn = (data: JsonObject, field: string): readonly VectorScope[] | undefined => {
  const raw = data[field];
  if (!Array.isArray(raw)) return undefined;
  const scopes = raw.flatMap((each) => parsed(each) ?? []);
  return scopes.length === raw.length ? scopes : undefined;
};

const parsed = (raw: unknown): VectorScope | undefined => {
  try {
    return raw === undefined ? undefined : vectorScope(raw);
  } catch {
    return undefined;
  }
};
