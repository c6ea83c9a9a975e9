import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { CHUNK_BYTES, TAG_BYTES } from './sealed-chunks.ts';
import { HEADER_BYTES } from './sealed-header.ts';
import { UnusableFile, WrongSecret } from './refusal.ts';
import { openSealedFile } from './sealed-reader.ts';
import { SealedWriter } from './sealed-writer.ts';
import { keyFrom, passphrase, type Secret } from './secret.ts';

/** Cheap: the results do not depend on the costs. */
const COSTS = { log2N: 4, r: 8, p: 1 };
const SECRET = passphrase('correct horse battery');
const KEY = keyFrom('ab'.repeat(32));
const SEALED = CHUNK_BYTES + TAG_BYTES;

describe('a sealed file', () => {
  let path: string;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'palimpsest-sealed-'));
    path = join(folder, 'file');
  });
  afterAll(() => rm(folder, { recursive: true }));

  const seal = async (pieces: readonly Uint8Array[], secret: Secret = SECRET, purpose: 'backup' | 'export' = 'backup'): Promise<Buffer> => {
    const parts: Uint8Array[] = [];
    const writer = await SealedWriter.begin({ write: async (bytes) => void parts.push(bytes) }, purpose, secret, COSTS);
    for (const piece of pieces) await writer.add(piece);
    await writer.finish();
    const sealed = Buffer.concat(parts);
    expect(writer.written).toBe(sealed.length);
    return sealed;
  };

  const opened = async (sealed: Uint8Array, secret: Secret = SECRET, purpose: 'backup' | 'export' = 'backup'): Promise<Buffer> => {
    await writeFile(path, sealed);
    const handle = await open(path, 'r');
    try {
      const parts: Buffer[] = [];
      for await (const part of openSealedFile(handle, purpose, secret)) parts.push(part);
      return Buffer.concat(parts);
    } finally {
      await handle.close();
    }
  };

  const bytes = (length: number, seed = 1): Buffer => Buffer.from(Uint8Array.from({ length }, (_, i) => i * 31 + seed * 17 + (i >> 8)));
  const refusal = async (sealed: Uint8Array, secret?: Secret): Promise<Error> => {
    const error: unknown = await opened(sealed, secret).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof UnusableFile) && !(error instanceof WrongSecret)) throw new Error(`expected a refusal, got ${String(error)}`);
    expect(error.message).not.toContain('\n');
    return error;
  };

  it('returns what was written, in whatever pieces', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: CHUNK_BYTES + 3 }), { maxLength: 4 }),
        fc.constantFrom(SECRET, KEY),
        async (lengths, secret) => {
          const pieces = lengths.map((length, i) => bytes(length, i));
          expect((await opened(await seal(pieces, secret), secret)).equals(Buffer.concat(pieces))).toBe(true);
        },
      ),
      { numRuns: 25 },
    ));

  it.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES])(
    'stores %d bytes in as many chunks as they need',
    async (length) => {
      const sealed = await seal([bytes(length)]);
      expect(sealed.length).toBe(HEADER_BYTES + length + TAG_BYTES * Math.max(1, Math.ceil(length / CHUNK_BYTES)));
      expect((await opened(sealed)).equals(bytes(length))).toBe(true);
    },
  );

  it('reveals nothing of its content, and differs each time', async () => {
    const [one, other] = [await seal([Buffer.from('a secret text')]), await seal([Buffer.from('a secret text')])];
    expect(one.includes('secret')).toBe(false);
    expect(one.equals(other)).toBe(false);
  });

  it('is refused when any single byte is changed', async () => {
    const sealed = await seal([bytes(100)]);
    for (let at = 0; at < sealed.length; at += 1) {
      const damaged = Buffer.from(sealed);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      expect(await refusal(damaged)).toBeInstanceOf(UnusableFile);
    }
  });

  it('is refused when it is truncated anywhere', async () => {
    const sealed = await seal([bytes(100)]);
    for (let length = 0; length < sealed.length; length += 1)
      expect(await refusal(sealed.subarray(0, length))).toBeInstanceOf(UnusableFile);
    const long = await seal([bytes(3 * CHUNK_BYTES)]);
    for (const parts of [0, 1, 2]) expect((await refusal(long.subarray(0, HEADER_BYTES + parts * SEALED))).message).toMatch(/truncated/);
    expect((await refusal(long.subarray(0, HEADER_BYTES + SEALED + 1000))).message).toMatch(/truncated/);
  });

  it('is refused when its chunks are reordered, missing, repeated, or from another file', async () => {
    const sealed = await seal([bytes(4 * CHUNK_BYTES - 10)]);
    const other = await seal([bytes(4 * CHUNK_BYTES - 10)]);
    const part = (of: Buffer, index: number) => of.subarray(HEADER_BYTES + index * SEALED, HEADER_BYTES + (index + 1) * SEALED);
    const joined = (...parts: readonly Buffer[]) => Buffer.concat([sealed.subarray(0, HEADER_BYTES), ...parts]);
    const [a, b, c, d] = [0, 1, 2, 3].map((index) => part(sealed, index)) as [Buffer, Buffer, Buffer, Buffer];
    expect((await opened(joined(a, b, c, d))).length).toBe(4 * CHUNK_BYTES - 10);
    for (const wrong of [
      joined(b, a, c, d),
      joined(a, c, b, d),
      joined(a, b, d),
      joined(a, b, b, c, d),
      joined(a, part(other, 1), c, d),
      joined(a, b, c, d, d),
      joined(a, b, c, d, Buffer.from('more')),
    ])
      expect(await refusal(wrong)).toBeInstanceOf(UnusableFile);
  });

  it('reports what is wrong with it', async () => {
    const sealed = await seal([bytes(100)]);
    expect((await refusal(Buffer.alloc(0))).message).toMatch(/empty/);
    expect(
      (await refusal(Buffer.from('%PDF-1.7 something quite different, and long enough for a header of eighty-four bytes'))).message,
    ).toMatch(/not a sealed file/);
    expect((await refusal(Buffer.concat([sealed, Buffer.from('x')]))).message).toMatch(/after the end|truncated, or damaged/);
    const newer = Buffer.from(sealed);
    newer[8] = 2;
    newer.writeUInt32BE(crc32(newer.subarray(0, HEADER_BYTES - 4)), HEADER_BYTES - 4);
    expect((await refusal(newer)).message).toMatch(/format 2, written by a newer Palimpsest/);
    const greedy = Buffer.from(sealed);
    greedy[11] = 31;
    greedy.writeUInt32BE(crc32(greedy.subarray(0, HEADER_BYTES - 4)), HEADER_BYTES - 4);
    expect((await refusal(greedy)).message).toMatch(/more memory/);
    await expect(opened(await seal([bytes(1)], SECRET, 'export'))).rejects.toThrow('the file is an export, not a backup');
  });

  it('opens with its own secret only, and reports a wrong one', async () => {
    const [byPassphrase, byKey] = [await seal([bytes(10)]), await seal([bytes(10)], KEY)];
    expect(await refusal(byPassphrase, passphrase('correct horse batterz'))).toBeInstanceOf(WrongSecret);
    expect(await refusal(byKey, keyFrom('ac'.repeat(32)))).toBeInstanceOf(WrongSecret);
    expect((await refusal(byPassphrase, KEY)).message).toMatch(/sealed with a passphrase, not with a key file/);
    expect((await refusal(byKey)).message).toMatch(/sealed with a key file, not with a passphrase/);
    expect(await opened(byPassphrase, passphrase('correct horse battery'))).toHaveLength(10);
  });

  it('refuses weak or invalid secrets, and never quotes them', () => {
    expect(() => passphrase('short')).toThrow('passphrase: expected at least 12 characters, got "5 characters"');
    expect(() => keyFrom('not a key')).toThrow(/64 hexadecimal digits/);
    expect(() => keyFrom('not a key')).not.toThrow(/not a key"/);
    // The same letters, composed or decomposed, as different keyboards produce them.
    expect(passphrase('Schlüsselwort eins')).toEqual(passphrase('Schlu\u0308sselwort eins'));
  });
});
