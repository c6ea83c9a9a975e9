import type { Span } from '@palimpsest/evaluation';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../failure.ts';
import type { CorpusText } from './beir-folder.ts';
import { nameOf } from './beir-folder.ts';
import type { Line } from './text-lines.ts';
import { plainOrGzip, readLines, readText } from './text-lines.ts';

/** A question that passages of one text answer. */
export type Question = Readonly<{ id: string; text: string; textId: string; references: readonly Span[] }>;

/**
 * Texts and questions in the layout of chunking_evaluation (Chroma): each `<id>.md` a text, and `questions.jsonl` with the places of the
 * answers; each file plain or as .gz.
 */
export type ChunkingSet = Readonly<{
  /** The folder's name, converted to a part of a knowledge base ID. */
  name: string;
  texts: readonly CorpusText[];
  questions: readonly Question[];
}>;

const QUESTIONS = 'questions.jsonl';

/** @throws UsageError that names the missing file or the invalid line */
export const readChunkingSet = async (folder: string): Promise<ChunkingSet> => {
  const file = plainOrGzip(join(folder, QUESTIONS));
  if (file === undefined) throw new UsageError(`${folder} has no questions: ${QUESTIONS} (or ${QUESTIONS}.gz) is missing`);
  const texts = await textsOf(folder);
  const places = new Map(texts.map(({ id, text }) => [id, placesIn(text)]));
  const known = new Set<string>();
  const questions = (await readLines(file, QUESTIONS)).map((line) => questionFrom(line, places, known));
  if (questions.length === 0) throw new UsageError(`${QUESTIONS}: expected a question in each line, the file is empty`);
  return { name: nameOf(folder), texts, questions };
};

const textsOf = async (folder: string): Promise<readonly CorpusText[]> => {
  const ids = new Set((await readdir(folder)).toSorted().flatMap((name) => /^(.+)\.md(?:\.gz)?$/.exec(name)?.[1] ?? []));
  if (ids.size === 0) throw new UsageError(`${folder} has no texts: expected files <name>.md or <name>.md.gz`);
  return Promise.all(
    [...ids].map(async (id) => {
      const name = `${id}.md`;
      const text = await readText(plainOrGzip(join(folder, name)) ?? join(folder, name), name);
      if (text.trim() === '') throw new UsageError(`${name}: expected a text, the file is blank`);
      return { id, text };
    }),
  );
};

/** Places in a text are counted in characters (code points), as Python counts them; JavaScript counts UTF-16 units. */
type Places = Readonly<{ text: string; length: number; unitAt: (character: number) => number }>;

const placesIn = (text: string): Places => {
  if (!/[\uD800-\uDBFF]/.test(text)) return { text, length: text.length, unitAt: (character) => character };
  const units = [0];
  for (const character of text) units.push((units.at(-1) ?? 0) + character.length);
  return { text, length: units.length - 1, unitAt: (character) => units[character] ?? text.length };
};

type Written = Readonly<{ _id: unknown; text: unknown; corpus_id: unknown; refs: unknown }>;

const questionFrom = (line: Line, places: ReadonlyMap<string, Places>, known: Set<string>): Question => {
  const { _id: id, text, corpus_id: textId, refs } = written(line);
  if ((typeof id !== 'string' && typeof id !== 'number') || typeof text !== 'string' || text.trim() === '' || !Array.isArray(refs))
    throw new UsageError(`${line.at}: expected a JSON object with _id, text, corpus_id and refs`);
  if (known.has(String(id))) throw new UsageError(`${line.at}: expected each _id once, got ${id} again`);
  known.add(String(id));
  const inText = typeof textId === 'string' ? places.get(textId) : undefined;
  if (typeof textId !== 'string' || inText === undefined)
    throw new UsageError(`${line.at}: corpus_id: expected one of ${[...places.keys()].join(', ')}, got ${JSON.stringify(textId)}`);
  if (refs.length === 0) throw new UsageError(`${line.at}: refs: expected at least one place of the answer`);
  return {
    ...{ id: String(id), text, textId },
    references: refs.map((ref: unknown, at) => referenceFrom(ref, inText, `${line.at}: refs[${at}]`, textId)),
  };
};

const written = ({ text: line, at }: Line): Written => {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as Written;
  } catch {
    // Reported below: the position of the line matters more than the parser's message.
  }
  throw new UsageError(`${at}: expected a JSON object with _id, text, corpus_id and refs`);
};

const referenceFrom = (ref: unknown, { text, length, unitAt }: Places, at: string, textId: string): Span => {
  const { start, end, content } = (typeof ref === 'object' && ref !== null ? ref : {}) as Readonly<Record<string, unknown>>;
  if (!isPlace(start) || !isPlace(end) || start >= end || end > length)
    throw new UsageError(
      `${at}: expected whole numbers 0 <= start < end <= ${length}, the length of ${textId}, got ${shown(start)} and ${shown(end)}`,
    );
  const span = { start: unitAt(start), end: unitAt(end) };
  if (content !== undefined && content !== text.slice(span.start, span.end))
    throw new UsageError(`${at}: expected content to be the characters ${start} to ${end} of ${textId}`);
  return span;
};

const isPlace = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;

const shown = (value: unknown): string => JSON.stringify(value) ?? 'none';
