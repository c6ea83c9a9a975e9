import { decodedVectors, queryDigest, termsDigest, type RecordedRequests } from '@palimpsest/contracts';
import type { Access, RequiredLabels } from '@palimpsest/knowledge/access';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { RetrievalRecordData, SealedRequest } from '@palimpsest/knowledge/events';
import type { ScoreSpread } from '@palimpsest/knowledge/read-models';
import { position, type EmbeddingVersion, type Position, type Strategy } from '@palimpsest/knowledge/values';
import type { KnownOfQuery } from '../pipeline/embed-query.ts';
import type { Fusion, SearchRequest } from '../search/search-request.ts';
import type { Terms } from '../search/terms.ts';

/** A recorded search that can be run again. `vectors`: of the query, by model, if the tenant recorded them. `requiredLabels`: those of its caller's key. */
export type RecordedSearch = Readonly<{
  request: SearchRequest;
  position: Position;
  vectors: ReadonlyMap<EmbeddingVersion, Float32Array>;
  /** Only if the search had a minimum relevance. */
  backgrounds: ReadonlyMap<EmbeddingVersion, ScoreSpread>;
  requiredLabels?: RequiredLabels;
  /** Only if the query was rewritten; with the texts if the tenant recorded them. */
  rewriting?: KnownOfQuery['rewriting'];
}>;

/** The search sees what its caller saw, also if this one may see more. */
export const asItsCaller = (access: Access, { requiredLabels }: Pick<RecordedSearch, 'requiredLabels'>): Access =>
  requiredLabels === undefined ? access : { ...access, requiredLabels };

/** What a record has only if the tenant lets queries be recorded. */
export type GivenTexts = Readonly<{ query?: string | undefined; terms?: Terms | undefined }>;

/**
 * Opens the sealed part of a record. `given`: query and terms, from a caller whose tenant did not record them.
 * @throws InvalidValue if one of them is missing or is another one; those of `RecordedRequests`
 */
export const recordedSearch = async (
  record: RetrievalRecordData,
  requests: RecordedRequests,
  given: GivenTexts = {},
): Promise<RecordedSearch> => {
  const { cipher, sealed } = await requests.open(record);
  const { query, terms = sealed.terms } = given;
  const text = query ?? sealed.query;
  if (text === undefined) throw new InvalidValue('query', 'the text of the query, since this tenant did not let it be recorded', query);
  if (queryDigest(cipher, text) !== record.queryHash)
    throw new InvalidValue(
      'query',
      'the text of the recorded query, to the letter: the digest on the record is that of another text',
      query,
    );
  const { rewriting } = record;
  if (record.termsHash !== (terms && termsDigest(cipher, terms)))
    throw new InvalidValue(
      'terms',
      record.termsHash === undefined ? 'none, since the recorded search had none' : 'the terms of the recorded search, to the letter',
      given.terms,
    );
  const backgrounds = new Map(Object.entries(sealed.backgrounds ?? {}) as [EmbeddingVersion, ScoreSpread][]);
  return {
    request: requestOf(record, { query: text, terms }, sealed),
    position: position(record.position),
    vectors: decodedVectors(sealed),
    backgrounds,
    ...(sealed.requiredLabels === undefined ? {} : { requiredLabels: sealed.requiredLabels }),
    ...(rewriting ? { rewriting: { ...rewriting, ...(sealed.rewriting ? { texts: sealed.rewriting } : {}) } } : {}),
  };
};

const requestOf = (
  record: RetrievalRecordData,
  { query, terms }: GivenTexts & Readonly<{ query: string }>,
  { filter }: SealedRequest,
): SearchRequest => {
  const { permittedScopes, topK, strategy, fusion, minScore, minRelevance, language, knowledgeBases, origins, snippetChars = 300 } = record;
  return {
    query,
    scopes: permittedScopes,
    topK,
    strategy: strategy as Strategy,
    fusion: fusion as Fusion,
    explain: false,
    snippetChars,
    // A search from before there were corrections had none.
    spelling: record.spelling === true,
    ...record.arrangement,
    ...(record.rewriting ? { rewrite: record.rewriting.by } : {}),
    ...(minScore === undefined ? {} : { minScore }),
    ...(minRelevance === undefined ? {} : { minRelevance }),
    ...(language === undefined ? {} : { language }),
    ...(knowledgeBases === undefined ? {} : { knowledgeBases }),
    ...(origins === undefined ? {} : { origins }),
    ...(filter === undefined ? {} : { filter }),
    ...(terms === undefined ? {} : { terms }),
  };
};
