import { SeededRandom } from '@palimpsest/foundation';
import { Corrupt, InvalidValue } from '@palimpsest/knowledge/errors';
import fc from 'fast-check';
import { VectorCodec, type CodecSettings } from './vector-codec.ts';

const product = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
const lengthOf = (vector: Float32Array): number => Math.sqrt(product(vector, vector));
const unit = (vector: Float32Array): Float32Array => vector.map((value) => value / lengthOf(vector));
const anything = (dimensions: number, random: SeededRandom): Float32Array =>
  unit(Float32Array.from({ length: dimensions }, () => random.next() + random.next() + random.next() - 1.5));
const axis = (dimensions: number, i: number): Float32Array => Float32Array.from({ length: dimensions }, (_, j) => (i === j ? 1 : 0));

/** The length of the error of a decoded vector, in lengths of the vector. */
const errorOf = (codec: VectorCodec, vector: Float32Array): number => {
  const decoded = codec.decode(codec.encode(vector));
  return lengthOf(decoded.map((value, i) => value - (vector[i] ?? 0))) / lengthOf(vector);
};
const meanError = (settings: CodecSettings, vectors: readonly Float32Array[]): number => {
  const codec = new VectorCodec(settings);
  return vectors.reduce((sum, vector) => sum + errorOf(codec, vector), 0) / vectors.length;
};

const DIMENSIONS = 384;
const bothForms: readonly Readonly<{ bits: number; residualSign: boolean }>[] = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((bits) =>
  bits === 1 ? [{ bits, residualSign: false }] : [false, true].map((residualSign) => ({ bits, residualSign })),
);

