import type { FleetPlanView } from '@palimpsest/client';
import type { Command } from 'commander';
import type { AsAction } from '../action.ts';
import { EXIT } from '../failure.ts';
import { wholeNumber } from '../options.ts';
import { fleetChunking } from '../render/fleet.ts';
import { showTenants } from '../render/planned-sums.ts';
import type { Session } from '../session.ts';
import { addFleetOptions, fleetOf, type FleetOptions } from './fleet-options.ts';

export const addFleetPlan = (fleet: Command, asAction: AsAction): void => {
  addFleetOptions(
    fleet.command('plan').description('Find out what a fleet would take, by tenant, and record it as a plan. Nothing is started.'),
  )
    .option(
      '--sample <chunks>',
      'chunks that the model embeds to measure its speed (default: 64, with --all-tenants 0)',
      wholeNumber(0, 1_024),
    )
    .option('--id <id>', 'show this plan instead of a new one')
    .action(asAction(plan));
  fleet
    .command('approve')
    .description('Approve the plan of a fleet. The person who made it cannot.')
    .argument('<id>', 'id of the plan')
    .action(asAction(approve));
};

type Options = FleetOptions & Readonly<{ sample?: number; id?: string }>;

const plan = async (session: Session, { id, sample, ...options }: Options): Promise<number> => {
  const { fleets } = session.connect();
  const { signal } = session;
  const asked = { ...(await fleetOf(options, session)), ...(sample === undefined ? {} : { sample }) };
  return show(session, id === undefined ? await fleets.plan(asked, { signal }) : await fleets.getPlan(id, { signal }));
};

const approve = async (session: Session, _options: unknown, id: string): Promise<number> =>
  show(session, await session.connect().fleets.approvePlan(id, { signal: session.signal }));

const show = ({ output }: Session, view: FleetPlanView): number => {
  const { id, tenant, embeddingVersion, chunking, waves, rule, left, approved, startedAt } = view;
  output.result(view, () => {
    output.line(`plan        ${id} for ${tenant ?? 'all tenants'}, to ${embeddingVersion}${fleetChunking(chunking)}`);
    output.line(`waves       ${waves.join(', ')}; stops at more than ${rule.worsePercent} % worse or ${rule.faults} faults`);
    showTenants(output, view);
    if (left > 0) output.line(`not moved   ${left} of the scopes: they have the model, or a swap of their own`);
    output.line(
      `approved    ${approved ? `${approved.at} by ${approved.by.user ?? approved.by.actor}` : 'no: `fleet approve`, by another person'}`,
    );
    if (startedAt !== undefined) output.line(`started     ${startedAt}`);
  });
  return EXIT.ok;
};
