const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
/** In scripts without spaces between words, each character counts as a word. */
const WORD = new RegExp(String.raw`[${UNSPACED}]|[[\p{L}\p{M}\p{N}]--[${UNSPACED}]]+`, 'gv');

/** The words of a passage in order, in lower case and compatibility form: enough to compare passages with each other in any language. */
export const passageWords = (text: string): readonly string[] => text.normalize('NFKC').toLowerCase().match(WORD) ?? [];
