import { stripFrontMatter } from './front-matter.ts';

describe('stripFrontMatter', () => {
  it('removes YAML from the top', () => {
    expect(stripFrontMatter('---\ntitle: A\n---\n\ntext\n')).toEqual({ body: 'text\n', data: { title: 'A' }, warnings: [] });
    expect(stripFrontMatter('---\n---\ntext')).toMatchObject({ body: 'text', data: {} });
  });

  it('keeps text between rules, and an opening without an end', () => {
    for (const text of ['---\nJust a sentence.\n---\n', '---\ntitle: A\n', ' ---\na: 1\n---\n', 'text\n---\na: 1\n---\n'])
      expect(stripFrontMatter(text).body).toBe(text);
  });

  it('never runs code or constructs objects', () => {
    expect(stripFrontMatter('---js\n{ a: process.exit() }\n---\n').body).toContain('process.exit');
    expect(stripFrontMatter('---\na: !!js/function "x"\nwhen: 2024-01-01\n---\n').data).toMatchObject({ when: '2024-01-01' });
  });

  it('warns about invalid YAML', () => {
    expect(stripFrontMatter('---\na: [\n---\ntext')).toEqual({
      body: 'text',
      data: {},
      warnings: ['The front matter is not valid YAML and was omitted.'],
    });
  });
});
