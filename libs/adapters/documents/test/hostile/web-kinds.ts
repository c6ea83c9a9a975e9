import { file, indexed, kind, refused, refusedAs, type HostileKind } from './hostile-kind.ts';

const html = (body: string) => () => file('hostile.html', `<!doctype html><html><body>${body}`);
const FLAT = { warning: /only its text, headings and lists were kept/ };
const ALERT = /alert|evil/;
const svg = (body: string) => () => file('hostile.svg', `<svg xmlns="http://www.w3.org/2000/svg">${body}</svg>`);

export const WEB_KINDS: readonly HostileKind[] = [
  kind('html: half a million divs deep', html(`${'<div>'.repeat(500_000)}deep`), indexed(/^deep$/, FLAT)),
  kind('html: misnested bold and paragraphs', html(`${'<b><p>'.repeat(100_000)}deep`), indexed(/deep/, FLAT)),
  kind('html: two million attributes', html(`<a ${'x=1 '.repeat(2_000_000)}>text</a>`), indexed(/^text$/, FLAT)),
  kind(
    'html: 300,000 different attributes',
    html(`<a ${Array.from({ length: 300_000 }, (_, index) => `a${index}=1`).join(' ')}>text</a>`),
    indexed(/text/),
  ),
  kind('html: tables in tables', html(`${'<table><tr><td>'.repeat(50_000)}deep`), indexed(/deep/, FLAT)),
  kind(
    'html: rows that span a thousand columns',
    html(`<table>${'<tr><td colspan=1000>a</td></tr>'.repeat(20_000)}</table>`),
    indexed(/a/),
  ),
  kind(
    'html: rows that span sixty-five thousand rows',
    html(`<table>${'<tr><td rowspan=65534>a</td></tr>'.repeat(5_000)}</table>`),
    indexed(/a/),
  ),
  kind('html: lists in lists', html(`${'<ul><li>'.repeat(20_000)}deep`), indexed(/deep/, FLAT)),
  kind('html: 150 quotes deep, just below the limit', html(`${'<blockquote>'.repeat(150)}deep`), indexed(/deep/)),
  kind(
    'html: formatting that multiplies (the adoption agency)',
    html(`${'<a><b><i><u>'.repeat(45)}${'<p>'.repeat(200)}deep`),
    indexed(/deep/, FLAT),
  ),
  kind('html: a hundred thousand open paragraphs', html('<p>word'.repeat(100_000)), indexed(/word/, FLAT)),
  kind('html: forty thousand pieces in one paragraph', html('<span>a</span> '.repeat(40_000)), indexed(/a a/, FLAT)),
  kind('html: half a million less-than signs', html('<'.repeat(500_000)), indexed(/</)),
  kind('html: half a million unclosed comments', html(`text ${'<!--'.repeat(500_000)}`), indexed(/text/)),
  kind('html: half a million unclosed tags', html(`text ${'<a href="'.repeat(200_000)}`), indexed(/text/)),
  kind('html: half a million closing tags of nothing', html(`text ${'</div>'.repeat(500_000)} more`), indexed(/text/)),
  kind('html: a title that never ends', html(`<title>${'t'.repeat(1_000_000)}`), refusedAs('empty')),
  kind('html: a million entities', html(`text ${'&amp;'.repeat(500_000)}`), indexed(/text/)),
  kind(
    'html: entities of no character',
    html('text &#0; &#x110000; &#xD800; &#99999999999; burns'),
    indexed(/burns/, { without: /\p{Surrogate}|\0/u }),
  ),
  kind(
    'html: scripts of every kind',
    html(
      '<h1>Lamp</h1><script>alert("evil")</script><img src=x onerror=alert(1) alt="lamp"><a href="javascript:alert(1)">link</a><svg onload=alert(1)><script>alert(2)</script></svg><iframe srcdoc="<script>alert(3)</script>"></iframe>',
    ),
    indexed(/link/, { without: ALERT }),
  ),
  kind(
    'html: hidden text',
    html(
      '<p>The lamp burns.</p><div style="display:none">evil instructions</div><p style="color:red; visibility : hidden">evil</p><span style="font-size:0">evil</span><p hidden>evil</p><p aria-hidden="true">evil</p><!-- evil --><template>evil</template><noscript>evil</noscript>',
    ),
    indexed(/burns/, { without: /evil/ }),
  ),
  kind('html: a style of ten million characters', html(`<style>${'a{}'.repeat(1_000_000)}</style><p>burns</p>`), indexed(/burns/)),
  kind(
    'html: a base, a refresh and frames from elsewhere',
    html(
      '<base href="http://127.0.0.1:9/"><meta http-equiv=refresh content="0;url=http://127.0.0.1:9/"><iframe src="http://127.0.0.1:9/"></iframe><p>burns</p>',
    ),
    indexed(/burns/),
  ),
  kind('html: only scripts', html('<script>while(true){}</script>'), refused('empty', /scripts/)),
  kind(
    'html: a frame set and nothing else',
    () => file('f.html', '<html><frameset><frame src="http://127.0.0.1:9/"></frameset></html>'),
    refused('empty'),
  ),
  kind('html: one line of five million characters', html(`<p>${'burns '.repeat(850_000)}`), indexed(/burns/, FLAT)),
  kind('html: 100,000 headings', html('<h1>Lamp</h1>'.repeat(100_000)), indexed(/Lamp/, { warning: /20,000 headings/ })),
  kind('html: preformatted backticks', html(`<pre>${'`'.repeat(200_000)}</pre>`), indexed(/`/)),
  kind('html: emphasis on every letter', html('<b>a</b><i>b</i>'.repeat(20_000)), indexed(/a/)),
  kind('svg: a script, kept as text', svg('<script>alert(1)</script><text>burns</text>'), indexed(/burns/)),
  kind(
    'svg: uses that multiply',
    svg(
      `${Array.from({ length: 20 }, (_, level) => `<g id="g${level + 1}">${`<use href="#g${level}"/>`.repeat(10)}</g>`).join('')}<text>burns</text>`,
    ),
    indexed(/burns/),
  ),
];
