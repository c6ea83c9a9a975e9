import { aMarkdown } from '../../test/documents.ts';
import { characters } from './budget.ts';
import { markdownChunker } from './markdown-chunker.ts';

const words = (count: number, word = 'word'): string => Array.from({ length: count }, (_, at) => `${word}${at}`).join(' ');
const sentences = (count: number): string => Array.from({ length: count }, (_, at) => `Sentence number ${at} says a little.`).join(' ');
const chunksOf = (text: string, maxChars = 400, title?: string) =>
  markdownChunker(characters(maxChars)).chunk(aMarkdown(text, title === undefined ? {} : { title }));

describe('The Markdown chunker', () => {
  it('gives each section its path of headings', () => {
    const chunks = chunksOf(
      `# Guide\n\n${words(20)}\n\n## Install\n\n${words(20)}\n\n### Linux\n\n${words(30)}\n\n## Use\n\n${words(30)}\n`,
    );
    expect(chunks.map(({ contextPrefix }) => contextPrefix)).toEqual([
      'Guide',
      'Guide > Install',
      'Guide > Install > Linux',
      'Guide > Use',
    ]);
    expect(chunks[2]).toMatchObject({ headings: ['Guide', 'Install', 'Linux'], index: 2, of: 4, lines: { from: 9, to: 11 } });
    expect(chunks[2]?.text).toMatch(/^### Linux\n\nword0/);
  });

  it('starts the prefix with the document’s title, unless its first heading repeats it', () => {
    expect(chunksOf('# Guide\n\ntext', 400, 'Handbook')[0]?.contextPrefix).toBe('Handbook > Guide');
    expect(chunksOf('# Guide\n\ntext', 400, 'guide')[0]?.contextPrefix).toBe('Guide');
    expect(chunksOf('only text', 400, 'Handbook')[0]?.contextPrefix).toBe('Handbook');
  });

  it('joins a heading without text of its own with the sub-heading that follows', () => {
    const [chunk, ...others] = chunksOf(`# Guide\n\n## Install\n\n${words(40)}`);
    expect(others).toEqual([]);
    expect(chunk).toMatchObject({ start: 0, contextPrefix: 'Guide > Install' });
  });

  it('joins only tiny sections under the same parent', () => {
    const chunks = chunksOf(`# A\n\n${words(30)}\n\n## A1\n\ntiny\n\n## A2\n\ntiny\n\n# B\n\n${words(30)}\n\n## B1\n\n${words(30)}\n`);
    expect(chunks.map(({ contextPrefix }) => contextPrefix)).toEqual(['A', 'B', 'B > B1']);
    expect(chunks[0]?.text).toMatch(/## A1\n\ntiny\n\n## A2\n\ntiny$/);
  });

  it('does not join tiny sections with different parents', () => {
    const chunks = chunksOf(
      `# A\n\n${words(30)}\n\n## A1\n\n${words(30)}\n\n### A1a\n\n${words(56)}\n\n### A1b\n\n${words(5)}\n\n## A2\n\n${words(30)}\n`,
    );
    expect(chunks.map(({ contextPrefix }) => contextPrefix)).toEqual(['A', 'A > A1', 'A > A1 > A1a', 'A > A1 > A1b', 'A > A2']);
  });

  it('splits a large section at paragraphs, evenly, under the same prefix', () => {
    const paragraph = sentences(4);
    const chunks = chunksOf(`# Long\n\n${[paragraph, paragraph, paragraph, paragraph].join('\n\n')}`);
    expect(chunks.map(({ contextPrefix }) => contextPrefix)).toEqual(['Long', 'Long']);
    expect(chunks.every(({ text }) => text.endsWith('little.'))).toBe(true);
    expect(chunks[1]?.text).toBe([paragraph, paragraph].join('\n\n'));
  });

  it('splits a large paragraph between sentences', () => {
    const chunks = chunksOf(sentences(30));
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks.every(({ text }) => /^Sentence number \d+ .*little\.$/.test(text))).toBe(true);
  });

  it('leaves no scrap behind when a section is a little too large', () => {
    const chunks = chunksOf(sentences(13));
    expect(chunks.length).toBe(2);
    expect(Math.min(...chunks.map(({ text }) => text.length))).toBeGreaterThan(180);
  });

  it('keeps a code block with blank lines whole', () => {
    const code = `\`\`\`ts\nconst a = 1;\n\n${'call();\n\n'.repeat(25)}\`\`\``;
    const chunks = chunksOf(`# Code\n\n${sentences(3)}\n\n${code}\n\n${sentences(3)}`);
    expect(chunks.some(({ text }) => text.includes(code))).toBe(true);
  });

  it('does not take a "#" in code for a heading', () => {
    const text = `# Shell\n\n\`\`\`sh\n# comment\nls\n\`\`\`\n`;
    const document = { ...aMarkdown(text), headings: [{ level: 1, title: 'Shell', start: 0, end: 7 }] };
    expect(markdownChunker(characters(400)).chunk(document)).toHaveLength(1);
  });

  it('splits a large table between rows and repeats its header', () => {
    const rows = Array.from({ length: 40 }, (_, at) => `| row ${at} | value ${at} |`).join('\n');
    const chunks = chunksOf(`# T\n\n| name | value |\n|---|---|\n${rows}`);
    expect(
      chunks.slice(1).every(({ text, contextPrefix }) => /^\| row \d+ \|.*\|$/s.test(text) && contextPrefix === 'T\n| name | value |'),
    ).toBe(true);
    expect(chunks[0]?.contextPrefix).toBe('T');
  });

  it('gives the slide or chapter on which a chunk starts', () => {
    const text = `# One\n\n${words(30)}\n\n# Two\n\n${words(30)}`;
    const document = aMarkdown(text, {
      pages: [
        { number: 1, start: 0 },
        { number: 2, start: text.indexOf('# Two') },
      ],
    });
    expect(
      markdownChunker(characters(400))
        .chunk(document)
        .map(({ page }) => page),
    ).toEqual([1, 2]);
  });
});
