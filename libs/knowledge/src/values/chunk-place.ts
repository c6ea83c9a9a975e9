import { InvalidValue } from '../errors.ts';
import type { ChunkPlace } from '../events/document-events.ts';

/**
 * The place of a chunk with this text, behind the one before it: starts and ends ascend, and a line has at least one character.
 * @throws InvalidValue
 */
export const chunkPlace = (place: ChunkPlace, text: string, before?: ChunkPlace): ChunkPlace => {
  const { start, end, fromLine, toLine, page } = place;
  if (end - start !== text.length) throw new InvalidValue('end', `${start + text.length}, since the text has ${text.length} characters from ${start} on`, end);
  if (toLine < fromLine) throw new InvalidValue('toLine', `a line from ${fromLine} on`, toLine);
  if (toLine > end) throw new InvalidValue('toLine', `at most ${end}: so many characters have no more lines`, toLine);
  if (before === undefined) return place;
  if (start < before.start) throw new InvalidValue('start', `at least ${before.start}, where the chunk before it starts`, start);
  if (end < before.end) throw new InvalidValue('end', `at least ${before.end}, where the chunk before it ends`, end);
  if (fromLine < before.fromLine) throw new InvalidValue('fromLine', `at least ${before.fromLine}, where the chunk before it starts`, fromLine);
  if (page !== undefined && page < (before.page ?? 1)) throw new InvalidValue('page', `at least ${before.page ?? 1}, as the chunk before it`, page);
  return place;
};
