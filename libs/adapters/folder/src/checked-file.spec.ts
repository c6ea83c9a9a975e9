import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readChecked, writeChecked } from './checked-file.ts';

describe('a checked file', () => {
  let folder: string;
  let intact: Buffer;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'palimpsest-checked-'));
    await writeChecked(join(folder, 'file'), Buffer.from('content'));
    intact = await readFile(join(folder, 'file'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Returns one content per read; the last one is repeated. */
  const readings = (...contents: readonly (Buffer | undefined)[]) => {
    let reading = -1;
    return async (): Promise<Buffer | undefined> => contents[Math.min((reading += 1), contents.length - 1)];
  };

  it('returns the bytes that were written', async () => {
    expect(Buffer.from((await readChecked(readings(intact))) ?? '')).toEqual(Buffer.from('content'));
  });

  it('is read again when it was overwritten while another process had it open', async () => {
    const shredded = Buffer.alloc(intact.length);
    expect(Buffer.from((await readChecked(readings(shredded, shredded, intact))) ?? '')).toEqual(Buffer.from('content'));
    expect(await readChecked(readings(shredded, undefined))).toBeUndefined();
  });

  it('is damaged when any byte is changed', async () => {
    for (let at = 0; at < intact.length; at += 1) {
      const damaged = Buffer.from(intact);
      damaged[at] = (damaged[at] ?? 0) ^ 0x80;
      expect(await readChecked(readings(damaged))).toBe('damaged');
    }
  });
});
