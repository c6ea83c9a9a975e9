import fc from 'fast-check';
import { blobKey, chunkId, Corrupt, embeddingVersion, type ScopeCipher } from '@palimpsest/knowledge';
import { aCipher } from '../test/a-cipher.ts';
import { fromBase64, openBlob, openText, openVector, sealBlob, sealText, sealVector, searchText, toBase64 } from './sealing.ts';

const cipher = aCipher();
const [one, two] = [chunkId('1'.repeat(32)), chunkId('2'.repeat(32))];
const [mini, large] = [embeddingVersion('onnx:mini/3'), embeddingVersion('onnx:large/3')];
const anyText = fc.string({ unit: 'binary', maxLength: 60 });
/** By way of an event: base64, as JSON carries it. */
const overTheWire = (bytes: Uint8Array): Uint8Array => fromBase64(JSON.parse(JSON.stringify(toBase64(bytes))) as string);

describe('sealing', () => {
  it('gives a text back with all that stands above it', () =>
    fc.assert(
      fc.property(fc.record({ text: anyText, contextPrefix: anyText, headings: fc.array(anyText, { maxLength: 3 }) }), (text) =>
        expect(openText(cipher, one, overTheWire(sealText(cipher, one, text)))).toEqual(text),
      ),
    ));

  it('gives a vector back bit for bit', () =>
    fc.assert(
      fc.property(fc.float32Array({ maxLength: 40 }), (vector) => expect(openVector(cipher, one, mini, overTheWire(sealVector(cipher, one, mini, vector)))).toEqual(vector)),
    ));

  it('gives a blob back', () =>
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => expect(new Uint8Array(openBlob(cipher, blobKey('a/b'), sealBlob(cipher, blobKey('a/b'), bytes)))).toEqual(bytes))));

  it('writes vectors as little-endian float32, whatever machine it is', () => {
    const plain: ScopeCipher = { seal: (bytes) => bytes, open: (bytes) => bytes };
    expect([...sealVector(plain, one, mini, Float32Array.of(1, -2))]).toEqual([0, 0, 128, 63, 0, 0, 0, 192]);
    expect(() => openVector(plain, one, mini, Uint8Array.of(1, 2, 3))).toThrow(Corrupt);
  });

  it('opens nothing that was moved: to another chunk, another model, another kind, another blob', () => {
    const text = sealText(cipher, one, { text: 'a', contextPrefix: '', headings: [] });
    const vector = sealVector(cipher, one, mini, Float32Array.of(1, 2, 3));
    const blob = sealBlob(cipher, blobKey('a'), Uint8Array.of(1));
    const moves = [
      () => openText(cipher, two, text), () => openVector(cipher, two, mini, vector), () => openVector(cipher, one, large, vector), () => openText(cipher, one, vector), () => openVector(cipher, one, mini, text),
      () => openBlob(cipher, blobKey('b'), blob), () => openBlob(cipher, blobKey('a'), text), () => openText(aCipher(), one, text),
    ];
    for (const move of moves) expect(move).toThrow(Corrupt);
  });
});

describe('what a chunk is searched by', () => {
  it('is what stands above it, then its text', () => {
    expect(searchText({ text: 'Press it.', contextPrefix: 'Guide > Start', headings: [] })).toBe('Guide > Start\nPress it.');
    expect(searchText({ text: 'Press it.', contextPrefix: '', headings: [] })).toBe('Press it.');
  });
});

describe('base64', () => {
  it('is of the bytes that a view shows, not of all that lie under it', () => expect(toBase64(Uint8Array.of(9, 1, 2, 3, 9).subarray(1, 4))).toBe('AQID'));
});
