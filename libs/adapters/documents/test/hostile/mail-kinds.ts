import { file, indexed, kind, refused, refusedAs, type HostileKind } from './hostile-kind.ts';
import { fixture } from './office-files.ts';

const mail =
  (...lines: string[]) =>
  () =>
    file('hostile.eml', `Subject: Lamp\r\nMIME-Version: 1.0\r\n${lines.join('\r\n')}`);
const mixed = (boundary: string): string => `Content-Type: multipart/mixed; boundary="${boundary}"\r\n`;
const nested = (depth: number): string => Array.from({ length: depth }, (_, level) => `${mixed(`b${level}`)}\r\n--b${level}\r\n`).join('');
const attached = (depth: number): string =>
  depth === 0
    ? 'Subject: innermost\r\n\r\nburns'
    : `Subject: level ${depth}\r\nContent-Type: message/rfc822\r\nContent-Disposition: attachment; filename="${depth}.eml"\r\n\r\n${attached(depth - 1)}`;
const MANY = 300_000;

export const MAIL_KINDS: readonly HostileKind[] = [
  kind('mail: 20,000 parts in parts', mail(`${nested(20_000)}\r\nhi`), refused('too-large', /more than 1,000 parts/)),
  kind('mail: 200 parts in parts', mail(`${nested(200)}\r\nhi`), refused('too-large', /nested too deeply/)),
  kind(
    'mail: 300,000 parts',
    mail(mixed('b'), '--b\r\nContent-Type: text/plain\r\n\r\nhi\r\n'.repeat(MANY), '--b--'),
    refused('too-large', /more than 1,000 parts/),
  ),
  kind(
    'mail: 300,000 parts under a boundary that is folded',
    mail('Content-Type: multipart/mixed;\r\n boundary="b"', '', '--b\r\n\r\nhi\r\n'.repeat(MANY), '--b--'),
    refused('too-large', /more than 1,000 parts/),
  ),
  kind(
    'mail: many parts within an inner part',
    mail(mixed('outer'), `--outer\r\n${mixed('inner')}\r\n${'--inner\r\n\r\nhi\r\n'.repeat(MANY)}--inner--\r\n--outer--`),
    refused('too-large', /more than 1,000 parts/),
  ),
  kind('mail: mails attached to mails attached to mails', mail('Content-Type: message/rfc822', '', attached(500)), indexed(/Lamp/)),
  kind('mail: a hundred thousand headers', mail(`${'X-A: b\r\n'.repeat(100_000)}`, 'burns'), refused('too-large', /headers are too long/)),
  kind(
    'mail: a header of five megabytes',
    mail(`X-A: ${'b'.repeat(5_000_000)}`, '', 'burns'),
    refused('too-large', /headers are too long/),
  ),
  kind(
    'mail: a subject of encoded words that never end',
    () => file('hostile.eml', `Subject: ${'=?utf-8?Q?a?= '.repeat(15_000)}\r\n\r\nburns`),
    indexed(/burns/),
  ),
  kind(
    'mail: encoded words in an unknown character set',
    () => file('hostile.eml', 'Subject: =?evil-8?B?////?=\r\n\r\nburns'),
    indexed(/burns/),
  ),
  kind(
    'mail: 100,000 addresses',
    () => file('hostile.eml', `Subject: Lamp\r\nTo: ${'a@b.example, '.repeat(100_000)}\r\n\r\nburns`),
    refused('too-large', /headers are too long/),
  ),
  kind(
    'mail: groups in groups of addresses',
    () => file('hostile.eml', `Subject: Lamp\r\nTo: ${'g: '.repeat(2_000)}a@b.example\r\n\r\nburns`),
    indexed(/burns/),
  ),
  kind(
    'mail: quotation marks in an address that never close',
    () => file('hostile.eml', `Subject: Lamp\r\nFrom: ${'"('.repeat(100_000)}\r\n\r\nburns`),
    indexed(/burns/),
  ),
  kind(
    'mail: base64 of nothing but padding',
    mail('Content-Transfer-Encoding: base64', 'Content-Type: text/plain', '', '='.repeat(1_000_000)),
    indexed(/Lamp/),
  ),
  kind('mail: truncated base64', mail('Content-Transfer-Encoding: base64', '', 'VGhlIGxhbXAgYnVyb'), indexed(/The lamp/)),
  kind(
    'mail: invalid quoted-printable',
    mail('Content-Transfer-Encoding: quoted-printable', '', `burns ${'=Z'.repeat(200_000)}`),
    indexed(/burns/),
  ),
  kind('mail: an unknown transfer encoding', mail('Content-Transfer-Encoding: evil', '', 'burns'), indexed(/burns/)),
  kind('mail: a boundary that occurs in itself', mail(mixed('----'), '------\r\n\r\nburns\r\n--------'), indexed(/Lamp/)),
  kind(
    'mail: a boundary of a hundred thousand characters',
    mail(mixed('b'.repeat(100_000)), `--${'b'.repeat(100_000)}\r\n\r\nburns`),
    indexed(/burns|Lamp/),
  ),
  kind('mail: parts without an end', mail(mixed('b'), '--b\r\nContent-Type: text/plain\r\n\r\nburns'), indexed(/burns/)),
  kind(
    'mail: an HTML part of 300,000 divs',
    mail('Content-Type: text/html', '', `${'<div>'.repeat(MANY)}burns`),
    indexed(/burns/, { warning: /nested very deeply/ }),
  ),
  kind(
    'mail: an HTML part that hides its text',
    mail('Content-Type: text/html', '', '<p>burns</p><div style="display:none">evil instructions</div>'),
    indexed(/burns/, { without: /evil/ }),
  ),
  kind('mail: a hundred thousand levels of quotation', mail('', `${'>'.repeat(100_000)} burns\r\n`.repeat(10)), indexed(/burns/)),
  kind(
    'mail: only headers',
    () => file('hostile.eml', 'From: a@b.example\r\nTo: c@d.example\r\n\r\n'),
    indexed(/a@b/, { warning: /no body text/ }),
  ),
  kind(
    'mail: an attachment whose name climbs out',
    mail(mixed('b'), '--b\r\n\r\nburns\r\n--b\r\nContent-Disposition: attachment; filename="../../etc/passwd"\r\n\r\nx\r\n--b--'),
    indexed(/burns/, { warning: /not read; only its name was kept/ }),
  ),
  kind(
    'outlook: cut in half',
    () => file('half.msg', fixture('mail.msg').subarray(0, Math.floor(fixture('mail.msg').length / 2))),
    refusedAs('corrupt', 'unsupported'),
  ),
  kind(
    'outlook: sectors in a circle',
    () => {
      const bytes = Buffer.from(fixture('mail.msg'));
      // The allocation table's first sector: every entry names the sector itself.
      const table = 512 * (bytes.readUInt32LE(76) + 1);
      for (let at = table; at + 4 <= Math.min(bytes.length, table + 512); at += 4) bytes.writeUInt32LE((at - table) / 4, at);
      return file('circle.msg', bytes);
    },
    refusedAs('corrupt', 'unsupported', 'time-out', 'too-large'),
  ),
  kind(
    'ole: a header and 100 kB of ones',
    () => file('ones.doc', Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(100_000, 0xff)])),
    refused('corrupt'),
  ),
  kind(
    'ole: a header and 100 kB of zeros',
    () => file('zeros.doc', Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(100_000)])),
    refused('corrupt'),
  ),
];
