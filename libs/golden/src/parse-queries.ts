import { goldenLine, parseInput, type GoldenLine } from '@palimpsest/contracts';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { GOLDEN_LIMITS, type JudgedQuery, type Judgement } from '@palimpsest/knowledge/golden';

/** Finds the document that a line of an import names. @throws InvalidValue naming the field */
export type FindDocument = (judgement: GoldenLine['judgements'][number]) => Promise<Omit<Judgement, 'grade'>>;

/**
 * The queries of an import, sorted by id, with their judgements sorted by document: so the order of the lines does not matter.
 * @throws InvalidValue naming line and field
 */
export const parseQueries = async (lines: AsyncIterable<string>, find: FindDocument): Promise<readonly JudgedQuery[]> => {
  const queries = new Map<string, JudgedQuery>();
  let bytes = 0;
  let number = 0;
  for await (const line of lines) {
    number++;
    try {
      if (number > GOLDEN_LIMITS.queries) throw new InvalidValue('id', `at most ${GOLDEN_LIMITS.queries} queries`, 'more');
      const query = await queryOf(parseInput(goldenLine, jsonOf(line)), find);
      if (queries.has(query.id)) throw new InvalidValue('id', 'an id that no other query of the set has', query.id);
      bytes += sizeOf(query);
      if (bytes > GOLDEN_LIMITS.setBytes)
        throw new InvalidValue('text', `at most ${GOLDEN_LIMITS.setBytes} bytes in a set`, `${bytes} bytes`);
      queries.set(query.id, query);
    } catch (error) {
      throw error instanceof InvalidValue ? error.within(`line ${number}`) : error;
    }
  }
  if (queries.size === 0) throw new InvalidValue('body', 'at least one line', 'no lines');
  return [...queries.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
};

/** Bytes of a query as it is stored, before it is sealed. */
export const sizeOf = (query: JudgedQuery): number => Buffer.byteLength(JSON.stringify(query));

const jsonOf = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    throw new InvalidValue('body', 'JSON', line.slice(0, 100));
  }
};

const queryOf = async ({ id, text, synthetic, judgements: given }: GoldenLine, find: FindDocument): Promise<JudgedQuery> => {
  const judgements = new Map<string, Judgement>();
  for (const [index, judgement] of given.entries()) {
    try {
      const document = await find(judgement);
      if (judgements.has(document.documentId))
        throw new InvalidValue('grade', 'one judgement for each document', judgement.source ?? judgement.documentId);
      judgements.set(document.documentId, { ...document, grade: judgement.grade });
    } catch (error) {
      throw error instanceof InvalidValue ? error.within(`judgements[${index}]`) : error;
    }
  }
  const query = { id, text, synthetic, judgements: [...judgements.values()].sort((a, b) => (a.documentId < b.documentId ? -1 : 1)) };
  const size = sizeOf(query);
  if (size > GOLDEN_LIMITS.queryBytes)
    throw new InvalidValue('judgements', `a query of at most ${GOLDEN_LIMITS.queryBytes} bytes with its judgements`, `${size} bytes`);
  return query;
};
