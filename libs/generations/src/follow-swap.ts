import { followSwap as contract } from '@palimpsest/contracts/routes/swap-progress';
import { assertVisible, permittedScope } from '@palimpsest/knowledge/access';
import { scopeStream } from '@palimpsest/knowledge/deciders';
import { NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { RecordedEvent } from '@palimpsest/knowledge/ports';
import type { Position, VectorScope } from '@palimpsest/knowledge/values';
import type { SwapScope } from './swap-scope.ts';
import type { SwapStatus } from './swap-status.ts';

export type Batches = AsyncIterable<Readonly<{ events: readonly RecordedEvent[]; upTo: Position }>>;
/** Without `data`: nothing happened up to this position. */
export type SwapMessage = Readonly<{ position: Position; data?: SwapStatus }>;
/** `after`: the position from which `batches` follow. `resumed`: whether the caller knows the state as of this position. */
export type SwapStream = (batches: Batches, after: Position, resumed: boolean) => AsyncGenerator<SwapMessage>;

export class FollowSwap extends query<Readonly<{ scope: VectorScope }>, SwapStream>(contract, {
  scopes: ({ scope }) => [scope],
  ...NO_ROWS,
}) {}

/**
 * Streams the state of a swap: at once, and after each of its events. Each message is complete, so a caller that continues from an
 * earlier position misses nothing. The stream ends when the swap does. Every state is checked before it is sent.
 */
export class FollowSwaps implements UseCase {
  readonly handlers = [
    on(FollowSwap, async ({ access, input: { scope: name } }): Promise<SwapStream> => {
      const scope = permittedScope(access, name);
      const stream = scopeStream(scope);
      const status = async (): Promise<SwapStatus> => (assertVisible(access, scope), this.#swaps.statusOf(scope));
      // A scope that does not exist is refused before the stream begins.
      await status();
      return async function* (batches, after, resumed) {
        const now = await status();
        if (!resumed || now.state === 'idle') yield { position: after, data: now };
        if (now.state === 'idle') return;
        for await (const { events, upTo } of batches) {
          const data = events.some((event) => event.stream === stream) ? await status() : undefined;
          yield { position: upTo, ...(data ? { data } : {}) };
          if (data?.state === 'idle') return;
        }
      };
    }),
  ];
  readonly #swaps: Pick<SwapScope, 'statusOf'>;

  constructor(swaps: Pick<SwapScope, 'statusOf'>) {
    this.#swaps = swaps;
  }
}
