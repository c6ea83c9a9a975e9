import { Controller, Inject } from '@nestjs/common';
import { followSwap } from '@palimpsest/contracts/routes/swap-progress';
import { Buses } from '@palimpsest/runtime';
import { LiveLog, LiveStreams, Route, sendStream, startOf, type Call } from '@palimpsest/http';
import { FollowSwap, type SwapMessage } from '../follow-swap.ts';
import { swapView } from './swap-view.ts';

@Controller()
export class SwapProgressController {
  readonly #buses: Buses;
  readonly #log: LiveLog;
  readonly #streams: LiveStreams;

  constructor(@Inject(Buses) buses: Buses, @Inject(LiveLog) log: LiveLog, @Inject(LiveStreams) streams: LiveStreams) {
    this.#buses = buses;
    this.#log = log;
    this.#streams = streams;
  }

  @Route(followSwap)
  async live({ access, caller, isStillKnown, params, query, headers, reply }: Call<typeof followSwap>): Promise<void> {
    const stream = await this.#buses.execute(new FollowSwap(caller, params));
    const resumed = query.after !== undefined || (headers['Last-Event-ID'] ?? '') !== '';
    const after = await startOf(this.#log, headers['Last-Event-ID'], query.after);
    const messages = (signal: AbortSignal) => shown(stream(this.#log.follow(after, signal), after, resumed));
    sendStream(reply, this.#streams.open({ tenant: access.tenant, event: 'swap', after, messages, mayGoOn: isStillKnown }));
  }
}

async function* shown(messages: AsyncIterable<SwapMessage>) {
  for await (const { position, data } of messages) yield { position, ...(data ? { data: swapView(data) } : {}) };
}
