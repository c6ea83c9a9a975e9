/** Why a result has its rank, as POST /v1/search returns it with `explain`. Unknown parts are ignored. */
export type Explanation = Readonly<{
  dense: Rank | undefined;
  lexical: (Rank & Readonly<{ terms: readonly string[] }>) | undefined;
  fusion: Sum | undefined;
  version: number | undefined;
  indexedAt: string | undefined;
}>;

/** A score with its summands. */
export type Sum = Readonly<{ label: string; value: number; parts: readonly Sum[] }>;
type Rank = Readonly<{ rank: number; score: number }>;
type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields | undefined => (typeof value === 'object' && value !== null ? (value as Fields) : undefined);
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const rankOf = (fields: Fields | undefined): Rank | undefined => {
  const rank = numberOf(fields?.['rank']);
  const score = numberOf(fields?.['score']);
  return rank === undefined || score === undefined ? undefined : { rank, score };
};

const sumOf = (value: unknown): Sum | undefined => {
  const fields = fieldsOf(value);
  const label = textOf(fields?.['label']);
  const total = numberOf(fields?.['value']);
  if (label === undefined || total === undefined) return undefined;
  return {
    label,
    value: total,
    parts: listOf(fields?.['parts'])
      .map(sumOf)
      .filter((part) => part !== undefined),
  };
};

export const explanationOf = (explain: unknown): Explanation => {
  const fields = fieldsOf(explain);
  const lexical = fieldsOf(fields?.['lexical']);
  const lexicalRank = rankOf(lexical);
  const document = fieldsOf(fields?.['document']);
  return {
    dense: rankOf(fieldsOf(fields?.['dense'])),
    lexical: lexicalRank && { ...lexicalRank, terms: listOf(lexical?.['terms']).map(String) },
    fusion: sumOf(fields?.['fusion']),
    version: numberOf(document?.['version']),
    indexedAt: textOf(document?.['indexedAt']),
  };
};
