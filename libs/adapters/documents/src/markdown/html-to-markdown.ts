import type { Element, Root } from 'hast';
import type { Root as MarkdownRoot } from 'mdast';
import rehypeParse from 'rehype-parse';
import rehypeRemark from 'rehype-remark';
import { unified } from 'unified';
import type { ParserLimits } from '../parser-limits.ts';
import { cleanText } from '../clean-text.ts';
import { withoutDocumentType } from './document-type.ts';
import { layoutBurden, scanHtml } from './html-scan.ts';
import { elementsOf, textOf } from './hast-elements.ts';
import { mainContent } from './main-content.ts';
import { writeMarkdown } from './write-markdown.ts';

export type HtmlAsMarkdown = Readonly<{
  markdown: string;
  title?: string;
  metadata: Readonly<Record<string, string>>;
  warnings: readonly string[];
}>;

const reader = unified().use(rehypeParse).freeze();
const converter = unified()
  .use(rehypeRemark, {
    handlers: {
      // Keep the text of a link without its address, which is noise in an index. Keep the alternative text of an image.
      a: (state, node: Element) => state.all(node) as never,
      img: (_state, node: Element) => {
        const alt = String(node.properties['alt'] ?? '').trim();
        return alt === '' ? undefined : { type: 'text', value: alt };
      },
    },
  })
  .freeze();

/** A cell that spans thousands of columns would be written as thousands of cells. */
const WIDEST_SPAN = 50;

function limitSpans(cell: Element): void {
  for (const span of ['colSpan', 'rowSpan']) {
    if (Number(cell.properties[span]) > WIDEST_SPAN) cell.properties[span] = 1;
  }
}

/** Word and many pages write tables without header cells. Markdown tables need a header, so the first row becomes the header. */
function nameColumns(table: Element): void {
  const cells = [...elementsOf(table)];
  const firstRow = cells.find(({ tagName }) => tagName === 'tr');
  if (firstRow === undefined || cells.some(({ tagName }) => tagName === 'th')) return;
  for (const cell of firstRow.children) if (cell.type === 'element' && cell.tagName === 'td') cell.tagName = 'th';
}

const DESCRIBED = new Set(['description', 'author', 'keywords']);

/** Returns the page's title and descriptions. Also corrects tables in the same pass. */
function readHead(tree: Root): { title: string; metadata: Record<string, string> } {
  const metadata: Record<string, string> = {};
  let title = '';
  for (const element of elementsOf(tree)) {
    const { name, content } = element.properties;
    if (element.tagName === 'table') nameColumns(element);
    else if (element.tagName === 'td' || element.tagName === 'th') limitSpans(element);
    else if (element.tagName === 'title' && title === '') title = textOf(element).replace(/\s+/g, ' ').trim();
    else if (element.tagName === 'meta' && typeof name === 'string' && typeof content === 'string' && DESCRIBED.has(name))
      metadata[name] = content.trim();
  }
  return { title, metadata };
}

function withoutLayout(html: string, why: string): HtmlAsMarkdown {
  const title = scanHtml(/<title[^>]{0,200}>([^<]{1,500})</i.exec(html)?.[1] ?? '');
  const warnings = [`The page is ${why}, so only its text, headings and lists were kept; tables and emphasis were dropped.`];
  return { markdown: cleanText(scanHtml(html)), metadata: {}, warnings, ...(title === '' ? {} : { title }) };
}

/** `whole` keeps everything except scripts and navigation, for HTML that is not a web page (Word, mail, a chapter of a book). */
export function htmlToMarkdown(given: string, limits: ParserLimits, part: 'main' | 'whole' = 'main'): HtmlAsMarkdown {
  const html = withoutDocumentType(given);
  if (html.length > limits.maxRichHtmlChars) return withoutLayout(html, 'very large');
  const burden = layoutBurden(html, limits);
  if (burden !== undefined) return withoutLayout(html, burden);
  const tree = reader.parse(html);
  const { title, metadata } = readHead(tree);
  const content = mainContent(tree, part);
  const markdown = cleanText(writeMarkdown(converter.runSync(content) as MarkdownRoot)).trim();
  return { markdown, metadata, warnings: [], ...(title === '' ? {} : { title }) };
}
