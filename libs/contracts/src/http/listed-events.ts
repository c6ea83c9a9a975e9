import type { DomainEventType } from '@palimpsest/knowledge/events';
import { domainCodec } from '../domain-codec.ts';

/** The audit trail has its own route. */
const isListed = (type: DomainEventType): type is Exclude<DomainEventType, 'AccessRecorded'> => type !== 'AccessRecorded';

/** The types that the list of events shows, in the order of the reference. */
export const LISTED_EVENTS = domainCodec.types().filter(isListed);
