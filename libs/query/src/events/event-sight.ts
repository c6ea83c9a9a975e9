import { authorise, hasRole, vectorScope } from '@palimpsest/knowledge';
import type { Access, JsonObject, RecordedEvent, VectorScope } from '@palimpsest/knowledge';

/** `open`: everything. `withheld`: that it is there, without what it says or names. `hidden`: not even that. */
export type Sight = 'open' | 'withheld' | 'hidden';

/** Of a stream's name: what it is about. */
export const categoryOf = ({ stream }: Pick<RecordedEvent, 'stream'>): string => (stream.split('-', 1)[0] ?? '').replace(/^_platform\./, '');

/** The audit trail has a page of its own: here, each look at the events would show up as the next one. */
const AUDIT = 'audit';

/** Who sees what of an event. What is read from the log is trusted only as far as this understands it. */
export const sightOf = (access: Access, event: RecordedEvent): Sight => {
  if (event.metadata['tenant'] !== access.tenant || categoryOf(event) === AUDIT) return 'hidden';
  if (mayRead(access, event)) return 'open';
  return hasRole(access, 'operator') ? 'withheld' : 'hidden';
};

/** What lies in a scope is for its readers, keys are for admins, and what somebody searched for is theirs. */
const mayRead = (access: Access, event: RecordedEvent): boolean => {
  switch (categoryOf(event)) {
    case 'tenant':
      return hasRole(access, 'admin');
    case 'retrieval':
      return hasRole(access, 'reader') && mayReadTrace(access, event);
    default: {
      const scope = scopeOf(event);
      return scope !== undefined && authorise(access, [scope]).length > 0;
    }
  }
};

/** An admin sees others’ retrievals as well, but nobody those that looked into a scope which is closed to them. */
const mayReadTrace = (access: Access, { metadata, data }: RecordedEvent): boolean => {
  if (metadata['actor'] !== access.actor && !hasRole(access, 'admin')) return false;
  const scopes = scopesIn(data, 'permittedScopes');
  return scopes !== undefined && authorise(access, scopes).length === new Set(scopes).size;
};

export const scopeOf = ({ metadata }: Pick<RecordedEvent, 'metadata'>): VectorScope | undefined => parsed(metadata['scope']);

/** Undefined when they are not what they should be. */
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
