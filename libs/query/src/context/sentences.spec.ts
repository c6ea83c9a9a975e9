import { sentencesByQuery, withSentences } from './sentences.ts';

const HARBOUR = 'The harbour opens at six. Ships pay at the gate! Who pays late?\nThe keeper of the light sleeps at noon. Rain fell.';
const LAMPS = 'Lamps need oil. The keeper fills the lamps of the light each evening. Oil is dear.';
const textsOf = (hits: readonly { text: string }[], query: string, count = Infinity) =>
  sentencesByQuery(hits, query)
    .slice(0, count)
    .map(({ hit, start, end }) => hits[hit]?.text.slice(start, end));

describe('The sentences of hits', () => {
  it('come in the order in which they carry the query', () => {
    expect(textsOf([{ text: HARBOUR }, { text: LAMPS }], 'When does the keeper fill the lamps?', 2)).toEqual([
      'The keeper fills the lamps of the light each evening.',
      'Lamps need oil.',
    ]);
  });

  it('are all there, each once', () => {
    const hits = [{ text: HARBOUR }, { text: `Rain fell. ${LAMPS}` }];
    const all = textsOf(hits, 'keeper');
    expect([...all].sort()).toEqual(
      [
        'The harbour opens at six.',
        'Ships pay at the gate!',
        'Who pays late?',
        'The keeper of the light sleeps at noon.',
        'Rain fell.',
        'Lamps need oil.',
        'The keeper fills the lamps of the light each evening.',
        'Oil is dear.',
      ].sort(),
    );
  });

  it('come in the order of the hits if the query has none of their words', () =>
    expect(textsOf([{ text: 'One. Two.' }, { text: 'Three.' }], 'zebra')).toEqual(['One.', 'Two.', 'Three.']));

  it('end where the script ends them', () => expect(textsOf([{ text: '猫坐在窗边。狗在睡觉。' }], '狗', 1)).toEqual(['狗在睡觉。']));
});

describe('Hits with chosen sentences only', () => {
  const shortened = (text: string, ...which: readonly number[]): readonly string[] => {
    const sentences = sentencesByQuery([{ text }], 'zebra');
    return withSentences(
      [{ text }],
      which.flatMap((at) => sentences[at] ?? []),
    ).map((hit) => hit.text);
  };

  it('keep the order of the text, and mark what is left out', () => {
    expect(shortened(HARBOUR, 3, 1)).toEqual(['[…] Ships pay at the gate! […] The keeper of the light sleeps at noon. […]']);
    expect(shortened(HARBOUR, 0, 4)).toEqual(['The harbour opens at six. […] Rain fell.']);
  });

  it('keep the white space between sentences that follow each other', () =>
    expect(shortened(HARBOUR, 2, 3)).toEqual(['[…] Who pays late?\nThe keeper of the light sleeps at noon. […]']));

  it('are the same hits if nothing is left out, and missing if nothing is left', () => {
    const hit = { text: `${HARBOUR}\n` };
    expect(withSentences([hit, { text: LAMPS }], sentencesByQuery([hit], 'zebra'))[0]).toBe(hit);
    expect(withSentences([hit], [])).toEqual([]);
  });
});
