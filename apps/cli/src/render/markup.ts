const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** What XML 1.0 has no character for, not even escaped: control characters, halves of surrogate pairs, U+FFFE and U+FFFF. */
const NO_CHARACTER = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** A text or value as the content of an element or attribute of HTML and XML. */
export const escaped = (text: string | number): string =>
  String(text)
    .replaceAll(NO_CHARACTER, '\u{fffd}')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
