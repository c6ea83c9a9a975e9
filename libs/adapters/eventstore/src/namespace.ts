import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { StreamName } from '@palimpsest/knowledge/ports';

/** Special characters of regular expressions. Only these may be escaped both in .NET and in ECMAScript. */
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;
const escaped = (text: string): string => text.replace(SYNTAX, '\\$&');

/** Matches no event: for a subscription that needs only the checkpoints. */
export const NOTHING = '^\\$palimpsest-nothing$';

/**
 * The part of the server that belongs to a log. Without a name: every stream except system streams (`$...`). With a name, it is
 * a prefix of streams and event types, so that logs on one server do not see each other. Types have it too, since
 * the server filters by stream or by type, not by both.
 */
export class Namespace {
  readonly #prefix: string;

  /** @throws InvalidValue */
  constructor(name: string | undefined) {
    if (name !== undefined && !/^[A-Za-z0-9_]{1,64}$/.test(name))
      throw new InvalidValue('namespace', '1 to 64 letters, digits or "_"', name);
    this.#prefix = name === undefined ? '' : `${name}/`;
  }

  stream(stream: StreamName): string {
    return this.#prefix + stream;
  }

  type(type: string): string {
    return this.#prefix + type;
  }

  streamOf(name: string): StreamName {
    return name.slice(this.#prefix.length) as StreamName;
  }

  typeOf(name: string): string {
    return name.slice(this.#prefix.length);
  }

  /** A regular expression of the event types of this log, or of these among them. */
  typeRegex(types: readonly string[] | undefined): string {
    if (types !== undefined) return `^${escaped(this.#prefix)}(?:${types.map(escaped).join('|')})$`;
    return this.#prefix === '' ? '^[^$]' : `^${escaped(this.#prefix)}`;
  }
}
