import { Controller, Inject } from '@nestjs/common';
import {
  cancelFleet,
  continueFleet,
  getFleet,
  listFleets,
  pauseFleet,
  resumeFleet,
  retireFleet,
  rollBackFleet,
  startFleet,
} from '@palimpsest/contracts/routes/fleets';
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
  type FleetChanged,
} from '../fleet/manage-fleets.ts';

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

  @Route(listFleets)
  async list({ caller }: Call<typeof listFleets>) {
    return { fleets: await this.#buses.execute(new ListFleets(caller)) };
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

const changed = ({ position, ...fleet }: FleetChanged) => ({ ...fleet, position: String(position) });
