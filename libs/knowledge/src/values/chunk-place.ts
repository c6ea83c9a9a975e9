import { InvalidValue } from '../errors.ts';
import type { ChunkPlace } from '../events/document-events.ts';

/**
 * Checks the place of a chunk with this text that follows `before`: starts and ends ascend, and a line has at least one character.
 * @throws InvalidValue
 */
export const chunkPlace = (place: ChunkPlace, text: string, before?: ChunkPlace): ChunkPlace => {
  const { start, end, fromLine, toLine, page } = place;
  if (end - start !== text.length)
    throw new InvalidValue('end', `${start + text.length}, since the text starts at ${start} and has ${text.length} characters`, end);
  if (toLine < fromLine) throw new InvalidValue('toLine', `at least ${fromLine}, the value of fromLine`, toLine);
  if (toLine > end) throw new InvalidValue('toLine', `at most ${end}, since each line has at least one character`, toLine);
  if (before === undefined) return place;
  if (start < before.start) throw new InvalidValue('start', `at least ${before.start}, the start of the previous chunk`, start);
  if (end < before.end) throw new InvalidValue('end', `at least ${before.end}, the end of the previous chunk`, end);
  if (fromLine < before.fromLine)
    throw new InvalidValue('fromLine', `at least ${before.fromLine}, the first line of the previous chunk`, fromLine);
  if (page !== undefined && page < (before.page ?? 1))
    throw new InvalidValue('page', `at least ${before.page ?? 1}, the page of the previous chunk`, page);
  return place;
};
