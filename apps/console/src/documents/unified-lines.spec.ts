import { unifiedLines } from './unified-lines.ts';

describe('the lines of a unified diff', () => {
  it('have a kind each, without the head', () =>
    expect(
      unifiedLines('--- a.md@1\n+++ a.md@2\n@@ -1,3 +1,3 @@\n \n-Up to 5 days.\n+Up to 10 days.\n').map(({ kind, text }) => [kind, text]),
    ).toEqual([
      ['place', '@@ -1,3 +1,3 @@'],
      ['same', ' '],
      ['removed', '-Up to 5 days.'],
      ['added', '+Up to 10 days.'],
    ]));

  it('are not taken for a head, whatever the text is', () =>
    expect(unifiedLines('--- a@1\n+++ a@2\n@@ -1 +1 @@\n--- a rule\n+++ another').map(({ kind }) => kind)).toEqual([
      'place',
      'removed',
      'added',
    ]));

  it('are none if the texts are the same', () => expect(unifiedLines('')).toEqual([]));
});
