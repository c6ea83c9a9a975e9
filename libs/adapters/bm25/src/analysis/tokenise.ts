import { splitIdentifier } from './identifier.ts';
import { scan } from './scan.ts';
import { unspacedParts } from './segment-words.ts';

/** Maximum length of a word in UTF-16 units. Longer ones (base64, hashes) are truncated, so that they cannot fill the dictionary. */
const MAX_WORD = 64;
/** Letters and digits that change case more often than this are a blob, not an identifier: kept as one (truncated) word. */
const MAX_PARTS = 8;

/** The kind of a token. `word`: a word of a language, to be stemmed; `exact`: an identifier or bigram that stays unchanged. */
type Kind = 'word' | 'exact';

const ASCII = /^[\x00-\x7f]*$/; // eslint-disable-line no-control-regex -- matches all ASCII characters
const NUMBER = /^[\p{N}._]+$/u;
const EDGE_UNDERSCORES = /^_+|_+$/g;

/**
 * The capital of `ı` is `I` in these languages, and that of `i` is `İ`. But their texts also contain names and abbreviations of other
 * languages (`API`, `IBM`), and names are typed without the right letter: a word with an `I` is read in both ways.
 */
const DOTLESS: ReadonlySet<string> = new Set(['tr', 'az']);

type Emit = (kind: Kind, text: string) => void;

/**
 * Emits words in lower case, as `language` writes it. Identifiers (`getUserName`, `max_tokens`, `os.path`) give the whole and its parts;
 * numbers with dots only the whole. Chinese, Japanese and Korean give single characters and bigrams (xquad-zh: bigrams .9631, both
 * .9678, Intl.Segmenter .9605), as do Khmer and Burmese; Thai and Lao give the words of a word list.
 */
export const tokenise = (text: string, emit: Emit, language = 'und'): void => {
  const normal = ASCII.test(text) ? text : text.normalize('NFKC');
  const isDotless = DOTLESS.has(language);
  const emitCased: Emit = (kind, word) => {
    emit(kind, lower(word));
    if (isDotless && word.includes('I')) emit(kind, lower(word.replaceAll('I', 'ı')));
  };
  scan(normal, ({ kind, text: run, simple, plain }) => {
    if (plain) emit('word', truncated(run));
    else if (kind === 'unspaced') emitUnspaced(run, emit);
    else if (simple) emitCased('word', run);
    else emitIdentifier(run, emitCased);
  });
};

const emitIdentifier = (run: string, emit: Emit): void => {
  const whole = run.replace(EDGE_UNDERSCORES, '');
  if (whole === '') return;
  const joined = /[._]/.test(whole);
  if (NUMBER.test(whole)) return emit('exact', whole);
  const parts = splitIdentifier(whole);
  if (!joined && (parts.length === 1 || parts.length > MAX_PARTS)) return emit('word', whole);
  // Without "_" or "." the whole may also be written as a plain word (`GitHub`, `github`): both must get the same stem.
  if (whole.length <= MAX_WORD && parts.length > 1) emit(joined ? 'exact' : 'word', whole);
  for (const part of parts) emit('word', part);
};

const emitUnspaced = (run: string, emit: Emit): void => {
  for (const { text, words } of unspacedParts(run))
    if (words === undefined) emitGrams(text, emit);
    else for (const word of words) emit('word', truncated(word));
};

const CLUSTER = /\P{M}\p{M}*/gu;
/** Asks for an emoji in colour (❤️); people type it or not. */
const IN_COLOUR = /\ufe0f/g;

const emitGrams = (run: string, emit: Emit): void => {
  const characters = run.replace(IN_COLOUR, '').match(CLUSTER) ?? [];
  for (const [i, character] of characters.entries()) {
    emit('exact', truncated(character));
    const next = characters[i + 1];
    if (next !== undefined) emit('exact', truncated(character + next));
  }
};

/** `İ` becomes an i with a separate dot, which users do not type. */
const lower = (word: string): string => truncated(word.toLowerCase().replaceAll('i\u0307', 'i'));

const truncated = (word: string): string => {
  if (word.length <= MAX_WORD) return word;
  const last = word.charCodeAt(MAX_WORD - 1);
  return word.slice(0, last >= 0xd800 && last < 0xdc00 ? MAX_WORD - 1 : MAX_WORD);
};
