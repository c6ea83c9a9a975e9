import { Unavailable } from '@palimpsest/knowledge/errors';
import type { ChatModel } from '@palimpsest/knowledge/models';
import { REWRITING_PROMPT, rewritingOf } from '../chat/rewrite-query.ts';
import type { KnownOfQuery } from './embed-query.ts';
import type { Rewriting } from './rewriting.ts';
import type { Rewritten, SearchStart, Targeted } from './search-state.ts';
import type { Stage } from './stage.ts';

/** `ms`: how long a search waits for it. */
export type ConfiguredChatModel = Readonly<{ model: ChatModel; ms: number }>;

type Needs = Pick<SearchStart, 'request' | 'rewriting'> & Pick<Targeted, 'wanted'>;

/**
 * Asks the chat model for texts that are embedded together with the query. Without them, the search goes on with the query alone, and says
 * so. A search that is run again has the texts of its record; the model is asked again only if they are not there, and if it is the same.
 */
export const rewrite = (
  configured: ConfiguredChatModel | undefined,
  { rewriting: recorded }: KnownOfQuery = {},
): Stage<Needs, Rewritten> => {
  const version = configured === undefined ? undefined : `${configured.model.version}+rewrite${REWRITING_PROMPT}`;
  const named = recorded?.model ?? version ?? 'none';
  const texts = async (query: string, by: Rewriting['by'], signal?: AbortSignal): Promise<readonly string[]> => {
    if (recorded?.outcome === 'skipped') throw new Unavailable(recorded.reason ?? 'it was skipped', { forCallers: true });
    if (recorded?.texts !== undefined) return recorded.texts;
    if (configured === undefined) throw new Unavailable('no chat model is configured here', { forCallers: true });
    if (named !== version)
      throw new Unavailable(`the chat model ${named} is not configured here any more, but ${version}`, { forCallers: true });
    return rewritingOf(configured.model, by, query, signal);
  };
  return {
    name: 'rewrite',
    unless: {
      // A search among more candidates has the texts of the first time.
      holds: ({ request, wanted, rewriting }) =>
        rewriting !== undefined || request.rewrite === undefined || request.strategy === 'SparseOnly' || wanted.searchable.length === 0,
      add: ({ rewriting }) => (rewriting === undefined ? {} : { rewriting }),
    },
    run: async ({ request: { query, rewrite: by = 'queries' } }, { signal }) => ({
      rewriting: { by, model: named, outcome: 'rewritten', texts: await texts(query, by, signal) },
    }),
    count: ({ rewriting }) => rewriting?.texts.length ?? 0,
    otherwise: ({ request: { rewrite: by = 'queries' } }, reason) => ({
      rewriting: { by, model: named, outcome: 'skipped', texts: [], reason },
    }),
    ...(configured === undefined ? {} : { budget: { ms: configured.ms } }),
  };
};
