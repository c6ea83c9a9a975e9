import fc from 'fast-check';
import { nearIdentical as nearIdenticalOf } from './near-identical.ts';

const nearIdentical = (passages: readonly string[]) => nearIdenticalOf(passages, () => Promise.resolve());

const RULE = 'Unused days of leave may be carried over until the end of March of the following year if the manager agrees in writing.';

describe('Near-identical passages', () => {
  it('are those with the same words, whatever their case, white space and punctuation', async () =>
    expect(await nearIdentical([RULE, `${RULE.toUpperCase().replaceAll(' ', '\n  ')}!`, 'Another rule.', RULE])).toEqual([0, 0, 2, 0]));

  it('may differ in a word of many', async () => {
    const long = `${RULE} ${RULE.replaceAll('leave', 'absence').replaceAll('manager', 'director')} The office keeps the records of all of this.`;
    expect(await nearIdentical([long, long.replace('records', 'lists')])).toEqual([0, 0]);
  });

  it('are not those of which one says more', async () =>
    expect(await nearIdentical([RULE, `${RULE} ${RULE.split(' ').reverse().join(' ')}`])).toEqual([0, 1]));

  it('are not short passages that differ in a word', async () =>
    expect(await nearIdentical(['The office opens on Monday.', 'The office opens on Tuesday.'])).toEqual([0, 1]));

  it('are not passages whose numbers differ, however long', async () => {
    const priced = (price: string) => `${RULE} The fee is ${price} euros. ${RULE.replaceAll('leave', 'absence')}`;
    expect(await nearIdentical([priced('40'), priced('45'), priced('40')])).toEqual([0, 1, 0]);
  });

  it('are found in languages without spaces between words', async () => {
    const chinese = '未使用的假期可以在经理书面同意的情况下结转到次年三月底，办公室保存所有的记录，员工可以随时查看。';
    expect(await nearIdentical([chinese, chinese.replace('，', ' '), '办公室星期一开门。', '办公室星期二开门。'])).toEqual([0, 0, 2, 3]);
  });

  it('are those of punctuation alone only if they are equal', async () =>
    expect(await nearIdentical(['', '---', '***', '---', ''])).toEqual([0, 1, 2, 1, 0]));

  it('are those that a comparison of all pairs finds', () => {
    const word = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const passage = fc.array(word, { minLength: 1, maxLength: 25 }).map((words) => words.join(' '));
    const changed = fc.tuple(passage, fc.nat(24), word).map(([text, at, other]) => [text, text.split(' ').with(at % text.split(' ').length, other).join(' ')]); // prettier-ignore
    return fc.assert(
      fc.asyncProperty(fc.array(changed, { maxLength: 8 }), async (pairs) => {
        const passages = pairs.flat();
        expect(await nearIdentical(passages)).toEqual(byAllPairs(passages));
      }),
      { numRuns: 300 },
    );
  });
});

const shinglesOf = (text: string): ReadonlySet<string> => {
  const words = text.split(' ');
  return new Set(words.slice(0, Math.max(1, words.length - 2)).map((_, at) => words.slice(at, at + 3).join(' ')));
};

const byAllPairs = (passages: readonly string[]): readonly number[] => {
  const found: number[] = [];
  for (const [at, passage] of passages.entries()) {
    const own = shinglesOf(passage);
    const first = passages.slice(0, at).findIndex((other, i) => {
      const its = shinglesOf(other);
      const common = [...own].filter((shingle) => its.has(shingle)).length;
      return found[i] === i && common / (own.size + its.size - common) >= 0.8;
    });
    found.push(first < 0 ? at : first);
  }
  return found;
};
