import { cleanText } from '../clean-text.ts';
import type { Draft } from '../draft.ts';
import { stripFrontMatter } from '../markdown/front-matter.ts';

const titleIn = (data: Readonly<Record<string, unknown>>): string | undefined => {
  const title = data['title'] ?? data['name'];
  return typeof title === 'string' && title.trim() !== '' ? title.trim() : undefined;
};

/** Keeps Markdown unchanged, except that front matter becomes metadata. */
export function readMarkdown(text: string): Draft {
  const { body, data, warnings } = stripFrontMatter(cleanText(text));
  return {
    kind: 'markdown',
    text: body,
    mediaType: 'text/markdown',
    metadata: data,
    title: titleIn(data),
    warnings,
    emptyDetail: 'The file has no text except its front matter.',
  };
}
