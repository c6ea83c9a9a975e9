import { nearIdentical } from './near-identical.ts';

const RULE = 'Unused days of leave may be carried over until the end of March of the following year if the manager agrees in writing.';

describe('Near-identical passages', () => {
  it('are those with the same words, whatever their case, white space and punctuation', () =>
    expect(nearIdentical([RULE, `${RULE.toUpperCase().replaceAll(' ', '\n  ')}!`, 'Another rule.', RULE])).toEqual([0, 0, 2, 0]));

  it('may differ in a word of many', () => {
    const long = `${RULE} ${RULE.replaceAll('leave', 'absence').replaceAll('manager', 'director')} The office keeps the records of all of this.`;
    expect(nearIdentical([long, long.replace('records', 'lists')])).toEqual([0, 0]);
  });

  it('are not those of which one says more', () =>
    expect(nearIdentical([RULE, `${RULE} ${RULE.split(' ').reverse().join(' ')}`])).toEqual([0, 1]));

  it('are not short passages that differ in a word', () =>
    expect(nearIdentical(['The office opens on Monday.', 'The office opens on Tuesday.'])).toEqual([0, 1]));

  it('are not passages whose numbers differ, however long', () => {
    const priced = (price: string) => `${RULE} The fee is ${price} euros. ${RULE.replaceAll('leave', 'absence')}`;
    expect(nearIdentical([priced('40'), priced('45'), priced('40')])).toEqual([0, 1, 0]);
  });

  it('are found in languages without spaces between words', () => {
    const chinese = '未使用的假期可以在经理书面同意的情况下结转到次年三月底，办公室保存所有的记录，员工可以随时查看。';
    expect(nearIdentical([chinese, chinese.replace('，', ' '), '办公室星期一开门。', '办公室星期二开门。'])).toEqual([0, 0, 2, 3]);
  });

  it('are those of punctuation alone only if they are equal', () =>
    expect(nearIdentical(['', '---', '***', '---', ''])).toEqual([0, 1, 2, 1, 0]));
});
