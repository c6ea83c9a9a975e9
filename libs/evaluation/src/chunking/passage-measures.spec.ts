import fc from 'fast-check';
import { passageFigures, precisionOmega } from './passage-measures.ts';
import type { Span } from './spans.ts';
import { lengthOf, sharedLength, unionOf } from './spans.ts';

const span = (start: number, end: number): Span => ({ start, end });
const spans = (min: number) =>
  fc.array(
    fc.tuple(fc.nat(200), fc.integer({ min: 1, max: 60 })).map(([start, length]) => span(start, start + length)),
    { minLength: min, maxLength: 8 },
  );
const charactersOf = (all: readonly Span[]): Set<number> =>
  new Set(all.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at)));
const inBoth = (one: ReadonlySet<number>, other: ReadonlySet<number>): number => [...one].filter((at) => other.has(at)).length;

describe('Spans', () => {
  it('joins spans that overlap or touch, and counts what two unions share', () => {
    expect(unionOf([span(20, 30), span(0, 10), span(5, 12), span(12, 15), span(22, 24)])).toEqual([span(0, 15), span(20, 30)]);
    expect(sharedLength([span(0, 15), span(20, 30)], [span(10, 25), span(29, 40)])).toBe(5 + 5 + 1);
    expect(sharedLength([span(0, 10)], [span(10, 20)])).toBe(0);
  });

  it('counts the characters that sets of characters have', () => {
    fc.assert(
      fc.property(spans(0), spans(0), (one, other) => {
        const [left, right] = [charactersOf(one), charactersOf(other)];
        expect(lengthOf(unionOf(one))).toBe(left.size);
        expect(sharedLength(unionOf(one), unionOf(other))).toBe(inBoth(left, right));
      }),
    );
  });
});

describe('Recall, precision and IoU of retrieved passages', () => {
  it('counts characters: half of the reference in a chunk of 40, and a chunk of another text', () => {
    // 10 of 20 are found; 40 + 60 are read; the union is 100 and the 10 that are missing.
    expect(passageFigures([span(100, 120)], { places: [span(70, 110)], elsewhere: 60 })).toEqual({
      recall: 0.5,
      precision: 0.1,
      iou: 10 / 110,
    });
  });

  it('finds what two chunks repeat once, but reads it twice', () => {
    // Both chunks have 10 … 20; the references need 5 … 15 and 30 … 40.
    const figures = passageFigures([span(5, 15), span(30, 40)], { places: [span(0, 20), span(10, 30)], elsewhere: 0 });
    expect(figures).toEqual({ recall: 10 / 20, precision: 10 / 40, iou: 10 / 50 });
  });

  it('needs what two references repeat once', () => {
    expect(passageFigures([span(0, 10), span(5, 20)], { places: [span(0, 20)], elsewhere: 0 })).toEqual({
      recall: 1,
      precision: 1,
      iou: 1,
    });
  });

  it('is 0 without a result, and refuses a question without a reference', () => {
    expect(passageFigures([span(0, 10)], { places: [], elsewhere: 0 })).toEqual({ recall: 0, precision: 0, iou: 0 });
    expect(() => passageFigures([], { places: [span(0, 10)], elsewhere: 0 })).toThrow('references: expected at least one character');
    expect(() => precisionOmega([span(5, 5)], [span(0, 10)])).toThrow('references: expected at least one character');
  });

  it('is from 0 to 1, and IoU is at most recall and at most precision', () => {
    fc.assert(
      fc.property(spans(1), spans(0), fc.nat(500), (references, places, elsewhere) => {
        const { recall, precision, iou } = passageFigures(references, { places, elsewhere });
        for (const figure of [recall, precision, iou]) expect(figure >= 0 && figure <= 1).toBe(true);
        expect(iou).toBeLessThanOrEqual(Math.min(recall, precision));
        expect(recall === 0).toBe(inBoth(charactersOf(references), charactersOf(places)) === 0);
      }),
    );
  });
});

describe('Precision Ω', () => {
  it('returns each chunk with a part of a reference, and no other', () => {
    // The chunks 0 … 10 and 10 … 30 hold the reference 8 … 14: 6 of 30 characters.
    expect(precisionOmega([span(8, 14)], [span(0, 10), span(10, 30)])).toBe(6 / 30);
    // A chunk that only touches the reference holds nothing of it.
    expect(precisionOmega([span(8, 14)], [span(0, 10), span(10, 14), span(14, 50)])).toBe(6 / 14);
  });

  it('counts what chunks repeat once, and a part of a reference that no chunk has', () => {
    expect(precisionOmega([span(10, 20)], [span(0, 15), span(5, 20)])).toBe(10 / 20);
    expect(precisionOmega([span(10, 20), span(40, 50)], [span(0, 20)])).toBe(10 / 30);
    expect(precisionOmega([span(10, 20)], [])).toBe(0);
  });

  it('is from 0 to 1, and at least the IoU of a search that returns every chunk', () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 259 }), { maxLength: 12 }).map((all) => {
      const edges = [0, ...all.toSorted((a, b) => a - b), 260];
      return edges.slice(1).map((end, at) => span(edges[at] ?? 0, end));
    });
    fc.assert(
      fc.property(spans(1), cuts, (references, chunks) => {
        const omega = precisionOmega(references, chunks);
        const all = passageFigures(references, { places: chunks, elsewhere: 0 });
        expect(omega >= 0 && omega <= 1).toBe(true);
        expect(all.recall).toBe(1);
        expect(omega).toBeGreaterThanOrEqual(all.iou);
      }),
    );
  });
});
