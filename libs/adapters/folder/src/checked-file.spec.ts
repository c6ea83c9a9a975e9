import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readChecked, writeChecked } from './checked-file.ts';

describe('a checked file', () => {
  let folder: string;
  let sound: Buffer;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'palimpsest-checked-'));
    await writeChecked(join(folder, 'file'), Buffer.from('content'));
    sound = await readFile(join(folder, 'file'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** One content per reading, the last one again and again. */
  const readings = (...contents: readonly (Buffer | undefined)[]) => {
    let reading = -1;
    return async (): Promise<Buffer | undefined> => contents[Math.min((reading += 1), contents.length - 1)];
  };

  it('gives back what was written', async () => {
    expect(Buffer.from((await readChecked(readings(sound))) ?? '')).toEqual(Buffer.from('content'));
  });

  it('is read again when it was overwritten while somebody still had it open', async () => {
    const shredded = Buffer.alloc(sound.length);
    expect(Buffer.from((await readChecked(readings(shredded, shredded, sound))) ?? '')).toEqual(Buffer.from('content'));
    expect(await readChecked(readings(shredded, undefined))).toBeUndefined();
  });

  it('is damaged when any one byte is another one', async () => {
    for (let at = 0; at < sound.length; at += 1) {
      const damaged = Buffer.from(sound);
      damaged[at] = (damaged[at] ?? 0) ^ 0x80;
      expect(await readChecked(readings(damaged))).toBe('damaged');
    }
  });
});
