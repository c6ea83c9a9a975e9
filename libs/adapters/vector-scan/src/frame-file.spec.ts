import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileSeal, SEALED_EXTRA } from '@palimpsest/contracts';
import { Corrupt, Unavailable } from '@palimpsest/knowledge/errors';
import { generationId, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { InMemoryScopeKeys } from '@palimpsest/test-kit';
import { FrameFile, Replaced } from './frame-file.ts';

const keys = new InMemoryScopeKeys();
const scope = { tenant: tenantId('acme'), scope: vectorScope('deployment') };
/** Bytes of a frame with one part in addition to that part. */
const FRAME_EXTRA = 16 + 4 + 4 + SEALED_EXTRA;
const part = (size: number, fill: number): Uint8Array => new Uint8Array(size).fill(fill);
const payload = (size: number, fill: number): readonly Uint8Array[] => [part(size, fill)];
const FRAMES = [payload(40, 1), payload(0, 0), [part(33, 2), part(8, 4), part(3, 5)], payload(57, 3)];

describe('a frame file', () => {
  let folder: string;
  let path: string;
  const at = (where: string, { generation = 'g1' } = {}) =>
    new FrameFile(where, folder, (id) => fileSeal(keys, { scope, generation: generationId(generation) }, 'vectors', id));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'frame-file-'));
    path = join(folder, 'vectors', 'vectors.dat');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const recovered = async (): Promise<(readonly Uint8Array[])[]> => {
    const seen: (readonly Uint8Array[])[] = [];
    await at(path).recover(({ parts }) => seen.push(parts));
    return seen;
  };

  /** Writes FRAMES and returns where each of them ends. */
  const written = async (): Promise<number[]> => {
    const file = at(path);
    await file.create();
    const ends: number[] = [];
    for (const frame of FRAMES) {
      await file.append(frame);
      ends.push(file.size);
    }
    return ends;
  };

  it('returns the appended payloads', async () => {
    await written();
    expect(await recovered()).toEqual(FRAMES);
  });

  it('keeps exactly the complete frames when truncated to any length, and can be appended to', async () => {
    const ends = await written();
    const bytes = await readFile(path);
    for (let length = 32; length <= bytes.length; length++) {
      await writeFile(path, bytes.subarray(0, length));
      const kept = FRAMES.slice(0, ends.filter((end) => end <= length).length);
      expect(await recovered()).toEqual(kept);
      const file = at(path);
      await file.recover(() => {});
      await file.append(payload(5, 9));
      expect(await recovered()).toEqual([...kept, payload(5, 9)]);
    }
  });

  it('truncates trailing zeros, which a crash may leave', async () => {
    await written();
    await writeFile(path, Buffer.concat([await readFile(path), Buffer.alloc(5000)]));
    expect(await recovered()).toEqual(FRAMES);
    expect((await stat(path)).size).toBeLessThan(5000);
  });

  it('reports every changed byte of flushed data as damage, except in the flushed frame', async () => {
    const file = at(path);
    await file.create();
    for (const frame of FRAMES) await file.append(frame);
    const { size } = file;
    await file.flush();
    const bytes = await readFile(path);
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(i) ^ 1, i);
      await writeFile(path, changed);
      if (i < size) await expect(recovered()).rejects.toBeInstanceOf(Corrupt);
      else expect(await recovered()).toEqual(FRAMES);
    }
  });

  it('reports frames that were exchanged, repeated, or taken from another file or generation as damage', async () => {
    const equal = [payload(40, 1), payload(40, 2)];
    const written = async (where: string): Promise<Buffer> => {
      const file = at(where);
      await file.create();
      for (const frame of equal) await file.append(frame);
      return readFile(where);
    };
    const bytes = await written(path);
    const other = await written(join(folder, 'other', 'vectors.dat'));
    const frame = (from: Buffer, n: number) => from.subarray(32 + n * (40 + FRAME_EXTRA), 32 + (n + 1) * (40 + FRAME_EXTRA));
    const header = bytes.subarray(0, 32);
    for (const changed of [
      [header, frame(bytes, 1), frame(bytes, 0)],
      [header, frame(bytes, 0), frame(bytes, 0)],
      [header, frame(bytes, 1)],
      [header, frame(bytes, 0), frame(other, 1)],
      [other.subarray(0, 32), frame(bytes, 0), frame(bytes, 1)],
    ]) {
      await writeFile(path, Buffer.concat(changed));
      await expect(recovered()).rejects.toBeInstanceOf(Corrupt);
    }
    await writeFile(path, bytes);
    await expect(at(path, { generation: 'g2' }).recover(() => {})).rejects.toBeInstanceOf(Corrupt);
    expect(await recovered()).toEqual(equal);
  });

  it('reports damage when a compacted file lacks part of its base', async () => {
    const file = at(path);
    await file.create();
    await file.rewrite([payload(100, 1), payload(100, 2)]);
    await file.append(payload(10, 3));
    expect(await recovered()).toEqual([payload(100, 1), payload(100, 2), payload(10, 3)]);
    await truncate(path, 32 + 2 * (100 + FRAME_EXTRA) + 4);
    expect(await recovered()).toEqual([payload(100, 1), payload(100, 2)]);
    for (const length of [32 + 2 * (100 + FRAME_EXTRA) - 1, 32 + 100 + FRAME_EXTRA, 40, 31, 0]) {
      await truncate(path, length);
      await expect(recovered()).rejects.toBeInstanceOf(Corrupt);
    }
  });

  it('reads frames that are larger than the read-ahead', async () => {
    const file = at(path);
    await file.create();
    const large = [payload(3 << 20, 7), payload(10, 8), payload((1 << 20) + 1, 9)];
    for (const frame of large) await file.append(frame);
    expect((await recovered()).map(([one]) => [one?.length, one?.[0]])).toEqual(large.map(([one]) => [one?.length, one?.[0]]));
  });

  it('reads single parts, until the file is rewritten', async () => {
    const file = at(path);
    await file.create();
    await file.append([part(10, 1), part(20, 2)]);
    const place = await file.append([part(7, 3), part(30, 4), part(5, 5)]);
    const [id = '', reader] = [file.id, await file.reader(file.id ?? '')];
    expect(await reader.read(place, 30)).toEqual(part(30, 4));
    expect(await reader.read(place + 30 + SEALED_EXTRA, 5)).toEqual(part(5, 5));
    for (const [where, length] of [
      [place + 1, 30],
      [place, 31],
      [place + 30 + SEALED_EXTRA, 500],
    ] as const)
      await expect(reader.read(where, length)).rejects.toBeInstanceOf(Corrupt);
    await file.append([part(1, 6), part(2, 7)]);
    await file.rewrite([[part(1, 8), part(4, 9)]]);
    expect(await reader.read(place, 30)).toEqual(part(30, 4));
    await reader.close();
    await expect(file.reader(id)).rejects.toBeInstanceOf(Replaced);
    await rm(path);
    await expect(file.reader(file.id ?? '')).rejects.toBeInstanceOf(Replaced);
  });

  it('reports disk errors, and leaves no temporary file of a compaction behind', async () => {
    const file = at(path);
    await file.create();
    const failing = function* () {
      yield payload(10, 1);
      throw new Error('out of luck');
    };
    await expect(file.rewrite(failing())).rejects.toBeInstanceOf(Unavailable);
    await expect(stat(`${path}.tmp`)).rejects.toThrow('ENOENT');
    await rm(path);
    await expect(file.append(payload(1, 1))).rejects.toBeInstanceOf(Unavailable);
  });
});
