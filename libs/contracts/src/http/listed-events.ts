import type { DomainEventType } from '@palimpsest/knowledge/events';
import { domainCodec } from '../domain-codec.ts';

/** The audit trail, fleets and the models of the installation have routes of their own. */
type Unlisted = 'AccessRecorded' | `Model${string}` | `Fleet${string}` | `Log${string}`;
const isUnlisted = (type: DomainEventType): type is Extract<DomainEventType, Unlisted> =>
  type === 'AccessRecorded' || type.startsWith('Model') || type.startsWith('Fleet') || type.startsWith('Log');
const isListed = (type: DomainEventType): type is Exclude<DomainEventType, Unlisted> => !isUnlisted(type);

/** The types that the list of events shows, in the order of the reference. */
export const LISTED_EVENTS = domainCodec.types().filter(isListed);
