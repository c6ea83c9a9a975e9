import type { DomainEventType } from '@palimpsest/knowledge/events';
import { domainCodec } from '../domain-codec.ts';

/** They have routes of their own: the audit trail, and what belongs to the installation or to several tenants. */
type Unlisted = 'AccessRecorded' | `${'Model' | 'Fleet' | 'Log' | 'ReadModels'}${string}`;
const isUnlisted = (type: DomainEventType): type is Extract<DomainEventType, Unlisted> =>
  type === 'AccessRecorded' || ['Model', 'Fleet', 'Log', 'ReadModels'].some((prefix) => type.startsWith(prefix));
const isListed = (type: DomainEventType): type is Exclude<DomainEventType, Unlisted> => !isUnlisted(type);

/** The types that the list of events shows, in the order of the reference. */
export const LISTED_EVENTS = domainCodec.types().filter(isListed);
