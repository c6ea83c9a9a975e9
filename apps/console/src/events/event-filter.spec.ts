import { eventFilterOf } from './event-filter.ts';

describe('the filter of the events that one looks at', () => {
  it('stands in the address', () => {
    expect(eventFilterOf(new URLSearchParams('type=DocumentIndexed,%20DocumentFailed&kb=handbook&document=d1'))).toEqual({ types: ['DocumentIndexed', 'DocumentFailed'], knowledgeBase: 'handbook', document: 'd1' });
  });
  it('is none where nothing is said', () => expect(eventFilterOf(new URLSearchParams('type=&stream=%20'))).toEqual({}));
});
