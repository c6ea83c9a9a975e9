import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';

export type UnifiedDiff = Readonly<{ unified: string; truncated: boolean }> | Readonly<{ missing: 'too-large' | 'too-different' }>;

export type DiffLimits = Readonly<{ lines: number; changedLines: number; characters: number }>;

/** `changedLines`: the work grows with its square. These limits keep a comparison under a tenth of a second for any texts. */
export const DIFF_LIMITS: DiffLimits = { lines: 50_000, changedLines: 1_000, characters: 500_000 };

const CONTEXT = 3;

type Named = Readonly<{ name: string; text: string }>;

/** Both texts end with a line end, or are empty. A diff that is too long ends with its last complete hunk. */
export const unifiedDiff = (from: Named, to: Named, limits = DIFF_LIMITS): UnifiedDiff => {
  if (from.text === to.text) return { unified: '', truncated: false };
  const [before, after] = [linesOf(from.text), linesOf(to.text)];
  if (Math.max(before.length, after.length) > limits.lines) return { missing: 'too-large' };
  const numbers = new Numbers();
  const patch = structuredPatch(from.name, to.name, numbers.of(before), numbers.of(after), undefined, undefined, {
    context: CONTEXT,
    maxEditLength: limits.changedLines,
  });
  if (!patch) return { missing: 'too-different' };
  const hunks = patch.hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => `${line[0] ?? ''}${numbers.lineOf(line.slice(1))}`),
  }));
  let characters = 0;
  const kept = hunks.filter(({ lines }) => {
    characters += lines.reduce((sum, line) => sum + line.length + 1, 0);
    return characters <= limits.characters;
  });
  if (kept.length === 0) return { missing: 'too-large' };
  return { unified: formatPatch({ ...patch, hunks: kept }, FILE_HEADERS_ONLY), truncated: kept.length < hunks.length };
};

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.slice(0, -1).split('\n'));

/** Stands a number for each different line: comparing long lines that are almost the same would cost their length each time. */
class Numbers {
  readonly #numbers = new Map<string, number>();
  readonly #lines: string[] = [];

  of(lines: readonly string[]): string {
    return lines.map((line) => `${this.#numberOf(line)}\n`).join('');
  }

  lineOf(number: string): string {
    return this.#lines[Number(number)] ?? '';
  }

  #numberOf(line: string): number {
    const known = this.#numbers.get(line);
    if (known !== undefined) return known;
    this.#numbers.set(line, this.#lines.length);
    return this.#lines.push(line) - 1;
  }
}
