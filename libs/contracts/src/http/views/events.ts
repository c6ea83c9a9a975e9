import { z } from 'zod';
import { list, named, view } from '../view.ts';
import { position } from './documents.ts';

const eventContent = named(
  'EventContent',
  z.enum(['open', 'withheld', 'erased', 'unreadable']),
  'What this caller can see of an event. `open`: its data, decrypted. `withheld`: only that it exists; operators see events of scopes that they may not read. `erased`: the key of its scope was destroyed. `unreadable`: this version of the program cannot read it.',
);
export type EventContent = z.infer<typeof eventContent>;

export const EVENT_CATEGORIES = ['document', 'knowledge_base', 'scope', 'tenant', 'retrieval', 'golden_set'] as const;

export const eventCategory = named(
  'EventCategory',
  z.enum(EVENT_CATEGORIES),
  'Kinds of streams: the kind of thing that an event is about.',
);
export type EventCategory = z.infer<typeof eventCategory>;

export const eventView = view(
  'EventView',
  {
    position,
    type: z.string(),
    schemaVersion: z.number().describe('Schema version with which the data was written.'),
    category: eventCategory,
    stream: z.string().exactOptional(),
    revision: z.number().describe('Its number in its stream, from 0.'),
    recordedAt: z.string(),
    actor: z.string().describe('The id of an API key (`key:…`) or the name of a worker.'),
    correlationId: z.string().describe('The same for all events caused by one request: its `x-request-id`.'),
    causationId: z.string().exactOptional(),
    scope: z.string().describe('Also missing for events that belong to the tenant as a whole.').exactOptional(),
    documentId: z.string().exactOptional(),
    bytes: z.number().describe('Size of the data on the log, in bytes.'),
    content: eventContent,
    data: z
      .record(z.string(), z.unknown())
      .readonly()
      .describe(
        'Fields as in the list of events, except those that are encrypted on the log: `text` holds `{ text, contextPrefix, headings }`, `vector` holds `{ dimensions, norm }`. The hash of an API key is left out.',
      )
      .exactOptional(),
  },
  'An event on the log. Fields that identify something (stream, scope, ids, data) are missing if the content is withheld.',
);
export type EventView = z.infer<typeof eventView>;

export const eventPage = view(
  'EventPage',
  { events: list(eventView), next: z.string().exactOptional(), head: position },
  'Newest first by default. One request examines a limited number of events, so a page may be short or empty and still have a `next`. `head`: the end of the log when the page was read; following the log after `head` leaves no gap.',
);
export type EventPage = z.infer<typeof eventPage>;
