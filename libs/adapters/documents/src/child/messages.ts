import type { ParseInput, ParseOutcome } from '@palimpsest/knowledge/ports';
import type { ParserLimits } from '../parser-limits.ts';

/** Sent by the pool to a parser process. */
export type ParseRequest = Readonly<{ input: ParseInput; limits: ParserLimits }>;

/** Sent by a parser process: that it is ready, then one outcome per request. */
export type ParseReply = Readonly<{ type: 'ready' }> | Readonly<{ type: 'outcome'; outcome: ParseOutcome }>;
