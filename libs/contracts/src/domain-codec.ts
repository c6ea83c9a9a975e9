import type { DomainEvent } from '@palimpsest/knowledge/events';
import { EventCodec } from './event-codec.ts';
import { auditEvents } from './events/audit-events.ts';
import { checkpointEvents } from './events/checkpoint-events.ts';
import { documentEvents } from './events/document-events.ts';
import { fleetEvents } from './events/fleet-events.ts';
import { goldenEvents } from './events/golden-events.ts';
import { historyEvents } from './events/history-events.ts';
import { knowledgeBaseEvents } from './events/knowledge-base-events.ts';
import { modelEvents } from './events/model-events.ts';
import { readModelEvents } from './events/read-model-events.ts';
import { retrievalEvents } from './events/retrieval-events.ts';
import { scopeEvents } from './events/scope-events.ts';
import { subjectEvents } from './events/subject-events.ts';
import { tenantEvents } from './events/tenant-events.ts';

/** The codec for all events on the log. The compiler checks each schema against the domain type: a missing or misspelt field does not compile. */
export const domainCodec = new EventCodec<DomainEvent>({
  ...documentEvents,
  ...knowledgeBaseEvents,
  ...scopeEvents,
  ...retrievalEvents,
  ...tenantEvents,
  ...auditEvents,
  ...modelEvents,
  ...goldenEvents,
  ...fleetEvents,
  ...subjectEvents,
  ...historyEvents,
  ...checkpointEvents,
  ...readModelEvents,
});
