import { Controller, Inject } from '@nestjs/common';
import { approveSwapPlan, getSwapPlan, planSwap, planSwaps, planTenants } from '@palimpsest/contracts/routes/swap-plan';
import type { Plan } from '@palimpsest/knowledge/plans';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import { ApproveSwapPlan, GetSwapPlan, PlanSwap, PlanSwaps, type Planned } from '../plan/plan-swap.ts';
import { PlanTenants } from '../plan/plan-tenants.ts';
import { totalsOf } from '../plan/totals.ts';
import { chunkingOf } from './swap-view.ts';

@Controller()
export class SwapPlanController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(planSwap)
  async plan({ caller, params, body }: Call<typeof planSwap>) {
    return changed(await this.#buses.execute(new PlanSwap(caller, { ...params, ...body })));
  }

  @Route(getSwapPlan)
  async get({ caller, params }: Call<typeof getSwapPlan>) {
    return view(await this.#buses.execute(new GetSwapPlan(caller, params)));
  }

  @Route(approveSwapPlan)
  async approve({ caller, params, body }: Call<typeof approveSwapPlan>) {
    return changed(await this.#buses.execute(new ApproveSwapPlan(caller, { ...params, ...body })));
  }

  @Route(planSwaps)
  async planAll({ caller, body }: Call<typeof planSwaps>) {
    const { plans, left } = await this.#buses.execute(new PlanSwaps(caller, body));
    return { plans: plans.map(view), left, total: totalsOf(plans) };
  }

  @Route(planTenants)
  planTenants({ caller, body }: Call<typeof planTenants>) {
    return this.#buses.execute(new PlanTenants(caller, body));
  }
}

/** Limits of models are for operators. */
const view = ({ recipe, limits: _limits, generations: _generations, by, ...plan }: Plan) => ({
  ...plan,
  embeddingVersion: recipe.embedding.version,
  ...chunkingOf(recipe),
  plannedBy: by,
});

const changed = ({ plan, position }: Planned) => ({ ...view(plan), position: String(position) });
