import type { DomainEventType } from '@palimpsest/knowledge/events';
import { domainCodec } from '../domain-codec.ts';

/** The audit trail and the models of the installation have routes of their own. */
type Unlisted = 'AccessRecorded' | 'ModelAdded' | 'ModelRemoved';
const UNLISTED: readonly DomainEventType[] = ['AccessRecorded', 'ModelAdded', 'ModelRemoved'] satisfies readonly Unlisted[];
const isListed = (type: DomainEventType): type is Exclude<DomainEventType, Unlisted> => !UNLISTED.includes(type);

/** The types that the list of events shows, in the order of the reference. */
export const LISTED_EVENTS = domainCodec.types().filter(isListed);
