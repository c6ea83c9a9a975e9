const BEGINS_WITHIN = 2_000;

/**
 * A page without its document type. One with declarations of its own (`<!DOCTYPE html [<!ENTITY …>]>`, in books) ends for a reader
 * of HTML at the first `>`, and the rest would be text. Entities are never expanded.
 */
export const withoutDocumentType = (html: string): string => {
  const start = html.slice(0, BEGINS_WITHIN).search(/<!doctype\b/i);
  if (start === -1) return html;
  const close = html.indexOf('>', start);
  const bracket = html.indexOf('[', start);
  const hasOwn = bracket !== -1 && bracket < close;
  const end = hasOwn ? html.indexOf(']>', bracket) + 1 : close;
  return end <= 0 ? html : html.slice(0, start) + html.slice(end + 1);
};
