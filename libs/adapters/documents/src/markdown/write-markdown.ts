import type { Emphasis, Root, Strong } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkStringify, { type Options } from 'remark-stringify';
import { unified } from 'unified';

/** Text that would turn a line into a heading, a rule or the start of a fence. */
const BLOCK_MARK = /^([ \t]*)(#{1,6}(?=\s|$)|```|~~~|[=-]+[ \t]*$)/gm;

const escapeBlockMarks = (text: string, atLineStart: boolean): string =>
  text.replace(BLOCK_MARK, (match: string, indent: string, mark: string, offset: number) =>
    offset === 0 && !atLineStart ? match : `${indent}\\${mark}`,
  );

type Handle = NonNullable<NonNullable<Options['handlers']>['strong']>;

/** Writes blanks at the ends of emphasis outside of it. The library would write `**word&#x20;**&#x4E;ext`. */
const emphasised =
  (mark: string): Handle =>
  (node: Emphasis | Strong, _parent, state, info) => {
    const content = state.containerPhrasing(node, info);
    const words = content.trim();
    return words === '' ? content : content.replace(words, () => `${mark}${words}${mark}`);
  };

/**
 * Escapes text only where it would become a heading, rule or fence. The library's rules would write `snake\_case`, `\[1]` and
 * `1\. Introduction`, which is bad for both search indexes and readers.
 */
const handlers: NonNullable<Options['handlers']> = {
  text: (node: { value: string }, _parent, state, info) => {
    if (state.stack.includes('tableCell')) return node.value.replaceAll('|', '\\|').replaceAll('\n', ' ');
    return escapeBlockMarks(node.value, info.before === '\n');
  },
  break: (_node, _parent, state) => (state.stack.includes('tableCell') || state.stack.includes('headingAtx') ? ' ' : '\n'),
  emphasis: emphasised('*'),
  strong: emphasised('**'),
};

const writer = unified()
  .use(remarkGfm, { tablePipeAlign: false })
  .use(remarkStringify, { bullet: '-', emphasis: '*', rule: '-', fences: true, listItemIndent: 'one', setext: false, handlers })
  .freeze();

/** Writes an mdast tree as Markdown. */
export const writeMarkdown = (tree: Root): string => writer.stringify(tree);
