import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { Rewriting, RecordedRewriting } from '../pipeline/rewriting.ts';
import type { DescribedRewriting } from './search-answer.ts';

/** @throws InvalidValue if a query is to be rewritten, and there is no chat model */
export const refuseWithoutChatModel = ({ rewrite }: Readonly<{ rewrite?: RecordedRewriting['by'] }>, chat: object | undefined): void => {
  if (rewrite !== undefined && chat === undefined)
    throw new InvalidValue('rewrite', 'no rewriting, since this installation has no chat model (PALIMPSEST_CHAT_MODEL)', rewrite);
};

export const describeRewriting = (rewriting: Rewriting): DescribedRewriting => ({ ...rewriting, detail: detailOf(rewriting) });

const detailOf = ({ by, model, outcome, texts, reason }: Rewriting): string =>
  outcome === 'rewritten'
    ? `vectors were searched for the query and ${by === 'queries' ? `${texts.length} other wordings` : 'a passage that could answer it'} by ${model}`
    : `vectors were searched for the query alone, since ${model} was skipped: ${reason ?? 'no reason is known'}`;
