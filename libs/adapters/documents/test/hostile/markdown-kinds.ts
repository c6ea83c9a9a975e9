import { file, indexed, kind, type HostileKind } from './hostile-kind.ts';

const markdown = (text: string) => () => file('hostile.md', text);
const of = (unit: string, chars = 1_000_000): string => unit.repeat(Math.ceil(chars / unit.length));
const FRONT = (matter: string): string => `---\n${matter}\n---\n\nThe lamp burns.\n`;
const NO_YAML = { warning: /front matter is not valid YAML/ };
const ALIASES = [
  'a: &a0 [x,x,x,x,x,x,x,x,x]',
  ...Array.from({ length: 12 }, (_, level) => `b${level}: &a${level + 1} [${`*a${level},`.repeat(9)}]`),
].join('\n');

/** Marks that have made Markdown parsers use excessive time or stack. */
const MARKS: ReadonlyArray<readonly [what: string, unit: string]> = [
  ['quotes', '>'],
  ['brackets', '['],
  ['closing brackets', ']'],
  ['stars that open and never close', '*a **b '],
  ['links that begin', '[a](<b'],
  ['backticks', '`'],
  ['backticks of growing length', '` `` ``` ```` '],
  ['pipes', '| '],
  ['hashes', '# '],
  ['list marks', '- '],
  ['pictures that begin', '!['],
  ['underscores', '_a'],
  ['tags that begin', '<a b="'],
  ['comments that begin', '<!-- '],
  ['processing instructions', '<?'],
  ['character data', '<![CDATA['],
  ['entities', '&a'],
  ['escapes', '\\'],
  ['definitions', '[a]: b\n'],
  ['footnotes', '[^1]: a\n'],
  ['autolinks', '<http://a'],
  ['bare addresses', 'a@a.'],
  ['tildes', '~~~\n'],
  ['dashes', '-'],
  ['equal signs', '=\n'],
  ['quotes and lists', '> - '],
];

export const MARKDOWN_KINDS: readonly HostileKind[] = [
  ...MARKS.map(([what, unit]) => kind(`markdown: a megabyte of ${what}`, markdown(of(unit)), indexed(/./))),
  kind(
    'markdown: 2,500 lists in lists',
    markdown(Array.from({ length: 2_500 }, (_, depth) => `${' '.repeat(2 * depth)}- a\n`).join('')),
    indexed(/- a/),
  ),
  kind(
    'markdown: a table of 50,000 columns',
    markdown(
      `${Array.from({ length: 50_000 }, () => 'a').join('|')}\n${Array.from({ length: 50_000 }, () => '-').join('|')}\n${'|\n'.repeat(20_000)}`,
    ),
    indexed(/a\|a/),
  ),
  kind(
    'markdown: ten megabytes of ordinary text',
    markdown('# h\n\nSome **text** with `code` and [l](http://x).\n\n- a\n- b\n\n'.repeat(160_000)),
    indexed(/Some/, { warning: /20,000 headings/ }),
  ),
  kind('markdown: a heading of a megabyte', markdown(`# ${of('burns ')}`), indexed(/burns/)),
  kind('markdown: a fence that is never closed', markdown(`\`\`\`\n${of('burns\n')}`), indexed(/burns/)),
  kind('markdown: a million blank lines', markdown(`burns${'\n'.repeat(1_000_000)}burns`), indexed(/burns/)),
  kind('markdown: front matter with aliases that multiply', markdown(FRONT(ALIASES)), indexed(/burns/, NO_YAML)),
  kind('markdown: front matter that refers to itself', markdown(FRONT('a: &a [*a]')), indexed(/burns/)),
  kind('markdown: front matter with code to run', markdown('---js\nprocess.exit(1)\n---\n\nThe lamp burns.\n'), indexed(/burns/)),
  kind(
    'markdown: front matter with a tag to construct',
    markdown(FRONT('a: !!js/function "function(){process.exit(1)}"')),
    indexed(/burns/),
  ),
  kind('markdown: front matter 10,000 deep', markdown(FRONT(`a: ${'['.repeat(10_000)}`)), indexed(/burns/, NO_YAML)),
  kind('markdown: front matter that is never closed', markdown(`---\n${of('a: b\n')}`), indexed(/a: b/)),
  kind(
    'markdown: front matter with a key that is a prototype',
    markdown(FRONT('__proto__:\n  polluted: yes\nconstructor: x')),
    indexed(/burns/),
  ),
  kind('markdown: front matter with a number of 10,000 digits', markdown(FRONT(`a: ${'9'.repeat(10_000)}`)), indexed(/burns/)),
];
