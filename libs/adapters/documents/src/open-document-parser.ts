import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { DocumentParser } from '@palimpsest/knowledge/ports';
import { humanSize } from './human-size.ts';
import { DEFAULT_LIMITS, DEFAULT_POOL, type ParserLimits, type PoolOptions } from './parser-limits.ts';
import { ParserPool } from './pool/parser-pool.ts';

export type DocumentParserOptions = Partial<ParserLimits & PoolOptions>;

function checked(options: DocumentParserOptions): ParserLimits & PoolOptions {
  const all = { ...DEFAULT_POOL, ...DEFAULT_LIMITS, ...options };
  for (const [name, value] of Object.entries(all)) {
    if (!Number.isFinite(value) || value <= 0) throw new InvalidValue(name, 'a number above 0', value);
  }
  return all;
}

/**
 * Opens a parser that parses each file in a child process of a small pool, and kills the process if the file takes too much time or
 * memory. Processes start with the first files. This process only checks the file's size.
 * `parse` throws the signal's reason when aborted, and `Unavailable` if no process can be started or the parser is closed.
 */
export function openDocumentParser(options: DocumentParserOptions = {}): Promise<DocumentParser> {
  const all = checked(options);
  const pool = new ParserPool(all, all);
  const parse: DocumentParser['parse'] = async (input, signal, onSlow) => {
    if (input.bytes.length > all.maxBytes) {
      return {
        outcome: 'rejected',
        reason: 'too-large',
        detail: `The file has ${humanSize(input.bytes.length)}; at most ${humanSize(all.maxBytes)} is allowed.`,
      };
    }
    return pool.parse(input, signal, onSlow);
  };
  return Promise.resolve({
    parse,
    close: () => {
      pool.close();
      return Promise.resolve();
    },
  });
}
