import type { OperationNotes } from './operation-note.ts';

export const EVENT_NOTES: OperationNotes = {
  'GET /v1/events': {
    answer: 'EventPage',
    description: 'Readers see the events of their scopes, decrypted. Operators see that other events exist, without names or contents. A page may be short and still have a `next`. To miss no event, follow the live stream after `head`.',
    example: { parameters: { type: ['DocumentIndexed'], limit: 1 } },
  },
  'GET /v1/events/live': {
    answer: 'EventView',
    stream: 'text/event-stream',
    description: 'Messages are named `event`. The `id` of each is its position: with `Last-Event-ID` or `after`, a new stream continues after it without a gap. The last message, `end`, holds the reason why the server ended the stream.',
    example: { parameters: { type: ['DocumentIndexed'], after: '0' } },
  },
  'GET /v1/events/{position}': { answer: 'EventView', description: 'For an event that the caller may not see, the response is the same as for a position without an event.', example: { parameters: { position: '6' } } },
};
