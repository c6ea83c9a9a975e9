/** Measures a text in some unit. `advance` and `back` may be off by a little; `size` has the last word. */
export interface Ruler {
  /** The offset about `size` units after `offset`, at most the text's length. */
  advance(offset: number, size: number): number;
  /** The offset about `size` units before `offset`, at least 0. */
  back(offset: number, size: number): number;
  size(start: number, end: number): number;
  /** UTF-16 units that one unit comes to at most, by `advance` and `back`. */
  readonly longest: number;
}

export const characterRuler = (text: string): Ruler => ({
  advance: (offset, size) => Math.min(text.length, offset + size),
  back: (offset, size) => Math.max(0, offset - size),
  size: (start, end) => end - start,
  longest: 1,
});
