/**
 * How much a word counts in each field, compared with the text of the chunk: frequencies and lengths are weighted sums (Robertson, Zaragoza,
 * Taylor: Simple BM25 Extension to Multiple Weighted Fields, CIKM 2004). Whole numbers, so that frequencies stay whole numbers. Chosen by
 * measurement: docs/explanation/quality.md. They are part of what is stored, and of the version of the analyser.
 */
export const FIELD_WEIGHTS = { title: 2, metadata: 1, symbol: 1 } as const;

/**
 * Texts that are found with a chunk, next to its own text. `title` and `metadata` of the document; `symbol`: the name that a chunk of code
 * belongs to.
 */
export type LexicalFields = Readonly<Partial<Record<keyof typeof FIELD_WEIGHTS, string>>>;

export type WeightedText = Readonly<{ text: string; weight: number }>;

const FIELDS = Object.entries(FIELD_WEIGHTS) as readonly (readonly [keyof LexicalFields, number])[];

/** Everything that a chunk is found by: its text, which counts once, and its fields. */
export const weightedTexts = ({ text, fields = {} }: Readonly<{ text: string; fields?: LexicalFields }>): readonly WeightedText[] => [
  { text, weight: 1 },
  ...FIELDS.flatMap(([field, weight]) => (fields[field] === undefined ? [] : [{ text: fields[field], weight }])),
];
