import type { ParseFailure, ParseInput } from '@palimpsest/knowledge/ports';

/** The expected outcome of a hostile file: it is refused for this reason, or indexed with this text. */
export type Expected =
  Readonly<{ refused: readonly ParseFailure[]; detail?: RegExp }> | Readonly<{ indexed: RegExp; without?: RegExp; warning?: RegExp }>;

/** One kind of hostile file. */
export type HostileKind = Readonly<{ name: string; make: () => ParseInput | Promise<ParseInput>; expected: Expected; endless?: true }>;

export const kind = (name: string, make: HostileKind['make'], expected: Expected): HostileKind => ({ name, make, expected });

/** A file that keeps a reader busy for minutes, until the limit on time or memory is reached. */
export const endless = (name: string, make: HostileKind['make'], detail?: RegExp): HostileKind => ({
  name,
  make,
  endless: true,
  expected: { refused: ['time-out', 'too-large'], ...(detail === undefined ? {} : { detail }) },
});

export const refused = (reason: ParseFailure, detail?: RegExp): Expected => ({
  refused: [reason],
  ...(detail === undefined ? {} : { detail }),
});

/** Which limit is reached first depends on the machine: the limits of the reader, or those on memory and time. */
export const refusedAs = (...refused: ParseFailure[]): Expected => ({ refused });

/** The text matches `text`, and nothing matches `without`. If `warning` is given, a warning matches it. */
export const indexed = (text: RegExp, more: Readonly<{ without?: RegExp; warning?: RegExp }> = {}): Expected => ({
  indexed: text,
  ...more,
});

export const file = (fileName: string, content: string | Uint8Array): ParseInput => ({
  fileName,
  bytes: typeof content === 'string' ? Buffer.from(content) : content,
});
