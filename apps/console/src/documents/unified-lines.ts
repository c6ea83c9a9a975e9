export type DiffLine = Readonly<{ kind: 'added' | 'removed' | 'same' | 'place'; text: string }>;

const KINDS: Readonly<Record<string, DiffLine['kind']>> = { '+': 'added', '-': 'removed', '@': 'place', '\\': 'place' };
/** The names of both versions, which the page shows itself. */
const HEAD_LINES = 2;

/** The lines of a unified diff, each with its sign. A line of text may begin with a sign of its own, so only the first character counts. */
export const unifiedLines = (unified: string): readonly DiffLine[] => {
  if (unified === '') return [];
  const lines = unified.replace(/\n$/, '').split('\n');
  const body = lines[0]?.startsWith('--- ') === true ? lines.slice(HEAD_LINES) : lines;
  return body.map((text) => ({ kind: KINDS[text.charAt(0)] ?? 'same', text }));
};
