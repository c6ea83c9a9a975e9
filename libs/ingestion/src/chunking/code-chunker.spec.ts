import { aDocument } from '../../test/documents.ts';
import { characters } from './budget.ts';
import { codeChunker } from './code-chunker.ts';

const method = (name: string, lines = 6): string => `function ${name}() {\n${'  doSomething();\n'.repeat(lines)}}`;
const source = ['one', 'two', 'three', 'four', 'five', 'six'].map((name) => method(name)).join('\n\n');
const chunker = codeChunker(characters(400), 60);

describe('The code chunker', () => {
  it('ends a window at a blank line between declarations when one is near', () => {
    const [first] = chunker.chunk(aDocument({ kind: 'code', text: source }));
    expect(first?.text).toBe(['one', 'two', 'three'].map((name) => method(name)).join('\n\n'));
  });

  it('repeats whole lines only', () => {
    const chunks = codeChunker(characters(400), 100).chunk(aDocument({ kind: 'code', text: method('long', 80) }));
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks.slice(1).every(({ text }) => text.startsWith('  doSomething();'))).toBe(true);
    expect(chunks.slice(1).every(({ start }, at) => start < (chunks[at]?.end ?? 0))).toBe(true);
  });

  it('uses the file name as the context prefix', () => {
    expect(chunker.chunk(aDocument({ kind: 'code', text: 'let a = 1;', title: 'src/a.ts' }))[0]?.contextPrefix).toBe('src/a.ts');
  });

  it('splits at symbols where the parser knows them', () => {
    const headings = ['one', 'two', 'three', 'four', 'five', 'six'].map((title) => {
      const start = source.indexOf(`function ${title}(`);
      return { level: 1, title, start, end: source.indexOf('\n', start) };
    });
    const chunks = chunker.chunk(aDocument({ kind: 'code', text: source, headings }));
    expect(chunks.map(({ symbol }) => symbol)).toEqual(['one', 'two', 'three', 'four', 'five', 'six']);
    expect(chunks[1]?.text).toBe(method('two'));
  });
});
