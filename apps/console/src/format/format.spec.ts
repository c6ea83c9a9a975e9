import { bytes, counted, dateTime, milliseconds, momentText } from './format.ts';

describe('figures for people', () => {
  it('give bytes in the largest unit that fits', () =>
    expect([0, 999, 1000, 1536, 150 * 1024, 5 * 1024 ** 2, 3 * 1024 ** 4].map(bytes)).toEqual([
      '0 B',
      '999 B',
      '1.0 KB',
      '1.5 KB',
      '150 KB',
      '5.0 MB',
      '3072 GB',
    ]));
  it('choose singular or plural', () =>
    expect([counted(1, 'chunk'), counted(0, 'chunk'), counted(1234, 'base', 'bases')]).toEqual(['1 chunk', '0 chunks', '1,234 bases']));
  it('give durations', () => expect([0.04, 9.94, 12.4, 1250].map(milliseconds)).toEqual(['0.0 ms', '9.9 ms', '12 ms', '1.3 s']));
  it('give a time to the second, and leave an invalid one unchanged', () => {
    expect(dateTime(new Date(2026, 10, 2, 3, 4, 5).toISOString())).toBe('2026-11-02 03:04:05');
    expect(dateTime('never')).toBe('never');
  });
  it('give a moment in a sentence', () => {
    expect(momentText(new Date(2026, 10, 20, 9, 30, 15).toISOString())).toBe('20 Nov 2026, 09:30:15');
    expect(momentText('never')).toBe('never');
  });
});
