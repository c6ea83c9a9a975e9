import type { DocumentVersion } from '@palimpsest/client';
import { readableVersions, versionChoiceIn, withVersionChoice, type VersionChoice } from './version-choice.ts';

const inAddress = (address: string): VersionChoice => versionChoiceIn(new URLSearchParams(address));

describe('the choice of versions', () => {
  it('is in the address', () => {
    expect(inAddress('version=2')).toEqual({ text: 2 });
    expect(inAddress('from=1&to=2')).toEqual({ from: 1, to: 2 });
    expect(['', 'version=0', 'version=x', 'from=1', 'from=1&to=1.5'].map(inAddress)).toEqual(Array(5).fill(undefined));
  });

  it('keeps the moment of the page', () => {
    const before = new URLSearchParams('asOf=12&version=1&chunk=3');
    expect(withVersionChoice(before, { from: 1, to: 2 }).toString()).toBe('asOf=12&from=1&to=2');
    expect(withVersionChoice(before, { text: 4 }).toString()).toBe('asOf=12&version=4');
    expect(withVersionChoice(before, undefined).toString()).toBe('asOf=12');
  });

  it('is one of the versions that were indexed', () => {
    const version = (number: number, status: string): DocumentVersion => ({
      version: number,
      status,
      submittedAt: '',
      checksum: '',
      bytes: 1,
    });
    expect(readableVersions([version(1, 'indexed'), version(2, 'failed'), version(3, 'indexed')])).toEqual([3, 1]);
  });
});
