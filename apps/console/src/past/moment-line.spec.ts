import { asSentence, momentLine } from './moment-line.ts';

const at = new Date(2026, 10, 20, 9, 30, 15).toISOString();

describe('the line about the moment of a page', () => {
  it('has the time and the position', () => {
    const line = 'As of 20 Nov 2026, 09:30:15 (position 12)';
    expect(momentLine({ asOf: '12', recordedAt: at })).toBe(line);
    expect(momentLine({ asOf: at, shown: { position: '12' } })).toBe(line);
  });

  it('has what is known before the response', () => {
    expect(momentLine({ asOf: '12' })).toBe('As of position 12');
    expect(momentLine({ asOf: at })).toBe('As of 20 Nov 2026, 09:30:15');
    expect(momentLine({ asOf: 'yesterday' })).toBe('As of yesterday');
  });
});

it('a clause of the server becomes a sentence', () => {
  expect(asSentence('the scope "team:red" did not exist yet')).toBe('The scope "team:red" did not exist yet.');
  expect(asSentence('It is so.')).toBe('It is so.');
});
