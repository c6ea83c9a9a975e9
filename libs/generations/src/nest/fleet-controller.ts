import { Controller, Inject } from '@nestjs/common';
import {
  approveFleetPlan,
  cancelFleet,
  continueFleet,
  getFleet,
  getFleetPlan,
  listFleets,
  pauseFleet,
  planFleet,
  resumeFleet,
  retireFleet,
  rollBackFleet,
  startFleet,
} from '@palimpsest/contracts/routes/fleets';
import type { Position } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import {
  CancelFleet,
  ContinueFleet,
  GetFleet,
  ListFleets,
  PauseFleet,
  ResumeFleet,
  RetireFleet,
  RollBackFleet,
  StartFleet,
} from '../fleet/manage-fleets.ts';
import { ApproveFleetPlan, GetFleetPlan, PlanFleet } from '../fleet/plan-fleets.ts';

@Controller()
export class FleetController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(startFleet)
  async start({ caller, body }: Call<typeof startFleet>) {
    return changed(await this.#buses.execute(new StartFleet(caller, body)));
  }

  @Route(planFleet)
  async plan({ caller, body }: Call<typeof planFleet>) {
    return changed(await this.#buses.execute(new PlanFleet(caller, body)));
  }

  @Route(getFleetPlan)
  getPlan({ caller, params }: Call<typeof getFleetPlan>) {
    return this.#buses.execute(new GetFleetPlan(caller, params));
  }

  @Route(approveFleetPlan)
  async approvePlan({ caller, params }: Call<typeof approveFleetPlan>) {
    return changed(await this.#buses.execute(new ApproveFleetPlan(caller, params)));
  }

  @Route(listFleets)
  list({ caller }: Call<typeof listFleets>) {
    return this.#buses.execute(new ListFleets(caller));
  }

  @Route(getFleet)
  get({ caller, params }: Call<typeof getFleet>) {
    return this.#buses.execute(new GetFleet(caller, params));
  }

  @Route(pauseFleet)
  async pause({ caller, params, body }: Call<typeof pauseFleet>) {
    return changed(await this.#buses.execute(new PauseFleet(caller, { ...params, ...body })));
  }

  @Route(resumeFleet)
  async resume({ caller, params }: Call<typeof resumeFleet>) {
    return changed(await this.#buses.execute(new ResumeFleet(caller, params)));
  }

  @Route(continueFleet)
  async continue({ caller, params }: Call<typeof continueFleet>) {
    return changed(await this.#buses.execute(new ContinueFleet(caller, params)));
  }

  @Route(cancelFleet)
  async cancel({ caller, params }: Call<typeof cancelFleet>) {
    return changed(await this.#buses.execute(new CancelFleet(caller, params)));
  }

  @Route(rollBackFleet)
  async rollBack({ caller, params }: Call<typeof rollBackFleet>) {
    return changed(await this.#buses.execute(new RollBackFleet(caller, params)));
  }

  @Route(retireFleet)
  async retire({ caller, params }: Call<typeof retireFleet>) {
    return changed(await this.#buses.execute(new RetireFleet(caller, params)));
  }
}

const changed = <Changed extends Readonly<{ position: Position }>>({ position, ...rest }: Changed) => ({
  ...rest,
  position: String(position),
});
