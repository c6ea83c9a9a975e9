const SEARCH_CHARS = 2_000;

/**
 * Removes the document type of a page. For an HTML parser, one with its own declarations (`<!DOCTYPE html [<!ENTITY …>]>`, in books)
 * ends at the first `>`, and the rest would become text. Entities are never expanded.
 */
export const withoutDocumentType = (html: string): string => {
  const start = html.slice(0, SEARCH_CHARS).search(/<!doctype\b/i);
  if (start === -1) return html;
  const close = html.indexOf('>', start);
  const bracket = html.indexOf('[', start);
  const hasOwn = bracket !== -1 && bracket < close;
  const end = hasOwn ? html.indexOf(']>', bracket) + 1 : close;
  return end <= 0 ? html : html.slice(0, start) + html.slice(end + 1);
};
