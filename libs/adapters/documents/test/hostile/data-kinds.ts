import { file, indexed, kind, refused, refusedAs, type HostileKind } from './hostile-kind.ts';

const MB = 1_000_000;
const csv = (text: string) => () => file('hostile.csv', text);
const wide = Array.from({ length: 700_000 }, (_, column) => `h${column}`).join(',');

const tables: readonly HostileKind[] = [
  kind('csv: one line of ten megabytes', csv('abcdefg,'.repeat(1_310_720)), refused('too-large', /longer than 1 MB/)),
  kind('csv: ten megabytes without a comma', csv('a'.repeat(10 * MB)), refused('too-large', /longer than 1 MB/)),
  kind('csv: a quotation mark that is never closed', csv(`"${'abc,def\n'.repeat(1_250_000)}`), refusedAs('too-large')),
  kind('csv: 700,000 columns', csv(`${wide}\n${','.repeat(700_000)}\n`), refused('too-large')),
  kind(
    'csv: 100,000 columns in one short line',
    csv(`${'a,'.repeat(100_000)}\n1,2\n`),
    indexed(/a \| a/, { warning: /more than 500 columns/ }),
  ),
  kind('csv: three million cells', csv('a,b,c\n'.repeat(1_000_000)), refused('too-large', /2,000,000 cells/)),
  kind('csv: quotation marks only', csv('"'.repeat(500_000)), indexed(/^"+$/m)),
  kind('csv: a formula for a program to start', csv("a,b\n=cmd|' /C calc'!A0,2\n"), indexed(/cmd/)),
  kind('csv: commas only', csv(',,,,\n'.repeat(200_000)), refused('empty')),
  kind('csv: a header of a megabyte, repeated in each chunk', csv(`${'h'.repeat(900_000)},b\n1,2\n3,4\n`), indexed(/1 \| 2/)),
  kind('tsv: blanks and tabs only', () => file('hostile.tsv', ' \t'.repeat(500_000)), refusedAs('empty', 'too-large')),
];

const DEEP = 1_000_000;
const data: readonly HostileKind[] = [
  kind('json: a million brackets deep', () => file('deep.json', '['.repeat(DEEP) + ']'.repeat(DEEP)), indexed(/\[\[/)),
  kind('json: without a name, a million brackets deep', () => file('deep', '['.repeat(DEEP) + ']'.repeat(DEEP)), indexed(/\[\[/)),
  kind('json: a million objects deep, cut off', () => file('deep.json', '{"a":'.repeat(DEEP)), indexed(/"a"/)),
  kind('json: a number of a million digits', () => file('number.json', `{"a":${'9'.repeat(DEEP)}}`), indexed(/999/)),
  kind('json: the same key a hundred thousand times', () => file('keys.json', `{${'"a":1,'.repeat(100_000)}"b":2}`), indexed(/"b"/)),
  kind('json: a string of escaped surrogates', () => file('surrogates.json', `{"a":"${'\\ud800'.repeat(100_000)}"}`), indexed(/ud800/)),
  kind('json: lines, one of five megabytes', () => file('lines.ndjson', `{"a":1}\n{"a":"${'x'.repeat(5 * MB)}"}\n`), indexed(/"a":1/)),
  kind(
    'notebook: malformed cells',
    () =>
      file(
        'evil.ipynb',
        '{"cells":[null,1,"a",{"source":null},{"source":[null,{"a":1}]},{"cell_type":"markdown","source":"The lamp burns"}]}',
      ),
    indexed(/burns/),
  ),
  kind('notebook: not JSON', () => file('evil.ipynb', '{"cells": ['), indexed(/cells/, { warning: /not valid JSON/ })),
  kind('notebook: a million brackets deep', () => file('evil.ipynb', '['.repeat(DEEP)), indexed(/\[\[/)),
  kind(
    'notebook: 200,000 cells',
    () =>
      file(
        'cells.ipynb',
        `{"cells":[${'{"cell_type":"markdown","source":"a"},'.repeat(200_000)}{"cell_type":"markdown","source":"burns"}]}`,
      ),
    indexed(/burns/),
  ),
  kind(
    'yaml: aliases that multiply, kept as text',
    () => file('laughs.yaml', ['a: &a [x,x]', ...Array.from({ length: 30 }, (_, level) => `b${level}: &b${level} [*a,*a,*a]`)].join('\n')),
    indexed(/\*a/),
  ),
  kind(
    'yaml: 100,000 levels of indentation',
    () => file('deep.yaml', Array.from({ length: 2_000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')),
    indexed(/a:/),
  ),
  kind(
    'xml: billion laughs, kept as text',
    () =>
      file(
        'laughs.xml',
        `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "lol">${Array.from({ length: 10 }, (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`).join('')}]><a>&l10;</a>`,
      ),
    indexed(/&l10;/),
  ),
  kind(
    'xml: an entity that reads a file, kept as text',
    () => file('xxe.xml', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'),
    indexed(/&x;/, { without: /root:/ }),
  ),
  kind('xml: a million elements deep', () => file('deep.xml', `<?xml version="1.0"?>${'<a>'.repeat(DEEP)}`), indexed(/<a>/)),
  kind('toml: a million brackets', () => file('deep.toml', '['.repeat(DEEP)), indexed(/\[\[/)),
  kind('code: a million parentheses', () => file('deep.js', '('.repeat(DEEP)), indexed(/\(\(/)),
  kind('code: one line of ten megabytes', () => file('bundle.min.js', 'var a=1;'.repeat(1_250_000)), indexed(/var a/)),
  kind(
    'code: more text than is allowed',
    () => file('huge.js', 'var a=1;\n'.repeat(2_500_000)),
    refused('too-large', /at most 20,000,000 are allowed/),
  ),
];

/** Attacks on the regular expressions of this package. */
const patterns: readonly HostileKind[] = [
  kind('pattern: headers that are almost a mail’s', () => file('notes', `${'Received: a\n '.repeat(100_000)}`), indexed(/Received/)),
  kind('pattern: a first line that is almost a script’s', () => file('script', `#!${'a'.repeat(1_000_000)}1`), indexed(/aaa/)),
  kind('pattern: a comment before the page that never ends', () => file('page.txt', `<!--${'-'.repeat(1_000_000)}`), indexed(/---/)),
  kind('pattern: endless words hyphenated at line ends', () => file('words.txt', 'a-\n'.repeat(300_000)), indexed(/a-/)),
  kind('pattern: a number that is almost one', csv(`a,b\n${'1'.repeat(200_000)}x,2\n${'1 '.repeat(200_000)}x,3\n`), indexed(/2/)),
  kind(
    'pattern: a character set that is almost named',
    () =>
      file('charset.html', Buffer.concat([Buffer.from(`<meta ${' '.repeat(1_900)} coding`), Buffer.from([0xe9]), Buffer.from('burns')])),
    refusedAs('empty'),
  ),
  kind(
    'pattern: blanks at the end of each of many lines',
    () => file('blanks.md', `${' '.repeat(50_000)}\n`.repeat(20) + 'burns'),
    indexed(/burns/),
  ),
  kind(
    'pattern: a heading’s mark after a hundred thousand blanks',
    () => file('mark.md', `# a ${'{#'.repeat(100_000)}\n\n# ${' '.repeat(100_000)}b`),
    indexed(/b/),
  ),
  kind('pattern: three backticks, and never again', () => file('ticks.txt', `\`\`\`${'a`'.repeat(100_000)}`), indexed(/a`/)),
];

export const DATA_KINDS: readonly HostileKind[] = [...tables, ...data, ...patterns];
