/** Elements without content. */
const VOID = new Set(['!', 'area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr']);
/** Elements whose end tag is often omitted, so a missing one does not count as nesting. Tables and lists themselves count. */
const CLOSED_BY_NEXT = new Set([
  'p',
  'li',
  'dt',
  'dd',
  'tr',
  'td',
  'th',
  'thead',
  'tbody',
  'tfoot',
  'option',
  'optgroup',
  'colgroup',
  'body',
  'html',
  'head',
]);
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'svg', 'nav', 'head', 'iframe', 'select', 'button']);
const LINE = new Set([
  'p',
  'div',
  'section',
  'article',
  'tr',
  'table',
  'ul',
  'ol',
  'dl',
  'dt',
  'dd',
  'blockquote',
  'pre',
  'br',
  'hr',
  'figure',
  'figcaption',
  'header',
  'footer',
  'main',
]);

/** A tag's name begins right after `<` or `</`; anything else is text. */
const TAG_NAME = /\/?([a-z][a-z0-9-]{0,30})/iy;

type Tag = Readonly<{ name: string; closes: boolean; start: number; end: number }>;

/** Replaces the tag name for comments, declarations and instructions. */
const COMMENT = '!';

/** Tags and comments in order. Linear: it only searches for the next `<` and `>`. */
function* tagsOf(html: string): Generator<Tag> {
  let at = html.indexOf('<');
  while (at !== -1) {
    if (html.startsWith('<!--', at)) {
      const end = html.indexOf('-->', at + 4);
      yield { name: COMMENT, closes: false, start: at, end: end === -1 ? html.length : end + 3 };
      if (end === -1) return;
      at = html.indexOf('<', end + 3);
      continue;
    }
    TAG_NAME.lastIndex = at + 1;
    const isDeclaration = /[!?]/.test(html[at + 1] ?? '');
    const name = isDeclaration ? COMMENT : TAG_NAME.exec(html)?.[1]?.toLowerCase();
    const close = html.indexOf('>', at + 1);
    if (close === -1) return;
    if (name !== undefined) yield { name, closes: html[at + 1] === '/', start: at, end: close + 1 };
    at = html.indexOf('<', name === undefined ? at + 1 : close + 1);
  }
}

/** If one of these elements is not closed, the parser opens it again in each following paragraph, so they multiply. */
const FORMATTING = new Set(['a', 'b', 'big', 'code', 'em', 'font', 'i', 'nobr', 's', 'small', 'strike', 'strong', 'tt', 'u']);
const MAX_OPEN_FORMATTING = 32;
/** The Markdown writer takes quadratic time in the number of inline elements of a paragraph: 5,000 cost a second. */
const MAX_IN_A_ROW = 5_000;
const INLINE = new Set([
  ...FORMATTING,
  'span',
  'abbr',
  'cite',
  'del',
  'dfn',
  'ins',
  'kbd',
  'label',
  'mark',
  'q',
  'ruby',
  'samp',
  'sub',
  'sup',
  'time',
  'var',
  'img',
  'br',
  'wbr',
  'bdi',
  'bdo',
]);

/** Why a page is too complex for a parser that builds a tree, as words that follow "The page is"; based on its tags only. */
export function layoutBurden(html: string, limits: Readonly<{ maxNesting: number; maxHtmlElements: number }>): string | undefined {
  let open = 0;
  let formatting = 0;
  let elements = 0;
  let consecutive = 0;
  let preformatted = 0;
  for (const { name, closes } of tagsOf(html)) {
    const step = closes ? -1 : 1;
    if (!closes && ++elements > limits.maxHtmlElements) return 'very large';
    if (name === 'pre') preformatted = Math.max(0, preformatted + step);
    if (FORMATTING.has(name)) formatting = Math.max(0, formatting + step);
    if (!INLINE.has(name)) consecutive = 0;
    else if (preformatted === 0 && ++consecutive > 2 * MAX_IN_A_ROW) return 'very large';
    if (formatting > MAX_OPEN_FORMATTING) return 'nested very deeply';
    if (VOID.has(name) || CLOSED_BY_NEXT.has(name)) continue;
    open = Math.max(0, open + step);
    if (open > limits.maxNesting) return 'nested very deeply';
  }
  return undefined;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  copy: '©',
  rsquo: '’',
  lsquo: '‘',
  ldquo: '“',
  rdquo: '”',
};

function decodeEntities(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}

/** The Markdown for a tag outside of skipped elements. */
function markFor(name: string, closes: boolean): string {
  if (/^h[1-6]$/.test(name)) return closes ? '\n\n' : `\n\n${'#'.repeat(Number(name[1]))} `;
  if (name === 'li') return closes ? '\n' : '\n- ';
  if (name === 'td' || name === 'th') return closes ? ' | ' : '';
  return LINE.has(name) ? '\n' : '';
}

/**
 * Returns the text of a page with its headings and list items, without other layout. One pass, no tree: for pages that are too large
 * or too deeply nested for the real parser.
 */
export function scanHtml(html: string): string {
  const parts: string[] = [];
  let skipping: string | undefined;
  let skipDepth = 0;
  let textStart = 0;
  const flush = (end: number): void => {
    if (skipping === undefined && end > textStart) parts.push(decodeEntities(html.slice(textStart, end).replace(/\s+/g, ' ')));
  };
  for (const { name, closes, start, end } of tagsOf(html)) {
    flush(start);
    textStart = end;
    if (skipping !== undefined) {
      if (name === skipping) skipDepth += closes ? -1 : 1;
      if (skipDepth === 0) skipping = undefined;
    } else if (!SKIPPED.has(name)) parts.push(markFor(name, closes));
    else if (!closes) [skipping, skipDepth] = [name, 1];
  }
  flush(html.length);
  return parts
    .join('')
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
