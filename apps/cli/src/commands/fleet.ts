import { setTimeout as sleep } from 'node:timers/promises';
import type { FleetChanged, FleetView, PalimpsestClient } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import type { Session } from '../session.ts';
import { linesOfFleet } from '../render/fleet.ts';
import { addFleetOptions, fleetOf, type FleetOptions } from './fleet-options.ts';
import { addFleetPlan } from './fleet-plan.ts';

const POLL_MS = 500;

export const addFleet: AddCommand = (program, asAction) => {
  const fleet = program.command('fleet').description('Move many scopes to another embedding model in waves, and back.');
  const named = (name: string, description: string) => fleet.command(name).description(description).argument('<id>', 'id of the fleet');
  const latest = (name: string, description: string) =>
    fleet.command(name).description(description).argument('[id]', 'id of the fleet (default: the newest one)');
  fleet.command('list', { isDefault: true }).description('List fleets, the newest first.').action(asAction(list));
  addFleetOptions(
    fleet
      .command('start')
      .description('Start to move all scopes of the tenant to another model. Each scope gets a swap with a gate.')
      .option('--plan <id>', 'start exactly this plan; no other option is needed'),
  ).action(asAction(start));
  addFleetPlan(fleet, asAction);
  latest('status', 'Show the waves of a fleet, and the scopes that need attention.').action(asAction(status));
  latest('watch', 'Show the progress until the fleet waits, is paused or has ended.').action(asAction(watch));
  named('pause', 'Start no further swap, and pause those that are being built.')
    .option('--reason <text>', 'shown with the status of the fleet')
    .action(asAction(pause));
  named('resume', 'Resume a paused fleet, also swaps that failed.').action(
    asAction(act((client, id, options) => client.fleets.resume(id, options))),
  );
  named('continue', 'Start the next wave. After a stop by the rule, accept the outcome of this one.').action(
    asAction(act((client, id, options) => client.fleets.continue(id, options))),
  );
  named('cancel', 'Start no further swap, and cancel those before their cut-over.').action(
    asAction(act((client, id, options) => client.fleets.cancel(id, options))),
  );
  named('rollback', 'Let every scope that the fleet moved use its previous generation again.').action(
    asAction(act((client, id, options) => client.fleets.rollBack(id, options))),
  );
  named('retire', 'After the end: delete what the moved scopes used before. The fleet cannot be rolled back afterwards.').action(
    asAction(act((client, id, options) => client.fleets.retire(id, options))),
  );
};

const start = async (session: Session, options: FleetOptions & Readonly<{ plan?: string }>): Promise<number> => {
  const fleet = { ...(await fleetOf(options, session)), ...(options.plan === undefined ? {} : { plan: options.plan }) };
  return show(session, await session.connect().fleets.start(fleet, { signal: session.signal }));
};

const list = async ({ output, signal, connect }: Session): Promise<number> => {
  const fleets = await connect().fleets.list({ signal });
  output.result({ fleets }, () => {
    output.table(
      ['fleet', 'scopes of', 'state', 'wave', 'model'],
      fleets.map(({ id, tenant, state, wave, waves, embeddingVersion }) => [
        id,
        tenant ?? 'all tenants',
        state,
        `${wave}/${waves.length}`,
        embeddingVersion,
      ]),
    );
  });
  return EXIT.ok;
};

/** @throws UsageError if there is none */
const find = async ({ connect, signal }: Session, id: string | undefined): Promise<FleetView> => {
  const { fleets } = connect();
  if (id !== undefined) return fleets.get(id, { signal });
  const [newest] = await fleets.list({ signal });
  if (newest === undefined) throw new UsageError('there is no fleet yet: start one with `palimpsest fleet start`');
  return newest;
};

const status = async (session: Session, _options: unknown, id?: string): Promise<number> => show(session, await find(session, id));

const isAtWork = ({ state, unfinished, retired }: FleetView): boolean =>
  state === 'assigning' ||
  state === 'running' ||
  ((state === 'cancelled' || state === 'rolled-back' || retired !== undefined) && unfinished > 0);

/** Interrupting the command does not stop the server's work. */
const watch = async (session: Session, _options: unknown, id?: string): Promise<number> => {
  const { output, signal } = session;
  let view = await find(session, id);
  const total = view.waves.reduce((sum, { scopes }) => sum + scopes, 0);
  const bar = output.progress('scopes', total);
  try {
    while (isAtWork(view)) {
      bar.update(total - view.unfinished);
      await sleep(POLL_MS, undefined, { signal });
      view = await session.connect().fleets.get(view.id, { signal });
    }
  } finally {
    bar.stop();
  }
  show(session, view);
  return view.paused && view.paused.by !== 'person' ? EXIT.someFailed : EXIT.ok;
};

const pause = async (session: Session, { reason }: Readonly<{ reason?: string }>, id: string): Promise<number> =>
  show(session, await session.connect().fleets.pause(id, reason, { signal: session.signal }));

type CallOptions = Readonly<{ signal: AbortSignal }>;

const act =
  (run: (client: PalimpsestClient, id: string, options: CallOptions) => Promise<FleetChanged>) =>
  async (session: Session, _options: unknown, id: string): Promise<number> =>
    show(session, await run(session.connect(), id, { signal: session.signal }));

const show = ({ output }: Session, view: FleetView): number => {
  output.result(view, () => linesOfFleet(view).forEach((line) => output.line(line)));
  return EXIT.ok;
};
