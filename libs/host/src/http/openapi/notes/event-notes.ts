import type { OperationNotes } from './operation-note.ts';

export const EVENT_NOTES: OperationNotes = {
  'GET /v1/events': {
    answer: 'EventPage',
    description: 'Readers see what their scopes hold, unsealed; operators see that events are there, without names or contents. A page may be short and have a `next` all the same. Follow live after `head` to miss nothing.',
    example: { parameters: { type: ['DocumentIndexed'], limit: 1 } },
  },
  'GET /v1/events/live': {
    answer: 'EventView',
    stream: 'text/event-stream',
    description: 'Messages named `event`. The `id` of each is its position: `Last-Event-ID` or `after` goes on behind it without a gap. The last message, `end`, tells why the server ended it.',
    example: { parameters: { type: ['DocumentIndexed'], after: '0' } },
  },
  'GET /v1/events/{position}': { answer: 'EventView', description: 'What the caller may not see is answered like a position where there is nothing.', example: { parameters: { position: '6' } } },
};
