import { olderText, removedText } from './history-facts.ts';

describe('a removal of history', () => {
  it('says what it removed, and what is left for the next one', () => {
    const removed = { records: 1, documents: 1, uploads: 0, left: 0 };
    expect(removedText(removed)).toBe('1 record of 1 document and 0 files removed.');
    expect(removedText({ ...removed, records: 12, documents: 3, uploads: 2, left: 1, knowledgeBase: 'rules' })).toBe(
      '12 records of 3 documents and 2 files removed from rules. 1 document left: being processed then, and removed the next time.',
    );
  });

  it('says how old what it removes is', () => {
    expect([0, 1, 365].map(olderText)).toEqual(['until now', 'more than 1 day ago', 'more than 365 days ago']);
  });
});
