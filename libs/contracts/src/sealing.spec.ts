import fc from 'fast-check';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { blobKey, type ScopeCipher } from '@palimpsest/knowledge/ports';
import { chunkId, embeddingVersion } from '@palimpsest/knowledge/values';
import { aCipher } from '../test/a-cipher.ts';
import { fromBase64, openBlob, openText, openVector, sealBlob, sealText, sealVector, searchText, toBase64 } from './sealing.ts';

const cipher = aCipher();
const [one, two] = [chunkId('1'.repeat(32)), chunkId('2'.repeat(32))];
const [mini, large] = [embeddingVersion('onnx:mini/3'), embeddingVersion('onnx:large/3')];
const anyText = fc.string({ unit: 'binary', maxLength: 60 });
/** Converts to Base64 and back, as in an event. */
const overTheWire = (bytes: Uint8Array): Uint8Array => fromBase64(JSON.parse(JSON.stringify(toBase64(bytes))) as string);

describe('sealing', () => {
  it('restores a text with its context', () =>
    fc.assert(
      fc.property(fc.record({ text: anyText, contextPrefix: anyText, headings: fc.array(anyText, { maxLength: 3 }) }), (text) =>
        expect(openText(cipher, one, overTheWire(sealText(cipher, one, text)))).toEqual(text),
      ),
    ));

  it('restores a vector bit for bit', () =>
    fc.assert(
      fc.property(fc.float32Array({ maxLength: 40 }), (vector) =>
        expect(openVector(cipher, one, mini, overTheWire(sealVector(cipher, one, mini, vector)))).toEqual(vector),
      ),
    ));

  it('restores a blob', () =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) =>
        expect(new Uint8Array(openBlob(cipher, blobKey('a/b'), sealBlob(cipher, blobKey('a/b'), bytes)))).toEqual(bytes),
      ),
    ));

  it('writes vectors as little-endian float32 on every machine', () => {
    const plain: ScopeCipher = { seal: (bytes) => bytes, open: (bytes) => bytes, digest: () => '', derived: () => plain };
    expect([...sealVector(plain, one, mini, Float32Array.of(1, -2))]).toEqual([0, 0, 128, 63, 0, 0, 0, 192]);
    expect(() => openVector(plain, one, mini, Uint8Array.of(1, 2, 3))).toThrow(Corrupt);
  });

  it('opens nothing that was moved to another chunk, model, kind or blob', () => {
    const text = sealText(cipher, one, { text: 'a', contextPrefix: '', headings: [] });
    const vector = sealVector(cipher, one, mini, Float32Array.of(1, 2, 3));
    const blob = sealBlob(cipher, blobKey('a'), Uint8Array.of(1));
    const moves = [
      () => openText(cipher, two, text),
      () => openVector(cipher, two, mini, vector),
      () => openVector(cipher, one, large, vector),
      () => openText(cipher, one, vector),
      () => openVector(cipher, one, mini, text),
      () => openBlob(cipher, blobKey('b'), blob),
      () => openBlob(cipher, blobKey('a'), text),
      () => openText(aCipher(), one, text),
    ];
    for (const move of moves) expect(move).toThrow(Corrupt);
  });
});

describe('the searchable text of a chunk', () => {
  it('is its context prefix, then its text', () => {
    expect(searchText({ text: 'Press it.', contextPrefix: 'Guide > Start', headings: [] })).toBe('Guide > Start\nPress it.');
    expect(searchText({ text: 'Press it.', contextPrefix: '', headings: [] })).toBe('Press it.');
  });
});

describe('base64', () => {
  it('covers only the bytes of the view, not the whole buffer', () =>
    expect(toBase64(Uint8Array.of(9, 1, 2, 3, 9).subarray(1, 4))).toBe('AQID'));
});
