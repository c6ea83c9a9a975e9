import { embeddingVersion } from '@palimpsest/knowledge/values';
import { collectionName, uuidOf } from '../partitions/names.ts';
import { embeddedScore, scoreSlack } from './embedded-score.ts';
import { vectorPlan } from './vector-options.ts';

const unit = (seed: number, width: number): Float32Array => {
  const values = Array.from({ length: width }, (_, i) => Math.sin(seed * 12.9898 + i * 78.233));
  return Float32Array.from(values, (value) => value / Math.hypot(...values));
};

describe('embeddedScore', () => {
  it('is within the slack of the true product, at any width', () => {
    for (const width of [1, 3, 16, 37, 384, 1024])
      for (let seed = 1; seed < 20; seed++) {
        const [a, b] = [unit(seed, width), unit(seed + 100, width)];
        const truth = a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
        expect(Math.abs(embeddedScore(a, b) - truth)).toBeLessThan(scoreSlack(width) / 2);
        expect(embeddedScore(a, b)).toBe(Math.fround(embeddedScore(a, b)));
        expect(embeddedScore(b, a)).toBe(embeddedScore(a, b));
      }
  });
});

describe('names', () => {
  it('of collections differ even if their readable part is the same', () => {
    const of = (version: string) => vectorPlan(embeddingVersion(version), 'p', {}).name;
    expect(of('onnx:all-minilm/384')).toMatch(/^p_vectors-3_onnx-all-minilm-384_[0-9a-f]{32}$/);
    expect(
      new Set([
        of('onnx:a.b/384'),
        of('onnx:a-b/384'),
        of('onnx:a/b/384'),
        of('onnx:A-B/384'),
        of(`onnx:${'x'.repeat(150)}/1`),
        of(`onnx:${'x'.repeat(150)}/2`),
      ]).size,
    ).toBe(6);
    expect(collectionName('p', 'vectors', 'x'.repeat(1000)).length).toBeLessThan(200);
  });

  it('of points are UUIDs with unambiguous parts', () => {
    expect(uuidOf('a', 'b')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(uuidOf('ab', 'c')).not.toBe(uuidOf('a', 'bc'));
  });
});
