/** The types of requests and responses. The client exports all of them, so a new view is listed nowhere else. */
export type * from './api-keys.ts';
export type * from './audit.ts';
export type * from './caller.ts';
export type * from './dead-letters.ts';
export type * from './documents.ts';
export type * from './evaluations.ts';
export type * from './events.ts';
export type * from './figures.ts';
export type * from './health.ts';
export type * from './knowledge-bases.ts';
export type * from './limits.ts';
export type * from './live.ts';
export type * from './models.ts';
export type * from './operations.ts';
export type * from './search.ts';
export type * from './transfer.ts';
export type * from './swaps.ts';
