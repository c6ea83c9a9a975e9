import { splitIdentifier } from './identifier.ts';
import { scan } from './scan.ts';

/** UTF-16 units of a word that count; what is longer (base64, hashes) is cut, so that it cannot fill the dictionary. */
const MAX_WORD = 64;
/** A row of letters and digits that changes its case more often is no identifier, but a blob: kept as one (cut) word. */
const MAX_PARTS = 8;

/** What a token is, before stop words and stems. `word`: of a language; `exact`: an identifier or a bigram, taken as it is. */
type Kind = 'word' | 'exact';

const ASCII = /^[\x00-\x7f]*$/; // eslint-disable-line no-control-regex -- the range is the point
const NUMBER = /^[\p{N}._]+$/u;
const EDGE_UNDERSCORES = /^_+|_+$/g;

/**
 * Words in lower case. Identifiers (`getUserName`, `max_tokens`, `os.path`) give their parts and the whole; numbers with dots
 * only the whole; unspaced scripts single characters and bigrams (xquad-zh: bigrams .9631, both .9678, Intl.Segmenter .9605).
 */
export const tokenise = (text: string, emit: (kind: Kind, text: string) => void): void => {
  const normal = ASCII.test(text) ? text : text.normalize('NFKC');
  scan(normal, ({ kind, text: run, simple }) => {
    if (kind === 'unspaced') emitGrams(run, emit);
    else if (simple) emit('word', lower(run));
    else emitIdentifier(run, emit);
  });
};

const emitIdentifier = (run: string, emit: (kind: Kind, text: string) => void): void => {
  const whole = run.replace(EDGE_UNDERSCORES, '');
  if (whole === '') return;
  const joined = /[._]/.test(whole);
  if (NUMBER.test(whole)) return emit('exact', cut(whole));
  const parts = splitIdentifier(whole);
  if (!joined && (parts.length === 1 || parts.length > MAX_PARTS)) return emit('word', lower(whole));
  // Without "_" or "." the whole may also be written as a plain word (`GitHub`, `github`): both must meet in one stem.
  if (whole.length <= MAX_WORD && parts.length > 1) emit(joined ? 'exact' : 'word', lower(whole));
  for (const part of parts) emit('word', lower(part));
};

const CLUSTER = /\P{M}\p{M}*/gu;

const emitGrams = (run: string, emit: (kind: Kind, text: string) => void): void => {
  const characters = run.match(CLUSTER) ?? [];
  for (const [i, character] of characters.entries()) {
    emit('exact', cut(character));
    const next = characters[i + 1];
    if (next !== undefined) emit('exact', cut(character + next));
  }
};

/** `İ` becomes an i with a dot of its own, which nobody types. */
const lower = (word: string): string => cut(word.toLowerCase().replaceAll('i\u0307', 'i'));

const cut = (word: string): string => {
  if (word.length <= MAX_WORD) return word;
  const last = word.charCodeAt(MAX_WORD - 1);
  return word.slice(0, last >= 0xd800 && last < 0xdc00 ? MAX_WORD - 1 : MAX_WORD);
};
