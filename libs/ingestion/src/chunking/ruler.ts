/** Measures a text in some unit. `advance` and `back` are estimates; `size` is exact. */
export interface Ruler {
  /** The offset about `size` units after `offset`, at most the text's length. */
  advance(offset: number, size: number): number;
  /** The offset about `size` units before `offset`, at least 0. */
  back(offset: number, size: number): number;
  size(start: number, end: number): number;
  /** The maximum number of UTF-16 units in one unit, as `advance` and `back` count. */
  readonly longest: number;
}

export const characterRuler = (text: string): Ruler => ({
  advance: (offset, size) => Math.min(text.length, offset + size),
  back: (offset, size) => Math.max(0, offset - size),
  size: (start, end) => end - start,
  longest: 1,
});