describe('a codec of vectors', () => {
  it('takes few bytes', () => {
    const bytes = [8, 4, 2, 1].map((bits) => new VectorCodec({ dimensions: DIMENSIONS, bits }).bytes);
    expect(bytes).toEqual([390, 198, 102, 54]);
    expect(new VectorCodec({ dimensions: DIMENSIONS, bits: 4, residualSign: true }).bytes).toBe(202);
  });

  it('loses less with every bit, whatever the vector', () => {
    const random = new SeededRandom(3);
    const vectors = [
      ...Array.from({ length: 10 }, () => anything(DIMENSIONS, random)),
      axis(DIMENSIONS, 7),
      unit(anything(DIMENSIONS, random).map(Math.sign)),
    ];
    const errors = [1, 2, 3, 4, 5, 6, 7, 8].map((bits) => meanError({ dimensions: DIMENSIONS, bits }, vectors));
    errors.slice(1).forEach((error, i) => expect(error).toBeLessThan(0.65 * (errors[i] ?? 0)));
    // √(π/2 - 1) for one bit with an unbiased scale, and the levels' own error for eight.
    expect(errors[0]).toBeCloseTo(Math.sqrt(Math.PI / 2 - 1), 1);
    expect(errors[7]).toBeLessThan(0.007);
    const withSign = [2, 3, 4, 5, 6, 7, 8].map((bits) => meanError({ dimensions: DIMENSIONS, bits, residualSign: true }, vectors));
    withSign.slice(1).forEach((error, i) => expect(error).toBeLessThan(0.65 * (withSign[i] ?? 0)));
  });

  it('estimates what an inner product with the decoded vector is', () => {
    const random = new SeededRandom(5);
    for (const form of bothForms) {
      const codec = new VectorCodec({ dimensions: 100, ...form });
      const [vector, query] = [anything(100, random), anything(100, random)];
      const code = codec.encode(vector);
      expect(codec.innerProduct(codec.query(query), code)).toBeCloseTo(product(query, codec.decode(code)), 6);
    }
  });

  it.each(bothForms.filter(({ bits }) => [1, 2, 4, 8].includes(bits)))(
    'estimates inner products without bias: $bits bits, sign of the residual: $residualSign',
    (form) => {
      const random = new SeededRandom(11);
      const vector = anything(DIMENSIONS, random);
      const away = anything(DIMENSIONS, random);
      const pairs = [
        // Cosines of about .9, .5 and 0, and two that a rotation has to spread first.
        ...[0.5, 1.7, 1e6].map((distance) => [vector, unit(vector.map((value, i) => value + distance * (away[i] ?? 0)))] as const),
        [axis(DIMENSIONS, 3), unit(axis(DIMENSIONS, 3).map((value, i) => value + (i === 90 ? 1 : 0)))] as const,
      ];
      for (const [one, query] of pairs) {
        const seeds = 400;
        const errors = Array.from({ length: seeds }, (_, seed) => {
          const codec = new VectorCodec({ dimensions: DIMENSIONS, ...form, seed });
          return codec.innerProduct(codec.query(query), codec.encode(one)) - product(one, query);
        });
        const mean = errors.reduce((sum, error) => sum + error, 0) / seeds;
        const deviation = Math.sqrt(errors.reduce((sum, error) => sum + (error - mean) ** 2, 0) / (seeds - 1));
        expect(Math.abs(mean)).toBeLessThan((4 * deviation) / Math.sqrt(seeds));
      }
    },
  );

  it('would be biased with the levels alone, which the test of bias notices', () => {
    // The same test for a code whose scale is that of the vector: the first part of a code with a residual.
    const random = new SeededRandom(11);
    const vector = anything(DIMENSIONS, random);
    const errors = Array.from({ length: 400 }, (_, seed) => {
      const codec = new VectorCodec({ dimensions: DIMENSIONS, bits: 3, residualSign: true, seed });
      const { residual, ...code } = codec.encode(vector);
      expect(residual).toBeDefined();
      return codec.innerProduct(codec.query(vector), { ...code, residual: { scale: 0, signs: new Uint8Array(DIMENSIONS) } }) - 1;
    });
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    const deviation = Math.sqrt(errors.reduce((sum, error) => sum + (error - mean) ** 2, 0) / (errors.length - 1));
    expect(Math.abs(mean)).toBeGreaterThan((20 * deviation) / Math.sqrt(errors.length));
  });

  it('reads what it wrote, and writes the same bytes again: any vector, any settings', () =>
    fc.assert(
      fc.property(
        fc.constantFrom(...bothForms),
        fc
          .integer({ min: 1, max: 130 })
          .chain((dimensions) =>
            fc.array(fc.float({ min: -1e6, max: 1e6, noNaN: true }), { minLength: dimensions, maxLength: dimensions }),
          ),
        (form, values) => {
          const codec = new VectorCodec({ dimensions: values.length, ...form });
          const code = codec.encode(Float32Array.from(values));
          const bytes = codec.serialise(code);
          expect(bytes).toHaveLength(codec.bytes);
          const parsed = codec.parse(bytes);
          expect(parsed).toEqual(code);
          expect(codec.serialise(parsed)).toEqual(bytes);
          expect(codec.decode(parsed)).toEqual(codec.decode(code));
        },
      ),
      { numRuns: 100 },
    ));

  it('writes the same bytes for the same vector on every machine and in every version', () => {
    const vector = Float32Array.from({ length: 12 }, (_, i) => ((i * 7) % 5) - 2);
    const hex = (settings: Omit<CodecSettings, 'dimensions'>) => {
      const codec = new VectorCodec({ dimensions: 12, ...settings });
      return Buffer.from(codec.serialise(codec.encode(vector))).toString('hex');
    };
    expect([hex({ bits: 8 }), hex({ bits: 4 }), hex({ bits: 1 }), hex({ bits: 3, residualSign: true })]).toMatchInlineSnapshot(`
      [
        "01084968b43f54a07a99d08dcb611c4db675",
        "010439aeb73fa5978d5c417b",
        "01014e070c407a04",
        "0183f304b53f997b64e3fe093f0a07",
      ]
    `);
  });

  it('encodes zeros, a single dimension and the smallest and largest values', () => {
    const zeros = new VectorCodec({ dimensions: 5, bits: 4 });
    expect([...zeros.decode(zeros.encode(new Float32Array(5)))].map(Math.abs)).toEqual([0, 0, 0, 0, 0]);
    expect(zeros.innerProduct(zeros.query(Float32Array.of(1, 2, 3, 4, 5)), zeros.encode(new Float32Array(5)))).toBeCloseTo(0, 12);
    for (const form of bothForms) {
      const one = new VectorCodec({ dimensions: 1, ...form });
      expect(one.decode(one.encode(Float32Array.of(-3)))[0]).toBeCloseTo(-3, 5);
      const codec = new VectorCodec({ dimensions: DIMENSIONS, ...form });
      for (const size of [1e-30, 6e29])
        expect(
          errorOf(
            codec,
            anything(DIMENSIONS, new SeededRandom(1)).map((value) => value * size),
          ),
        ).toBeLessThan(1.3);
    }
  });

  it('refuses what it cannot encode, and names it', () => {
    const codec = new VectorCodec({ dimensions: 3, bits: 4 });
    for (const encode of [(vector: Float32Array) => codec.encode(vector), (vector: Float32Array) => codec.query(vector)]) {
      expect(() => encode(Float32Array.of(1, NaN, 1))).toThrow(/^(vector|query)\[1\]: expected a finite number, got "?NaN"?$/);
      expect(() => encode(Float32Array.of(1, 1, -Infinity))).toThrow(/^(vector|query)\[2\]: expected a finite number/);
      expect(() => encode(Float32Array.of(1, 1))).toThrow(/^(vector|query): expected 3 dimensions, got 2$/);
      expect(() => encode([1, 2, 3] as unknown as Float32Array)).toThrow(InvalidValue);
    }
    expect(() => codec.encode(new Float32Array(3).fill(3.4e38))).toThrow(/^vector: expected a length of at most 2 \*\* 99/);
    expect(() => new VectorCodec({ dimensions: 0, bits: 4 })).toThrow('dimensions: expected a whole number from 1 to 4096');
    expect(() => new VectorCodec({ dimensions: 3.5, bits: 4 })).toThrow(InvalidValue);
    expect(() => new VectorCodec({ dimensions: 3, bits: 9 })).toThrow('bits: expected a whole number from 1 to 8, got 9');
    expect(() => new VectorCodec({ dimensions: 3, bits: 1, residualSign: true })).toThrow(
      'bits: expected a whole number from 2 to 8, got 1',
    );
    expect(() => new VectorCodec({ dimensions: 3, bits: 4, seed: -1 })).toThrow(InvalidValue);
  });

  it('refuses the codes of other settings', () => {
    const codec = new VectorCodec({ dimensions: 8, bits: 4 });
    const vector = anything(8, new SeededRandom(1));
    for (const other of [
      { dimensions: 8, bits: 8 },
      { dimensions: 8, bits: 4, residualSign: true },
      { dimensions: 9, bits: 4 },
    ]) {
      const foreign = new VectorCodec(other);
      const code = foreign.encode(Float32Array.from({ length: other.dimensions }, (_, i) => vector[i] ?? 0));
      for (const use of [() => codec.decode(code), () => codec.serialise(code), () => codec.innerProduct(codec.query(vector), code)])
        expect(use).toThrow(/^code: expected a code of form 4 with 8 dimensions/);
      expect(() => codec.parse(foreign.serialise(code))).toThrow(Corrupt);
    }
  });

  it('refuses bytes that are no code', () => {
    for (const form of bothForms) {
      const codec = new VectorCodec({ dimensions: 13, ...form });
      const bytes = codec.serialise(codec.encode(anything(13, new SeededRandom(2))));
      const changed = (at: number, ...to: readonly number[]): Uint8Array => {
        const copy = bytes.slice();
        copy.set(to, at);
        return copy;
      };
      expect(() => codec.parse(new Uint8Array(0))).toThrow(`has the length 0 instead of ${codec.bytes}`);
      expect(() => codec.parse(Uint8Array.of(...bytes, 0))).toThrow(Corrupt);
      expect(() => codec.parse(bytes.subarray(1))).toThrow(Corrupt);
      expect(() => codec.parse(changed(0, 2))).toThrow('has the version 2 instead of 1');
      expect(() => codec.parse(changed(1, 99))).toThrow('has the form 99 instead of');
      // NaN, Infinity and -1.
      expect(() => codec.parse(changed(2, 0, 0, 0xc0, 0x7f))).toThrow('has the scale NaN');
      expect(() => codec.parse(changed(2, 0, 0, 0x80, 0x7f))).toThrow('has the scale Infinity');
      expect(() => codec.parse(changed(2, 0, 0, 0x80, 0xbf))).toThrow('has the scale -1');
      // 13 signs, or 13 levels of an odd number of bits, do not fill their last byte.
      if (form.bits !== 8 || form.residualSign) expect(() => codec.parse(changed(bytes.length - 1, 0xff))).toThrow(Corrupt);
    }
  });

  it('never reads a code from any bytes that it would not write', () =>
    fc.assert(
      fc.property(fc.constantFrom(...bothForms), fc.uint8Array({ maxLength: 40 }), (form, noise) => {
        const codec = new VectorCodec({ dimensions: 13, ...form });
        const bytes = Uint8Array.from({ length: codec.bytes }, (_, i) => noise[i] ?? 0);
        bytes.set([1, form.bits + (form.residualSign ? 128 : 0)]);
        let code;
        try {
          code = codec.parse(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(Corrupt);
          return;
        }
        expect(codec.serialise(code)).toEqual(bytes);
        expect(codec.decode(code).every(Number.isFinite)).toBe(true);
      }),
    ));
});
