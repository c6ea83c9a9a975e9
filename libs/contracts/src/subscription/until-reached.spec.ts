import { Unavailable } from '@palimpsest/knowledge/errors';
import { START } from '@palimpsest/knowledge/values';
import { untilReached } from './until-reached.ts';

/** Read models that answer at once. */
const answering = (isReached: boolean) => ({ reached: async () => isReached });

describe('waiting for a position without a time limit', () => {
  it('ends when it is reached', async () => untilReached(answering(true), START, new AbortController().signal));

  it('ends when the signal aborts', async () => untilReached(answering(false), START, AbortSignal.abort()));

  it('fails when the read models have stopped, instead of waiting without end', () =>
    expect(untilReached(answering(false), START, new AbortController().signal)).rejects.toThrow(Unavailable));
});
