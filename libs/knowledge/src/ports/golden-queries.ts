import type { DocumentId } from '../values/ids.ts';
import type { TenantScope } from '../values/scope.ts';

/** A query with the documents that answer it, as a person judged them. */
export type GoldenQuery = Readonly<{
  id: string;
  text: string;
  /** Documents and their grades: 1 and more is relevant, 0 is judged as not relevant. A document that is missing here was not judged. */
  relevant: ReadonlyMap<DocumentId, number>;
  /** Written by a model instead of a person. A gate leaves such queries out unless it is asked for them. */
  synthetic: boolean;
}>;

/** One version of a named set of golden queries. Its queries never change. */
export type GoldenSet = Readonly<{ name: string; version: number; queries: readonly GoldenQuery[] }>;

/** The golden queries of scopes, decrypted. */
export interface GoldenQueries {
  /** The latest version of every set of a scope; empty if there is none, or if the key of the scope was destroyed. */
  ofScope(scope: TenantScope): Promise<readonly GoldenSet[]>;
}
