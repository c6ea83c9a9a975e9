import { Controller, Inject } from '@nestjs/common';
import {
  cancelSwap,
  cutOverSwap,
  evaluateSwap,
  getSwap,
  getSwapEvaluation,
  listSwaps,
  pauseSwap,
  resumeSwap,
  retireSwap,
  rollBackSwap,
  startSwap,
  startSwapEvaluation,
} from '@palimpsest/contracts/routes/swap';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import { CancelSwap, CutOverSwap, GetSwap, ListSwaps, PauseSwap, ResumeSwap, RetireSwap, RollBackSwap, StartSwap } from '../swap-scope.ts';
import { EvaluateSwap, GetSwapEvaluation, StartEvaluation } from '../evaluate-swap.ts';
import type { ShownEvaluation } from '../evaluation/describe-evaluation.ts';
import { swapChangedView, swapView } from './swap-view.ts';

@Controller()
export class SwapController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(listSwaps)
  async list({ caller }: Call<typeof listSwaps>) {
    return { swaps: (await this.#buses.execute(new ListSwaps(caller, {}))).map(swapView) };
  }

  @Route(getSwap)
  async get({ caller, params }: Call<typeof getSwap>) {
    return swapView(await this.#buses.execute(new GetSwap(caller, params)));
  }

  @Route(startSwap)
  async start({ caller, params, body }: Call<typeof startSwap>) {
    return swapChangedView(await this.#buses.execute(new StartSwap(caller, { ...params, ...body })));
  }

  @Route(pauseSwap)
  async pause({ caller, params, body }: Call<typeof pauseSwap>) {
    return swapChangedView(await this.#buses.execute(new PauseSwap(caller, { ...params, ...body })));
  }

  @Route(resumeSwap)
  async resume({ caller, params }: Call<typeof resumeSwap>) {
    return swapChangedView(await this.#buses.execute(new ResumeSwap(caller, params)));
  }

  @Route(cutOverSwap)
  async cutOver({ caller, params, body }: Call<typeof cutOverSwap>) {
    return swapChangedView(await this.#buses.execute(new CutOverSwap(caller, { ...params, ...body })));
  }

  @Route(evaluateSwap)
  async evaluate({ caller, params, body }: Call<typeof evaluateSwap>) {
    return evaluated(await this.#buses.execute(new EvaluateSwap(caller, { ...params, ...body })));
  }

  @Route(startSwapEvaluation)
  async startEvaluation({ caller, params, body }: Call<typeof startSwapEvaluation>) {
    return { ...(await this.#buses.execute(new StartEvaluation(caller, { ...params, ...body }))), ...placesOf(params.scope) };
  }

  @Route(getSwapEvaluation)
  async evaluation({ caller, params }: Call<typeof getSwapEvaluation>) {
    return evaluated(await this.#buses.execute(new GetSwapEvaluation(caller, params)));
  }

  @Route(rollBackSwap)
  async rollBack({ caller, params }: Call<typeof rollBackSwap>) {
    return swapChangedView(await this.#buses.execute(new RollBackSwap(caller, params)));
  }

  @Route(cancelSwap)
  async cancel({ caller, params }: Call<typeof cancelSwap>) {
    return swapChangedView(await this.#buses.execute(new CancelSwap(caller, params)));
  }

  @Route(retireSwap)
  async retire({ caller, params, body }: Call<typeof retireSwap>) {
    return swapChangedView(await this.#buses.execute(new RetireSwap(caller, { ...params, ...body })));
  }
}

/** Where the progress and the result of an evaluation are. */
const placesOf = (scope: string) => {
  const swap = `/v1/scopes/${encodeURIComponent(scope)}/swap`;
  return { status: swap, result: `${swap}/evaluation` };
};

/** Numbers of single queries stay on the log, except for those that changed most; past queries are only counted. */
const evaluated = ({ evaluation: { queries: _, pastQueries: __, ...evaluation }, worst, best }: ShownEvaluation) => ({
  ...evaluation,
  worst,
  best,
});
