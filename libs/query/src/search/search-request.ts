import { z } from 'zod';
import { parseInput, wire } from '@palimpsest/contracts';
import { filter, ORIGINS, position, STRATEGIES } from '@palimpsest/knowledge';
import type { Filter, KnowledgeBaseId, Origin, Position, Strategy, VectorScope } from '@palimpsest/knowledge';

const FUSIONS = ['zscore', 'rrf', 'weighted', 'simple'] as const;
export type Fusion = (typeof FUSIONS)[number];

const MAX_QUERY = 4_000;

/** The fields of a search, for `/v1/search` and, with more, `/v1/context`. */
export const searchFields = {
  query: z
    .string()
    .max(MAX_QUERY, `expected at most ${MAX_QUERY} characters`)
    .refine((text) => text.trim() !== '', 'expected a query that is not empty')
    .refine((text) => text.isWellFormed(), 'expected well-formed Unicode, without lone surrogates'),
  knowledgeBases: z.array(wire.knowledgeBaseId).min(1).max(100).exactOptional(),
  scopes: z.array(wire.scope).min(1).max(100).exactOptional(),
  topK: z.number().int().min(1).max(100).default(10),
  strategy: z.enum(STRATEGIES).default('DenseSparseHybrid'),
  fusion: z.enum(FUSIONS).default('zscore'),
  minScore: z.number().min(-1).max(1).exactOptional(),
  language: wire.language.exactOptional().describe('language of the query, a BCP 47 tag; default: the language of the searched texts that fits best'),
  // Parsed by the domain; the typed client declares its type.
  filter: z.unknown().meta({ $ref: '#/components/schemas/Filter' }).optional(),
  origins: z.array(z.enum(ORIGINS)).min(1).exactOptional(),
  explain: z.boolean().default(false),
  atLeast: z.string().meta({ pattern: '^(0|[1-9][0-9]{0,19})$' }).exactOptional().describe('wait until the read models have reached this position'),
  snippetChars: z.number().int().min(40).max(2_000).default(300),
};

export const searchBody = z.strictObject(searchFields);

export type SearchRequest = Readonly<{
  query: string;
  /** Default: every knowledge base that the caller may read. */
  knowledgeBases?: readonly KnowledgeBaseId[];
  scopes?: readonly VectorScope[];
  topK: number;
  strategy: Strategy;
  fusion: Fusion;
  /** Minimum cosine similarity; a strong BM25 match rescues a vector slightly below it. */
  minScore?: number;
  /** Language of the query, a BCP 47 tag; default: the language of the searched texts that fits best. */
  language?: string;
  filter?: Filter;
  origins?: readonly Origin[];
  explain: boolean;
  /** Wait until the read models have reached this position. */
  atLeast?: Position;
  snippetChars: number;
}>;

/** @throws InvalidValue */
export const searchRequest = (raw: unknown): SearchRequest => refined(parseInput(searchBody, raw));

/** Parses the fields that the domain has parsers for. @throws InvalidValue */
export const refined = ({ filter: rawFilter, atLeast, ...rest }: z.output<typeof searchBody>): SearchRequest => ({
  ...rest,
  ...(rawFilter === undefined ? {} : { filter: filter(rawFilter) }),
  ...(atLeast === undefined ? {} : { atLeast: position(atLeast, 'atLeast') }),
});
