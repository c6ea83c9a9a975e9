import { InvalidValue } from '@palimpsest/knowledge/errors';

/** Longer than any line of an export: a chunk fits into one append, and its vector is at most 44 kB. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** The lines of a byte stream (UTF-8, "\n"), without empty ones. @throws InvalidValue if a line is too long */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
      if (length + at > from) yield Buffer.concat([...parts, chunk.subarray(from, at)]).toString();
      [parts, length, from] = [[], 0, at + 1];
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_LINE_BYTES)
      throw new InvalidValue('body', `lines of at most ${MAX_LINE_BYTES} bytes`, `a line of ${length} bytes or more`);
  }
  if (length > 0) yield Buffer.concat(parts).toString();
}
