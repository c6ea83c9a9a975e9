import type { DomainEvent } from '@palimpsest/knowledge';
import { EventCodec, type WireEvent, type WireEvents } from './event-codec.ts';
import { documentSchemas } from './schemas/document-schemas.ts';
import { auditSchemas, knowledgeBaseSchemas, retrievalSchemas, scopeSchemas, tenantSchemas } from './schemas/other-schemas.ts';

const schemas = { ...documentSchemas, ...knowledgeBaseSchemas, ...scopeSchemas, ...retrievalSchemas, ...tenantSchemas, ...auditSchemas };

// Every type is at its first version. The first change of one adds its upcaster here, and a golden file beside the old one.
const current: { readonly [Type in keyof typeof schemas]: Readonly<{ schema: (typeof schemas)[Type] }> } = Object.fromEntries(
  Object.entries(schemas).map(([type, schema]) => [type, { schema }]),
) as never;

/** Each schema is held to the domain's type by the compiler: a missing or misspelt field does not compile. */
const wireEvents = current satisfies { [Type in DomainEvent['type']]: WireEvent<Extract<DomainEvent, { type: Type }>['data']> };

/** The one codec for everything on the log. */
export const domainCodec = new EventCodec<DomainEvent>(wireEvents as WireEvents<DomainEvent>);
