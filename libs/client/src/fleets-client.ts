import { path } from './transport.ts';
import type { CallOptions } from './call-options.ts';
import type { Transport } from './transport.ts';
import type { FleetChanged, FleetList, FleetPlanChanged, FleetPlanView, FleetView } from '@palimpsest/contracts/http';
import type { FleetPlanRequest, NewFleet } from './requests.ts';

/** Moves many scopes to another model, in waves (`client.fleets`). Requires the role `admin`; for the scopes of all tenants `operator`. */
export class FleetsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  start(fleet: NewFleet = {}, { signal }: CallOptions = {}): Promise<FleetChanged> {
    return this.#transport.send({ method: 'POST', path: '/v1/fleets', json: fleet, signal });
  }

  /** What it would take. Nothing is started. The id of the plan is that of the fleet that it may become. */
  plan(fleet: FleetPlanRequest = {}, { signal }: CallOptions = {}): Promise<FleetPlanChanged> {
    return this.#transport.send({ method: 'POST', path: '/v1/fleets/plan', json: fleet, signal });
  }

  getPlan(id: string, { signal }: CallOptions = {}): Promise<FleetPlanView> {
    return this.#transport.send({ method: 'GET', path: path`/v1/fleets/${id}/plan`, signal });
  }

  /** By another person than the one who made it. */
  approvePlan(id: string, { signal }: CallOptions = {}): Promise<FleetPlanChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/fleets/${id}/plan/approve`, signal });
  }

  /** Plans that are not started, the newest first. */
  async plans({ signal }: CallOptions = {}): Promise<readonly FleetPlanView[]> {
    return (await this.#transport.send<FleetList>({ method: 'GET', path: '/v1/fleets', signal })).plans;
  }

  /** The newest first. */
  async list({ signal }: CallOptions = {}): Promise<readonly FleetView[]> {
    return (await this.#transport.send<FleetList>({ method: 'GET', path: '/v1/fleets', signal })).fleets;
  }

  get(id: string, { signal }: CallOptions = {}): Promise<FleetView> {
    return this.#transport.send({ method: 'GET', path: path`/v1/fleets/${id}`, signal });
  }

  pause(id: string, reason?: string, { signal }: CallOptions = {}): Promise<FleetChanged> {
    const json = reason === undefined ? {} : { reason };
    return this.#transport.send({ method: 'POST', path: path`/v1/fleets/${id}/pause`, json, signal });
  }

  /** Resumes also the swaps that failed. */
  resume(id: string, { signal }: CallOptions = {}): Promise<FleetChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/fleets/${id}/resume`, signal });
  }

  /** Starts the next wave; after a stop by the rule, accepts the outcome of this one. */
  continue(id: string, { signal }: CallOptions = {}): Promise<FleetChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/fleets/${id}/continue`, signal });
  }

  /** Scopes that were cut over keep the new model. */
  cancel(id: string, { signal }: CallOptions = {}): Promise<FleetChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/fleets/${id}/cancel`, signal });
  }

  /** Every scope that the fleet moved uses its previous generation again. */
  rollBack(id: string, { signal }: CallOptions = {}): Promise<FleetChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/fleets/${id}/rollback`, signal });
  }

  /** Deletes what the scopes that it moved used before. Afterwards the fleet cannot be rolled back. */
  retire(id: string, { signal }: CallOptions = {}): Promise<FleetChanged> {
    return this.#transport.send({ method: 'POST', path: path`/v1/fleets/${id}/retire`, signal });
  }
}
