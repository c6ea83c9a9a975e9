import type { ParseInput, ParseOutcome } from '@palimpsest/knowledge';
import type { ParserLimits } from '../parser-limits.ts';

/** What the pool sends to a parsing process. */
export type ParseRequest = Readonly<{ input: ParseInput; limits: ParserLimits }>;

/** What a parsing process sends back: that it is there, then one outcome per request. */
export type ParseReply = Readonly<{ type: 'ready' }> | Readonly<{ type: 'outcome'; outcome: ParseOutcome }>;
