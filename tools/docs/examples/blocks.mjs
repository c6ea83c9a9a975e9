/** The examples in a Markdown file: a block of commands (`sh`), and the block directly after it that shows their output. */

const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm;

/**
 * @returns {{ section: string, line: number, script: string, expected?: { text: string, start: number, end: number } }[]}
 * `start`, `end`: the range of the expected output in the text
 */
export const examplesIn = (text) => {
  const fences = [...text.matchAll(FENCE)].map((match) => ({
    language: match[1],
    body: match[2],
    start: match.index,
    end: match.index + match[0].length,
    bodyStart: match.index + 3 + match[1].length + 1,
  }));
  return fences.flatMap((fence, i) => {
    if (fence.language !== 'sh') return [];
    const next = fences[i + 1];
    const isOutput =
      next !== undefined && (next.language === 'text' || next.language === '') && text.slice(fence.end, next.start).trim() === '';
    const expected = isOutput ? { text: next.body, start: next.bodyStart, end: next.bodyStart + next.body.length } : undefined;
    return [
      {
        section: sectionAt(text, fence.start),
        line: text.slice(0, fence.start).split('\n').length,
        script: fence.body,
        ...(expected ? { expected } : {}),
      },
    ];
  });
};

const sectionAt = (text, index) =>
  /.*^#{1,6} +(.+?)$/ms
    .exec(
      text
        .slice(0, index)
        .split(/^(?=#{1,6} )/m)
        .at(-1) ?? '',
    )?.[1]
    ?.trim() ?? '';

/** The text with other outputs. Replaces from the end, so that ranges stay valid. */
export const withOutputs = (text, changes) =>
  [...changes]
    .sort((a, b) => b.start - a.start)
    .reduce((changed, { start, end, output }) => changed.slice(0, start) + output + changed.slice(end), text);
