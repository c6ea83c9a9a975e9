import { DEFAULT_LIMITS } from '../parser-limits.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';

const convert = (html: string): string => htmlToMarkdown(html, DEFAULT_LIMITS).markdown;

describe('htmlToMarkdown', () => {
  it('uses the main element of a page if it contains much of the text', () => {
    expect(convert('<body><div id="sidebar">menu</div><main><p>The content of the page.</p></main></body>')).toBe(
      'The content of the page.',
    );
    expect(convert(`<body><main>tiny</main><p>${'The content stands outside. '.repeat(5)}</p></body>`)).toContain(
      'The content stands outside.',
    );
  });

  it('drops the parts around the content if the content is not marked', () => {
    expect(convert('<body><header>top</header><h1>Title</h1><p>Words.</p><aside>ads</aside><footer>end</footer></body>')).toBe(
      '# Title\n\nWords.',
    );
  });

  it('keeps the header and notes of an article', () => {
    expect(convert('<body><article><header><h1>Title</h1></header><aside>Mind the gap.</aside></article></body>')).toBe(
      '# Title\n\nMind the gap.',
    );
  });

  it('keeps the text of links and the descriptions of images', () => {
    expect(convert('<p>See <a href="/x">the <b>manual</b></a>: <img src="data:xx" alt="a lamp"><img src="b.png"></p>')).toBe(
      'See the **manual**: a lamp',
    );
  });

  it('uses the first row as the header of a table that has none', () => {
    expect(convert('<table><tr><td>Ship</td></tr><tr><td>Aurora</td></tr></table>')).toBe('| Ship |\n| - |\n| Aurora |');
  });

  it('writes no entities next to emphasis', () => {
    expect(convert('<p><b>All of it. </b>More <i>x</i>y <em> </em>z</p>')).toBe('**All of it.** More *x*y z');
  });

  it('escapes only what would become structure', () => {
    expect(convert('<p># no heading</p><p>snake_case *x* [1] 1. a_b</p><p>---</p><pre># code</pre>')).toBe(
      '\\# no heading\n\nsnake_case *x* [1] 1. a_b\n\n\\---\n\n```\n# code\n```',
    );
  });

  it('keeps the text of a page that is too large for a tree', () => {
    const page = `<head><title>Big &amp; long</title></head><nav>menu</nav><h1>Top</h1><p>One<br>two &lt;3 &#x41;</p><ul><li>a<li>b</ul><!-- <h1>no</h1> --><style>p{}</style>`;
    const { markdown, title, warnings } = htmlToMarkdown(page, { ...DEFAULT_LIMITS, maxRichHtmlChars: 20 });
    expect(markdown).toBe('# Top\n\nOne\ntwo <3 A\n\n- a\n- b');
    expect(title).toBe('Big & long');
    expect(warnings).toEqual([expect.stringContaining('very large')]);
  });
});
