import type { ParseFailure, ParseInput } from '@palimpsest/knowledge';

/** What is to become of a hostile file: it is refused for this reason, or indexed with what is right. */
export type Expected =
  | Readonly<{ refused: readonly ParseFailure[]; detail?: RegExp }>
  | Readonly<{ indexed: RegExp; without?: RegExp; warning?: RegExp }>;

/** One kind of hostile file. */
export type HostileKind = Readonly<{ name: string; make: () => ParseInput | Promise<ParseInput>; expected: Expected; endless?: true }>;

export const kind = (name: string, make: HostileKind['make'], expected: Expected): HostileKind => ({ name, make, expected });

/** Keeps a reader busy for minutes; what ends it is the clock, or its memory if that comes first. */
export const endless = (name: string, make: HostileKind['make'], detail?: RegExp): HostileKind => ({
  name, make, endless: true,
  expected: { refused: ['time-out', 'too-large'], ...(detail === undefined ? {} : { detail }) },
});

export const refused = (reason: ParseFailure, detail?: RegExp): Expected => ({ refused: [reason], ...(detail === undefined ? {} : { detail }) });

/** Two guards may meet it, and which one is first depends on the machine: the limit on what is read, and the watch over memory and time. */
export const refusedAs = (...refused: ParseFailure[]): Expected => ({ refused });

/** Its text holds `text`, and nothing of `without`; what was lost is told in a warning, where one is named. */
export const indexed = (text: RegExp, more: Readonly<{ without?: RegExp; warning?: RegExp }> = {}): Expected => ({ indexed: text, ...more });

export const file = (fileName: string, content: string | Uint8Array): ParseInput => ({ fileName, bytes: typeof content === 'string' ? Buffer.from(content) : content });
