import { file, indexed, kind, refused, refusedAs, type HostileKind } from './hostile-kind.ts';

const rtf = (body: string) => () => file('hostile.rtf', `{\\rtf1\\ansi ${body}}`);

export const RTF_KINDS: readonly HostileKind[] = [
  kind('rtf: a million groups deep', rtf(`${'{'.repeat(1_000_000)}burns${'}'.repeat(1_000_000)}`), refusedAs('too-large', 'corrupt')),
  kind('rtf: groups that are never closed', rtf(`${'{\\b '.repeat(3_000)}burns`), refused('too-large', /nested too deeply/)),
  kind('rtf: a million closing braces', rtf(`burns ${'}'.repeat(1_000_000)}`), indexed(/burns/)),
  kind('rtf: a picture of ten megabytes in hexadecimal', rtf(`burns{\\pict\\pngblip ${'0f'.repeat(5_000_000)}}`), indexed(/burns/)),
  kind('rtf: binary data that is longer than the file', rtf('burns{\\pict\\bin2000000000 x}'), indexed(/burns/)),
  kind('rtf: an object to run', rtf('burns{\\object\\objocx{\\*\\objdata 4d5a9000}}'), indexed(/burns/, { without: /4d5a/ })),
  kind(
    'rtf: a field that fetches',
    rtf('burns{\\field{\\*\\fldinst INCLUDETEXT "http://127.0.0.1:9/x"}{\\fldrslt shown}}'),
    indexed(/burns/),
  ),
  kind('rtf: hidden text', rtf('burns {\\v evil instructions}'), indexed(/burns/)),
  kind(
    'rtf: a table of 20,000 cells in a row',
    rtf(`\\trowd ${'\\cellx1 '.repeat(20_000)}${'a\\cell '.repeat(20_000)}\\row burns`),
    indexed(/\| a \| a \|/),
  ),
  kind('rtf: lone surrogates', rtf('burns \\u-10240? \\u55296?'), indexed(/burns/, { without: /\p{Surrogate}/u })),
  kind('rtf: half a million control words', rtf(`burns ${'\\b\\b0'.repeat(250_000)}`), indexed(/burns/)),
  kind('rtf: a number of a million digits', rtf(`burns \\fs${'9'.repeat(1_000_000)} more`), indexed(/burns/)),
  kind('rtf: only a header', () => file('hostile.rtf', '{\\rtf1}'), refused('empty')),
];
