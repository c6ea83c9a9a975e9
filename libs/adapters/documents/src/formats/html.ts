import type { Draft } from '../draft.ts';
import { htmlToMarkdown } from '../markdown/html-to-markdown.ts';
import type { ParserLimits } from '../parser-limits.ts';

/** A page of a site: its main content as Markdown. */
export function readHtml(html: string, limits: ParserLimits): Draft {
  const { markdown, title, metadata, warnings } = htmlToMarkdown(html, limits);
  return {
    kind: 'markdown', text: markdown, mediaType: 'text/html', metadata, warnings,
    // A page whose name stands in a banner begins with a section: "Synopsis" is not what it is called.
    ...(MAIN_HEADING.test(markdown) ? { secondTitle: title } : { title }),
    emptyDetail: 'The page has no text; it may be built by scripts.',
  };
}

const MAIN_HEADING = /^# /m;
