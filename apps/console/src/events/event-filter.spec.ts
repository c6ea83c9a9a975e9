import { eventFilterOf } from './event-filter.ts';

describe('the filter of the event list', () => {
  it('is read from the address', () => {
    expect(eventFilterOf(new URLSearchParams('type=DocumentIndexed,%20DocumentFailed&kb=handbook&document=d1'))).toEqual({
      types: ['DocumentIndexed', 'DocumentFailed'],
      knowledgeBase: 'handbook',
      document: 'd1',
    });
  });
  it('is empty when the address names none', () => expect(eventFilterOf(new URLSearchParams('type=&stream=%20'))).toEqual({}));
});
